"""
Jobs: work that people start in the admin or that a tool does within a call; its steps run in a thread.

A job stops at its next step when it is cancelled, when its lease is lost, or when its worker is told to end; another
worker then starts it again. Every job must be safe to run twice.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import DatabaseError, connections

from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import DatabaseUnavailable, ErrorCode, ToolError
from toolbox.database.own_writes import mark_written_by
from toolbox.database.pools import owner_pool, work_pool
from toolbox.models import Job
from toolbox.text.redaction import MaskedText
from toolbox.work.job_kinds import Assignment, JobRefused, Outcome, kind_named
from toolbox.work.lease import MAX_LOSSES, Lease, WorkKind, register_kind

logger = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.5
MAX_REASONS = 500
MAX_REASONS_IN_CALL = 50
MAX_REASON_CHARACTERS = 500
MAX_SUMMARY_CHARACTERS = 2_000
MAX_STEP_CHARACTERS = 200

_job_threads = ThreadPoolExecutor(128, thread_name_prefix="job")
_call_threads = ThreadPoolExecutor(4, thread_name_prefix="job-in-call")
"""Separate threads: a source that is slow for an hour must not block other work."""

JOBS = register_kind(
    WorkKind(
        table="toolbox_jobs",
        celery_task="toolbox.carry_on_job",
        id_argument="job_id",
        stale_seconds=15.0,
        claimed=(
            "work.kind, work.arguments, work.file, work.file_name, work.started_by_id, "
            "(work.started_at AT TIME ZONE 'UTC')::date AS today"
        ),
        on_claim="started_at = coalesce(work.started_at, clock_timestamp()), step = '', done = 0, expected = 0",
        on_progress="step = %(step)s, done = %(done)s, expected = %(expected)s",
        on_finish="finished_at = clock_timestamp(), file = NULL",
    )
)

_CANCEL = """
UPDATE toolbox_jobs SET state = 'cancelled', finished_at = clock_timestamp(), file = NULL, worker = '',
    summary = CASE state WHEN 'queued' THEN 'Cancelled before it began.'
        ELSE 'Cancelled; it stops at its next step, and what was stored until then stays.' END
WHERE id = %s AND state IN ('queued', 'running')
RETURNING id
"""
_COUNTS = """
SELECT state, count(*) AS jobs FROM (
    SELECT state FROM toolbox_jobs
    WHERE state IN ('queued', 'running') OR created_at > now() - interval '1 day'
    ORDER BY created_at DESC LIMIT 10000
) AS latest GROUP BY state LIMIT 10
"""
_TODAY = "SELECT current_date AS today"


class _Stopped(Exception):
    """The job must not go on."""


class _Progress:
    """The progress of a job: written in its thread, read on the event loop."""

    def __init__(self) -> None:
        self.step, self.done, self.expected = "", 0, 0
        self._is_stopped = threading.Event()

    def on_step(self, step: str, done: int, expected: int) -> None:
        """Record the progress; raises if the job must stop."""
        self.step, self.done, self.expected = step, done, expected
        if self._is_stopped.is_set():
            raise _Stopped

    def stop(self) -> None:
        """Make the job stop at its next step."""
        self._is_stopped.set()


async def cancel(job_id: int) -> bool:
    """Cancel a job, which stops at its next step if it is running; False if it had ended."""
    return bool((await work_pool.fetch(_CANCEL, [job_id])).rows)


async def count_by_state() -> dict[str, int]:
    """Count the jobs that have not ended and those of the last day, by state. Raises DatabaseUnavailable."""
    found = dict.fromkeys(Job.State.values, 0)
    return found | {row["state"]: row["jobs"] for row in (await owner_pool.fetch(_COUNTS)).rows}


async def carry_out(lease: Lease) -> None:
    """Execute a job and write its outcome into its row."""
    try:
        outcome = await _do(lease)
    except _Stopped:
        raise asyncio.CancelledError from None
    except JobRefused as refused:
        await _finish(lease, state=Job.State.FAILED, summary=str(refused))
    except DatabaseError:
        logger.exception("job %s: the database failed", lease.id)
        summary = "The database refused or went away; what is stored stays."
        await _finish(lease, state=Job.State.FAILED, summary=summary)
    except Exception:  # the entry point of every job: logged here, told without details
        logger.exception("job %s failed", lease.id)
        await _finish(lease, state=Job.State.FAILED, summary="It failed in a way nobody planned; the log has why.")
    else:
        details = "\n".join(outcome.reasons)
        await lease.heartbeat()  # the last progress
        await _finish(lease, state=Job.State.SUCCEEDED, summary=outcome.summary, details=details)


async def run_in_call(
    client: ClientChannel,
    *,
    work: Callable[[Assignment], Outcome],
    values: dict[str, Any],
    refused: ErrorCode,
    suggestion: str = "Try again later.",
) -> Outcome:
    """
    Do a job's work within a tool call, and report its steps to the client.

    The work stops at its next step if the call ends first. Raises ToolError with `refused` if it cannot be done; its
    cause is the job's own JobRefused.
    """
    today = (await owner_pool.fetch(_TODAY)).rows[0]["today"]
    progress = _Progress()

    async def tell() -> None:
        if progress.step:
            await client.progress(progress.done, total=progress.expected or None, message=progress.step)

    given = Assignment(values=values, file=None, today=today, on_step=progress.on_step)
    working = _begin(_call_threads, lambda: work(given), max_reasons=MAX_REASONS_IN_CALL)
    try:
        return await _follow(working, tell=tell)
    except JobRefused as reason:
        raise ToolError(refused, str(reason), suggestion=suggestion) from reason
    except DatabaseError as away:
        raise DatabaseUnavailable(str(away)) from away
    finally:
        progress.stop()


async def _do(lease: Lease) -> Outcome:
    kind = kind_named(lease.row["kind"])
    if kind is None:
        raise JobRefused(f"This server knows no jobs of the kind {lease.row['kind']}.")
    if lease.is_hopeless:
        raise JobRefused(f"{MAX_LOSSES} workers ended before it did; what was stored stays.")
    progress = _Progress()
    lease.on_drain = progress.stop

    async def tell() -> None:
        step = progress.step[:MAX_STEP_CHARACTERS]
        lease.progress = {"step": step, "done": progress.done, "expected": progress.expected}

    def work() -> Outcome:
        with _stored_file(lease) as file:
            given = Assignment(
                values=lease.row["arguments"], file=file, today=lease.row["today"], on_step=progress.on_step
            )
            return kind.work(given)

    working = _begin(_job_threads, work, max_reasons=MAX_REASONS)
    try:
        return await _follow(working, tell=tell)
    finally:
        progress.stop()
        await asyncio.wait([working])  # holds the lease until the thread has ended: no other worker may start
        await tell()


def _begin(threads: ThreadPoolExecutor, work: Callable[[], Outcome], *, max_reasons: int) -> asyncio.Future[Outcome]:
    """Run the work in a thread, with database connections of its own."""

    def in_thread() -> Outcome:
        try:
            outcome = work()
            return Outcome(summary=outcome.summary, reasons=list(_cut(outcome.reasons, count=max_reasons)))
        finally:
            connections.close_all()

    working = asyncio.get_running_loop().run_in_executor(threads, partial(copy_context().run, in_thread))
    working.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return working


async def _follow(working: asyncio.Future[Outcome], *, tell: Callable[[], Awaitable[None]]) -> Outcome:
    while not (await asyncio.wait([working], timeout=PROGRESS_SECONDS))[0]:
        await tell()
    return working.result()


def _cut(reasons: Iterable[str], *, count: int) -> Iterator[str]:
    for number, reason in enumerate(reasons):
        if number == count:
            yield "... and more"
            return
        yield str(reason)[:MAX_REASON_CHARACTERS]


async def _finish(lease: Lease, *, state: str, summary: str, details: str = "") -> None:
    if person_id := lease.row["started_by_id"]:
        await mark_written_by(person_id)  # before they see that it ended
    await lease.finish(state=state, summary=MaskedText(summary)[:MAX_SUMMARY_CHARACTERS], details=MaskedText(details))


@contextmanager
def _stored_file(lease: Lease) -> Iterator[Path | None]:
    """Write the job's file to a temporary folder for its work."""
    if lease.row["file"] is None:
        yield None
        return
    with TemporaryDirectory(prefix="toolroom-job-") as folder:
        path = Path(folder) / (Path(lease.row["file_name"]).name or "file")
        path.write_bytes(lease.row["file"])
        yield path
