"""Rows into PostgreSQL's COPY format, and into the run's partitions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from backtests.ingest import statements
from backtests.ingest.chains import Link
from backtests.ingest.linking import Linked
from backtests.ingest.lists import entity_value, lists_of, numbers_of, state_order_id
from backtests.ingest.record import EventRow

Cursor = Any
NULL = "\\N"
COPY_BYTES = 1_048_576
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(slots=True)
class Column:
    """What a batch adds to one list, as texts in order of time."""

    events: list[str] = field(default_factory=list)
    moments: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)

    def insert(self, places: list[tuple[int, int]]) -> None:
        """Add (moment, event) pairs where they belong."""
        together = sorted([*zip(map(int, self.moments), map(int, self.events), strict=True), *places])
        self.events = [str(event) for _, event in together]
        self.moments = [str(moment) for moment, _ in together]


def write_events(cursor: Cursor, *, run_id: UUID, rows: list[EventRow], links: Mapping[str, Link], table: str) -> None:
    """Copy the events into the run's partition."""
    run = str(run_id)
    days: dict[int, str] = {}
    lines = []
    for row in rows:
        link = links.get(row.event_id)
        root, trail = (row.number, row.event_type) if link is None else (link.root, link.trail)
        errors = escaped(errors_text(row)) if row.problems else NULL
        lines.append(
            f"{run}\t{row.number}\t{row.event_id}\t{_moment(row.moment, days)}\t{row.event_type}\t{row.severity}\t"
            f"{row.category}\t{row.parent_event_id or NULL}\t{root}\t{trail}\t"
            f"{escaped(row.properties.decode())}\t{errors}\n"
        )
    _copy(cursor, statements.COPY_EVENTS.format(table=table), lines)


def write_lists(cursor: Cursor, *, run_id: UUID, rows: list[EventRow], linked: Linked, table: str) -> None:
    """Put events into their lists; `rows` are in order of time, then arrival."""
    lists: dict[str, Column] = defaultdict(Column)
    links, lone = linked.links, linked.lone
    for row in rows:
        number, moment = str(row.number), str(row.moment)
        for name in lists_of(row):
            column = lists[name]
            column.events.append(number)
            column.moments.append(moment)
        if row.event_id not in links:
            column = lists[lone[row.event_type]]
            column.events.append(number)
            column.moments.append(moment)
        for name, value in numbers_of(row):
            column = lists[name]
            column.events.append(number)
            column.moments.append(moment)
            column.numbers.append(str(value))
    moved: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, event, at in (*linked.added, *linked.marked):
        moved[name].append((at, event))
    for name, places in moved.items():
        lists[name].insert(places)
    _merge(cursor, run_id=run_id, lists=lists, removed=linked.removed, table=table)


def _merge(
    cursor: Cursor, *, run_id: UUID, lists: Mapping[str, Column], removed: list[tuple[str, int, int]], table: str
) -> None:
    """Take out and put in, in the database."""
    cursor.execute(statements.NEW_LISTS)
    _copy(cursor, "COPY backtests_new_lists FROM STDIN", _list_lines(lists))
    gone = [f"{name}\t{number}\t{moment}\n" for name, number, moment in removed]
    if gone:
        _copy(cursor, "COPY backtests_removed FROM STDIN", gone)
    cursor.execute("ANALYZE backtests_new_lists")
    cursor.execute(statements.REORDER.format(lists=table), {"run": run_id})
    cursor.execute(statements.APPEND.format(lists=table), {"run": run_id})
    cursor.execute("TRUNCATE backtests_new_lists, backtests_removed")


def write_orders(cursor: Cursor, *, run_id: UUID, rows: Iterable[EventRow], table: str) -> None:
    """Put states of orders into the run's partition, each until the order's next one."""
    lines, orders = [], set()
    for row in rows:
        order = state_order_id(row)
        if order is None:
            continue
        after = row.values["StateAfter"]
        is_open = "t" if after.get("Status") == "Open" else "f"
        symbol = after.get("SecuritySymbol")
        named = escaped(entity_value(symbol)) if symbol is not None else NULL
        lines.append(f"{run_id}\t{escaped(order)}\t{row.moment}\t{row.number}\t{NULL}\t{is_open}\t{named}\n")
        orders.add(order)
    if lines:
        _copy(cursor, f"COPY {table} (run_id, order_id, moment, number, until, is_open, symbol) FROM STDIN", lines)
        cursor.execute(statements.UNTIL.format(orders=table), {"run": run_id, "orders": list(orders)})


def errors_text(row: EventRow) -> str:
    """Write an event's problems as the contract words validation errors."""
    errors = [{"Field": p.field, "Error": p.error, "Severity": p.severity} for p in row.problems]
    return json.dumps(errors, ensure_ascii=True).replace("\\u0000", "")


def escaped(text: str) -> str:
    """Escape a text for COPY."""
    if "\\" in text or "\n" in text or "\t" in text or "\r" in text:
        return text.translate(_ESCAPES)
    return text


def moment_text(moment: int) -> str:
    """Write microseconds since 1970 as PostgreSQL reads them."""
    return (_EPOCH + timedelta(microseconds=moment)).isoformat()


def _moment(moment: int, days: dict[int, str]) -> str:
    """Write a moment; the day's text is remembered, because events of a batch share few days."""
    day, rest = divmod(moment, 86_400_000_000)
    text = days.get(day)
    if text is None:
        text = days[day] = f"{_EPOCH + timedelta(days=day):%Y-%m-%d}".rjust(10, "0")
    seconds, fraction = divmod(rest, 1_000_000)
    minutes, second = divmod(seconds, 60)
    return f"{text} {minutes // 60:02}:{minutes % 60:02}:{second:02}.{fraction:06}+00"


def _list_lines(lists: Mapping[str, Column]) -> Iterable[str]:
    for name, column in lists.items():
        written = "{" + ",".join(column.numbers) + "}" if column.numbers else NULL
        events, moments = ",".join(column.events), ",".join(column.moments)
        yield f"{escaped(name)}\t{column.moments[0]}\t{{{events}}}\t{{{moments}}}\t{written}\n"


def _copy(cursor: Cursor, statement: str, lines: Iterable[str]) -> None:
    """Send lines in pieces of about a megabyte."""
    with cursor.copy(statement) as copy:
        piece: list[str] = []
        size = 0
        for line in lines:
            piece.append(line)
            size += len(line)
            if size > COPY_BYTES:
                copy.write("".join(piece))
                piece, size = [], 0
        copy.write("".join(piece))
