"""Concurrent requests for the same work run it once, on any event loop, even if some requesters are cancelled."""

import asyncio
import contextlib

import pytest

from toolbox.database.caches import SingleFlight


class Work:
    """Counts how often it was started, and ends when it is released."""

    def __init__(self) -> None:
        self.starts = 0
        self.may_end = asyncio.Event()

    async def start(self) -> int:
        self.starts += 1
        await self.may_end.wait()
        return self.starts


async def test_those_who_ask_meanwhile_share_one_answer() -> None:
    under_way, work = SingleFlight[int](), Work()
    both = asyncio.gather(under_way.run("key", work.start), under_way.run("key", work.start))

    work.may_end.set()

    assert list(await both) == [1, 1]
    assert await under_way.run("key", work.start) == 2


async def test_who_leaves_does_not_end_it_for_the_others() -> None:
    under_way, work = SingleFlight[int](), Work()
    leaves = asyncio.create_task(under_way.run("key", work.start))
    stays = asyncio.create_task(under_way.run("key", work.start))
    await asyncio.sleep(0)

    leaves.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await leaves
    work.may_end.set()

    assert await stays == 1


async def test_an_error_reaches_those_who_wait_and_the_next_starts_anew() -> None:
    under_way, work = SingleFlight[int](), Work()
    work.may_end.set()

    async def fail() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        await under_way.run("key", fail)

    assert await under_way.run("key", work.start) == 1


def test_a_task_of_another_loop_is_never_waited_for() -> None:
    under_way, left = SingleFlight[int](), asyncio.new_event_loop()

    async def never() -> int:
        await asyncio.Event().wait()
        return 0

    async def at_once() -> int:
        return 1

    begun = left.create_task(under_way.run("key", never))
    left.call_soon(left.call_soon, left.stop)
    left.run_forever()

    assert asyncio.run(under_way.run("key", at_once)) == 1

    tasks = {begun, *asyncio.all_tasks(left)}
    for task in tasks:
        task.cancel()
    left.run_until_complete(asyncio.wait(tasks))
    left.close()
