"""SQL of the catalogue's columns of the views. information_schema hides what a role may not read."""

from typing import Any

from sprints.schema.view_catalog import SCHEMA
from toolbox.database.pools import Pool

MAX_COLUMNS = 2_000

_COLUMNS = """
SELECT c.relname AS view, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
       obj_description(c.oid, 'pg_class') AS view_says, col_description(c.oid, a.attnum) AS column_says
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = %(schema)s AND c.relkind = 'v'
ORDER BY c.relname, a.attnum
LIMIT %(most)s
"""


async def view_columns(reader: Pool) -> list[dict[str, Any]]:
    """Return every column of every view in order, with its type and comments. Runs one statement."""
    found = await reader.fetch(_COLUMNS, {"schema": SCHEMA, "most": MAX_COLUMNS})
    return found.rows
