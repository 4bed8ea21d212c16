"""Our own tools that take long: progress on the way, a task where the client knows tasks, stopped with the call."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.toolbox.transports import mcp_in_memory, mcp_over_http
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import BecomeTask, ClientChannel, RetriedCall
from toolbox.contract.errors import ErrorCode, ToolError
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.mcp import task_worker
from toolbox.work import task_queries, worker
from toolbox.work.job_kinds import Assignment, JobRefused, Outcome
from toolbox.work.jobs import run_in_call

FAILED = ErrorCode("FAILED", 502, "It failed.")
MAY_DO_ALL = Caller(name="local", scopes=frozenset({"*:read", "*:write"}))
KNOWS_TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
A_DAY = b'{"startDate": "2025-02-01", "endDate": "2025-02-01", "source": "shipped"}'

pytestmark = pytest.mark.usefixtures("cast")


def _call(tool: str, arguments: bytes, *, client: ClientChannel, caller: Caller = MAY_DO_ALL) -> Call:
    return Call(tool=tool, arguments=arguments, credential=caller, transport="test", request_id="r", client=client)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_evaluation_tells_how_far_it_is(server: str, cast: SimpleNamespace, mode: str) -> None:
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async with mcp_over_http(server, key=cast.alice, mode=mode) as client:
        told = await client.call_tool("evaluate_sql_questions", {"most": 3}, progress_callback=hear)

    assert heard == [(0, 3), (1, 3), (2, 3)]
    assert told.structured_content["scores"][-1] | {"medianMs": 0} == {
        "category": "all", "questions": 3, "right": 2, "wrong": 0, "failed": 0, "asked": 1, "refused": 0, "tokens": 0,
        "medianMs": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("most", "is_task"), [(20, False), (21, True)])
async def test_a_large_evaluation_goes_on_as_a_task(*, most: int, is_task: bool) -> None:
    reply = await dispatch(
        _call("evaluate_sql_questions", b'{"most": %d}' % most, client=RetriedCall(capabilities=KNOWS_TASKS))
    )

    assert isinstance(reply.continuation, BecomeTask) is is_task


async def test_asking_the_model_for_a_whole_set_needs_the_scope_of_writing() -> None:
    reader = Caller(name="reader", scopes=frozenset({"sprints:read"}))

    reply = await dispatch(
        _call("evaluate_sql_questions", b'{"provider": "model"}', client=ClientChannel(), caller=reader)
    )

    assert (reply.status, reply.code) == (403, "FORBIDDEN")


@pytest.mark.usefixtures("scratch_database")
async def test_missing_games_come_back_by_a_worker_as_a_task() -> None:
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as curator:
        curator.execute(f"DELETE FROM linescore_periods WHERE game_id IN ({_GAMES})".encode())
        curator.execute("DELETE FROM linescore_games WHERE game_date = '2025-02-01'")
    call = _call("ingest_linescore_games", A_DAY, client=RetriedCall(capabilities=KNOWS_TASKS))
    task_id: UUID = (await task_queries.create(uuid4(), call=call,
                                            caller=Caller(name="local", scopes=MAY_DO_ALL.scopes),
                                            keep_seconds=60))["id"]  # fmt: skip

    refused = await dispatch(_call("ingest_linescore_games", A_DAY, client=ClientChannel(), caller=_ONLY_READS))
    first = await dispatch(call)
    again = await dispatch(call)

    assert refused.code == "FORBIDDEN"
    assert b" added, 0 changed, 0 skipped, 0 refused" in first.body
    assert b"0 added, 0 changed" in again.body
    await worker.execute(task_queries.TASKS, work_id=task_id, work=task_worker.carry_out)
    # the local operator may not write, so what the worker is told is a refusal
    row = await task_queries.read(task_id, caller=MAY_DO_ALL)
    assert row is not None
    assert "FORBIDDEN" in row["outcome"]


_ONLY_READS = Caller(name="reader", scopes=frozenset({"linescore:read"}))
_GAMES = "SELECT game_id FROM linescore_games WHERE game_date = '2025-02-01'"


async def test_work_in_a_thread_stops_at_its_next_step_when_the_call_ends() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(given: Assignment) -> Outcome:
        begun.set()
        try:
            while True:
                given.on_step("counting", 1, 2)
        finally:
            stopped.set()

    calling = asyncio.ensure_future(run_in_call(ClientChannel(), work=work, values={}, refused=FAILED))
    await asyncio.to_thread(begun.wait, 5)
    calling.cancel()

    assert await asyncio.to_thread(stopped.wait, 5)
    with pytest.raises(asyncio.CancelledError):
        await calling


async def test_what_the_work_refuses_is_the_tool_s_refusal() -> None:
    def work(_: Assignment) -> Outcome:
        raise JobRefused("The source is closed.")

    with pytest.raises(ToolError, match="The source is closed") as refused:
        await run_in_call(ClientChannel(), work=work, values={}, refused=FAILED)

    assert refused.value.code is FAILED


async def test_warming_says_of_each_server_whether_it_is_ready(tmp_path: Any) -> None:
    async with mcp_in_memory() as client:
        told = (await client.call_tool("warm_workspace", {"workspace": "trailnotes"})).structured_content["data"]

    assert told["workspace"] == "trailnotes"
    assert all(one["isReady"] is ("failure" not in one) for one in told["servers"])
