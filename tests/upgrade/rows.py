"""What a database holds, read without a model: columns may get other names."""

from typing import Any

import psycopg


def count_rows(url: str) -> dict[str, int]:
    """Count the rows of every table."""
    counted = {}
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (name,) in tables:
            found = connection.execute(f'SELECT count(*) FROM "{name}"'.encode()).fetchone()
            counted[str(name)] = int(found[0]) if found else 0
    return counted


def read_calls(url: str) -> dict[str, list[Any]]:
    """Read the audit: the values of each row by its id."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT id, to_jsonb(call) FROM toolbox_tool_calls AS call ORDER BY id").fetchall()
    return {str(number): list(columns.values()) for number, columns in rows}


def read_rows(url: str, table: str) -> list[dict[str, Any]]:
    """Read up to 100 rows of a table."""
    with psycopg.connect(url) as connection:
        found = connection.execute(f'SELECT to_jsonb(one) FROM "{table}" AS one LIMIT 100'.encode()).fetchall()
    return [columns for (columns,) in found]
