"""The contract's examples, word for word: what it shows going in comes out as it shows it."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from tests.backtests.conftest import Load
from tests.backtests.tool_calls import ask, ask_refused, good

RUN = "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
TRADE = (
    b'{"eventId": "11111111-2222-3333-4444-555555555555", "runId": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",'
    b'"timestamp": "2025-06-15T14:30:45.123Z", "eventType": "TradeExecution", "severity": "Info",'
    b'"category": "Execution", "properties": {"OrderId": "99999999-8888-7777-6666-555555555555",'
    b'"SecuritySymbol": "AAPL", "Direction": "Buy", "Quantity": 100, "Price": 175.50, "Commission": 1.00,'
    b'"Slippage": 0.05}, "parentEventId": null, "validationErrors": null}\n'
)
BAD_TRADE = (
    b'{"eventId": "11111111-2222-3333-4444-666666666666", "runId": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",'
    b'"timestamp": "2025-06-15T14:30:46.123Z", "eventType": "TradeExecution", "severity": "Info",'
    b'"category": "Execution", "properties": {"OrderId": "invalid-guid", "SecuritySymbol": "AAPL", "Direction": "Buy",'
    b'"Quantity": 100, "Commission": 1.00, "Slippage": 0.05}, "parentEventId": null}\n'
)


def event(number: int, kind: str, at: str, properties: str) -> bytes:
    return (
        f'{{"eventId": "22222222-0000-0000-0000-{number:012}", "runId": "{RUN}", "timestamp": "{at}", '
        f'"eventType": "{kind}", "severity": "Info", "category": "Execution", "properties": {properties}, '
        f'"parentEventId": null}}\n'
    ).encode()


POSITION = (
    '{"SecuritySymbol": "AAPL", "Quantity": 100, "AveragePrice": 175.50, '
    '"UnrealizedPnL": 250.00, "RealizedPnL": 500.00}'
)
SMA = '{"IndicatorName": "SMA_%s", "SecuritySymbol": "AAPL", "Value": %s, "Parameters": { "Period": %s }}'
STATE = [
    event(1, "PositionUpdate", "2025-06-15T14:29:00Z", POSITION),
    event(2, "IndicatorCalculation", "2025-06-15T14:29:00Z", SMA % (10, "176.20", 10)),
    event(3, "IndicatorCalculation", "2025-06-15T14:29:00Z", SMA % (20, "174.80", 20)),
    event(4, "MarketDataEvent", "2025-12-31T23:59:59Z", '{"SecuritySymbol": "MSFT", "DataType": "Tick", "Data": {}}'),
]


@pytest.fixture(scope="module", autouse=True)
def load_events(load: Load) -> None:
    load([TRADE, BAD_TRADE, *STATE])


async def test_an_event_comes_out_as_the_contract_shows_it() -> None:
    status, body = await ask(
        "get_events_by_type", runId=RUN, eventType="TradeExecution", startTime="2025-01-01T00:00:00Z",
        endTime="2025-12-31T23:59:59Z", pageSize=1, pageIndex=0,
    )  # fmt: skip

    assert status == 200
    assert body["events"] == [json.loads(TRADE, parse_float=Decimal)]
    assert list(body["events"][0]) == list(json.loads(TRADE))
    assert body["metadata"].pop("queryTimeMs") >= 0
    assert body["metadata"] == {
        "totalCount": 2, "returnedCount": 1, "pageIndex": 0, "pageSize": 1, "hasMore": True, "truncated": False,
    }  # fmt: skip


async def test_numbers_keep_their_digits() -> None:
    body = await good("get_events_by_type", runId=RUN, eventType="TradeExecution")

    assert str(body["events"][0]["properties"]["Price"]) == "175.50"
    assert str(body["events"][0]["properties"]["Commission"]) == "1.00"


async def test_an_entity_is_found_by_the_property_of_its_name() -> None:
    body = await good(
        "get_events_by_entity", runId=RUN, entityType="OrderId", entityValue="99999999-8888-7777-6666-555555555555",
        eventTypes=["TradeExecution", "OrderRejection"], pageSize=100, pageIndex=0,
    )  # fmt: skip

    assert [e["eventId"] for e in body["events"]] == ["11111111-2222-3333-4444-555555555555"]


async def test_metrics_give_what_is_asked_for_and_null_for_the_rest() -> None:
    body = await good(
        "aggregate_metrics", runId=RUN, eventType="TradeExecution", propertyPath="$.Price",
        aggregations=["count", "avg", "min", "max", "stddev"],
        startTime="2025-01-01T00:00:00Z", endTime="2025-12-31T23:59:59Z",
    )  # fmt: skip

    price = Decimal("175.50")
    assert body["aggregations"] == {"count": 1, "sum": None, "avg": price, "min": price, "max": price, "stddev": None}
    assert body["metadata"].pop("queryTimeMs") >= 0
    assert body["metadata"] == {"totalEvents": 2, "eventType": "TradeExecution", "propertyPath": "$.Price"}


async def test_the_state_is_the_contracts() -> None:
    body = await good(
        "get_state_snapshot", runId=RUN, timestamp="2025-06-15T14:30:00Z", securitySymbol="AAPL",
        includeIndicators=True, includeActiveOrders=True,
    )  # fmt: skip

    assert body["timestamp"] == "2025-06-15T14:30:00.000Z"
    assert body["runId"] == RUN
    assert body["state"] == {
        "positions": [
            {
                "securitySymbol": "AAPL", "quantity": 100, "averagePrice": Decimal("175.50"),
                "unrealizedPnL": Decimal("250.00"), "realizedPnL": Decimal("500.00"),
            }
        ],
        "indicators": [
            {"name": "SMA_10", "securitySymbol": "AAPL", "value": Decimal("176.20"), "parameters": {"Period": 10}},
            {"name": "SMA_20", "securitySymbol": "AAPL", "value": Decimal("174.80"), "parameters": {"Period": 20}},
        ],
        "activeOrders": [],
        "pnl": {"total": Decimal("750.00"), "realized": Decimal("500.00"), "unrealized": Decimal("250.00")},
    }  # fmt: skip
    assert body["metadata"]["reconstructed"] is True


async def test_validation_errors_are_worded_as_the_contract_words_them() -> None:
    body = await good("get_validation_errors", runId=RUN)

    assert body["metadata"]["totalCount"] == 1
    assert body["events"][0]["validationErrors"] == [
        {"Field": "Properties.OrderId", "Error": "Invalid GUID format", "Severity": "Error"},
        {"Field": "Properties.Price", "Error": "Missing required field", "Severity": "Warning"},
    ]


@pytest.mark.parametrize(("severity", "count"), [("Error", 1), ("Warning", 1)])
async def test_validation_errors_are_filtered_by_their_own_severity(severity: str, count: int) -> None:
    body = await good("get_validation_errors", runId=RUN, severityFilter=severity)

    assert body["metadata"]["totalCount"] == count


async def test_a_reversed_range_is_refused_in_the_contracts_words() -> None:
    code, status, error = await ask_refused(
        "get_events_by_type", runId=RUN, eventType="TradeExecution",
        startTime="2025-12-31T23:59:59Z", endTime="2025-01-01T00:00:00Z",
    )  # fmt: skip

    assert (code, status) == ("INVALID_TIME_RANGE", 400)
    assert error["message"] == "StartTime must be before or equal to EndTime"
    assert error["details"]["startTime"] == "2025-12-31T23:59:59.000Z"
    assert error["details"]["endTime"] == "2025-01-01T00:00:00.000Z"


async def test_a_sequence_with_a_pattern_names_what_is_missing() -> None:
    body = await good(
        "query_event_sequence", runId=RUN, sequencePattern=["TradeExecution", "PositionUpdate"], findIncomplete=True,
        maxDepth=10, pageSize=50, pageIndex=0,
    )  # fmt: skip

    assert body["metadata"]["totalSequences"] == 3
    assert [s["missingEventTypes"] for s in body["sequences"]] == [
        ["TradeExecution", "PositionUpdate"],
        ["PositionUpdate"],
        ["PositionUpdate"],
    ]
    assert not any(s["complete"] for s in body["sequences"])


async def test_runs_are_listed_with_their_facts() -> None:
    body = await good("list_backtest_runs", pageSize=1000)

    run: dict[str, Any] = next(run for run in body["runs"] if run["runId"] == RUN)
    assert run["eventCount"] == 6
    assert run["malformedCount"] == 1
    assert run["countsByType"] == {
        "TradeExecution": 2, "PositionUpdate": 1, "IndicatorCalculation": 2, "MarketDataEvent": 1,
    }  # fmt: skip
    assert run["symbols"] == ["AAPL", "MSFT"]
    assert UUID(run["runId"])
