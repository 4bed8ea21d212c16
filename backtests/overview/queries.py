"""
Queries of a run's page and the admin: curves, counts, and a page of events.

Each query reads a bounded number of rows, whatever the run's size: the place of an event in a list is computed
(migrations/0002_store.sql), counts are sizes of lists, and breakdowns read the latest 2,000 events.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection

from backtests.overview.drawings import Point
from backtests.store.lists import entity_lists, number_list, severity_list
from backtests.store.values import usable
from backtests.vocabulary import TYPE_CODES

MAX_POINTS = 1_000
MAX_LOOKED_AT = 2_000
MAX_BYTES = 4_096
MAX_SYMBOLS = 1_000
PAGE_SIZE = 50
SHOWN_LETTERS = 600
_NO_END = 2**62

_SIZE = "SELECT backtests_size(%(run)s, %(list)s)"

_WANTED = """
WITH size AS (SELECT backtests_size(%(run)s, %(list)s) AS whole),
wanted AS (
  SELECT DISTINCT (place * (whole - 1) / greatest(least(whole, %(most)s) - 1, 1)) AS ordinal
  FROM size, generate_series(0, least(whole, %(most)s) - 1) AS place
)
"""
"""Ordinals spread evenly over a list, including the first and the last."""

_POINTS = (
    _WANTED
    + """
SELECT c.moments[1 + ordinal %% 1024], c.numbers[1 + ordinal %% 1024]
FROM wanted JOIN backtests_lists AS c ON c.run_id = %(run)s AND c.list = %(list)s AND c.chunk = ordinal / 1024
ORDER BY ordinal
"""
)

_SAMPLED_EVENTS = (
    _WANTED
    + """
SELECT c.moments[1 + ordinal %% 1024], e.properties::text
FROM wanted
JOIN backtests_lists AS c ON c.run_id = %(run)s AND c.list = %(list)s AND c.chunk = ordinal / 1024
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = c.events[1 + ordinal %% 1024]
WHERE octet_length(e.properties::text) <= %(most_bytes)s
ORDER BY ordinal
"""
)

_SYMBOLS = """
SELECT list, backtests_size(%(run)s, list) FROM unnest(%(lists)s::text[]) AS list
"""

_RANGE = """
SELECT backtests_rank(%(run)s, %(list)s, %(first)s - 1), backtests_rank(%(run)s, %(list)s, %(last)s)
"""

_LISTED = """
SELECT e.number, e.event_id, e.occurred_at, e.event_type, e.severity, e.category, e.parent_event_id,
  {properties}, e.validation_errors::text
FROM generate_series(%(start)s::bigint, %(stop)s::bigint - 1) AS ordinal
JOIN backtests_lists AS c ON c.run_id = %(run)s AND c.list = %(list)s AND c.chunk = ordinal / 1024
JOIN backtests_events AS e ON e.run_id = %(run)s AND e.number = c.events[1 + ordinal %% 1024]
ORDER BY ordinal
"""

_ARRIVED = """
SELECT e.number, e.event_id, e.occurred_at, e.event_type, e.severity, e.category, e.parent_event_id,
  {properties}, e.validation_errors::text
FROM backtests_events AS e
WHERE e.run_id = %(run)s AND e.number >= %(start)s
ORDER BY e.number LIMIT %(stop)s - %(start)s
"""

_SHORT = "left(e.properties::text, %(letters)s)"
_BOUNDED = "CASE WHEN octet_length(e.properties::text) <= %(letters)s THEN e.properties::text END"


@dataclass(frozen=True, slots=True)
class Row:
    """One event, as a line of a table."""

    number: int
    event_id: UUID
    occurred_at: Any
    event_type: int
    severity: int
    category: int
    parent_event_id: UUID | None
    properties: str | None
    validation_errors: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSelection:
    """The events to show: a list by its name (None: all, in order of arrival) and a time range."""

    name: str | None = None
    first_moment: int = -_NO_END
    last_moment: int = _NO_END


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of events, with the total."""

    rows: list[Row]
    total: int
    index: int

    @property
    def has_more(self) -> bool:
        """Return whether there is another page."""
        return (self.index + 1) * PAGE_SIZE < self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSample:
    """Counts by name over a sample, with the sizes of sample and whole."""

    counts: list[tuple[str, int]]
    looked_at: int
    total: int


def profit(run_id: UUID) -> tuple[list[Point], int]:
    """Return the profit over time and the number of points: from PnL events, else the sum over positions."""
    name = number_list(TYPE_CODES["StateChange"], path="StateAfter.Total")
    rows = _ask(_POINTS, run=run_id, list=name, most=MAX_POINTS)
    if rows:
        return [Point(moment, float(value)) for moment, value in rows], _size(run_id, name)
    name = severity_list("PositionUpdate", severity=None)
    rows = _ask(_SAMPLED_EVENTS, run=run_id, list=name, most=MAX_LOOKED_AT, most_bytes=MAX_BYTES)
    return list(_sum_symbols(rows)), _size(run_id, name)


def sample_properties(run_id: UUID, *, name: str, most: int) -> tuple[list[tuple[int, str]], int]:
    """Return moments and properties of evenly spread events of a list, and their total; omit long properties."""
    rows = _ask(_SAMPLED_EVENTS, run=run_id, list=name, most=most, most_bytes=MAX_BYTES)
    return [(moment, properties) for moment, properties in rows], _size(run_id, name)


def trades_by_symbol(run_id: UUID, *, symbols: Iterable[str]) -> CountSample:
    """Count trades of the symbols, at most 1,000 of them."""
    lists = {entity_lists("SecuritySymbol", value=name, event_types=["TradeExecution"])[0]: name for name in symbols}
    rows = _ask(_SYMBOLS, run=run_id, lists=list(lists)[:MAX_SYMBOLS])
    counts = [(lists[name], count) for name, count in rows if count]
    total = sum(count for _, count in counts)
    return CountSample(counts=counts, looked_at=total, total=total)


def rejections_by_reason(run_id: UUID) -> CountSample:
    """Count the latest rejections by reason, ignoring the digits in it so that similar reasons are counted together."""
    rows, total = _latest(run_id, name=severity_list("OrderRejection", severity=None))
    reasons = (_member(row.properties, "RejectionReason") for row in rows)
    return CountSample(counts=list(Counter(map(_without_figures, reasons)).items()), looked_at=len(rows), total=total)


def errors_by_field(run_id: UUID) -> CountSample:
    """Count the latest events with validation errors by field and error."""
    rows, total = _latest(run_id, name="v")
    found = Counter(
        f"{error.get('Field')}: {error.get('Error')}"
        for row in rows
        for error in json.loads(row.validation_errors or "[]")
    )
    return CountSample(counts=list(found.items()), looked_at=len(rows), total=total)


def page(run_id: UUID, *, wanted: EventSelection, index: int, event_count: int) -> Page:
    """Return a page of events: of a list in order of time, of all events in order of arrival."""
    if wanted.name is None:
        start, stop = 0, event_count
    else:
        bounds = {"first": wanted.first_moment, "last": wanted.last_moment}
        start, stop = _ask(_RANGE, run=run_id, list=wanted.name, **bounds)[0]
    total = max(stop - start, 0)
    first = min(start + index * PAGE_SIZE, stop)
    rows = _rows(run_id, name=wanted.name, start=first, stop=min(first + PAGE_SIZE, stop), letters=SHOWN_LETTERS)
    return Page(rows=rows, total=total, index=index)


def _latest(run_id: UUID, *, name: str) -> tuple[list[Row], int]:
    total = _size(run_id, name)
    start = max(total - MAX_LOOKED_AT, 0)
    return _rows(run_id, name=name, start=start, stop=total, letters=MAX_BYTES, properties=_BOUNDED), total


def _rows(
    run_id: UUID, *, name: str | None, start: int, stop: int, letters: int, properties: str = _SHORT
) -> list[Row]:
    statement = (_ARRIVED if name is None else _LISTED).format(properties=properties)
    return [Row(*row) for row in _ask(statement, run=run_id, list=name, start=start, stop=stop, letters=letters)]


def _size(run_id: UUID, name: str) -> int:
    size: int = _ask(_SIZE, run=run_id, list=name)[0][0]
    return size


def _ask(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _sum_symbols(rows: Iterable[tuple[int, str]]) -> Iterable[Point]:
    """Sum the profit of all symbols at each change of one of them."""
    held: dict[str, Decimal] = {}
    for moment, properties in rows:
        values = json.loads(properties, parse_float=Decimal)
        symbol = values.get("SecuritySymbol")
        held[str(symbol)] = _decimal(values.get("RealizedPnL")) + _decimal(values.get("UnrealizedPnL"))
        yield Point(moment, float(sum(held.values(), Decimal(0))))


def _decimal(value: Any) -> Decimal:
    return Decimal(value) if usable(value) else Decimal(0)


def _member(text: str | None, name: str) -> str:
    value = json.loads(text).get(name) if text else None
    return value if isinstance(value, str) and value else "(none given)"


def _without_figures(reason: str) -> str:
    return " ".join("#" if any(map(str.isdigit, word)) else word for word in reason[:200].split())
