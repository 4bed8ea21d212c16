"""Digests of the beginnings of a run's decisions; of runs that are stored it has none, and they are compared whole."""

from django.db import migrations

SQL = "ALTER TABLE backtests_decisions ADD COLUMN prefixes bytea"
UNDO = "ALTER TABLE backtests_decisions DROP COLUMN prefixes"


class Migration(migrations.Migration):
    dependencies = [("backtests", "0009_uploaded_files")]

    operations = [migrations.RunSQL(SQL, UNDO)]
