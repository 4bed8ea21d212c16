"""The SQL of sequences: shapes, roots, and descendants of an event. Each statement reads one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from backtests.ingest.signatures import BLOCK_SHAPES, SignatureBlock, decode_block, join_blocks, make_lone_block
from backtests.runs.queries import EVENT, Row, Window, bounds
from toolbox.database.pools import Pool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_BLOCKS = 1 + 2**31 // BLOCK_SHAPES
"""More shapes than a run can have: a shape's number is an integer."""

# The first rows of each block, whose codes are stored row by row.
_BLOCKS = """
SELECT block, trail_count, substring(codes FROM 1 FOR %(rows)s * trail_count) AS codes, owners
FROM backtests_signature_blocks WHERE run_id = %(run)s ORDER BY block LIMIT %(most)s
"""

# The shapes of all roots in order of time, four bytes each.
_ROOT_SHAPES = """
SELECT coalesce(string_agg(packed, ''::bytea ORDER BY chunk), ''::bytea) AS shapes
FROM backtests_lists WHERE run_id = %(run)s AND list = 'q' LIMIT 1
"""

_ROOTS_AT = """
SELECT c.events[1 + u.ordinal %% 1024] AS number
FROM unnest(%(ordinals)s::bigint[]) WITH ORDINALITY AS u (ordinal, place)
JOIN backtests_lists AS c ON c.run_id = %(run)s AND c.list = 'q' AND c.chunk = u.ordinal / 1024
ORDER BY u.place LIMIT %(take)s
"""

_ROOTS = """
SELECT p.total, u.number
FROM backtests_page(%(run)s, %(lists)s::text[], NULL, NULL, %(skip)s, %(take)s) AS p
LEFT JOIN LATERAL unnest(p.events) WITH ORDINALITY AS u (number, place) ON true
ORDER BY u.place LIMIT %(take)s
"""

# A root's descendants down to `depth` levels; only as many events as fit the size limit are read whole.
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

# The descendants of an event in the middle of a sequence, walked within its tree, each event once.
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


async def fetch_shapes(run_id: UUID, *, rows: int, reader: Pool) -> SignatureBlock:
    """Fetch the shapes of a run's sequences, with only the first rows of each block."""
    found = (await reader.fetch(_BLOCKS, {"run": run_id, "rows": rows, "most": MAX_BLOCKS})).rows
    return join_blocks([make_lone_block(), *(decode_block(**row) for row in found)])


async def fetch_root_shapes(run_id: UUID, *, reader: Pool) -> NDArray[np.int32]:
    """Fetch the shape of each root of a run with many shapes, in order of time."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    return np.frombuffer((await reader.fetch(_ROOT_SHAPES, {"run": run_id})).rows[0]["shapes"], dtype=">i4")


async def fetch_roots_at(run_id: UUID, *, ordinals: Sequence[int], reader: Pool) -> list[int]:
    """Fetch roots of a run with many shapes by their places in order of time."""
    parameters = {"run": run_id, "ordinals": list(ordinals), "take": len(ordinals)}
    return [row["number"] for row in (await reader.fetch(_ROOTS_AT, parameters)).rows]


async def roots(run_id: UUID, *, lists: Sequence[str], window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of roots; rows as for `page`."""
    return (await reader.fetch(_ROOTS, {"run": run_id, "lists": list(lists), **bounds(window)})).rows


async def trees(run_id: UUID, *, roots: Sequence[int], depth: int, budget: int, reader: Pool) -> list[Row]:
    """Fetch the events of sequences, in the order of `roots`."""
    parameters = {"run": run_id, "roots": list(roots), "depth": depth, "budget": budget, "most": budget // 300}
    return (await reader.fetch(_TREES, parameters)).rows


async def one(run_id: UUID, *, event_id: UUID | None, reader: Pool) -> Row | None:
    """Fetch an event's root and trail, or None."""
    rows = (await reader.fetch(_ONE, [run_id, event_id])).rows
    return rows[0] if rows else None


async def below(run_id: UUID, *, event_id: UUID | None, root: int, depth: int, budget: int, reader: Pool) -> list[Row]:
    """Fetch an event and its descendants."""
    parameters = {"run": run_id, "event": event_id, "root": root, "depth": depth, "budget": budget}
    return (await reader.fetch(_BELOW, {**parameters, "most": budget // 300})).rows
