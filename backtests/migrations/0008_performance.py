"""What runs came to. `manage.py build_backtest_performance` builds it for runs that are stored."""

from pathlib import Path

from django.db import migrations

from toolbox.database.migration_operations import GrantRead

SQL = Path(__file__).with_suffix(".sql").read_text()
UNDO = """
CREATE OR REPLACE FUNCTION backtests_drop_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS backtests_events_%1$s, backtests_lists_%1$s, backtests_order_states_%1$s',
                 OLD.number);
  DELETE FROM backtests_quarantine WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signatures WHERE run_id = OLD.run_id;
  DELETE FROM backtests_signature_blocks WHERE run_id = OLD.run_id;
  RETURN OLD;
END $$;
DROP TABLE backtests_round_trips, backtests_performance, backtests_decisions;
"""


class Migration(migrations.Migration):
    dependencies = [("backtests", "0007_order_steps")]

    operations = [
        migrations.RunSQL(SQL, UNDO),
        GrantRead("backtests_round_trips", "backtests_performance", "backtests_decisions"),
    ]
