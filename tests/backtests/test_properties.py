"""Small random logs, ties and circles and faults in them, in batches of any size: every tool equals the slow model."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backtests.ingest import load as loading
from tests.backtests import naive
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.tool_calls import good
from toolbox.database import event_loop

Event = dict[str, Any]
IDS = [str(UUID(int=number, version=4)) for number in range(1, 40)]
ORDERS = [str(UUID(int=number << 64, version=4)) for number in range(1, 5)]
TIMES = [f"2025-03-01T10:00:{second:02d}.{micros:06d}Z" for second in range(4) for micros in (0, 999, 1000, 500_000)]
SYMBOLS = ["AAPL", "X Y", "é"]
NUMBERS = st.one_of(st.integers(-1000, 1000), st.sampled_from([0.1, 1e-9, 12345678.875, -2.5e6, 10**17]))
KINDS = ["TradeExecution", "OrderRejection", "IndicatorCalculation", "PositionUpdate", "StateChange", "MarketDataEvent"]
CATEGORIES = ["Execution", "Execution", "Indicators", "Execution", "Performance", "MarketData"]

FAULTS = {"TradeExecution": "Price", "MarketDataEvent": "DataType", "OrderRejection": "RejectionReason"}


@st.composite
def properties(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    symbol, order, number = draw(st.sampled_from(SYMBOLS)), draw(st.sampled_from(ORDERS)), draw(NUMBERS)
    terms = {"OrderId": order, "SecuritySymbol": symbol, "Direction": "Buy", "Quantity": number, "Price": draw(NUMBERS)}
    states = {
        "Order": terms | {"Status": draw(st.sampled_from(["Open", "Filled"]))},
        "PnL": {"Total": number, "Realized": number, "Unrealized": 0},
    }
    state = draw(st.sampled_from(["Order", "PnL"]))
    said: dict[str, dict[str, Any]] = {
        "TradeExecution": terms | {"Commission": 1, "Slippage": 0.5},
        "OrderRejection": {
            "OrderId": order, "SecuritySymbol": symbol, "RejectionReason": "margin", "RequestedQuantity": number,
            "RequestedPrice": 1.5,
        },
        "IndicatorCalculation": {
            "IndicatorName": draw(st.sampled_from(["SMA", "RSI"])), "SecuritySymbol": symbol, "Value": number,
            "Parameters": {"Period": 10},
        },
        "PositionUpdate": {
            "SecuritySymbol": symbol, "Quantity": number, "AveragePrice": 2, "UnrealizedPnL": 0.25,
            "RealizedPnL": draw(NUMBERS),
        },
        "StateChange": {"StateType": state, "StateBefore": None, "StateAfter": states[state], "ChangeReason": "so"},
        "MarketDataEvent": {"SecuritySymbol": symbol, "DataType": "Candle", "Data": {"Close": number}},
    }  # fmt: skip
    return said[kind]


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Event], set[str]]:
    """Draw events in any order, some repeated, and the ids of malformed ones."""
    events, faulty = [], set()
    for event_id in draw(st.lists(st.sampled_from(IDS[:30]), min_size=1, max_size=30, unique=True)):
        place = draw(st.integers(0, len(KINDS) - 1))
        said = draw(properties(KINDS[place]))
        if (wrong := FAULTS.get(KINDS[place])) and draw(st.integers(0, 4)) == 0:
            said[wrong] = draw(st.sampled_from([None, True, [1], {"x": 1}]))
            faulty.add(event_id)
        events.append({
            "EventId": event_id, "Timestamp": draw(st.sampled_from(TIMES)), "EventType": KINDS[place],
            "Severity": draw(st.sampled_from(["Info", "Debug"])), "Category": CATEGORIES[place], "Properties": said,
            "ParentEventId": draw(st.one_of(st.none(), st.sampled_from(IDS))),
        })  # fmt: skip
    twice = draw(st.lists(st.sampled_from(events), max_size=5))
    return events + twice, faulty


def ask(tool: str, run_id: UUID, **arguments: Any) -> Any:
    return event_loop.run(good(tool, runId=str(run_id), **arguments))


def ids(body: Any) -> list[str]:
    assert body["metadata"]["totalCount"] == len(body["events"])
    return [event["eventId"] for event in body["events"]]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(log=logs(), batch=st.sampled_from([1, 3, 10, 1000]), data=st.data())
@pytest.mark.slow
def test_every_tool_equals_the_model(load: Load, log: tuple[list[Event], set[str]], batch: int, data: Any) -> None:
    events, faulty = log
    run_id = uuid4()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "BATCH_EVENTS", batch)
        report = load(jsonl(events), run_id=run_id)
    known = {event["EventId"]: event for event in naive.in_order(events)}
    assert (report.stored, report.duplicate) == (len(known), len(events) - len(known))
    end = max(event["Timestamp"] for event in events)
    first, last = sorted([data.draw(st.sampled_from([t for t in TIMES if t <= end])), end])

    for kind in KINDS:
        wanted = naive.by_type(events, kind, first=first, last=last)
        assert ids(ask("get_events_by_type", run_id, eventType=kind, startTime=first, endTime=last)) == wanted
    for name, value in (("SecuritySymbol", "é"), ("OrderId", ORDERS[0]), ("IndicatorName", "SMA")):
        wanted = naive.by_entity(events, name, value, kinds=[])
        assert ids(ask("get_events_by_entity", run_id, entityType=name, entityValue=value)) == wanted
    for kind, path in (
        ("TradeExecution", "$.Price"),
        ("StateChange", "$.StateAfter.Total"),
        ("MarketDataEvent", "$.Data.Close"),
    ):
        same_metrics(run_id, events, kind, path, first=first, last=last)
    same_state(run_id, events, first)
    for pattern in (None, ["TradeExecution", "PositionUpdate"]):
        same_sequences(run_id, events, pattern)
    circles = set().union(*naive.circles(known))
    assert set(ids(ask("get_validation_errors", run_id))) == faulty | circles


def same_metrics(run_id: UUID, events: list[Event], kind: str, path: str, *, first: str, last: str) -> None:
    wanted = naive.metrics(events, kind, path, first=first, last=last)
    asked = {"eventType": kind, "propertyPath": path, "aggregations": list(wanted), "startTime": first, "endTime": last}
    found = ask("aggregate_metrics", run_id, **asked)["aggregations"]
    assert {name for name in found if found[name] is None} == {name for name in wanted if wanted[name] is None}
    numbers = {name: float(value) for name, value in found.items() if value is not None}
    assert numbers == pytest.approx({name: wanted[name] for name in numbers}, rel=1e-9, abs=1e-12)


def same_state(run_id: UUID, events: list[Event], moment: str) -> None:
    wanted = naive.snapshot(events, moment)
    state = ask("get_state_snapshot", run_id, timestamp=moment)["state"]
    positions = {p["securitySymbol"]: (float(p["quantity"]), float(p["realizedPnL"])) for p in state["positions"]}
    assert positions == wanted["positions"]
    indicators = {(i["name"], i["securitySymbol"]): float(i["value"]) for i in state["indicators"]}
    assert indicators == wanted["indicators"]
    assert {order["orderId"] for order in state["activeOrders"]} == wanted["orders"]
    assert wanted["pnl"] is None or float(state["pnl"]["total"]) == wanted["pnl"]


def same_sequences(run_id: UUID, events: list[Event], pattern: list[str] | None) -> None:
    wanted = naive.sequences(events, pattern=pattern, incomplete=False, depth=10)
    given = {"sequencePattern": pattern} if pattern else {}
    body = ask("query_event_sequence", run_id, pageSize=100, **given)
    found = [
        (s["rootEventId"], {e["eventId"] for e in s["events"]}, s["complete"], s["missingEventTypes"])
        for s in body["sequences"]
    ]
    assert found == wanted
