"""SQL of the root cause resource and its completions."""

from typing import Any

from toolbox.database.pools import reader

_ENTRY = """
SELECT entry_name AS id, language, error_type, error_description, root_cause, solution, fixed_in, confidence, status,
       created_at
FROM devassist_root_causes WHERE entry_name = %s AND status <> 'retired' LIMIT 1
"""
_ENTRIES = """
SELECT entry_name AS value FROM devassist_root_causes
WHERE entry_name ~>=~ %(typed)s::text AND entry_name ~<~ (%(typed)s::text || U&'\\+10FFFF') AND status <> 'retired'
ORDER BY entry_name USING ~<~ LIMIT 101
"""
"""Uses the prefix index, whatever the database's collation and size."""


async def entry(name: str) -> dict[str, Any] | None:
    """Return a root cause by its id. A retired one is not found, as in tools."""
    rows = (await reader.fetch(_ENTRY, [name])).rows
    return rows[0] if rows else None


async def entries(typed: str) -> list[str]:
    """Return ids of root causes."""
    return [row["value"] for row in (await reader.fetch(_ENTRIES, {"typed": typed})).rows]
