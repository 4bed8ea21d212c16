"""The NautilusTrader format, record by record: pure, so without a database."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as some

from backtests.ingest import engines
from backtests.ingest.check import check
from backtests.ingest.engines import Event, TableOptions, find_engine, list_engines
from backtests.ingest.from_engine import read_engine
from backtests.ingest.record import EventRow, LoggedEvent, Unreadable

RUN = UUID("a1b2c3d4-e5f6-7890-abcd-ef1234567890")
AT = 1_359_682_500_000_000_000
ORDER: dict[str, Any] = {"client_order_id": "O-1", "instrument_id": "AAPL.XNAS", "order_side": "BUY", "ts_event": AT}
FILL: dict[str, Any] = {
    **ORDER,
    "type": "OrderFilled",
    "position_id": "P-1",
    "last_qty": "100",
    "last_px": "10.50",
    "commission": "1.25 USD",
    "event_id": "c16ce373-f774-4a91-af25-98d75dede670",
}
POSITION: dict[str, Any] = {
    "type": "PositionOpened",
    "instrument_id": "AAPL.XNAS",
    "position_id": "P-1",
    "signed_qty": 100.0,
    "avg_px_open": 10.5,
    "last_px": "10.50",
    "realized_pnl": "-1.25 USD",
    "ts_event": AT,
    "event_id": "48c9b8e6-3719-4e6e-9965-90e58edcf51c",
}
SOLD = POSITION | {
    "type": "PositionClosed",
    "signed_qty": 0.0,
    "last_px": "11",
    "realized_pnl": "47.5 USD",
    "ts_closed": AT,
    "event_id": "48c9b8e6-3719-4e6e-9965-90e58edcf51d",
}


def translate_record(*records: dict[str, Any]) -> list[Event]:
    translate = find_engine("nautilus").make_translator(RUN, given=TableOptions()).translate
    return [event for record in records for event in translate(record)]


def test_an_order_its_fill_and_its_position_hang_together_by_cause() -> None:
    placed = ORDER | {"type": "OrderInitialized", "quantity": "100", "event_id": str(UUID(int=1))}
    submitted = ORDER | {"type": "OrderSubmitted", "event_id": str(UUID(int=2))}

    root, second, trade, filled, position = translate_record(placed, submitted, FILL, POSITION)

    assert root["parentEventId"] is None
    assert second["parentEventId"] == root["eventId"]
    assert trade["parentEventId"] == second["eventId"]
    assert [filled["parentEventId"], position["parentEventId"]] == [trade["eventId"], trade["eventId"]]
    kinds = [event["eventType"] for event in (root, second, trade, filled, position)]
    assert kinds == ["StateChange", "StateChange", "TradeExecution", "StateChange", "PositionUpdate"]


def test_a_fill_becomes_a_trade_with_numbers_and_keeps_the_engines_id() -> None:
    trade, *_ = translate_record(FILL | {"liquidity_side": "TAKER"})

    assert trade["eventId"] == FILL["event_id"]
    assert trade["timestamp"] == "2013-02-01T01:35:00.000000Z"
    properties = trade["properties"]
    assert (properties["Direction"], properties["Quantity"], properties["Price"]) == ("Buy", 100, 10.5)
    assert (properties["Commission"], properties["CommissionCurrency"]) == (1.25, "USD")
    assert properties["LiquiditySide"] == "TAKER"


@pytest.mark.parametrize("time", [10**21, -(10**21), 1.5, "soon"])
def test_nanoseconds_that_are_no_time_are_handed_on_and_refused(time: object) -> None:
    trade, *_ = read_engine([json.dumps(FILL | {"ts_event": time}).encode()], name="nautilus", run_id=RUN)

    assert isinstance(trade, LoggedEvent)
    row = check(trade, run_id=RUN, usual_moment=7)
    assert isinstance(row, EventRow)
    assert (row.moment, [problem.field for problem in row.problems]) == (7, ["Timestamp"])


def test_an_order_is_open_until_its_whole_quantity_is_filled() -> None:
    placed = ORDER | {"type": "OrderInitialized", "quantity": "150"}
    rest = FILL | {"last_qty": "50", "event_id": str(UUID(int=9))}

    events = translate_record(placed, FILL, rest)

    states = [event["properties"]["StateAfter"] for event in events if event["eventType"] == "StateChange"]
    assert [(state["Status"], state["FilledQuantity"]) for state in states] == [
        ("Open", 0),
        ("Open", 100),
        ("Filled", 150),
    ]


def test_a_fill_that_the_stream_repeats_gives_the_very_same_events() -> None:
    events = translate_record(FILL, FILL)

    assert [event["eventType"] for event in events] == ["TradeExecution", "StateChange"] * 2
    assert events[:2] == events[2:]


@pytest.mark.parametrize(
    ("kind", "status", "category"), [("OrderDenied", "Denied", "Risk"), ("OrderRejected", "Rejected", "Execution")]
)
def test_a_refused_order_is_a_rejection_and_is_no_longer_open(kind: str, status: str, category: str) -> None:
    placed = ORDER | {"type": "OrderInitialized", "quantity": "100", "options": {"price": "10.25"}}

    _, rejection, change = translate_record(
        placed, ORDER | {"type": kind, "reason": "no money", "event_id": str(UUID(int=3))}
    )

    assert (rejection["eventType"], rejection["category"], rejection["severity"]) == (
        "OrderRejection",
        category,
        "Warning",
    )
    properties = rejection["properties"]
    assert [properties[name] for name in ("RejectionReason", "RequestedQuantity", "RequestedPrice")] == [
        "no money",
        100,
        10.25,
    ]
    assert change["properties"]["StateAfter"]["Status"] == status
    assert change["parentEventId"] == rejection["eventId"]


def test_a_symbols_profit_adds_up_over_its_positions() -> None:
    again = POSITION | {"position_id": "P-2", "realized_pnl": "-2 USD", "event_id": str(UUID(int=4))}

    opened, closed, reopened = translate_record(POSITION, SOLD, again)

    assert opened["properties"]["RealizedPnL"] == -1.25
    assert (closed["properties"]["Quantity"], closed["properties"]["RealizedPnL"]) == (0, 47.5)
    assert (reopened["properties"]["RealizedPnL"], reopened["properties"]["PositionRealizedPnL"]) == (45.5, -2)


def test_two_positions_of_a_symbol_are_told_as_what_is_held_together() -> None:
    second = POSITION | {"position_id": "P-2", "signed_qty": 300.0, "avg_px_open": 12.5, "event_id": str(UUID(int=4))}

    *_, both = translate_record(POSITION, second)

    assert (both["properties"]["Quantity"], both["properties"]["AveragePrice"]) == (400, 12)


def test_a_close_that_is_repeated_earns_once() -> None:
    *_, last = translate_record(POSITION, SOLD, SOLD)

    assert last["properties"]["RealizedPnL"] == 47.5


def test_a_bar_values_what_is_held() -> None:
    bar = {"type": "Bar", "bar_type": "AAPL.XNAS-1-DAY-LAST-EXTERNAL", "close": "11.00", "ts_event": AT + 10**9}

    *_, candle, mark = translate_record(POSITION, bar)

    assert (candle["properties"]["DataType"], candle["properties"]["Data"]) == ("Candle", {"Close": 11})
    assert (mark["properties"]["UnrealizedPnL"], mark["parentEventId"]) == (50, candle["eventId"])


def test_an_account_earns_what_its_balance_grows_by_and_a_deposit_is_not_earned() -> None:
    def account(total: str, *, reported: bool, at: int, number: int) -> dict[str, Any]:
        balances = [{"total": total, "currency": "USD", "locked": "0", "free": total}]
        shared = {"type": "AccountState", "account_type": "MARGIN", "account_id": "A", "base_currency": "USD"}
        return shared | {"balances": balances, "reported": reported, "ts_event": at, "event_id": str(UUID(int=number))}

    events = translate_record(
        account("1000", reported=True, at=AT, number=5),
        FILL,
        account("990.10", reported=False, at=AT, number=6),
        account("1490.10", reported=True, at=AT + 1000, number=7),
    )

    earned = [event["properties"]["StateAfter"] for event in events if event["properties"].get("StateType") == "PnL"]
    assert [state["Total"] for state in earned] == [0, -9.9, -9.9]
    assert events[3]["parentEventId"] == FILL["event_id"]


def test_what_the_contract_has_no_word_for_is_kept() -> None:
    (event,) = translate_record(
        {"type": "ComponentStateChanged", "state": "RUNNING", "ts_event": AT, "component_id": "EMA"}
    )

    assert (event["eventType"], event["properties"]["StateType"]) == ("StateChange", "ComponentStateChanged")
    assert (event["properties"]["StateAfter"], event["properties"]["ComponentId"]) == ({"State": "RUNNING"}, "EMA")


def test_a_price_of_more_digits_than_a_float_holds_keeps_them_all() -> None:
    lines = [json.dumps(FILL | {"last_px": "0.1234567890123456789", "last_qty": "9" * 25}).encode()]

    trade, _ = read_engine(lines, name="nautilus", run_id=RUN)

    assert isinstance(trade, LoggedEvent)
    assert b'"Price":0.1234567890123456789,' in (trade.properties or b"")
    assert b'"Quantity":9999999999999999999999999,' in (trade.properties or b"")


def test_a_line_that_is_no_record_stops_nothing() -> None:
    lines = [
        json.dumps(FILL).encode(),
        b'{"type": "OrderFi',
        b"[1]",
        b"",
        b'{"a":' * 3000,
        b'{"type": "\\ud800"}',
        b"{}",
    ]

    entries = list(read_engine(lines, name="nautilus", run_id=RUN))

    assert [entry.line_number for entry in entries if isinstance(entry, Unreadable)] == [2, 3, 5, 6]
    assert [entry.line_number for entry in entries if isinstance(entry, LoggedEvent)] == [1, 1, 7]


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    assert "nautilus" in list_engines()
    with pytest.raises(KeyError, match="nautilus"):
        find_engine("metatrader")


def test_an_engine_is_added_by_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(engines.__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (tmp_path / "acme.py").write_text(readme.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(tmp_path)])

    line = b'{"id": 1, "time": "2025-01-02T15:00:00Z", "ticker": "AAPL", "price": 7}'
    [trade] = read_engine([line], name="acme", run_id=RUN)

    assert "acme" in list_engines()
    assert isinstance(trade, LoggedEvent)
    assert (trade.event_type, trade.properties) == ("TradeExecution", b'{"SecuritySymbol":"AAPL","Price":7}')


KINDS = ["OrderInitialized", "OrderFilled", "OrderDenied", "PositionOpened", "PositionClosed", "AccountState", "Bar"]
VALUES = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(),
    some.floats(),
    some.lists(some.integers(), max_size=2),
    some.sampled_from(["", "é", "NaN", "1e999", "-Infinity", "9" * 50, "12 JPY", " ", "0x10", "1_000", "BUY", "P-1"]),
)
FIELDS = sorted(
    {*ORDER, *FILL, *POSITION, "ts_init", "balances", "account_type", "bar_type", "close", "options", "reported"}
)
RECORDS = some.builds(
    lambda kind, fields: {**fields, "type": kind},
    some.sampled_from([*KINDS, "Something", ""]),
    some.dictionaries(some.sampled_from(FIELDS), VALUES, max_size=8),
)


@given(some.lists(RECORDS, max_size=8))
def test_nonsense_gives_events_and_the_same_nonsense_the_same_events(records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record).encode() for record in records]

    entries = list(read_engine(lines, name="nautilus", run_id=RUN))

    assert entries == list(read_engine(lines, name="nautilus", run_id=RUN))
    assert sum(isinstance(entry, LoggedEvent) for entry in entries) >= len(records)
