"""
A job's work within a call of a tool: in a thread, its steps told to the client.

It stops at its next step when the call ends before it. What it does must be safe to do again, as with jobs.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from django.db import DatabaseError, connections

from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import DatabaseUnavailable, ErrorCode, ToolError
from toolbox.database.pools import owner_pool
from toolbox.work.job_kinds import Assignment, JobRefused, Outcome

TELL_SECONDS = 0.5
MAX_REASONS = 50
_threads = ThreadPoolExecutor(4, thread_name_prefix="job-in-call")
"""Their own: a source that is slow for an hour must not keep the threads that everything else waits for."""
_TODAY = "SELECT current_date AS today"


class _Stopped(Exception):
    """The call has ended."""


class _Steps:
    """How far it is; written in the thread, read on the loop."""

    def __init__(self) -> None:
        self._latest = ("", 0, 0)
        self._is_over = threading.Event()

    def note(self, step: str, done: int, expected: int) -> None:
        self._latest = step, done, expected
        if self._is_over.is_set():
            raise _Stopped

    def stop(self) -> None:
        self._is_over.set()

    async def tell(self, client: ClientChannel) -> None:
        step, done, expected = self._latest
        if step:
            await client.progress(done, total=expected or None, message=step)


async def done_within(
    client: ClientChannel,
    *,
    work: Callable[[Assignment], Outcome],
    values: dict[str, Any],
    refused: ErrorCode,
    suggestion: str = "Try again later.",
) -> Outcome:
    """
    Do the work and give what became of it; raises ToolError with `refused` where it cannot be done.

    Its cause is the job's own JobRefused.
    """
    today = (await owner_pool.fetch(_TODAY)).rows[0]["today"]
    steps = _Steps()
    given = Assignment(values=values, file=None, today=today, on_step=steps.note)
    in_context = partial(copy_context().run, _in_thread, work, given)
    working = asyncio.get_running_loop().run_in_executor(_threads, in_context)
    working.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    try:
        while not (await asyncio.wait([working], timeout=TELL_SECONDS))[0]:
            await steps.tell(client)
        return working.result()
    except JobRefused as reason:
        raise ToolError(refused, str(reason), suggestion=suggestion) from reason
    except DatabaseError as away:
        raise DatabaseUnavailable(str(away)) from away
    finally:
        steps.stop()


def _in_thread(work: Callable[[Assignment], Outcome], given: Assignment) -> Outcome:
    """Work on connections of this thread's own, and let go of them."""
    try:
        outcome = work(given)
        reasons = [str(reason)[:500] for reason, _ in zip(outcome.reasons, range(MAX_REASONS), strict=False)]
        return Outcome(summary=outcome.summary, reasons=reasons)
    finally:
        connections.close_all()
