"""Lines as they should not be: nothing is lost, nothing malformed stops the rest."""

import gzip
import json
from decimal import Decimal
from io import BytesIO
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from backtests.ingest.check import MAX_PROPERTY_BYTES
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from backtests.models import QuarantinedLine, Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl, strategy
from tests.backtests.tool_calls import good

TRADE = {
    "OrderId": "99999999-8888-7777-6666-555555555555",
    "SecuritySymbol": "AAPL",
    "Direction": "Buy",
    "Quantity": 1,
    "Price": 2.5,
    "Commission": 0,
    "Slippage": 0,
}


def line(number: int, *, properties: str | None = None, **changes: Any) -> bytes:
    event = {
        "EventId": f"33333333-0000-4000-8000-{number:012}", "Timestamp": f"2025-01-01T00:00:{number % 60:02}Z",
        "EventType": "TradeExecution", "Severity": "Info", "Category": "Execution", "Properties": TRADE,
        "ParentEventId": None,
    } | changes  # fmt: skip
    text = json.dumps({name: value for name, value in event.items() if value != "absent"})
    return (text if properties is None else text.replace(json.dumps(TRADE), properties)).encode() + b"\n"


async def errors_of(run_id: UUID) -> list[Any]:
    body = await good("get_validation_errors", runId=str(run_id))
    return [(error["Field"], error["Severity"]) for event in body["events"] for error in event["validationErrors"]]


@pytest.mark.parametrize(
    ("changes", "field", "severity"),
    [
        ({"EventId": "nobody"}, "EventId", "Error"),
        ({"EventId": "absent"}, "EventId", "Error"),
        ({"Timestamp": "yesterday"}, "Timestamp", "Error"),
        ({"Timestamp": "absent"}, "Timestamp", "Error"),
        ({"Timestamp": 1704067200}, "Timestamp", "Error"),
        ({"Timestamp": 1704067200000000}, "Timestamp", "Error"),
        ({"Timestamp": 1704067200.5}, "Timestamp", "Error"),
        ({"Timestamp": True}, "Timestamp", "Error"),
        ({"Timestamp": "9999-12-31T23:59:59.999Z"}, "Timestamp", "Error"),
        ({"Timestamp": "9999-12-31T23:59:59+00:00"}, "Timestamp", "Error"),
        ({"Timestamp": "0001-01-01T00:00:00Z"}, "Timestamp", "Error"),
        ({"EventType": "OrderPlaced", "Properties": {}}, "EventType", "Error"),
        ({"Severity": "Fatal"}, "Severity", "Warning"),
        ({"Category": None}, "Category", "Warning"),
        ({"ParentEventId": "7"}, "ParentEventId", "Error"),
        ({"Properties": TRADE | {"Price": "2.5"}}, "Properties.Price", "Error"),
        ({"Properties": TRADE | {"Price": True}}, "Properties.Price", "Error"),
        ({"Properties": TRADE | {"Direction": "buy"}}, "Properties.Direction", "Error"),
        ({"Properties": TRADE | {"OrderId": 7}}, "Properties.OrderId", "Error"),
        ({"Comment": "extra"}, "Comment", "Warning"),
    ],
)
async def test_a_malformed_event_is_kept_with_its_fault(
    load: Load, run_id: UUID, changes: dict[str, Any], field: str, severity: str
) -> None:
    report = load([line(1), line(2, **changes), line(3)], run_id=run_id)

    assert (report.stored, report.malformed, report.quarantined) == (3, 1, 0)
    assert await errors_of(run_id) == [(field, severity)]


async def test_a_number_for_a_time_is_no_time(load: Load, run_id: UUID) -> None:
    load([line(7), line(8, Timestamp=1704067200)], run_id=run_id)

    body = await good("get_validation_errors", runId=str(run_id))
    assert body["events"][0]["timestamp"].startswith("2025-01-01T00:00:07")
    (error,) = body["events"][0]["validationErrors"]
    assert error["Error"] == "Not an ISO 8601 time: '1704067200'; placed at the event before"


@pytest.mark.parametrize(
    "bad",
    [
        b"not json\n", b'{"EventId": "33333333-0000-4000-8000-00000\n', b"[1, 2]\n", b"42\n", b"null\n", b"\xff\xfe\n",
        b'{"EventId": "\xff"}\n', b"{" * 100_000 + b"\n", b'{"a": ' * 5000 + b"1" + b"}" * 5000 + b"\n",
    ],
)  # fmt: skip
async def test_a_line_that_is_no_event_is_quarantined_with_its_number(
    load: Load, run_id: UUID, bad: bytes, in_thread: InThread
) -> None:
    report = load([line(1), bad, b"\n", line(2)], run_id=run_id)

    assert (report.stored, report.quarantined) == (2, 1)
    kept = in_thread(lambda: QuarantinedLine.objects.get(run=run_id))
    again = load([line(1), bad, b"\n", line(2)], run_id=run_id)
    assert (kept.line_number, bytes(kept.line)) == (2, bad)
    assert (again.stored, again.duplicate, again.quarantined) == (0, 3, 0)


async def test_nan_and_infinity_are_kept_as_words_and_counted_as_errors(load: Load, run_id: UUID) -> None:
    properties = json.dumps(TRADE | {"Price": float("nan"), "Slippage": float("-inf"), "Note": "NaN"})

    report = load([line(1), line(2, properties=properties)], run_id=run_id)

    assert (report.stored, report.malformed) == (2, 1)
    body = await good("get_validation_errors", runId=str(run_id))
    said = body["events"][0]["properties"]
    assert (said["Price"], said["Slippage"], said["Note"]) == ("NaN", "-Infinity", "NaN")
    metrics = await good("aggregate_metrics", runId=str(run_id), eventType="TradeExecution", propertyPath="$.Price")
    assert metrics["aggregations"]["count"] == 1


@pytest.mark.parametrize(
    "number",
    [
        "1234567890123456789012345678901234567890", "0.1234567890123456789012345678901234567891",
        "9223372036854775808", "-9223372036854775809", "1e300", "175.50", "1E-7", "-0.0",
    ],
)  # fmt: skip
async def test_a_number_of_any_size_is_exact(load: Load, run_id: UUID, number: str) -> None:
    properties = json.dumps(TRADE).replace("2.5", number)

    load([line(1, properties=properties)], run_id=run_id)

    body = await good("get_events_by_type", runId=str(run_id), eventType="TradeExecution")
    assert body["events"][0]["validationErrors"] is None
    metrics = await good(
        "aggregate_metrics", runId=str(run_id), eventType="TradeExecution", propertyPath="$.Price",
        aggregations=["min", "max", "sum"],
    )  # fmt: skip
    exact = json.loads(number, parse_float=Decimal)
    assert [metrics["aggregations"][name] for name in ("min", "max", "sum")] == [exact] * 3


async def test_a_number_beyond_reason_is_kept_and_not_aggregated(load: Load, run_id: UUID) -> None:
    report = load([line(1, properties=json.dumps(TRADE).replace("2.5", "1e99999"))], run_id=run_id)

    assert report.malformed == 1
    assert await errors_of(run_id) == [("Properties.Price", "Error")]


@pytest.mark.parametrize(("extra", "stored"), [(0, 1), (1, 0)])
async def test_properties_up_to_a_megabyte_are_stored(load: Load, run_id: UUID, extra: int, stored: int) -> None:
    empty = len(json.dumps(TRADE | {"Note": ""}))
    properties = json.dumps(TRADE | {"Note": "x" * (MAX_PROPERTY_BYTES - empty + extra)})

    report = load([line(1, properties=properties), line(2, EventType="RiskEvent")], run_id=run_id)

    assert (report.stored, report.quarantined) == (1 + stored, 1 - stored)
    body = await good("get_events_by_type", runId=str(run_id), eventType="TradeExecution")
    assert body["metadata"]["returnedCount"] == stored


async def test_two_events_with_one_id_are_one_and_a_quarantined_line(load: Load, run_id: UUID) -> None:
    report = load([line(1), line(1), line(1, Severity="Error")], run_id=run_id)

    assert (report.stored, report.duplicate, report.quarantined) == (1, 1, 1)
    assert "another event has the id" in report.reasons[0]


async def test_an_event_of_another_run_is_kept_out(load: Load, run_id: UUID) -> None:
    report = load([line(1, RunId=str(UUID(int=1))), line(2, RunId=str(run_id).upper())], run_id=run_id)

    assert (report.stored, report.quarantined) == (1, 1)


async def test_times_with_any_offset_are_one_time(load: Load, run_id: UUID) -> None:
    times = [
        "2025-01-01T12:00:00Z",
        "2025-01-01T14:00:00+02:00",
        "2025-01-01T07:30:00.000000-04:30",
        "2025-01-01 12:00:00",
        "2025-01-01T12:00:00.000000999Z",
    ]

    load([line(number, Timestamp=time) for number, time in enumerate(times)], run_id=run_id)

    body = await good(
        "get_events_by_type", runId=str(run_id), eventType="TradeExecution",
        startTime="2025-01-01T13:00:00+01:00", endTime="2025-01-01T12:00:00Z",
    )  # fmt: skip
    assert body["metadata"]["totalCount"] == len(times)


async def test_a_run_with_one_event_answers_emptily_about_others(load: Load, run_id: UUID) -> None:
    report = load([b'{"Name": "nothing happened"}'], run_id=run_id)
    assert report.run_ids == []
    load([b'{"Name": "hardly anything happened"}', line(1)], run_id=run_id)

    run = {"runId": str(run_id)}
    assert (await good("get_events_by_type", **run, eventType="RiskEvent"))["metadata"]["totalCount"] == 0
    assert (await good("query_event_sequence", **run))["metadata"]["totalSequences"] == 0
    assert (await good("get_state_snapshot", **run, timestamp="2025-01-01T00:00:00Z"))["state"]["positions"] == []
    metrics = await good("aggregate_metrics", **run, eventType="RiskEvent", propertyPath="$.Threshold")
    assert metrics["aggregations"] == dict.fromkeys(("sum", "avg", "min", "max", "stddev")) | {"count": 0}


async def test_a_chain_of_ten_thousand_is_walked_as_deep_as_asked(load: Load, run_id: UUID) -> None:
    ids = [f"33333333-0000-4000-8000-{number:012}" for number in range(10_000)]
    lines = [line(n, ParentEventId=ids[n - 1] if n else None) for n in range(10_000)]

    load(lines, run_id=run_id)

    body = await good("query_event_sequence", runId=str(run_id), maxDepth=50)
    assert (body["metadata"]["totalSequences"], len(body["sequences"][0]["events"])) == (1, 51)
    middle = await good("query_event_sequence", runId=str(run_id), rootEventId=ids[5000], maxDepth=50)
    assert len(middle["sequences"][0]["events"]) == 51


async def test_a_gzip_that_ends_early_gives_what_was_whole(run_id: UUID, in_thread: InThread) -> None:
    whole = b"".join(jsonl(strategy(str(run_id), events=2000)))
    packed = gzip.compress(whole)
    report = LoadReport()

    half = BytesIO(packed[: len(packed) // 2])
    in_thread(lambda: load_lines(read_lines(half, report=report), run_id=run_id, report=report))

    assert 500 < report.stored < 2000
    assert report.ended_early.startswith(f"after line {report.stored:,}: ")
    assert report.quarantined == 0
    again = LoadReport()
    in_thread(lambda: load_lines(read_lines(BytesIO(packed), report=again), run_id=run_id, report=again))
    assert (again.stored, again.duplicate) == (len(whole.splitlines()) - report.stored, report.stored)
    assert not in_thread(lambda: QuarantinedLine.objects.filter(run=run_id).exists())


@pytest.mark.parametrize("fault", [b"", b"rubbish"])
def test_a_damaged_gzip_gives_every_line_before_the_damage(fault: bytes) -> None:
    lines = [b"%d%b\n" % (number, b"x" * 100_000) for number in range(20)]
    packed = gzip.compress(b"".join(lines))[:-8] + fault
    report = LoadReport()

    assert list(read_lines(BytesIO(packed), report=report)) == lines
    assert report.ended_early.startswith("after line 20: ")


async def test_facts_of_the_run_are_on_its_row(load: Load, run_id: UUID, in_thread: InThread) -> None:
    facts = {
        "runId": str(run_id),
        "name": "Nice",
        "configHash": "ab" * 32,
        "startTime": "2025-01-01T00:00:00Z",
        "endTime": "2026-01-01T00:00:00Z",
    }

    load([json.dumps(facts).encode(), line(1), line(5, Severity="Error")], run_id=run_id)

    run = in_thread(lambda: Run.objects.get(run_id=run_id))
    assert (run.name, run.config_hash, run.event_count) == ("Nice", "ab" * 32, 2)
    assert run.counts_by_severity == {"Info": 1, "Error": 1}
    assert run.ended_at is not None
    assert run.ended_at.year == 2026


def test_deleting_a_run_is_one_statement_that_leaves_nothing(load: Load, run_id: UUID, django_db_blocker: Any) -> None:
    load([line(1), b"rubbish\n"], run_id=run_id)

    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("SELECT number FROM backtests_runs WHERE run_id = %s", [run_id])
        number = cursor.fetchone()[0]
        cursor.execute("DELETE FROM backtests_runs WHERE run_id = %s", [run_id])
        cursor.execute(
            "SELECT to_regclass(%s), to_regclass(%s)", [f"backtests_events_{number}", f"backtests_lists_{number}"]
        )
        assert cursor.fetchone() == (None, None)
        cursor.execute("SELECT count(*) FROM backtests_quarantine WHERE run_id = %s", [run_id])
        assert cursor.fetchone() == (0,)
