"""Derive linescore_period_results from games and periods, in the database, whoever writes those."""

from pathlib import Path

from django.db import migrations

from toolbox.database.migration_operations import GrantRead

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
DROP TRIGGER linescore_games_changed ON linescore_games;
DROP TRIGGER linescore_periods_added ON linescore_periods;
DROP TRIGGER linescore_periods_changed ON linescore_periods;
DROP TRIGGER linescore_periods_removed ON linescore_periods;
DROP TRIGGER linescore_periods_truncated ON linescore_periods;
DROP TRIGGER linescore_results_derived ON linescore_period_results;
DROP FUNCTION linescore_refuse_by_hand();
DROP FUNCTION linescore_on_truncate();
DROP FUNCTION linescore_on_change();
DROP FUNCTION linescore_derive(bigint[]);
DROP VIEW linescore_sides;
"""


class Migration(migrations.Migration):
    dependencies = [("linescore", "0001_initial")]

    operations = [
        migrations.RunSQL(SQL, UNDO),
        GrantRead("linescore_teams", "linescore_games", "linescore_periods", "linescore_period_results"),
    ]
