"""The SQL of the pages of runs. Each statement reads a bounded number of rows, whatever a run's size."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from backtests.runs.queries import Row
from toolbox.database.pools import reader

MAX_SEARCHED, DEEPEST, MAX_AROUND = 10_000, 50, 500
LETTERS, BYTES, WHOLE = 600, 4_096, 20_000

_COLUMNS = """
run_id, name, engine, config_hash, coalesce(started_at, first_event_at) AS started_at,
coalesce(ended_at, last_event_at) AS ended_at, first_event_at, last_event_at, event_count, malformed_count,
quarantined_count, counts_by_type, symbols, stored_at, sweep, open_loads, now() AS asked_at
"""
_FOUND = """
SELECT RUN_COLUMNS FROM (
  SELECT * FROM backtests_runs ORDER BY stored_at DESC, run_id LIMIT %(most)s
) AS newest
WHERE %(like)s = '' OR name ILIKE %(like)s OR engine ILIKE %(like)s OR run_id::text LIKE %(like)s
   OR symbols::text ILIKE %(like)s
ORDER BY stored_at DESC, run_id OFFSET %(skip)s LIMIT %(take)s
""".replace("RUN_COLUMNS", _COLUMNS)
_CHOSEN = """
SELECT RUN_COLUMNS FROM backtests_runs WHERE run_id = ANY (%(runs)s::uuid[]) LIMIT 4
""".replace("RUN_COLUMNS", _COLUMNS)
_RANKS = """
SELECT t.code, u.place, backtests_rank(%(run)s, 't:' || t.code, u.edge) AS before
FROM unnest(%(codes)s::integer[]) AS t (code)
CROSS JOIN unnest(%(edges)s::bigint[]) WITH ORDINALITY AS u (edge, place)
ORDER BY t.code, u.place LIMIT 1000
"""
# Causes of an event are walked by ids. Effects are searched among the events of its tree that arrived next to it,
# since an effect arrives after its cause.
_AROUND = """
WITH RECURSIVE chosen AS MATERIALIZED (
  SELECT number, root_number, parent_event_id FROM backtests_events WHERE run_id = %(run)s AND event_id = %(event)s
), above AS (
  SELECT number, parent_event_id, 0 AS height FROM chosen
  UNION ALL
  SELECT p.number, p.parent_event_id, above.height + 1
  FROM above JOIN backtests_events AS p ON p.run_id = %(run)s AND p.event_id = above.parent_event_id
  WHERE above.height < %(deepest)s
), around AS (
  (SELECT e.number FROM backtests_events AS e
   WHERE e.run_id = %(run)s AND e.root_number = (SELECT root_number FROM chosen) AND e.root_number <> e.number
     AND e.number > (SELECT number FROM chosen) ORDER BY e.number LIMIT %(most)s)
  UNION
  (SELECT e.number FROM backtests_events AS e
   WHERE e.run_id = %(run)s AND e.root_number = (SELECT root_number FROM chosen) AND e.root_number <> e.number
     AND e.number < (SELECT number FROM chosen) ORDER BY e.number DESC LIMIT %(most)s)
  UNION
  SELECT number FROM above
)
SELECT e.number, e.event_id, e.occurred_at, e.event_type, e.severity, e.category, e.parent_event_id,
       CASE WHEN e.event_id = %(event)s THEN left(e.properties::text, %(whole)s)
            WHEN octet_length(e.properties::text) <= %(bytes)s THEN e.properties::text
            ELSE left(e.properties::text, %(letters)s) END AS properties,
       left(e.validation_errors::text, %(bytes)s) AS validation_errors
FROM around JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = around.number
ORDER BY e.number LIMIT 2 * %(most)s + %(deepest)s + 1
"""

_SWEEPS = """
SELECT sweep, count(*) AS runs, min(first_event_at) AS started_at, max(last_event_at) AS ended_at,
       max(stored_at) AS stored_at
FROM backtests_runs WHERE sweep <> '' GROUP BY sweep ORDER BY max(stored_at) DESC, sweep LIMIT 200
"""


async def sweeps() -> list[Row]:
    """Fetch sweeps, those with the newest runs first, at most 200."""
    return (await reader.fetch(_SWEEPS)).rows


async def search_runs(words: str, *, skip: int, take: int) -> list[Row]:
    """Fetch runs whose name, engine, id or symbols contain the words, newest first."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    like = f"%{escaped}%" if words else ""
    return (await reader.fetch(_FOUND, {"like": like, "skip": skip, "take": take, "most": MAX_SEARCHED})).rows


async def fetch_runs(run_ids: Sequence[UUID]) -> list[Row]:
    """Fetch these runs, at most four, in this order; unknown ones are left out."""
    rows = {row["run_id"]: row for row in (await reader.fetch(_CHOSEN, {"runs": list(run_ids)})).rows}
    return [rows[run_id] for run_id in run_ids if run_id in rows]


async def ranks(run_id: UUID, *, codes: Sequence[int], edges: Sequence[int]) -> dict[int, list[int]]:
    """Count the events up to each of these moments by type."""
    parameters = {"run": run_id, "codes": list(codes), "edges": list(edges)}
    counted: dict[int, list[int]] = {code: [] for code in codes}
    for row in (await reader.fetch(_RANKS, parameters)).rows:
        counted[row["code"]].append(row["before"])
    return counted


async def around(run_id: UUID, *, event_id: UUID) -> list[dict[str, Any]]:
    """Fetch an event, its causes, and events of its tree that arrived next to it; none if there is no such event."""
    limits = {"most": MAX_AROUND, "deepest": DEEPEST, "letters": LETTERS, "bytes": BYTES, "whole": WHOLE}
    return (await reader.fetch(_AROUND, {"run": run_id, "event": event_id} | limits)).rows
