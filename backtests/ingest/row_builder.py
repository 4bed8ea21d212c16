"""
Building of a batch's COPY data. Pure.

A draft has the parts that follow from the rows alone: lists by the events' properties, numbers, orders, and most
columns of the events' own rows. It is made while the batch before is being stored. Roots, errors and the rest of the
rows need the links (Draft.ready), and those need the batch before.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from uuid import UUID

from backtests.ingest import binary
from backtests.ingest.chains import Link
from backtests.ingest.links import BatchLinks
from backtests.ingest.record import EventRow
from backtests.ingest.signatures import ROOTS, digest_shape, list_of_shape
from backtests.store.lists import error_lists
from backtests.store.orders import OrderRow, format_rows, trace_order
from backtests.vocabulary import EVENT_TYPES

PIECE_BYTES = 1_048_576
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """
    A batch that can be sent as it is to a run with `first` events; counts are of the batch alone.

    `newly_malformed` counts stored events that the batch puts into a cycle; `signatures` are digest, number and trails
    of new shapes.
    """

    first: int
    amount: int
    events: list[bytes]
    lists: list[bytes]
    removed: list[bytes]
    orders: list[bytes]
    first_steps: list[OrderRow]
    signatures: list[tuple[str, int, str]]
    joins_roots: bool
    kinds: Counter[tuple[int, int]]
    symbols: list[str]
    malformed_rows: int
    newly_malformed: int
    span: tuple[int, int]


class Draft:
    """The parts of a batch that do not need its links; `rows` are numbered from `first` on, in order of arrival."""

    def __init__(self, rows: list[EventRow], *, run_id: UUID, first: int) -> None:
        for number, row in enumerate(rows, start=first):
            row.number = number
        self.rows, self.first = rows, first
        self._run_id = run_id
        self._ordered = ordered = sorted(rows, key=attrgetter("moment"))  # stable: rows are in order of number
        self._events = [binary.event_element(row.number) for row in ordered]
        self._moments = [binary.moment_element(row.moment) for row in ordered]
        self._lists = [*self._own_lists(), *self._number_lists()]
        self._orders, self._first_steps = self._order_states()
        self._columns = [
            binary.event_columns(
                row.number, event_id=row.event_id, moment=row.moment, parent=row.parent_event_id,
                codes=(row.event_type, row.severity, row.category),
            )
            for row in rows
        ]  # fmt: skip
        self._kinds = Counter([(row.event_type, row.severity) for row in rows])
        symbols = dict.fromkeys([row.symbol for row in rows])
        self._symbols = [symbol for symbol in symbols if symbol is not None and "\x00" not in symbol]

    def ready(self, linked: BatchLinks) -> Ready:
        """Build the remaining parts, which need the links."""
        rows = self.rows
        lists = {shape: ROOTS if linked.has_many_shapes else list_of_shape(shape) for shape, _, _ in linked.removed}
        removed = [f"{lists[shape]}\t{number}\t{moment}\n".encode() for shape, number, moment in linked.removed]
        return Ready(
            first=self.first,
            amount=len(rows),
            events=pieces(self._event_rows(linked.links)),
            lists=pieces([*self._lists, *self._linked_lists(linked)]),
            removed=[b"".join(removed)] if removed else [],
            orders=self._orders,
            first_steps=self._first_steps,
            signatures=[
                (digest_shape(shape), number, json.dumps(shape))
                for number, shape in enumerate(linked.new_shapes, start=linked.first_new_shape)
            ],
            joins_roots=linked.joins_roots,
            kinds=self._kinds,
            symbols=[symbol.encode("utf-8", "replace").decode() for symbol in self._symbols],
            malformed_rows=sum(1 for row in rows if row.problems),
            newly_malformed=linked.newly_malformed,
            span=(self._ordered[0].moment, self._ordered[-1].moment),
        )

    def _event_rows(self, links: Mapping[str, Link]) -> Iterator[bytes]:
        """Encode the events' own rows."""
        start = binary.row_start(12) + binary.text(self._run_id.bytes)
        alone = [b"%d" % kind for kind in range(len(EVENT_TYPES))]
        for row, columns in zip(self.rows, self._columns, strict=True):
            link = links.get(row.event_id)
            yield binary.event_row(
                start,
                columns=columns,
                root=row.number if link is None else link.root,
                trail=alone[row.event_type] if link is None else link.trail.encode(),
                properties=row.properties,
                errors=errors_text(row).encode() if row.problems else None,
            )

    def _own_lists(self) -> Iterator[bytes]:
        """Yield the lists by type and entity; shared lists are built from groups of events with the same lists."""
        shared: dict[tuple[str, ...], list[int]] = defaultdict(list)
        lists: dict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(self._ordered):
            shared[row.lists].append(place)
            for name in row.own_lists:
                lists[name].append(place)
        for names, places in shared.items():
            for name in names:
                lists[name] += places
        for name, places in lists.items():
            places.sort()
            yield self._build_list(name, places)

    def _number_lists(self) -> Iterator[bytes]:
        shared: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, row in enumerate(self._ordered):
            shared[row.number_lists].append(place)
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for names, places in shared.items():
            for at, name in enumerate(names):
                found[name] += [(place, self._ordered[place].numbers[at]) for place in places]
        for name, members in found.items():
            members.sort(key=itemgetter(0))
            text = ",".join([written for _, written in members])
            yield self._build_list(name, [place for place, _ in members], numbers=f"{{{text}}}".encode())

    def _linked_lists(self, linked: BatchLinks) -> Iterator[bytes]:
        """Yield the lists of roots and errors, including the stored events that `linked` adds to them."""
        moved: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, event, moment in linked.marked:
            moved[name].append((moment, event))
        if linked.has_many_shapes:
            yield from self._roots(linked)
        else:
            for shape, event, moment in linked.added:
                moved[list_of_shape(shape)].append((moment, event))
        for name, places in self._lists_by_link(linked).items():
            if name in moved:
                moved[name] += [(self._ordered[place].moment, self._ordered[place].number) for place in places]
            else:
                yield self._build_list(name, places)
        for name, members in moved.items():
            yield _merge_members(name, members)

    def _roots(self, linked: BatchLinks) -> Iterator[bytes]:
        """Yield the list of all roots, each with its shape."""
        roots = [(moment, event, shape) for shape, event, moment in linked.added]
        roots += [(row.moment, row.number, row.event_type) for row in self.rows if row.event_id not in linked.links]
        if roots:
            roots.sort()
            shapes = ",".join([str(shape) for _, _, shape in roots])
            yield _merge_members(
                ROOTS, [(moment, event) for moment, event, _ in roots], numbers=f"{{{shapes}}}".encode()
            )

    def _lists_by_link(self, linked: BatchLinks) -> dict[str, list[int]]:
        lists: dict[str, list[int]] = defaultdict(list)
        links, lone = linked.links, not linked.has_many_shapes
        for place, row in enumerate(self._ordered):
            if lone and row.event_id not in links:
                lists[list_of_shape(row.event_type)].append(place)
            if row.problems:
                for name in error_lists(problem.severity for problem in row.problems):
                    lists[name].append(place)
        return lists

    def _build_list(self, name: str, places: list[int], *, numbers: bytes | None = None) -> bytes:
        events, moments = self._events, self._moments
        return b"".join((
            binary.row_start(5),
            binary.text(name.encode()),
            moments[places[0]],
            binary.events([events[place] for place in places]),
            binary.moments([moments[place] for place in places]),
            binary.text(numbers),
        ))  # fmt: skip

    def _order_states(self) -> tuple[list[bytes], list[OrderRow]]:
        """Build the states of orders after each step of the batch; return also the first step of each order."""
        orders: dict[str, list[OrderRow]] = defaultdict(list)
        for row in self._ordered:
            if row.order is not None:
                orders[row.order.order].append(OrderRow.from_step(row.order, moment=row.moment, number=row.number))
        for rows in orders.values():
            trace_order(rows, before=None)
        every = (row for rows in orders.values() for row in rows)
        lines = "".join(format_rows(every, run_id=self._run_id, escape=escape))
        return [lines.encode()] if lines else [], [rows[0] for rows in orders.values()]


def pieces(rows: Iterable[bytes]) -> list[bytes]:
    """Join rows into a complete binary COPY, in chunks of about a megabyte."""
    found: list[bytes] = []
    piece, size = [binary.HEADER], 0
    for row in rows:
        piece.append(row)
        size += len(row)
        if size > PIECE_BYTES:
            found.append(b"".join(piece))
            piece, size = [], 0
    return [*found, b"".join([*piece, binary.TRAILER])]


def errors_text(row: EventRow) -> str:
    """Format an event's problems as the contract's validation errors."""
    errors = [{"Field": p.field, "Error": p.error, "Severity": p.severity} for p in row.problems]
    return json.dumps(errors, ensure_ascii=True).replace("\\u0000", "")


def escape(text: str) -> str:
    """Escape a text for COPY."""
    if "\\" in text or "\n" in text or "\t" in text or "\r" in text:
        return text.translate(_ESCAPES)
    return text


def _merge_members(name: str, members: list[tuple[int, int]], *, numbers: bytes | None = None) -> bytes:
    members.sort()
    return b"".join((
        binary.row_start(5),
        binary.text(name.encode()),
        binary.moment_element(members[0][0]),
        binary.events(binary.event_element(number) for _, number in members),
        binary.moments(binary.moment_element(moment) for moment, _ in members),
        binary.text(numbers),
    ))  # fmt: skip
