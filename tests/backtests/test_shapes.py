"""Recognising a line by its shape says what reading it carefully says, or nothing at all."""

import json
from collections import Counter
from copy import deepcopy
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backtests.ingest.check import check
from backtests.ingest.fast_parse import read_events
from backtests.ingest.parse import CarefulReader
from backtests.ingest.record import EventRow, LoggedEvent
from backtests.ingest.shapes import Shapes
from tests.backtests.makers import strategy

RUN = "cccccccc-e5f6-4890-abcd-ef1234567890"
EVENTS = list(strategy(RUN, events=120, seed=3))
ODD: list[Any] = [
    None, True, False, 0, -1, 7, 2**63, 10**18, 10**19, 10**60, 0.5, -0.0, 1e5, 1e-7, 1e30, 1e300, float("inf"), "",
    "Buy", "buy", "Open", "Order", "PnL", "Position", "Candle", "NaN", "é", 'a "b"', "back\\slash", "tab\t", "\x00",
    "\x7f", RUN, RUN.upper(), "{}", {}, {"SecuritySymbol": "X"}, {"OrderId": RUN}, {"x": 1, "y": {"z": 2.5}}, [],
    [1, 2.5],
    "2025-02-30T00:00:00Z", "2025-02-28T23:59:60Z", "2025-02-28 23:59:59,5Z", "2025-02-28T23:59:59.123456789+00:00",
    "2025-02-28T23:59:59+02:00", "0000-01-01T00:00:00Z", 1704067200, "Error", "Fatal", "TradeExecution", "Unknown",
    "Execution",
]  # fmt: skip
NAMES = [
    "OrderId", "PositionId", "SecuritySymbol", "IndicatorName", "StateType", "Status", "Quantity", "Price", "Direction",
    "Own", "a-b", "_", "", "x.y", "StateAfter", "StateBefore", "Parameters", "EventId", "Properties", "Severity",
]  # fmt: skip
SEPARATORS = [(",", ":"), (", ", ": "), (" , ", " : ")]


def places(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of an event, nested ones included."""
    within = [place for value in event.values() if isinstance(value, dict) for place in places(value)]
    return [event, *within]


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Draw an event with some values, names and bytes changed."""
    event = json.loads(json.dumps(draw(st.sampled_from(EVENTS))))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(places(event)))
        name = draw(st.sampled_from([*place, *NAMES]))
        if name in place and draw(st.booleans()):
            del place[name]
        else:
            place[name] = deepcopy(draw(st.sampled_from(ODD)))
    text = json.dumps(event, separators=draw(st.sampled_from(SEPARATORS)), ensure_ascii=draw(st.booleans()))
    line = bytearray(text.encode("utf-8", "surrogatepass") + draw(st.sampled_from([b"\n", b"\r\n", b""])))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        line[draw(st.integers(0, len(line) - 1))] = draw(st.sampled_from(list(b'"{}[]:,.-+eE019 \\\xc3aZ')))
    return bytes(line)


def carefully(line: bytes) -> EventRow | None:
    """Return the row that the careful parser makes of a line; None if it finds a fault."""
    entry = CarefulReader().read(line, number=1)
    if not isinstance(entry, LoggedEvent):
        return None
    row = check(entry, run_id=UUID(RUN), usual_moment=0)
    if not isinstance(row, EventRow) or row.problems:
        return None
    row.run_id = entry.run_id  # type: ignore[assignment]
    return row


def describe_row(row: EventRow) -> tuple[Any, ...]:
    return (
        row.event_id, row.moment, row.event_type, row.severity, row.category, row.properties, row.parent_event_id,
        Counter(row.lists + row.own_lists),
        Counter(zip(row.number_lists, map(Decimal, row.numbers), strict=True)),
        row.order, row.symbol, row.problems, row.run_id,
    )  # fmt: skip


@settings(max_examples=120)
@given(st.lists(lines(), min_size=1, max_size=12), st.data())
def test_what_is_recognised_is_what_would_have_been_read(drawn: list[bytes], data: st.DataObject) -> None:
    shapes = Shapes()
    for line in drawn:
        entry = CarefulReader().read(line, number=1)
        if isinstance(entry, LoggedEvent):
            shapes.learn(entry)

    for line in [*drawn, *data.draw(st.lists(lines(), max_size=12))]:
        row = shapes.recognise(line, number=1)
        careful = carefully(line)
        if row is not None:
            assert careful is not None, line
            assert describe_row(row) == describe_row(careful)


def test_a_programs_log_is_nearly_all_recognised() -> None:
    events = [json.dumps(event).encode() + b"\n" for event in strategy(RUN, events=3000, seed=11)]

    entries = list(read_events(events))

    assert sum(isinstance(entry, EventRow) for entry in entries) > 0.95 * len(events)
    numbers = [entry.line_number for entry in entries if isinstance(entry, EventRow | LoggedEvent)]
    assert numbers == list(range(1, len(events) + 1))


@pytest.mark.parametrize("count", [100_000])
def test_a_line_made_to_be_slow_is_not(count: int) -> None:
    shapes = Shapes()
    good = json.dumps(EVENTS[0]).encode()
    entry = CarefulReader().read(good, number=1)
    assert isinstance(entry, LoggedEvent)
    shapes.learn(entry)

    hostile = good.replace(b'"Properties": {', b'"Properties": {' + b"}" * count)

    assert shapes.recognise(hostile, number=1) is None
