"""The SQL of questions about the results of runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from backtests.performance.build import VERSION
from backtests.performance.decisions import RECORD_BYTES
from backtests.runs.queries import EVENT
from toolbox.database.pool import Connection
from toolbox.database.pools import Pool

Row = dict[str, Any]
MAX_CURRENCIES, MAX_PROFIT_GROUPS, MAX_RANKED, MAX_VALUE_LETTERS = 100, 200, 2_000, 500
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

_CURVES = """
SELECT r.run_id, r.event_count, r.last_event_at, r.open_loads, now() AS asked_at, r.name,
       coalesce(r.started_at, r.first_event_at) AS started_at,
       greatest(r.ended_at, r.last_event_at) AS ended_at, r.parameters, r.sweep,
       p.event_count = r.event_count AND p.version = %(version)s AS is_current, p.currency, p.is_main, p.source,
       p.capital, p.total_profit, p.days, p.profits, p.held, p.time_held, p.time_span, p.traded, p.executions_left_out,
       (extract(epoch FROM r.first_event_at) * 1000000)::bigint AS first_moment,
       (extract(epoch FROM r.last_event_at) * 1000000)::bigint AS last_moment
FROM backtests_runs AS r LEFT JOIN backtests_performance AS p USING (run_id)
WHERE r.run_id = ANY (%(runs)s::uuid[])
ORDER BY r.run_id, p.currency LIMIT %(most)s
"""

_TRADES = """
WITH kept AS MATERIALIZED (
  SELECT * FROM backtests_round_trips
  WHERE run_id = %(run)s
    AND (%(symbol)s::text IS NULL OR symbol = %(symbol)s) AND (%(side)s::smallint IS NULL OR side = %(side)s)
    AND (%(first)s::timestamptz IS NULL OR entry_at >= %(first)s)
    AND (%(last)s::timestamptz IS NULL OR entry_at <= %(last)s)
    AND CASE %(outcome)s::text WHEN 'Open' THEN exit_at IS NULL
          WHEN 'Won' THEN exit_at IS NOT NULL AND net_profit > 0
          WHEN 'Lost' THEN exit_at IS NOT NULL AND net_profit < 0
          WHEN 'BreakEven' THEN exit_at IS NOT NULL AND net_profit = 0 ELSE true END
), paged AS (
  SELECT *, CASE %(sort)s::text WHEN 'entryTime' THEN extract(epoch FROM entry_at)
              WHEN 'exitTime' THEN extract(epoch FROM exit_at) WHEN 'netProfit' THEN net_profit
              WHEN 'maxFavorable' THEN favorable WHEN 'maxAdverse' THEN adverse ELSE holding_seconds END
            * CASE WHEN %(descending)s THEN -1 ELSE 1 END AS place
  FROM kept ORDER BY place, trip OFFSET %(skip)s LIMIT %(take)s
)
SELECT counted.total, p.*, opened.event_id AS entry_event_id, closed.event_id AS exit_event_id
FROM (SELECT count(*) AS total FROM kept) AS counted
LEFT JOIN paged AS p ON true
LEFT JOIN backtests_events AS opened ON opened.run_id = %(run)s AND opened.number = p.entry_number
LEFT JOIN backtests_events AS closed ON closed.run_id = %(run)s AND closed.number = p.exit_number
ORDER BY p.place, p.trip LIMIT %(take)s
"""

_CLOSED_TRIPS = """
SELECT count(*) FILTER (WHERE exit_at IS NULL) AS open, coalesce(sum(net_profit), 0) AS net_profit,
       coalesce(sum(commission), 0) AS commission,
       bool_or(commission <> 0 AND commission_currency NOT IN ('', currency)) AS has_other_commissions,
       array_agg(net_profit ORDER BY trip) FILTER (WHERE exit_at IS NOT NULL) AS profits,
       array_agg((holding_seconds / 3600)::float8 ORDER BY trip) FILTER (WHERE exit_at IS NOT NULL) AS hours
FROM backtests_round_trips WHERE run_id = %(run)s AND currency = %(currency)s LIMIT 1
"""

# The last market data of a security before the end of each day.
_CLOSES = """
SELECT d.day, e.properties::text AS properties
FROM unnest(%(days)s::bigint[]) AS d (day)
CROSS JOIN LATERAL (
  SELECT coalesce(
    (SELECT c.events[width_bucket((d.day + 1) * 86400000000 - 1, c.moments)] FROM backtests_lists AS c
     WHERE c.run_id = %(run)s AND c.list = %(list)s AND c.chunk > 0 AND c.first_moment < (d.day + 1) * 86400000000
     ORDER BY c.first_moment DESC, c.chunk DESC LIMIT 1),
    (SELECT c.events[width_bucket((d.day + 1) * 86400000000 - 1, c.moments)] FROM backtests_lists AS c
     WHERE c.run_id = %(run)s AND c.list = %(list)s AND c.chunk = 0
       AND c.first_moment < (d.day + 1) * 86400000000)) AS number
  OFFSET 0
) AS latest
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = latest.number
ORDER BY d.day LIMIT %(most)s
"""

# Text with \\u0000 or half of a surrogate pair cannot be taken apart by PostgreSQL: such events are counted apart.
_GROUPS = """
WITH listed AS MATERIALIZED (
  SELECT u.number
  FROM backtests_lists AS c, unnest(c.events, c.moments) AS u (number, moment)
  WHERE c.run_id = %(run)s AND c.list = %(list)s
    AND (%(first)s::bigint IS NULL OR (c.last_moment >= %(first)s AND u.moment >= %(first)s))
    AND (%(last)s::bigint IS NULL OR (c.first_moment <= %(last)s AND u.moment <= %(last)s))
), looked_at AS MATERIALIZED (
  SELECT e.number, e.properties,
         strpos(e.properties::text, '\\u') = 0 OR e.properties::text !~* '\\\\u(0000|d[89a-f])' AS is_readable
  FROM listed JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = listed.number
), said AS MATERIALIZED (
  SELECT l.number, l.properties #>> %(path)s::text[] AS value
  FROM looked_at AS l
  WHERE l.is_readable AND NOT EXISTS (
    SELECT FROM unnest(%(filter_paths)s::text[], %(filter_values)s::text[]) AS f (path, value)
    WHERE (l.properties #>> string_to_array(f.path, '.')) IS DISTINCT FROM f.value)
), numbers AS MATERIALIZED (
  SELECT u.number, u.amount
  FROM backtests_lists AS c, unnest(c.events, c.numbers) AS u (number, amount)
  WHERE c.run_id = %(run)s AND c.list = %(numbers)s::text
), grouped AS (
  SELECT CASE WHEN %(plain)s THEN s.value ELSE regexp_replace(s.value, '\\S*\\d\\S*', '#', 'g') END AS value,
         count(*) AS count, count(n.amount) AS numbers, sum(n.amount) AS sum, avg(n.amount) AS avg,
         min(n.amount) AS min, max(n.amount) AS max,
         percentile_disc(%(quantiles)s::float8[]) WITHIN GROUP (ORDER BY n.amount) AS quantiles
  FROM said AS s LEFT JOIN numbers AS n USING (number)
  GROUP BY 1
)
SELECT whole.*, g.count, g.numbers, g.sum, g.avg, g.min, g.max, g.quantiles, left(g.value, %(letters)s) AS value,
       CASE WHEN length(g.value) > %(letters)s THEN length(g.value) END AS value_length
FROM (
  SELECT (SELECT count(*) FROM grouped) AS total_groups, (SELECT count(*) FROM said) AS total_events,
         (SELECT count(*) FROM looked_at WHERE NOT is_readable) AS unreadable_events
) AS whole
LEFT JOIN (SELECT * FROM grouped ORDER BY count DESC, value LIMIT %(most)s) AS g ON true
ORDER BY g.count DESC, g.value LIMIT %(most)s
"""

_KEYS = {
    "symbol": "symbol",
    "side": "CASE side WHEN 1 THEN 'Long' ELSE 'Short' END",
    "entryHour": "to_char(entry_at AT TIME ZONE 'UTC', 'HH24')",
    "entryWeekday": "to_char(entry_at AT TIME ZONE 'UTC', 'ID FMDay')",
    "entryMonth": "to_char(entry_at AT TIME ZONE 'UTC', 'YYYY-MM')",
    "holdingTime": """CASE WHEN exit_at IS NULL THEN '7 not closed' WHEN holding_seconds < 60 THEN '1 under a minute'
      WHEN holding_seconds < 3600 THEN '2 under an hour' WHEN holding_seconds < 86400 THEN '3 under a day'
      WHEN holding_seconds < 604800 THEN '4 under a week' WHEN holding_seconds < 2592000 THEN '5 under 30 days'
      ELSE '6 30 days or more' END""",
    "exitReason": "CASE WHEN exit_at IS NULL THEN '(not closed)' ELSE coalesce(exit_reason, '(none given)') END",
}
NUMBERED = ("entryWeekday", "holdingTime")
"""What is sorted by a number in front of its words."""
IN_ORDER = ("entryHour", "entryWeekday", "entryMonth", "holdingTime")

_ATTRIBUTION = """
WITH grouped AS (
  SELECT {key} AS key, count(*) AS trades, count(*) FILTER (WHERE net_profit > 0) AS won,
         sum(net_profit) AS net_profit, sum(commission) AS commission, avg(net_profit) AS average_net_profit
  FROM backtests_round_trips WHERE run_id = %(run)s AND currency = %(currency)s GROUP BY 1
), given AS (
  SELECT * FROM grouped ORDER BY abs(net_profit) DESC, key LIMIT %(most)s
)
SELECT whole.*, g.*
FROM (SELECT coalesce(sum(net_profit), 0) AS total_net_profit, coalesce(sum(trades), 0)::bigint AS total_trades,
             coalesce(sum(net_profit), 0) - (SELECT coalesce(sum(net_profit), 0) FROM given) AS other_net_profit,
             count(*) AS total_groups FROM grouped) AS whole
LEFT JOIN given AS g ON true
ORDER BY CASE WHEN %(in_order)s THEN g.key END, g.net_profit DESC, g.key LIMIT %(most)s
"""

# A row is never changed in place without another xmin: `build` names what a run's performance was built from.
_SWEEP = """
SELECT r.run_id, r.name, r.parameters, length(p.days) / 4 AS day_count, p.measures, p.xmin::text AS build
FROM backtests_runs AS r
LEFT JOIN backtests_performance AS p
  ON p.run_id = r.run_id AND p.is_main AND p.event_count = r.event_count AND p.version = %(version)s
  AND r.open_loads = '{}'
WHERE r.sweep = %(sweep)s AND r.sweep <> ''
ORDER BY r.run_id LIMIT %(most)s
"""

# Runs of a sweep mostly have the same days: they are sent once.
_SWEEP_CURVES = """
SELECT run_id, xmin::text AS build, capital, NULLIF(days, lag(days) OVER (ORDER BY run_id)) AS days, profits
FROM backtests_performance WHERE run_id = ANY (%(runs)s::uuid[]) AND is_main
ORDER BY run_id LIMIT %(most)s
"""

_TRAILS = """
SELECT d.run_id, d.decision_count,
       substring(d.trail FROM 1 + u.start * %(size)s::integer FOR %(take)s::integer * %(size)s::integer) AS trail,
       CASE WHEN u.start = 0 THEN d.prefixes END AS prefixes
FROM unnest(%(runs)s::uuid[], %(starts)s::integer[]) AS u (run_id, start)
JOIN backtests_decisions AS d USING (run_id) LIMIT 2
"""

# Events in this order, then the first of them again with what caused it, the first cause first.
_DECISIONS = """
WITH RECURSIVE above AS (
  SELECT number, parent_event_id, 0 AS height FROM backtests_events
  WHERE run_id = %(run)s AND number = (%(numbers)s::integer[])[1]
  UNION ALL
  SELECT p.number, p.parent_event_id, above.height + 1
  FROM above JOIN backtests_events AS p ON p.run_id = %(run)s AND p.event_id = above.parent_event_id
  WHERE above.height + 1 < %(most)s
), wanted AS (
  SELECT number, place, false AS is_cause FROM unnest(%(numbers)s::integer[]) WITH ORDINALITY AS u (number, place)
  UNION ALL
  SELECT number, -height, true FROM above
)
SELECT w.is_cause, EVENT_COLUMNS
FROM wanted AS w JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = w.number
ORDER BY w.is_cause, w.place LIMIT %(most)s + cardinality(%(numbers)s::integer[])
""".replace("EVENT_COLUMNS", EVENT)

_ENDING_AFTER = """
SELECT p.*, opened.event_id AS entry_event_id, closed.event_id AS exit_event_id
FROM (
  SELECT *, count(*) OVER () AS total FROM backtests_round_trips
  WHERE run_id = %(run)s AND (exit_at IS NULL OR exit_at >= %(moment)s) ORDER BY trip LIMIT %(most)s
) AS p
JOIN backtests_events AS opened ON opened.run_id = %(run)s AND opened.number = p.entry_number
LEFT JOIN backtests_events AS closed ON closed.run_id = %(run)s AND closed.number = p.exit_number
ORDER BY p.trip LIMIT %(most)s
"""


async def curves(run_ids: Sequence[UUID], *, reader: Pool) -> list[Row]:
    """Fetch runs with their profit by day, a row for each currency; a run that is not built has one row without."""
    parameters = {"runs": list(run_ids), "version": VERSION, "most": MAX_CURRENCIES * max(len(run_ids), 1)}
    return (await reader.fetch(_CURVES, parameters)).rows


async def trades(
    run_id: UUID, *, symbol: str | None, side: int | None, outcome: str | None, first: datetime | None,
    last: datetime | None, sort: str, descending: bool, skip: int, take: int, reader: Pool,
) -> list[Row]:  # fmt: skip
    """Fetch a page of round trips; each row has the total, and an empty page is one row with only the total."""
    parameters = {
        "run": run_id, "symbol": symbol, "side": side, "outcome": outcome, "first": first, "last": last, "sort": sort,
        "descending": descending, "skip": skip, "take": take,
    }  # fmt: skip
    return (await reader.fetch(_TRADES, parameters)).rows


async def closed_trips(run_id: UUID, *, currency: str, reader: Pool) -> Row:
    """Fetch the profits and durations of the closed round trips of a currency, and totals of all."""
    return (await reader.fetch(_CLOSED_TRIPS, {"run": run_id, "currency": currency})).rows[0]


async def closes(run_id: UUID, *, name: str, days: Sequence[int], reader: Pool) -> list[Row]:
    """Fetch the last event of a list on or before each day."""
    parameters = {"run": run_id, "list": name, "days": list(days), "most": len(days)}
    return (await reader.fetch(_CLOSES, parameters)).rows


async def groups(
    run_id: UUID, *, name: str, path: Sequence[str], numbers: str | None, filters: Sequence[tuple[str, str]],
    first: int | None, last: int | None, plain: bool, most: int, reader: Pool,
) -> list[Row]:  # fmt: skip
    """Fetch groups of a list's events; each row has the totals."""
    parameters = {
        "run": run_id, "list": name, "path": list(path), "numbers": numbers, "first": first, "last": last,
        "filter_paths": [one for one, _ in filters], "filter_values": [one for _, one in filters], "plain": plain,
        "most": most, "quantiles": list(QUANTILES), "letters": MAX_VALUE_LETTERS,
    }  # fmt: skip
    return (await reader.fetch(_GROUPS, parameters)).rows


async def attribution(run_id: UUID, *, by: str, currency: str, reader: Pool) -> list[Row]:
    """Fetch net profit grouped by a property of round trips; each row has the totals."""
    parameters = {"run": run_id, "currency": currency, "in_order": by in IN_ORDER, "most": MAX_PROFIT_GROUPS}
    return (await reader.fetch(_ATTRIBUTION.format(key=_KEYS[by]), parameters)).rows


async def sweep(name: str, *, reader: Pool) -> list[Row]:
    """Fetch the runs of a sweep with their measures; at most MAX_RANKED + 1, which shows that there are too many."""
    return (await reader.fetch(_SWEEP, {"sweep": name, "version": VERSION, "most": MAX_RANKED + 1})).rows


async def sweep_curves(run_ids: Sequence[UUID], *, reader: Pool) -> list[Row]:
    """Fetch profit by day and builds of a sweep's runs; `days` is None if they are those of the previous row."""
    parameters = {"runs": list(run_ids), "most": MAX_RANKED}

    async def fetch(connection: Connection) -> list[Row]:
        async with connection.cursor(binary=True) as cursor:  # half the bytes of text
            return await (await cursor.execute(_SWEEP_CURVES, parameters)).fetchall()

    return await reader.run(fetch)


async def trails(run_ids: Sequence[UUID], *, starts: Sequence[int], take: int, reader: Pool) -> dict[UUID, Row]:
    """
    Fetch up to `take` decisions of each run from its own start on, and how many decisions each has.

    From 0 on also the digests of its beginnings; a run that was built before there were any has None.
    """
    parameters = {"runs": list(run_ids), "starts": list(starts), "take": take, "size": RECORD_BYTES}
    return {row["run_id"]: row for row in (await reader.fetch(_TRAILS, parameters)).rows}


async def decisions(
    run_id: UUID, *, numbers: Sequence[int], most_causes: int, reader: Pool
) -> tuple[list[Row], list[Row]]:
    """Fetch events by number, in this order; and the first of them with what caused it, the first cause first."""
    if not numbers:
        return [], []
    rows = (await reader.fetch(_DECISIONS, {"run": run_id, "numbers": list(numbers), "most": most_causes})).rows
    return [row for row in rows if not row["is_cause"]], [row for row in rows if row["is_cause"]]


async def trips_ending_after(run_id: UUID, *, moment: datetime, most: int, reader: Pool) -> list[Row]:
    """Fetch the first round trips that end at or after a moment, or are open; each row has the total."""
    return (await reader.fetch(_ENDING_AFTER, {"run": run_id, "moment": moment, "most": most})).rows
