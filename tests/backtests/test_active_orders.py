"""Which orders are active, and which positions were never marked."""

from typing import Any
from uuid import UUID

import pytest

from backtests.ingest import load as loading
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.tool_calls import good

ORDER = "99999999-8888-7777-6666-555555555555"
NAMED: dict[str, Any] = {"OrderId": ORDER, "SecuritySymbol": "AAPL"}


def state(status: str, quantity: float = 10) -> tuple[str, dict[str, Any]]:
    after = NAMED | {"Direction": "Buy", "Quantity": quantity, "Price": 2, "Status": status}
    return "StateChange", {"StateType": "Order", "StateBefore": None, "StateAfter": after, "ChangeReason": "so"}


def execution(quantity: float) -> tuple[str, dict[str, Any]]:
    said = NAMED | {"Direction": "Buy", "Quantity": quantity, "Price": 2, "Commission": 0, "Slippage": 0}
    return "TradeExecution", said


REJECTION = ("OrderRejection", NAMED | {"RejectionReason": "margin", "RequestedQuantity": 10, "RequestedPrice": 2})


def log(run_id: UUID, steps: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {
            "EventId": f"33333333-0000-4000-8000-{place:012}", "RunId": str(run_id),
            "Timestamp": f"2025-01-01T00:00:{place:02}Z", "EventType": kind, "Severity": "Info",
            "Category": "Execution", "Properties": said, "ParentEventId": None,
        }
        for place, (kind, said) in enumerate(steps)
    ]  # fmt: skip


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("steps", "active"),
    [
        ([state("Open")], [True]),
        ([state("Open"), execution(10)], [True, False]),
        ([state("Open"), execution(4), execution(6)], [True, True, False]),
        ([state("Open"), execution(-4), execution(-6)], [True, True, False]),
        ([execution(10), state("Open")], [False, False]),
        (
            [state("Open"), execution(4), state("Open", 20), execution(6), execution(10)],
            [True, True, True, True, False],
        ),
        ([state("Open"), REJECTION], [True, False]),
        ([state("Open"), REJECTION, state("Open")], [True, False, True]),
        ([state("Open"), state("Cancelled"), execution(1)], [True, False, False]),
        ([REJECTION], [False]),
    ],
)
async def test_an_order_is_active_until_it_is_executed_whole_rejected_or_closed(
    load: Load,
    run_id: UUID,
    monkeypatch: pytest.MonkeyPatch,
    *,
    steps: Any,
    active: list[bool],
    turned: bool,
    batch: int,
) -> None:
    monkeypatch.setattr(loading, "BATCH_EVENTS", batch)
    events = log(run_id, steps)
    load(jsonl(events[::-1] if turned else events))

    found = []
    for event in events:
        body = await good("get_state_snapshot", runId=str(run_id), timestamp=event["Timestamp"])
        found.append(bool(body["state"]["activeOrders"]))

    assert found == active


async def test_positions_that_were_never_marked_are_named(load: Load, run_id: UUID) -> None:
    def position(symbol: str, **said: Any) -> tuple[str, dict[str, Any]]:
        return "PositionUpdate", {"SecuritySymbol": symbol, "Quantity": 5, "AveragePrice": 2, "RealizedPnL": 1} | said

    steps = [
        position("A", UnrealizedPnL=3),
        position("B"),
        position("C", UnrealizedPnL=None),
        position("D", Quantity=0),
    ]
    load(jsonl(log(run_id, steps)))

    times = [event["Timestamp"] for event in log(run_id, steps)]
    body = await good("get_state_snapshot", runId=str(run_id), timestamp=times[-1])
    delta = await good("get_state_delta", runId=str(run_id), fromTimestamp=times[0], toTimestamp=times[1])

    assert body["state"]["pnl"]["unrealized"] == 3
    assert body["metadata"]["unmarkedPositions"] == ["B", "C"]
    assert delta["metadata"]["unmarkedPositions"] == ["B"]
