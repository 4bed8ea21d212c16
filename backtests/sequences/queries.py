"""The SQL behind sequences: shapes, roots, and what hangs below an event. Every statement is of one run."""

from collections.abc import Sequence
from uuid import UUID

from backtests.queries import EVENT, Row, Window, bounds
from toolbox.database.pools import Pool

MAX_SIGNATURES = 20_000

_SIGNATURES = """
SELECT digest, trails::text AS trails FROM backtests_signatures WHERE run_id = %s ORDER BY digest LIMIT %s
"""

_ROOTS = """
SELECT p.total, u.number
FROM backtests_page(%(run)s, %(lists)s::text[], NULL, NULL, %(skip)s, %(take)s) AS p
LEFT JOIN LATERAL unnest(p.events) WITH ORDINALITY AS u (number, place) ON true
ORDER BY u.place LIMIT %(take)s
"""

# A root's sequence: what hangs below it, `depth` levels deep; no more events than fit the size limit are read whole.
_TREES = """
WITH members AS MATERIALIZED (
  SELECT u.place, e.root_number, e.trail, EVENT_COLUMNS
  FROM unnest(%(roots)s::integer[]) WITH ORDINALITY AS u (number, place)
  CROSS JOIN LATERAL (
    SELECT * FROM backtests_events AS r WHERE r.run_id = %(run)s AND r.number = u.number
    UNION ALL
    SELECT * FROM (
      SELECT * FROM backtests_events AS m
      WHERE m.run_id = %(run)s AND m.root_number = u.number AND m.root_number <> m.number
        AND length(ltrim(m.trail, '?@')) - 1 <= %(depth)s
      ORDER BY m.root_number, m.number LIMIT %(most)s
    ) AS below
  ) AS e
)
SELECT * FROM (
  SELECT *, max(bytes) OVER (PARTITION BY place) AS all_bytes FROM (
    SELECT *, sum(octet_length(properties) + 300) OVER (ORDER BY place, occurred_at, number) AS bytes FROM members
  ) AS measured
) AS limited
WHERE bytes <= %(budget)s OR number = root_number
ORDER BY place, occurred_at, number LIMIT %(most)s + 100
""".replace("EVENT_COLUMNS", EVENT)

_ONE = """
SELECT number, root_number, trail, parent_event_id FROM backtests_events WHERE run_id = %s AND event_id = %s LIMIT 1
"""

# What hangs below an event in the middle of a sequence: walked within its tree, each event once.
_BELOW = """
WITH RECURSIVE tree AS MATERIALIZED (
  SELECT event_id, parent_event_id, number, event_type FROM backtests_events
  WHERE run_id = %(run)s AND root_number = %(root)s AND root_number <> number
    AND event_id <> %(event)s
), walk AS (
  SELECT event_id, number, 0 AS depth, event_type::text AS trail FROM backtests_events
  WHERE run_id = %(run)s AND event_id = %(event)s
  UNION ALL
  SELECT t.event_id, t.number, w.depth + 1, w.trail || t.event_type
  FROM walk AS w JOIN tree AS t ON t.parent_event_id = w.event_id
  WHERE w.depth < %(depth)s
), members AS (
  SELECT 1 AS place, w.trail, EVENT_COLUMNS
  FROM (SELECT * FROM walk ORDER BY depth, number LIMIT %(most)s) AS w
  JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = w.number
)
SELECT * FROM (
  SELECT *, sum(octet_length(properties) + 300) OVER (ORDER BY occurred_at, number) AS bytes,
         sum(octet_length(properties) + 300) OVER () AS all_bytes
  FROM members
) AS measured
WHERE bytes <= %(budget)s OR event_id = %(event)s
ORDER BY occurred_at, number LIMIT %(most)s
""".replace("EVENT_COLUMNS", EVENT)


async def signatures(run_id: UUID, *, reader: Pool) -> list[Row]:
    """Fetch the shapes that sequences of a run have."""
    return (await reader.fetch(_SIGNATURES, [run_id, MAX_SIGNATURES])).rows


async def roots(run_id: UUID, *, lists: Sequence[str], window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of roots; rows as of `page`."""
    return (await reader.fetch(_ROOTS, {"run": run_id, "lists": list(lists), **bounds(window)})).rows


async def trees(run_id: UUID, *, roots: Sequence[int], depth: int, budget: int, reader: Pool) -> list[Row]:
    """Fetch the events of sequences, in the order of `roots`."""
    parameters = {"run": run_id, "roots": list(roots), "depth": depth, "budget": budget, "most": budget // 300}
    return (await reader.fetch(_TREES, parameters)).rows


async def one(run_id: UUID, *, event_id: UUID | None, reader: Pool) -> Row | None:
    """Fetch where an event hangs, or None."""
    rows = (await reader.fetch(_ONE, [run_id, event_id])).rows
    return rows[0] if rows else None


async def below(run_id: UUID, *, event_id: UUID | None, root: int, depth: int, budget: int, reader: Pool) -> list[Row]:
    """Fetch an event and what hangs below it."""
    parameters = {"run": run_id, "event": event_id, "root": root, "depth": depth, "budget": budget}
    return (await reader.fetch(_BELOW, {**parameters, "most": budget // 300})).rows
