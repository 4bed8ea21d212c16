"""Spread the large tables of backtests over the nodes of a Citus cluster: `manage.py distribute_backtests`."""

from typing import Any

from django.core.management.base import CommandError
from django.db import connection, transaction

from toolbox.database.command import DatabaseCommand

TABLES = ("backtests_events", "backtests_lists", "backtests_order_states")
KEYS = """
ALTER TABLE backtests_events ADD CONSTRAINT backtests_events_pkey PRIMARY KEY (run_id, number);
CREATE UNIQUE INDEX backtests_events_id ON backtests_events (run_id, event_id);
ALTER TABLE backtests_lists ADD CONSTRAINT backtests_lists_pkey PRIMARY KEY (run_id, list, chunk);
ALTER TABLE backtests_order_states ADD CONSTRAINT backtests_order_states_pkey
  PRIMARY KEY (run_id, order_id, moment, number)
"""
"""Keys that hold the run, as Citus requires; with them, partitions get none of their own (backtests_add_run)."""


class Command(DatabaseCommand):
    """Distribute the tables once, before the first run is loaded; change nothing without the extension."""

    help = "Distribute the large tables of backtests by run, where Citus is installed. Untried: see docs/scale.md."

    def handle(self, *args: Any, **options: Any) -> None:
        """Distribute all tables or none. Raises CommandError if Citus is missing or runs are stored."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
            found = cursor.fetchone()
            if found is None:
                raise CommandError(
                    "This database has no Citus extension, and nothing was changed. One node holds the tables as they "
                    "are; docs/scale.md says from which size on more are needed."
                )
            cursor.execute("SELECT 1 FROM backtests_runs LIMIT 1")
            if cursor.fetchone():
                raise CommandError(
                    "Runs are stored already. Make a backup, distribute an empty store, and load the runs again."
                )
            cursor.execute("SELECT to_regclass('backtests_lists_pkey')")
            if cursor.fetchone()[0] is None:
                cursor.execute(KEYS)
            cursor.execute("SELECT citus_add_local_table_to_metadata('backtests_runs')")
            for table in TABLES:
                together = "default" if table == TABLES[0] else TABLES[0]
                cursor.execute("SELECT create_distributed_table(%s, 'run_id', colocate_with => %s)", [table, together])
        self.stdout.write(f"Distributed {', '.join(TABLES)} by run, with Citus {found[0]}.")
