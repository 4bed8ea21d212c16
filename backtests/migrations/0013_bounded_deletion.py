"""Deleting a run is one statement, by the ORM too: its trigger deletes what belongs to the run, within a minute."""

from pathlib import Path

from django.db import migrations, models
from django.db.models.deletion import DO_NOTHING

SQL, BEFORE = (
    Path(__file__).with_name(f"{name}.sql").read_text() for name in ("0013_bounded_deletion", "0011_deletion")
)


class Migration(migrations.Migration):
    dependencies = [("backtests", "0012_open_loads")]

    operations = [
        migrations.RunSQL(SQL, BEFORE),
        migrations.AlterField(
            model_name="quarantinedline",
            name="run",
            field=models.ForeignKey(on_delete=DO_NOTHING, related_name="quarantine", to="backtests.run"),
        ),
        migrations.AlterField(
            model_name="signature",
            name="run",
            field=models.ForeignKey(on_delete=DO_NOTHING, related_name="signatures", to="backtests.run"),
        ),
    ]
