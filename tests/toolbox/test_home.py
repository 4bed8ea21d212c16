"""One loop owns the pools: tools are called from threads, forked children and foreign loops alike."""

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.toolbox.faces import A_TOOL
from toolbox import home
from toolbox.answer import Call, answer
from toolbox.audit import audit
from toolbox.callers import LOCAL_OPERATOR
from toolbox.reader import reader

pytestmark = pytest.mark.usefixtures("cast")


def _call() -> Call:
    tool = A_TOOL
    return Call(
        tool=tool.name, arguments=tool.example_arguments, credential=LOCAL_OPERATOR, face="test", request_id="home"
    )


def _status() -> int:
    return home.run(answer(_call())).status


def test_sixteen_threads_call_tools_at_once() -> None:
    ready = threading.Barrier(16)

    def calls(_: int) -> list[int]:
        ready.wait(10)
        return [_status() for _ in range(5)]

    with ThreadPoolExecutor(16) as threads:
        statuses = [status for made in threads.map(calls, range(16)) for status in made]

    assert statuses == [200] * 80


async def test_many_calls_on_another_loop_share_the_reader() -> None:
    replies = await asyncio.gather(*[answer(_call()) for _ in range(40)])

    assert [reply.status for reply in replies] == [200] * 40


def test_loops_that_come_and_go_in_eight_threads_all_get_answers() -> None:
    """What async_to_sync does under WSGI: each call on a loop of its own."""

    async def one() -> int:
        return (await answer(_call())).status

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: asyncio.run(one()), range(40)))

    assert statuses == [200] * 40


def _in_forked_child(work: Callable[[], Any]) -> Any:
    """Run `work` in a forked child, as a prefork server does; gives what it returned."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def child() -> None:
        results.put(work())
        home.run(audit.flush())
        os._exit(0)

    for _ in range(3):  # a process of tests has threads of foreign C code, whose locks a fork may catch held
        process = context.Process(target=child)
        process.start()
        process.join(15)
        if not process.is_alive():
            assert process.exitcode == 0
            return results.get()
        process.kill()
    return pytest.fail("the forked child hangs, each of three times")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_calls_tools_after_its_parent_has() -> None:
    assert _status() == 200

    statuses = _in_forked_child(lambda: [_status() for _ in range(3)])

    assert statuses == [200] * 3
    assert _status() == 200


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_leaves_its_parent_s_connections_alone() -> None:
    before = home.run(reader.fetch("SELECT pg_backend_pid() AS pid LIMIT 1")).rows

    theirs = _in_forked_child(lambda: home.run(reader.fetch("SELECT pg_backend_pid() AS pid LIMIT 1")).rows)

    alive = home.run(reader.fetch("SELECT pid FROM pg_stat_activity WHERE pid = %s LIMIT 1", [before[0]["pid"]])).rows
    assert theirs != before
    assert alive == before


def test_the_home_is_one_loop_whoever_asks_first() -> None:
    with ThreadPoolExecutor(8) as threads:
        loops = set(threads.map(lambda _: home.home(), range(40)))

    assert len(loops) == 1


async def test_work_at_home_runs_there_and_cancelling_it_here_cancels_it_there() -> None:
    there: dict[str, Any] = {"entered": threading.Event(), "left": threading.Event()}

    async def work() -> None:
        there["loop"] = asyncio.get_running_loop()
        there["entered"].set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            there["left"].set()
            raise

    task = asyncio.ensure_future(home.at_home(work))
    assert await asyncio.to_thread(there["entered"].wait, 4)
    task.cancel()
    await asyncio.wait([task])

    assert await asyncio.to_thread(there["left"].wait, 4)
    assert there["loop"] is home.home()
    assert task.cancelled()


async def test_an_error_at_home_arrives_here() -> None:
    async def fails() -> None:
        raise KeyError("from home")

    with pytest.raises(KeyError, match="from home"):
        await home.at_home(fails)
