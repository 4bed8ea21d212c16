"""Answers of runs whose log is not stored whole: they say so, and the same log loaded again completes the run."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID, uuid4

import pytest

from backtests.ingest import load as loading
from backtests.ingest.files import LoadOptions, SourceFile, load_files
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from backtests.performance.build import build_performance
from backtests.resources_api import RunSerializer
from backtests.runs.open_loads import MAX_SILENCE, describe_open_loads
from backtests.tools import toolkit
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import START, jsonl, strategy
from tests.backtests.tool_calls import ask, ask_refused, good
from tests.pages import as_user

BATCH, STORED, ALL = 100, 300, 450
HOUR = (START + timedelta(hours=1)).isoformat()
SOON = (START + timedelta(seconds=2)).isoformat()
ARGUMENTS: dict[str, dict[str, Any]] = {
    "get_events_by_type": {"eventType": "TradeExecution"},
    "get_events_by_entity": {"entityType": "SecuritySymbol", "entityValue": "AAPL"},
    "aggregate_metrics": {"eventType": "TradeExecution", "propertyPath": "$.Price"},
    "get_state_snapshot": {"timestamp": SOON},
    "get_state_delta": {"fromTimestamp": START.isoformat(), "toTimestamp": SOON},
    "query_event_sequence": {"sequencePattern": ["StateChange", "TradeExecution"], "findIncomplete": True},
    "get_validation_errors": {},
    "list_trades": {},
    "performance_summary": {},
    "group_events": {"eventType": "TradeExecution", "groupBy": "$.SecuritySymbol"},
    "attribute_pnl": {"by": "symbol"},
}
"""The tools that read one run, with what they need beside it."""
RESULTS = ("list_trades", "performance_summary", "attribute_pnl")


class Stopped(Exception):
    """The log cannot be read any further."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "BATCH_EVENTS", BATCH)


def make_log(run_id: UUID, *, seed: int = 1, start: datetime = START) -> list[bytes]:
    return jsonl(strategy(str(run_id), events=ALL, seed=seed, start=start))


def stop_after(lines: list[bytes], *, stored: int = STORED) -> Iterator[bytes]:
    yield from lines[:stored]
    raise Stopped


def break_off(in_thread: InThread, lines: list[bytes], *, run_id: UUID | None = None) -> None:
    """Load a log that cannot be read to its end."""
    with pytest.raises(Stopped):
        in_thread(lambda: load_lines(stop_after(lines), run_id=run_id, report=LoadReport()))


async def describe(run_id: UUID) -> Any:
    body = await good("get_events_by_type", runId=str(run_id), eventType="TradeExecution")
    return body["metadata"].get("incomplete")


def test_every_tool_of_a_run_is_tried_here() -> None:
    of_one_run = {tool.name for tool in toolkit.tools if "run_id" in tool.question.model_fields}

    assert of_one_run - {"ingest_backtest"} == set(ARGUMENTS)


@pytest.mark.parametrize("tool", ARGUMENTS)
async def test_a_tool_says_that_a_run_is_not_whole(in_thread: InThread, run_id: UUID, tool: str) -> None:
    lines = make_log(run_id)
    break_off(in_thread, lines)

    if tool in RESULTS:
        code, status, error = await ask_refused(tool, runId=str(run_id), **ARGUMENTS[tool])
        assert (code, status) == ("PERFORMANCE_NOT_BUILT", 409)
        assert "Load the same log again" in error["details"]["suggestion"]
        in_thread(lambda: build_performance(run_id))  # as an administrator may
    said = (await good(tool, runId=str(run_id), **ARGUMENTS[tool]))["metadata"]["incomplete"]
    in_thread(lambda: load_lines(lines, run_id=None, report=LoadReport()))
    whole = (await good(tool, runId=str(run_id), **ARGUMENTS[tool]))["metadata"]

    last = max(json.loads(line)["Timestamp"] for line in lines[:STORED])
    assert (said["runId"], said["eventsStored"], said["load"]) == (str(run_id), STORED, "brokenOff")
    assert said["lastEventAt"][:23] == last[:23]
    assert "incomplete" not in whole


async def test_a_load_in_progress_is_told_from_one_that_broke_off(
    in_thread: InThread, run_id: UUID, open_database: None
) -> None:
    lines, is_half, may_go_on = make_log(run_id), Event(), Event()

    def wait_in_the_middle() -> Iterator[bytes]:
        yield from lines[:STORED]
        is_half.set()
        assert may_go_on.wait(300)
        yield from lines[STORED:]

    loader = asyncio.create_task(
        asyncio.to_thread(in_thread, lambda: load_lines(wait_in_the_middle(), run_id=None, report=LoadReport()))
    )
    assert await asyncio.to_thread(is_half.wait, 300)
    said = await describe(run_id)
    [listed] = [one for one in (await good("list_backtest_runs"))["runs"] if one["runId"] == str(run_id)]
    _, _, refused = await ask_refused("performance_summary", runId=str(run_id))
    may_go_on.set()
    await loader

    assert (said["load"], said["eventsStored"]) == ("inProgress", STORED)
    assert listed["incomplete"] == said
    assert "being loaded" in refused["details"]["suggestion"]
    assert await describe(run_id) is None
    await good("performance_summary", runId=str(run_id))


async def test_late_events_that_broke_off_make_a_whole_run_incomplete(in_thread: InThread, run_id: UUID) -> None:
    early, late = make_log(run_id, start=START + timedelta(days=1)), make_log(run_id, seed=2)
    in_thread(lambda: load_lines(early, run_id=None, report=LoadReport()))
    before = await describe(run_id)

    break_off(in_thread, late)
    said = await describe(run_id)
    in_thread(lambda: load_lines(early, run_id=None, report=LoadReport()))
    still = await describe(run_id)
    in_thread(lambda: load_lines(late, run_id=None, report=LoadReport()))

    assert before is None
    assert said["eventsStored"] == len(early) + STORED
    assert still is not None, "another log of the run is no end of this one"
    assert await describe(run_id) is None


async def test_a_truncated_file_is_incomplete_until_it_is_loaded_whole(
    in_thread: InThread, run_id: UUID, tmp_path: Path
) -> None:
    file, whole = tmp_path / "log.gz", gzip.compress(b"".join(make_log(run_id)), mtime=0)

    def load_file() -> LoadReport:
        return load_files([SourceFile(path=file)], options=LoadOptions(), report=LoadReport())

    file.write_bytes(whole[: len(whole) * 2 // 3])
    in_thread(load_file)
    said = await describe(run_id)
    results = await good("performance_summary", runId=str(run_id))
    file.write_bytes(whole)
    in_thread(load_file)

    assert said["load"] == "brokenOff"
    assert results["metadata"]["incomplete"] == said
    assert await describe(run_id) is None


async def test_a_time_of_which_nothing_is_stored_is_refused(in_thread: InThread, run_id: UUID) -> None:
    facts = json.dumps({"RunId": str(run_id), "EndTime": "2025-03-01T00:00:00Z"}).encode() + b"\n"
    lines = [facts, *make_log(run_id)]
    break_off(in_thread, lines)

    code, _, error = await ask_refused("get_state_snapshot", runId=str(run_id), timestamp=HOUR)
    fixed = await good("get_state_snapshot", runId=str(run_id), **error["details"]["retryWith"])
    empty, _, _ = await ask_refused("get_events_by_type", runId=str(run_id), eventType="RiskEvent", startTime=HOUR)
    in_thread(lambda: load_lines(lines, run_id=None, report=LoadReport()))

    assert (code, empty) == ("INVALID_TIME_RANGE", "INVALID_TIME_RANGE")
    assert fixed["metadata"]["incomplete"]["load"] == "brokenOff"
    assert (await ask("get_state_snapshot", runId=str(run_id), timestamp=HOUR))[0] == 200


async def test_an_incomplete_run_is_not_ranked_and_a_comparison_says_it(in_thread: InThread) -> None:
    run_ids = [uuid4() for _ in range(3)]
    sweep = f"sweep {run_ids[0]}"
    facts = [json.dumps({"RunId": str(one), "Sweep": sweep}).encode() + b"\n" for one in run_ids]
    logs = [[fact, *make_log(one, seed=4)] for one, fact in zip(run_ids, facts, strict=True)]
    in_thread(lambda: [load_lines(log, run_id=None, report=LoadReport()) for log in logs[:2]])
    break_off(in_thread, logs[2])
    in_thread(lambda: build_performance(run_ids[2]))

    try:
        ranked = await good("rank_runs", sweep=sweep)
        compared = await good("compare_runs", firstRunId=str(run_ids[0]), secondRunId=str(run_ids[2]))
        both_whole = await good("compare_runs", firstRunId=str(run_ids[0]), secondRunId=str(run_ids[1]))
    finally:
        in_thread(Run.objects.filter(run_id__in=run_ids).delete)

    assert {one["runId"] for one in ranked["runs"]} == {str(one) for one in run_ids[:2]}
    assert (ranked["metadata"]["notBuilt"], ranked["metadata"]["trials"]) == (1, 3)
    assert [one["runId"] for one in compared["metadata"]["incompleteRuns"]] == [str(run_ids[2])]
    assert "incompleteRuns" not in both_whole["metadata"]


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["", "trades/", "attribution/?by=symbol"])
def test_pages_and_exports_say_it(cast: None, in_thread: InThread, page: str) -> None:
    run_id = uuid4()  # not deleted here: that waits for the test's transaction, which has read it
    break_off(in_thread, make_log(run_id))
    in_thread(lambda: build_performance(run_id))
    client = as_user("curator")

    shown = client.get(f"/backtests/runs/{run_id}/{page}").content.decode()
    listed = client.get("/backtests/").content.decode()
    exported = client.get(f"/backtests/runs/{run_id}/trades.csv")
    days = client.get(f"/backtests/runs/{run_id}/days.csv")

    assert "ended before its log did" in shown
    assert "incomplete" in listed
    assert f"trades_{run_id}_incomplete.csv" in exported["Content-Disposition"]
    assert f"days_{run_id}_incomplete.csv" in days["Content-Disposition"]


@pytest.mark.parametrize(
    ("loads", "expected"),
    [
        ([(0, False)], "inProgress"),
        ([(61, False)], "silent"),
        ([(0, True)], "brokenOff"),
        ([(0, True), (61, False)], "silent"),
        ([(61, False), (59, False)], "inProgress"),
    ],
)
def test_a_load_without_a_batch_for_a_minute_may_have_been_killed(loads: list[tuple[int, bool]], expected: str) -> None:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    notes = {
        str(place): {"stored_at": str(now - timedelta(seconds=seconds)), "is_over": is_over}
        for place, (seconds, is_over) in enumerate(loads)
    }

    found = describe_open_loads(
        {"run_id": uuid4(), "event_count": 5, "last_event_at": now, "open_loads": notes, "asked_at": now}
    )

    assert timedelta(seconds=59) < MAX_SILENCE < timedelta(seconds=61)
    assert found is not None
    assert found.load == expected


def test_a_log_that_fits_one_batch_leaves_nothing_open(load: Load, run_id: UUID, in_thread: InThread) -> None:
    load(make_log(run_id)[: BATCH - 1])

    assert in_thread(lambda: Run.objects.get(run_id=run_id).open_loads) == {}


@pytest.mark.parametrize(("loads", "is_whole"), [({}, True), ({"key": {"stored_at": "", "is_over": True}}, False)])
def test_the_list_of_runs_over_rest_says_it(loads: dict[str, Any], *, is_whole: bool) -> None:
    assert RunSerializer(Run(run_id=uuid4(), open_loads=loads)).data["is_whole"] == is_whole
