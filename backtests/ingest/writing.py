"""Rows into the run's partitions, by COPY."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

from backtests.ingest import binary, statements
from backtests.ingest.chains import Link
from backtests.ingest.linking import Linked
from backtests.ingest.lists import error_lists
from backtests.ingest.record import EventRow

Cursor = Any
NULL = "\\N"
COPY_BYTES = 1_048_576
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def write_events(cursor: Cursor, *, run_id: UUID, rows: list[EventRow], links: Mapping[str, Link], table: str) -> None:
    """Copy the events into the run's partition."""
    _copy_binary(cursor, statements.COPY_EVENTS.format(table=table), _event_rows(run_id, rows=rows, links=links))


def _event_rows(run_id: UUID, *, rows: list[EventRow], links: Mapping[str, Link]) -> Iterator[bytes]:
    start = binary.row_start(12) + binary.text(run_id.bytes)
    for row in rows:
        link = links.get(row.event_id)
        yield binary.event_row(
            start,
            number=row.number,
            event_id=row.event_id,
            moment=row.moment,
            codes=(row.event_type, row.severity, row.category),
            parent=row.parent_event_id,
            root=row.number if link is None else link.root,
            trail=b"%d" % row.event_type if link is None else link.trail.encode(),
            properties=row.properties,
            errors=errors_text(row).encode() if row.problems else None,
        )


class _Batch:
    """Where a batch's events go: places among its rows, which are in order of time, by list; numbers beside them."""

    def __init__(self, rows: list[EventRow], *, linked: Linked) -> None:
        self._rows = rows
        self.lists: dict[str, list[int]] = {}
        self.numbers: dict[str, list[str]] = {}
        self._gather_lists(linked)
        self._gather_numbers()

    def _gather_lists(self, linked: Linked) -> None:
        shared: dict[tuple[str, ...], list[int]] = defaultdict(list)
        own: dict[str, list[int]] = defaultdict(list)
        links, lone = linked.links, linked.lone
        for place, row in enumerate(self._rows):
            shared[row.lists].append(place)
            for name in row.own_lists:
                own[name].append(place)
            if row.event_id not in links:
                own[lone[row.event_type]].append(place)
            if row.problems:
                for name in error_lists(problem.severity for problem in row.problems):
                    own[name].append(place)
        for names, places in shared.items():
            for name in names:
                own[name] += places
        self.lists = {name: sorted(places) for name, places in own.items()}

    def _gather_numbers(self) -> None:
        shared: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, row in enumerate(self._rows):
            shared[row.number_lists].append(place)
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for names, places in shared.items():
            for at, name in enumerate(names):
                found[name] += [(place, self._rows[place].numbers[at]) for place in places]
        for name, members in found.items():
            members.sort(key=itemgetter(0))
            self.lists[name] = [place for place, _ in members]
            self.numbers[name] = [written for _, written in members]

    def written(self, moved: Mapping[str, list[tuple[int, int]]]) -> Iterator[bytes]:
        """Write the lists; `moved` are (moment, number) of more events, stored ones among them."""
        rows = self._rows
        events = [binary.event_element(row.number) for row in rows]
        moments = [binary.moment_element(row.moment) for row in rows]
        start = binary.row_start(5)
        for name, places in self.lists.items():
            if name in moved:
                continue
            written = self.numbers.get(name)
            yield b"".join((
                start,
                binary.text(name.encode()),
                moments[places[0]],
                binary.events([events[place] for place in places]),
                binary.moments([moments[place] for place in places]),
                binary.text(f"{{{','.join(written)}}}".encode() if written else None),
            ))  # fmt: skip
        for name, more in moved.items():
            known = [(rows[place].moment, rows[place].number) for place in self.lists.get(name, ())]
            yield _merged(name, known + more)


def _merged(name: str, members: list[tuple[int, int]]) -> bytes:
    members.sort()
    return b"".join((
        binary.row_start(5),
        binary.text(name.encode()),
        binary.moment_element(members[0][0]),
        binary.events(binary.event_element(number) for _, number in members),
        binary.moments(binary.moment_element(moment) for moment, _ in members),
        binary.NULL,
    ))  # fmt: skip


def write_lists(cursor: Cursor, *, run_id: UUID, rows: list[EventRow], linked: Linked, table: str) -> None:
    """Put events into their lists; `rows` are in order of time, then arrival."""
    batch = _Batch(rows, linked=linked)
    moved: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, event, at in (*linked.added, *linked.marked):
        moved[name].append((at, event))
    cursor.execute(statements.NEW_LISTS)
    _copy_binary(cursor, "COPY backtests_new_lists FROM STDIN (FORMAT BINARY)", batch.written(moved))
    gone = [f"{name}\t{number}\t{moment}\n" for name, number, moment in linked.removed]
    if gone:
        _copy(cursor, "COPY backtests_removed FROM STDIN", gone)
    cursor.execute("ANALYZE backtests_new_lists (list)")  # the other columns are arrays, and long
    cursor.execute(statements.REORDER.format(lists=table), {"run": run_id})
    cursor.execute(statements.APPEND.format(lists=table), {"run": run_id})
    cursor.execute("TRUNCATE backtests_new_lists, backtests_removed")


def write_orders(cursor: Cursor, *, run_id: UUID, rows: Iterable[EventRow], first: int, table: str) -> None:
    """
    Put states of orders into the run's partition, each until the order's next one.

    `rows` are in order of time, then arrival; `first` is the number of the first that arrived.
    """
    orders: dict[str, list[tuple[EventRow, bool, str | None]]] = defaultdict(list)
    for row in rows:
        if row.order is not None:
            order, is_open, symbol = row.order
            orders[order].append((row, is_open, symbol))
    if not orders:
        return
    statement = f"COPY {table} (run_id, order_id, moment, number, until, is_open, symbol) FROM STDIN"
    _copy(cursor, statement, _order_lines(run_id, orders=orders))
    if first:
        cursor.execute(statements.KNOWN_ORDERS.format(orders=table), [run_id, list(orders), first])
        known = [found[0] for found in cursor.fetchall()]
        if known:
            cursor.execute(statements.UNTIL.format(orders=table), {"run": run_id, "orders": known})


def _order_lines(run_id: UUID, *, orders: Mapping[str, list[tuple[EventRow, bool, str | None]]]) -> Iterator[str]:
    for order, states in orders.items():
        untils = [str(row.moment) for row, _, _ in states[1:]] + [NULL]
        for (row, is_open, symbol), until in zip(states, untils, strict=True):
            named = NULL if symbol is None else escaped(symbol)
            yield (
                f"{run_id}\t{escaped(order)}\t{row.moment}\t{row.number}\t{until}\t{'t' if is_open else 'f'}\t{named}\n"
            )


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


def _copy_binary(cursor: Cursor, statement: str, rows: Iterable[bytes]) -> None:
    """Send rows in pieces of about a megabyte."""
    with cursor.copy(statement) as copy:
        piece, size = [binary.HEADER], 0
        for row in rows:
            piece.append(row)
            size += len(row)
            if size > COPY_BYTES:
                copy.write(b"".join(piece))
                piece, size = [], 0
        copy.write(b"".join([*piece, binary.TRAILER]))


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
