"""Deleting a run cannot deadlock with loads and questions of others."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()
BEFORE = Path(__file__).with_name("0008_performance.sql").read_text()
UNDO = (
    BEFORE[BEFORE.index("CREATE OR REPLACE FUNCTION backtests_drop_run()") :]
    + """
DROP TRIGGER backtests_runs_deleted ON backtests_runs;
CREATE TRIGGER backtests_runs_deleted BEFORE DELETE ON backtests_runs
  FOR EACH ROW EXECUTE FUNCTION backtests_drop_run();
"""
)


class Migration(migrations.Migration):
    dependencies = [("backtests", "0010_decision_prefixes")]

    operations = [migrations.RunSQL(SQL, UNDO)]
