"""One loop owns the pools: tools are called from threads, forked children and foreign loops alike."""

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import settings

from tests.conftest import server_environment
from tests.toolbox.transports import A_TOOL
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, dispatch

pytestmark = pytest.mark.usefixtures("cast")


def _call() -> Call:
    tool = A_TOOL
    return Call(
        tool=tool.name, arguments=tool.example_arguments, credential=LOCAL_OPERATOR, transport="test", request_id="home"
    )


def _status() -> int:
    return event_loop.run(dispatch(_call())).status


def test_sixteen_threads_call_tools_at_once() -> None:
    ready = threading.Barrier(16)

    def calls(_: int) -> list[int]:
        ready.wait(10)
        return [_status() for _ in range(5)]

    with ThreadPoolExecutor(16) as threads:
        statuses = [status for made in threads.map(calls, range(16)) for status in made]

    assert statuses == [200] * 80


async def test_many_calls_on_another_loop_share_the_reader() -> None:
    replies = await asyncio.gather(*[dispatch(_call()) for _ in range(40)])

    assert [reply.status for reply in replies] == [200] * 40


def test_loops_that_come_and_go_in_eight_threads_all_get_answers() -> None:
    """What async_to_sync does under WSGI: each call on a loop of its own."""

    async def one() -> int:
        return (await dispatch(_call())).status

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: asyncio.run(one()), range(40)))

    assert statuses == [200] * 40


@pytest.fixture(scope="module")
def forked_process() -> dict[str, Any]:
    """Run the program that calls, forks and calls again; returns what parent and child saw."""
    program = [sys.executable, "-W", "ignore::DeprecationWarning", "-m", "tests.toolbox.forking"]
    ran = subprocess.run(
        program,
        cwd=settings.BASE_DIR,
        env=server_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_a_forked_child_calls_tools_after_its_parent_has(forked_process: dict[str, Any]) -> None:
    assert [forked_process[who]["status"] for who in ("before", "child", "after")] == [200] * 3
    assert forked_process["exit"] == 0


def test_a_forked_child_leaves_its_parent_s_connections_alone(forked_process: dict[str, Any]) -> None:
    assert forked_process["child"]["pid"] != forked_process["before"]["pid"]
    assert forked_process["after"]["pid"] == forked_process["before"]["pid"]


def test_a_process_has_one_loop_whatever_comes_first() -> None:
    with ThreadPoolExecutor(8) as threads:
        loops = set(threads.map(lambda _: event_loop.get_loop(), range(40)))

    assert len(loops) == 1


async def test_work_on_the_loop_runs_there_and_cancelling_it_here_cancels_it_there() -> None:
    there: dict[str, Any] = {"entered": threading.Event(), "left": threading.Event()}

    async def work() -> None:
        there["loop"] = asyncio.get_running_loop()
        there["entered"].set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            there["left"].set()
            raise

    task = asyncio.ensure_future(event_loop.run_on_loop(work))
    assert await asyncio.to_thread(there["entered"].wait, 4)
    task.cancel()
    await asyncio.wait([task])

    assert await asyncio.to_thread(there["left"].wait, 4)
    assert there["loop"] is event_loop.get_loop()
    assert task.cancelled()


async def test_an_error_on_the_loop_arrives_here() -> None:
    async def fails() -> None:
        raise KeyError("from home")

    with pytest.raises(KeyError, match="from home"):
        await event_loop.run_on_loop(fails)
