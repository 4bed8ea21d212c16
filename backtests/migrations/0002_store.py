"""The partitioned tables, and what makes and drops a run's partitions."""

from pathlib import Path

from django.db import migrations

from toolbox.database.migration_operations import GrantRead

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
DELETE FROM backtests_runs;
DROP TRIGGER backtests_runs_added ON backtests_runs;
DROP TRIGGER backtests_runs_deleted ON backtests_runs;
DROP FUNCTION backtests_add_run();
DROP FUNCTION backtests_drop_run();
DROP FUNCTION backtests_latest(uuid, text, bigint);
DROP FUNCTION backtests_size(uuid, text);
DROP FUNCTION backtests_rank(uuid, text, bigint);
DROP TABLE backtests_order_states, backtests_lists, backtests_events;
"""


class Migration(migrations.Migration):
    dependencies = [("backtests", "0001_initial")]

    operations = [
        migrations.RunSQL(SQL, UNDO),
        GrantRead(
            "backtests_runs",
            "backtests_signatures",
            "backtests_events",
            "backtests_lists",
            "backtests_order_states",
        ),
    ]
