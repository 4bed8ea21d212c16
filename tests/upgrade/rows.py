"""The content of a database, read without models: columns may be renamed."""

from collections import Counter
from typing import Any

import psycopg

AUDIT = ("toolbox_tool_calls", "toolbox_call_counts")
Values = list[str]


def count_rows(url: str) -> dict[str, int]:
    """Count the rows of every table."""
    counted = {}
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (name,) in tables:
            found = connection.execute(f'SELECT count(*) FROM "{name}"'.encode()).fetchone()
            counted[str(name)] = int(found[0]) if found else 0
    return counted


def read_rows(url: str, table: str) -> list[dict[str, Any]]:
    """Read up to 1,000 rows of a table, with moments in UTC."""
    with psycopg.connect(url, options="-c timezone=UTC") as connection:
        found = connection.execute(f'SELECT to_jsonb(one) FROM "{table}" AS one LIMIT 1000'.encode()).fetchall()
    return [columns for (columns,) in found]


def read_values(url: str, table: str) -> list[Values]:
    """Read the values of each row, sorted."""
    return sorted(sorted(map(str, row.values())) for row in read_rows(url, table))


def find_lost_rows(stored: list[Values], *, now: list[Values]) -> list[Values]:
    """Return the rows whose values no row has any more; a row may have further values."""
    counters = [Counter(values) for values in now]
    return [values for values in stored if not any(Counter(values) <= counter for counter in counters)]
