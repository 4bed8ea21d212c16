"""The SQL of the tools. A statement reads one run, and its cost does not depend on the run's length."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from backtests.runs.open_loads import RUN_STATE
from toolbox.database.pools import Pool

Row = dict[str, Any]
MAX_KEYS = 5_000

_RUN = f"""
SELECT run_id, coalesce(started_at, first_event_at) AS started_at, greatest(ended_at, last_event_at) AS ended_at,
       {RUN_STATE}
FROM backtests_runs WHERE run_id = %s LIMIT 1
"""

EVENT = """
e.number, e.event_id, e.occurred_at, e.event_type, e.severity, e.category, e.parent_event_id, e.properties::text
AS properties, e.validation_errors::text AS validation_errors
"""

# Events past the size limit are left out, except the first; the tool reports the page as truncated.
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
""".replace("EVENT_COLUMNS", EVENT)

# The events of one order or position, of some types. They are few, so their types are filtered row by row.
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
""".replace("EVENT_COLUMNS", EVENT)

# The run's bounds are included: a separate statement would double the time of a short range.
_METRICS = """
SELECT r.*, s.amount, s.total, s.lowest, s.highest,
       CASE WHEN s.amount > 0 THEN trim_scale(s.total / s.amount) END AS average,
       CASE WHEN s.amount > 1 THEN trim_scale(sqrt(
         greatest(s.amount * s.squares - s.total * s.total, 0) / (s.amount::numeric * (s.amount - 1)))) END
       AS deviation,
       greatest(0, CASE WHEN %(last)s::bigint IS NULL THEN backtests_size(%(run)s, %(events)s::text)
                        ELSE backtests_rank(%(run)s, %(events)s::text, %(last)s) END
                 - CASE WHEN %(first)s::bigint IS NULL THEN 0
                        ELSE backtests_rank(%(run)s, %(events)s::text, %(first)s - 1) END) AS events
FROM (RUN_BOUNDS) AS r
CROSS JOIN backtests_statistics(%(run)s, %(list)s::text, %(first)s, %(last)s) AS s
LIMIT 1
""".replace("RUN_BOUNDS", _RUN.replace("%s", "%(run)s"))

# The run's bounds, and at each moment the last events that make up the state, and the open orders. One statement,
# because a round trip costs as much as the rest of it. The last event of a list is selected inline and not by a
# function, which would be planned separately, in a database of many runs anew for each list.
_MOMENTS = """
WITH asked AS MATERIALIZED (
  SELECT u.moment, u.place FROM unnest(%(moments)s::bigint[]) WITH ORDINALITY AS u (moment, place)
), lists AS MATERIALIZED (
  SELECT list FROM backtests_lists
  WHERE run_id = %(run)s AND chunk = 0 AND first_moment <= (SELECT max(moment) FROM asked)
    AND (list = 'l' OR (list >= 'p:' AND list < 'p;' AND (%(position)s::text IS NULL OR list = %(position)s))
         OR (%(indicators)s AND list >= 'i:' AND list < 'i;'
             AND (%(symbol)s::text IS NULL OR right(list, length(%(symbol)s) + 1) = ':' || %(symbol)s)))
  ORDER BY list LIMIT %(most)s
)
SELECT 0 AS place, NULL::text AS list, NULL::text AS order_id, NULL::text AS properties, NULL::bigint AS moment,
       NULL::integer AS number, r.*
FROM (RUN_BOUNDS) AS r
UNION ALL
SELECT a.place, l.list, NULL, e.properties::text, NULL, NULL, NO_RUN
FROM asked AS a
CROSS JOIN lists AS l
CROSS JOIN LATERAL (
  SELECT coalesce(
    (SELECT c.events[width_bucket(a.moment, c.moments)] FROM backtests_lists AS c
     WHERE c.run_id = %(run)s AND c.list = l.list AND c.chunk > 0 AND c.first_moment <= a.moment
     ORDER BY c.first_moment DESC, c.chunk DESC LIMIT 1),
    (SELECT c.events[width_bucket(a.moment, c.moments)] FROM backtests_lists AS c
     WHERE c.run_id = %(run)s AND c.list = l.list AND c.chunk = 0 AND c.first_moment <= a.moment)) AS number
  OFFSET 0
) AS latest
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = latest.number
UNION ALL
SELECT a.place, NULL, o.order_id, e.properties::text, (extract(epoch FROM e.occurred_at) * 1000000)::bigint,
       e.number, NO_RUN
FROM asked AS a
CROSS JOIN LATERAL (
  SELECT order_id, state_number FROM backtests_order_states
  WHERE %(orders)s AND run_id = %(run)s AND is_open AND int8range(moment, until) @> a.moment
    AND (%(symbol)s::text IS NULL OR symbol = %(symbol)s)
  ORDER BY moment, number LIMIT %(most)s
) AS o
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = o.state_number
ORDER BY place, moment, number, list LIMIT 1 + 2 * %(most)s * cardinality(%(moments)s::bigint[])
""".replace("RUN_BOUNDS", _RUN.replace("%s", "%(run)s")).replace("NO_RUN", ", ".join(["NULL"] * 7))

_RUNS = """
SELECT counted.total, runs.*
FROM (
  SELECT count(*) AS total FROM backtests_runs WHERE %(symbol)s::text IS NULL OR symbols ? %(symbol)s
) AS counted
LEFT JOIN (
  SELECT run_id, name, engine, coalesce(started_at, first_event_at) AS started_at,
         coalesce(ended_at, last_event_at) AS ended_at, config_hash, event_count, malformed_count, quarantined_count,
         counts_by_type, counts_by_severity, first_event_at, last_event_at, symbols, stored_at, sweep, parameters,
         labels, open_loads, now() AS asked_at
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
    """The part to read: times in microseconds, None for unbounded; offset and limit."""

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
    """Fetch a page of events; each row has the total. An empty page is one row with only the total."""
    return (await reader.fetch(_PAGE, {"run": run_id, "lists": list(lists), **bounds(window)})).rows


async def whole_page(
    run_id: UUID, *, lists: Sequence[str], types: Sequence[int], window: Window, reader: Pool
) -> list[Row]:
    """Fetch a page of an order's or position's events of these types; rows as of `page`."""
    parameters = {"run": run_id, "lists": list(lists), "types": list(types), **bounds(window)}
    return (await reader.fetch(_WHOLE, parameters)).rows


async def metrics(
    run_id: UUID, *, numbers: str, events: str, first: int | None, last: int | None, reader: Pool
) -> Row | None:
    """Fetch a run's bounds, the statistics of a list of numbers, and the number of events in the time range."""
    parameters = {"run": run_id, "list": numbers, "events": events, "first": first, "last": last}
    rows = (await reader.fetch(_METRICS, parameters)).rows
    return rows[0] if rows else None


async def moments(
    run_id: UUID,
    *,
    at: Sequence[int],
    position: str | None,
    symbol: str | None,
    indicators: bool,
    orders: bool,
    reader: Pool,
) -> list[Row]:
    """
    Fetch the run's bounds in the first row, then the state at each moment.

    `place` counts the moments from 1. Rows with a `list` are the last events of PnL, of each position and, optionally,
    of each indicator; rows with an `order_id` are, optionally, the open orders, oldest first.
    """
    parameters = {"run": run_id, "moments": list(at), "position": position, "symbol": symbol, "most": MAX_KEYS + 1}
    return (await reader.fetch(_MOMENTS, {**parameters, "indicators": indicators, "orders": orders})).rows


async def runs(*, symbol: str | None, window: Window, reader: Pool) -> list[Row]:
    """Fetch a page of runs, newest first."""
    return (await reader.fetch(_RUNS, {"symbol": symbol, "skip": window.skip, "take": window.take})).rows


async def counts(run_id: UUID, *, first: int | None, last: int | None, reader: Pool) -> list[Row]:
    """Count events by type, after one moment and up to another."""
    return (await reader.fetch(_COUNTS, {"run": run_id, "first": first, "last": last})).rows


def bounds(window: Window) -> Row:
    """Return a window as SQL parameters."""
    return {
        "first": window.first,
        "last": window.last,
        "skip": window.skip,
        "take": window.take,
        "budget": window.budget,
    }
