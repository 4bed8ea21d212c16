"""Documents change with the results of periods: clients that watch them are told."""

from django.db import migrations

from toolbox.database.migration_operations import NotifyResourceChanges


class Migration(migrations.Migration):
    dependencies = [("linescore", "0002_derive_period_results")]

    operations = [
        NotifyResourceChanges(
            "linescore_period_results",
            "SELECT 'linescore://games/' || game_id FROM changed "
            "UNION ALL SELECT 'linescore://seasons/' || season FROM changed "
            "UNION ALL SELECT 'linescore://seasons/' || season || '/teams/' || team_code FROM changed",
        ),
    ]
