"""The SQL behind the tools. Every statement is of one run, and takes as long for a long run as for a short one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from toolbox.pool import Pool

Row = dict[str, Any]
MOST_KEYS = 5_000
MOST_SIGNATURES = 20_000

_RUN = """
SELECT run_id, event_count, coalesce(started_at, first_event_at) AS started_at,
       greatest(ended_at, last_event_at) AS ended_at
FROM backtests_runs WHERE run_id = %s LIMIT 1
"""

_EVENT = """
e.number, e.event_id, e.occurred_at, e.event_type, e.severity, e.category, e.parent_event_id, e.properties::text
AS properties, e.validation_errors::text AS validation_errors
"""

# Events past the size limit are left out, but for the first: the tool says that its page is cut.
_PAGE = """
WITH page AS MATERIALIZED (
  SELECT total, events
  FROM backtests_page(%(run)s, %(lists)s::text[], %(first)s, %(last)s, %(skip)s, %(take)s)
), found AS (
  SELECT p.total, u.place, EVENT_COLUMNS
  FROM page AS p
  LEFT JOIN LATERAL unnest(p.events) WITH ORDINALITY AS u (number, place) ON true
  LEFT JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = u.number
)
SELECT * FROM (
  SELECT *, sum(octet_length(properties) + coalesce(octet_length(validation_errors), 0)) OVER (ORDER BY place)
         AS bytes
  FROM found
) AS measured
WHERE bytes IS NULL OR place = 1 OR bytes <= %(budget)s
ORDER BY place LIMIT %(take)s
""".replace("EVENT_COLUMNS", _EVENT)

# The events of one order or position, of some types: they are few, so their types are looked up.
_WHOLE = """
WITH listed AS MATERIALIZED (
  SELECT e.number, e.occurred_at
  FROM backtests_lists AS c, unnest(c.events) AS u (number)
  JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = u.number
  WHERE c.run_id = %(run)s AND c.list = ANY (%(lists)s::text[]) AND e.event_type = ANY (%(types)s::smallint[])
), paged AS (
  SELECT number, occurred_at FROM listed ORDER BY occurred_at, number OFFSET %(skip)s LIMIT %(take)s
), found AS (
  SELECT (SELECT count(*) FROM listed) AS total, p.place, EVENT_COLUMNS
  FROM (SELECT) AS one
  LEFT JOIN (SELECT number, row_number() OVER (ORDER BY occurred_at, number) AS place FROM paged) AS p ON true
  LEFT JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = p.number
)
SELECT * FROM (
  SELECT *, sum(octet_length(properties) + coalesce(octet_length(validation_errors), 0)) OVER (ORDER BY place)
         AS bytes
  FROM found
) AS measured
WHERE bytes IS NULL OR place = 1 OR bytes <= %(budget)s
ORDER BY place LIMIT %(take)s
""".replace("EVENT_COLUMNS", _EVENT)

_STATISTICS = """
SELECT s.amount, s.total, s.lowest, s.highest,
       CASE WHEN s.amount > 0 THEN trim_scale(s.total / s.amount) END AS average,
       CASE WHEN s.amount > 1 THEN trim_scale(sqrt(
         greatest(s.amount * s.squares - s.total * s.total, 0) / (s.amount::numeric * (s.amount - 1)))) END
       AS deviation,
       (SELECT total FROM backtests_page(%(run)s, ARRAY[%(events)s::text], %(first)s, %(last)s, 9000000000, 1))
       AS events
FROM backtests_statistics(%(run)s, %(list)s::text, %(first)s, %(last)s) AS s
LIMIT 1
"""

_STATE = """
WITH lists AS MATERIALIZED (
  SELECT list FROM backtests_lists
  WHERE run_id = %(run)s AND chunk = 0 AND first_moment <= %(moment)s
    AND (list = 'l' OR (list >= 'p:' AND list < 'p;' AND (%(position)s::text IS NULL OR list = %(position)s))
         OR (%(indicators)s AND list >= 'i:' AND list < 'i;'
             AND (%(symbol)s::text IS NULL OR right(list, length(%(symbol)s) + 1) = ':' || %(symbol)s)))
  ORDER BY list LIMIT %(most)s
)
SELECT l.list, e.event_type, e.properties::text AS properties
FROM lists AS l
CROSS JOIN LATERAL (SELECT backtests_latest(%(run)s, l.list, %(moment)s) AS number OFFSET 0) AS latest
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = latest.number
ORDER BY l.list
"""

_ORDERS = """
SELECT o.order_id, e.properties::text AS properties
FROM (
  SELECT order_id, number, moment FROM backtests_order_states
  WHERE run_id = %(run)s AND is_open AND int8range(moment, until) @> %(moment)s::bigint
    AND (%(symbol)s::text IS NULL OR symbol = %(symbol)s)
  ORDER BY moment, number LIMIT %(most)s
) AS o
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = o.number
ORDER BY o.moment, o.number
"""

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
""".replace("EVENT_COLUMNS", _EVENT)

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
""".replace("EVENT_COLUMNS", _EVENT)

_RUNS = """
SELECT counted.total, runs.*
FROM (
  SELECT count(*) AS total FROM backtests_runs WHERE %(symbol)s::text IS NULL OR symbols ? %(symbol)s
) AS counted
LEFT JOIN (
  SELECT run_id, name, engine, coalesce(started_at, first_event_at) AS started_at,
         coalesce(ended_at, last_event_at) AS ended_at, config_hash, event_count, malformed_count, quarantined_count,
         counts_by_type, counts_by_severity, first_event_at, last_event_at, symbols, stored_at
  FROM backtests_runs
  WHERE %(symbol)s::text IS NULL OR symbols ? %(symbol)s
  ORDER BY stored_at DESC, run_id
  OFFSET %(skip)s LIMIT %(take)s
) AS runs ON true
ORDER BY runs.stored_at DESC, runs.run_id
LIMIT %(take)s
"""

_COUNTS = """
SELECT t.code, backtests_rank(%(run)s, 't:' || t.code, %(last)s) - backtests_rank(%(run)s, 't:' || t.code, %(first)s)
       AS events
FROM generate_series(0, 7) AS t (code)
LIMIT 8
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Which part is asked for: times in microseconds, None for unbounded; how many to pass over and to give."""

    skip: int
    take: int
    budget: int
    first: int | None = None
    last: int | None = None


async def run(run_id: UUID, *, reader: Pool) -> Row | None:
    """Fetch a run's bounds, or None."""
    rows = (await reader.fetch(_RUN, [run_id])).rows
    return rows[0] if rows else None


async def page(run_id: UUID, *, lists: Sequence[str], window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of events; each row has the total, and without events there is one row with only that."""
    return (await reader.fetch(_PAGE, {"run": run_id, "lists": list(lists), **_window(window)})).rows


async def whole_page(
    run_id: UUID, *, lists: Sequence[str], types: Sequence[int], window: Window, reader: Pool
) -> list[Row]:
    """Fetch a page of an order's or position's events of these types; rows as of `page`."""
    parameters = {"run": run_id, "lists": list(lists), "types": list(types), **_window(window)}
    return (await reader.fetch(_WHOLE, parameters)).rows


async def statistics(
    run_id: UUID, *, numbers: str, events: str, first: int | None, last: int | None, reader: Pool
) -> Row:
    """Fetch the statistics of a list of numbers, and how many events there are in the same time."""
    parameters = {"run": run_id, "list": numbers, "events": events, "first": first, "last": last}
    return (await reader.fetch(_STATISTICS, parameters)).rows[0]


async def state(
    run_id: UUID, *, moment: int, position: str | None, symbol: str | None, indicators: bool, reader: Pool
) -> list[Row]:
    """Fetch the last events at or before a moment: of PnL, each position, and each indicator if asked."""
    parameters = {"run": run_id, "moment": moment, "position": position, "symbol": symbol, "indicators": indicators}
    return (await reader.fetch(_STATE, {**parameters, "most": MOST_KEYS + 1})).rows


async def orders(run_id: UUID, *, moment: int, symbol: str | None, reader: Pool) -> list[Row]:
    """Fetch the states of orders that are open at a moment."""
    parameters = {"run": run_id, "moment": moment, "symbol": symbol, "most": MOST_KEYS + 1}
    return (await reader.fetch(_ORDERS, parameters)).rows


async def signatures(run_id: UUID, *, reader: Pool) -> list[Row]:
    """Fetch the shapes that sequences of a run have."""
    return (await reader.fetch(_SIGNATURES, [run_id, MOST_SIGNATURES])).rows


async def roots(run_id: UUID, *, lists: Sequence[str], window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of roots; rows as of `page`."""
    return (await reader.fetch(_ROOTS, {"run": run_id, "lists": list(lists), **_window(window)})).rows


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


async def runs(*, symbol: str | None, window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of runs, newest first."""
    return (await reader.fetch(_RUNS, {"symbol": symbol, "skip": window.skip, "take": window.take})).rows


async def counts(run_id: UUID, *, first: int | None, last: int | None, reader: Pool) -> list[Row]:
    """Count events after one moment up to another, by type."""
    return (await reader.fetch(_COUNTS, {"run": run_id, "first": first, "last": last})).rows


def _window(window: Window) -> Row:
    return {
        "first": window.first,
        "last": window.last,
        "skip": window.skip,
        "take": window.take,
        "budget": window.budget,
    }
