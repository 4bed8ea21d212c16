"""
SQL of the console pages besides the search: small statements, by ids or with a limit.

Tools do not need the number of uses, so the reader role cannot read it. Statements that read it run as the owner.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from toolbox.database.pools import owner_pool, reader
from toolbox.embedding.model_files import MODEL_NAME

Row = dict[str, Any]

MAX_COUNTED = 10_000
LISTED = 8

_BESIDE = """
SELECT r.id, coalesce(used.times, 0) AS times,
  array(SELECT unnest(r.word_places) INTERSECT SELECT unnest(%(places)s::int[])) AS places
FROM devassist_root_causes AS r
LEFT JOIN devassist_root_cause_uses AS used ON used.root_cause_id = r.id
WHERE r.id = ANY(%(ids)s::bigint[])
LIMIT 50
"""
_ONE = """
SELECT r.id, r.entry_name, r.status, r.language, r.error_type, r.error_description, r.root_cause, r.solution,
  r.fixed_in, r.confidence, r.source, r.created_at, r.changed_at,
  r.embedded_hash = r.text_hash AND r.embedding_model = %(model)s AS is_embedded,
  coalesce(used.times, 0) AS times, used.last_used_at
FROM devassist_root_causes AS r
LEFT JOIN devassist_root_cause_uses AS used ON used.root_cause_id = r.id
WHERE r.entry_name = %(name)s
LIMIT 1
"""
_COUNT = """
SELECT count(*) AS entries
FROM (SELECT 1 FROM devassist_root_causes WHERE status <> 'retired' LIMIT %(most)s) AS those
"""
_LISTED = """
SELECT r.entry_name, r.status, r.language, r.error_type, left(r.error_description, 300) AS error_description,
  coalesce(used.times, 0) AS times
"""
_MAX_USED = (
    _LISTED
    + """
FROM devassist_root_cause_uses AS used JOIN devassist_root_causes AS r ON r.id = used.root_cause_id
WHERE r.status <> 'retired' ORDER BY used.times DESC, r.id LIMIT %(listed)s
"""
)
_NEWEST = (
    _LISTED
    + """
FROM devassist_root_causes AS r LEFT JOIN devassist_root_cause_uses AS used ON used.root_cause_id = r.id
WHERE r.status <> 'retired' ORDER BY r.id DESC LIMIT %(listed)s
"""
)


async def fetch_uses_and_words(ids: Iterable[int], *, places: Sequence[int]) -> dict[int, Row]:
    """Return the number of uses by id, and which of a query's words each entry has."""
    rows = (await owner_pool.fetch(_BESIDE, {"ids": list(ids), "places": list(places)})).rows
    return {row["id"]: row for row in rows}


async def one(name: str) -> Row | None:
    """Return an entry, retired or not."""
    return next(iter((await owner_pool.fetch(_ONE, {"name": name, "model": MODEL_NAME})).rows), None)


async def count() -> int:
    """Count the entries that a search can find, up to 10,001."""
    return int((await reader.fetch(_COUNT, {"most": MAX_COUNTED + 1})).rows[0]["entries"])


async def most_used() -> list[Row]:
    """Return the most used entries."""
    return (await owner_pool.fetch(_MAX_USED, {"listed": LISTED})).rows


async def newest() -> list[Row]:
    """Return the newest entries."""
    return (await owner_pool.fetch(_NEWEST, {"listed": LISTED})).rows
