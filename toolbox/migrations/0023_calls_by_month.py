"""
Calls lie in a partition for each month, dropped whole when it is old enough.

What is there already becomes one partition as it is, whatever its size. Its key and the check of its bounds are made
while calls are recorded; the exchange then takes a moment. Going back leaves the partitions, which have the same
columns.
"""

from pathlib import Path
from typing import Any

from django.db import migrations

SQL = Path(__file__).with_suffix(".sql").read_text()
PREPARE = (
    "ALTER TABLE toolbox_tool_calls DROP CONSTRAINT IF EXISTS toolbox_tool_calls_before",
    """
DO $$
DECLARE newest timestamptz;
BEGIN
    SELECT greatest(now(), max(called_at)) + interval '1 day' INTO newest FROM toolbox_tool_calls;
    EXECUTE format(
        'ALTER TABLE toolbox_tool_calls ADD CONSTRAINT toolbox_tool_calls_before CHECK (called_at < %L) NOT VALID',
        (date_trunc('month', newest AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
    );
END
$$
""",
    "ALTER TABLE toolbox_tool_calls VALIDATE CONSTRAINT toolbox_tool_calls_before",
    "DROP INDEX CONCURRENTLY IF EXISTS toolbox_tool_calls_before_pkey",
    "CREATE UNIQUE INDEX CONCURRENTLY toolbox_tool_calls_before_pkey ON toolbox_tool_calls (id, called_at)",
)
"""Each in a transaction of its own, and safe to repeat; none keeps calls from being recorded for long."""


def part_by_month(_apps: Any, schema_editor: Any) -> None:
    """Make the table a partition of a new one; nothing where that was done before and taken back."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT relkind = 'p' FROM pg_class WHERE oid = 'toolbox_tool_calls'::regclass")
        if cursor.fetchone()[0]:
            return
        for statement in PREPARE:
            cursor.execute(statement)
        cursor.execute(SQL)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("toolbox", "0022_server_processes")]

    operations = [migrations.RunPython(part_by_month, migrations.RunPython.noop)]
