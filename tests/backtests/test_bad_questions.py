"""Every code of the contract's table, with its HTTP status."""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest

from backtests.runs import queries
from backtests.tools import toolkit
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl, strategy
from tests.backtests.tool_calls import WHO, ask_refused, good
from toolbox.database.pools import reader
from toolbox.dispatch.dispatch import Call, dispatch

RUN = "bbbbbbbb-e5f6-4890-abcd-ef1234567890"
OTHER = "bbbbbbbb-e5f6-4890-abcd-ef1234567891"
TYPE = {"runId": RUN, "eventType": "TradeExecution"}
METRIC = {**TYPE, "propertyPath": "$.Price"}
ENTITY = {"runId": RUN, "entityType": "OrderId", "entityValue": "x"}


@pytest.fixture(scope="module", autouse=True)
def load_runs(load: Load) -> None:
    load(jsonl(strategy(RUN, events=300)))
    load(jsonl(strategy(OTHER, events=200, seed=2)))


@pytest.mark.parametrize(
    ("changes", "hint"), [({"runId": "7"}, "list_backtest_runs"), ({"rootEventId": "7"}, "the eventId of an event")]
)
async def test_an_id_of_another_form_is_told_where_ids_are_found(changes: dict[str, str], hint: str) -> None:
    code, _, error = await ask_refused("query_event_sequence", **{"runId": RUN, **changes})

    assert (code, error["details"]["field"]) == ("INVALID_PARAMETER", *changes)
    assert hint in error["details"]["suggestion"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "status"),
    [
        ("get_events_by_type", {**TYPE, "runId": "not-a-guid"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "runId": f"{{{RUN}}}"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "runId": str(UUID(int=7))}, "RUN_NOT_FOUND", 404),
        ("get_events_by_type", {**TYPE, "eventType": "OrderPlaced"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "severity": "Fatal"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "pageSize": 0}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "pageSize": 1001}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "pageIndex": -1}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "startTime": "yesterday"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "startTime": "2999-01-01T00:00:00Z"}, "INVALID_TIME_RANGE", 400),
        ("get_events_by_type", {"eventType": "TradeExecution"}, "INVALID_PARAMETER", 400),
        ("get_events_by_entity", {**ENTITY, "entityType": "Broker"}, "INVALID_PARAMETER", 400),
        ("get_events_by_entity", {**ENTITY, "eventTypes": ["OrderPlaced"]}, "INVALID_PARAMETER", 400),
        ("get_events_by_entity", {**ENTITY, "pageSize": 1001}, "INVALID_PARAMETER", 400),
        ("aggregate_metrics", {**METRIC, "propertyPath": "Price"}, "INVALID_JSON_PATH", 400),
        ("aggregate_metrics", {**METRIC, "propertyPath": "$.Price; DROP TABLE x"}, "INVALID_JSON_PATH", 400),
        ("aggregate_metrics", {**METRIC, "propertyPath": "$.Price\n"}, "INVALID_JSON_PATH", 400),
        ("aggregate_metrics", {**METRIC, "propertyPath": "$.a[0]"}, "INVALID_JSON_PATH", 400),
        ("aggregate_metrics", {**METRIC, "aggregations": ["median"]}, "INVALID_PARAMETER", 400),
        ("aggregate_metrics", {**METRIC, "startTime": "2999-01-01T00:00:00Z"}, "INVALID_TIME_RANGE", 400),
        ("get_state_snapshot", {"runId": RUN, "timestamp": "2999-01-01T00:00:00Z"}, "INVALID_TIME_RANGE", 400),
        ("get_state_snapshot", {"runId": RUN, "timestamp": "9999-12-31T23:59:59.999Z"}, "INVALID_TIME_RANGE", 400),
        ("get_state_snapshot", {"runId": RUN, "timestamp": "9999-12-31T23:59:59.999-14:00"}, "INVALID_PARAMETER", 400),
        ("get_state_snapshot", {"runId": RUN, "timestamp": "0001-01-01T00:00:00+14:00"}, "INVALID_PARAMETER", 400),
        ("get_events_by_type", {**TYPE, "startTime": "9999-12-31T23:59:59Z"}, "INVALID_TIME_RANGE", 400),
        ("list_trades", {"runId": RUN, "startTime": "9999-12-31T23:59:59-14:00"}, "INVALID_PARAMETER", 400),
        ("get_state_snapshot", {"runId": RUN}, "INVALID_PARAMETER", 400),
        ("query_event_sequence", {"runId": RUN, "maxDepth": 51}, "INVALID_PARAMETER", 400),
        ("query_event_sequence", {"runId": RUN, "maxDepth": 0}, "INVALID_PARAMETER", 400),
        ("query_event_sequence", {"runId": RUN, "pageSize": 101}, "INVALID_PARAMETER", 400),
        ("query_event_sequence", {"runId": RUN, "sequencePattern": ["OrderPlaced"]}, "INVALID_PARAMETER", 400),
        ("query_event_sequence", {"runId": RUN, "rootEventId": str(UUID(int=9))}, "EVENT_NOT_FOUND", 404),
        ("get_validation_errors", {"runId": RUN, "severityFilter": "Info"}, "INVALID_PARAMETER", 400),
        ("get_validation_errors", {"runId": str(UUID(int=7))}, "RUN_NOT_FOUND", 404),
        (
            "get_state_delta",
            {"runId": RUN, "fromTimestamp": "2025-01-03T00:00:00Z", "toTimestamp": "2025-01-02T00:00:00Z"},
            "INVALID_TIME_RANGE",
            400,
        ),
    ],
)
async def test_a_bad_question_is_refused_with_its_code_and_status(
    tool: str, arguments: dict[str, Any], code: str, status: int
) -> None:
    found, found_status, error = await ask_refused(tool, **arguments)

    assert (found, found_status) == (code, status)
    assert error["details"]["suggestion"]


def list_number_fields() -> list[tuple[str, str]]:
    """Return the tools with their parameters that take numbers."""
    return [
        (tool.name, name)
        for tool in toolkit.tools for name, schema in tool.question.model_json_schema()["properties"].items()
        if {"integer", "number"} & {part.get("type") for part in (schema, *schema.get("anyOf", []))}
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["1e309", "-1e309", "1" + "0" * 400, "NaN", "Infinity"])
@pytest.mark.parametrize(("tool", "name"), list_number_fields())
async def test_a_number_that_no_double_holds_is_refused(tool: str, name: str, written: str) -> None:
    known = {one.name: one.example_arguments for one in toolkit.tools}[tool]
    arguments = json.dumps(json.loads(known) | {name: "here"}).replace('"here"', written).encode()

    reply = await dispatch(Call(tool=tool, arguments=arguments, credential=WHO, transport="rest", request_id="t" * 12))

    assert (reply.status, reply.code) == (400, "INVALID_PARAMETER"), reply.body


async def test_a_future_time_tells_the_runs_own_range() -> None:
    _, _, error = await ask_refused("get_state_snapshot", runId=RUN, timestamp="2999-01-01T00:00:00Z")

    assert error["details"]["runStart"].startswith("2025-01-02T14:30")
    assert error["details"]["retryWith"] == {"timestamp": error["details"]["runEnd"]}
    await good("get_state_snapshot", runId=RUN, **error["details"]["retryWith"])


@pytest.mark.parametrize("value", ["'; DROP TABLE backtests_runs; --", '{"$ne": null}', "%", "_", "x" * 9999, "💥", ""])
async def test_an_odd_entity_value_is_only_a_value(value: str) -> None:
    body = await good("get_events_by_entity", runId=RUN, entityType="SecuritySymbol", entityValue=value)

    assert body["metadata"]["totalCount"] == 0


async def test_a_path_absent_from_the_data_is_no_error() -> None:
    body = await good(
        "aggregate_metrics", runId=RUN, eventType="TradeExecution", propertyPath="$.No.Such", aggregations=["sum"]
    )

    assert body["aggregations"] == {"count": 0, "sum": None, "avg": None, "min": None, "max": None, "stddev": None}
    assert body["metadata"]["totalEvents"] > 0


async def test_a_page_behind_the_last_is_empty() -> None:
    body = await good("get_events_by_type", **TYPE, pageIndex=2_000_000_000, pageSize=1000)

    assert body["events"] == []
    assert body["metadata"]["totalCount"] > 0
    assert not body["metadata"]["hasMore"]


async def test_a_page_over_the_size_limit_is_cut_and_says_so(settings: Any) -> None:
    settings.BACKTESTS_RESPONSE_BYTES = 5_000

    body = await good("get_events_by_type", runId=RUN, eventType="MarketDataEvent", pageSize=1000)

    assert 0 < body["metadata"]["returnedCount"] < 20
    assert body["metadata"]["truncated"]
    assert body["metadata"]["hasMore"]


async def test_one_event_over_the_size_limit_is_refused(settings: Any) -> None:
    settings.BACKTESTS_RESPONSE_BYTES = 500

    assert (await ask_refused("get_events_by_type", **TYPE))[:2] == ("RESULT_TOO_LARGE", 413)


async def test_a_sequence_over_the_size_limit_is_refused(settings: Any) -> None:
    settings.BACKTESTS_RESPONSE_BYTES = 700

    assert (await ask_refused("query_event_sequence", runId=RUN))[:2] == ("RESULT_TOO_LARGE", 413)


async def test_no_answer_mixes_two_runs() -> None:
    mine = await good("get_events_by_entity", runId=RUN, entityType="SecuritySymbol", entityValue="AAPL", pageSize=1000)
    others = await good(
        "get_events_by_entity", runId=OTHER, entityType="SecuritySymbol", entityValue="AAPL", pageSize=1000
    )

    assert {e["runId"] for e in mine["events"]} == {RUN}
    assert not {e["eventId"] for e in mine["events"]} & {e["eventId"] for e in others["events"]}
    root = others["events"][0]["eventId"]
    assert (await ask_refused("query_event_sequence", runId=RUN, rootEventId=root))[0] == "EVENT_NOT_FOUND"


@pytest.mark.usefixtures("true_deadlines")
async def test_a_slow_statement_is_cancelled_and_answered_as_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = next(tool for tool in toolkit.tools if tool.name == "get_validation_errors")
    monkeypatch.setitem(vars(tool), "deadline_seconds", 0.2)
    monkeypatch.setattr(queries, "_RUN", "SELECT pg_sleep(60), %s::uuid AS marker_of_backtests")

    assert (await ask_refused("get_validation_errors", runId=RUN))[:2] == ("QUERY_TIMEOUT", 408)
    assert await sleepers(until=0) == 0


async def sleepers(*, until: int) -> int:
    """Count the running slow statements; waits up to half a minute for the expected number."""
    found = -1
    with suppress(TimeoutError):
        async with asyncio.timeout(30):  # less than the minute that they would sleep
            while found != until:
                found = (await reader.fetch(_SLEEPERS)).rows[0]["sleepers"]
    return found


_SLEEPERS = """
SELECT count(*) AS sleepers FROM pg_stat_activity
WHERE state = 'active' AND query LIKE '%%marker_of_' || 'backtests%%' AND pid <> pg_backend_pid()
    AND datname = current_database()
"""


async def test_a_statement_under_way_is_seen_by_the_count_that_finds_none_after_a_timeout() -> None:
    slow = asyncio.create_task(reader.fetch("SELECT pg_sleep(60), 'marker_of_backtests'"))

    try:
        assert await sleepers(until=1) == 1
    finally:
        slow.cancel()
        with suppress(asyncio.CancelledError):
            await slow
    assert await sleepers(until=0) == 0


async def test_a_failing_statement_is_a_database_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    monkeypatch.setattr(queries, "_RUN", "SELECT nothing FROM missing WHERE id = %s")

    assert (await ask_refused("get_validation_errors", runId=RUN))[:2] == ("DATABASE_ERROR", 500)
