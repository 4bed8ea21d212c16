"""
Each partition gets unique keys of its own, without the run; the keys of the parents are dropped.

Keys are built one partition at a time, while loads and questions go on. Then each of the parents' keys is dropped in a
transaction that takes its locks within 100 ms or not at all (see 0011_deletion.sql). An interrupted migration is
repeated from its beginning, and builds what is missing. Dropping a key locks two relations for each stored run: above
6,000 runs, raise `max_locks_per_transaction` before (docs/scale.md).
"""

from pathlib import Path
from typing import Any

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()
KEYS = {
    "backtests_events_{number}_number": "backtests_events_{number} (number)",
    "backtests_events_{number}_id": "backtests_events_{number} (event_id)",
    "backtests_lists_{number}_chunk": "backtests_lists_{number} (list, chunk)",
    "backtests_order_states_{number}_step": "backtests_order_states_{number} (hashtext(order_id), moment, number)",
}
IS_SPREAD = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
RUNS = "SELECT number FROM backtests_runs ORDER BY number"
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
EXISTS = "SELECT to_regclass(%s) IS NOT NULL"
OLD_KEYS = {
    # The first one decides what new runs get (backtests_add_run).
    "backtests_lists_pkey": "ALTER TABLE backtests_lists DROP CONSTRAINT IF EXISTS backtests_lists_pkey",
    "backtests_order_states_pkey": (
        "ALTER TABLE backtests_order_states DROP CONSTRAINT IF EXISTS backtests_order_states_pkey"
    ),
    "backtests_events_id": "DROP INDEX IF EXISTS backtests_events_id",
    "backtests_events_pkey": "ALTER TABLE backtests_events DROP CONSTRAINT IF EXISTS backtests_events_pkey",
}
# Runs that were added meanwhile have no keys of their own yet. No run is added or loaded while this holds its locks.
EXCHANGE = """
DO $$
BEGIN
  LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      LOCK TABLE backtests_runs IN SHARE ROW EXCLUSIVE MODE;
      PERFORM backtests_add_keys(number) FROM backtests_runs
      WHERE to_regclass('backtests_order_states_' || number || '_step') IS NULL;
      DROP_KEY;
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
END
$$
"""
UNDO = """
ALTER TABLE backtests_events ADD CONSTRAINT backtests_events_pkey PRIMARY KEY (run_id, number);
CREATE UNIQUE INDEX backtests_events_id ON backtests_events (run_id, event_id);
ALTER TABLE backtests_lists ADD CONSTRAINT backtests_lists_pkey PRIMARY KEY (run_id, list, chunk);
ALTER TABLE backtests_order_states ADD CONSTRAINT backtests_order_states_pkey
  PRIMARY KEY (run_id, order_id, moment, number);
"""
"""New runs then get no keys of their own; those of older runs stay, and harm nothing."""


def build_keys(_: Any, schema_editor: Any) -> None:
    """Build the keys of the partitions, then drop those of their parents; nothing where tables may be distributed."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(IS_SPREAD)
        if cursor.fetchone():
            return
        cursor.execute(RUNS)
        for (number,) in cursor.fetchall():
            for index, columns in KEYS.items():
                _build(cursor, index.format(number=number), columns=columns.format(number=number))
        for drop in OLD_KEYS.values():
            cursor.execute(EXCHANGE.replace("DROP_KEY", drop))


def _build(cursor: Any, index: str, *, columns: str) -> None:
    """Build one index, unless it is there or its run was deleted; an interrupted one is built anew."""
    cursor.execute(IS_VALID, [index])
    found = cursor.fetchone()
    cursor.execute(EXISTS, [columns.partition(" ")[0]])
    if (found and found[0]) or not cursor.fetchone()[0]:
        return
    cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
    cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {index} ON {columns}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("backtests", "0013_bounded_deletion")]

    operations = [
        migrations.RunSQL(SQL, migrations.RunSQL.noop),
        migrations.RunPython(build_keys, lambda _, editor: editor.execute(UNDO)),
    ]
