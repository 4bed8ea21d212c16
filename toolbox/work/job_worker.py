"""
Doing a job: in this thread, while another says every second that it lives and how far it is.

A job stops where it next tells of a step: when somebody cancels it, when it was taken over, or when the worker is told
to end, and then another worker begins it again.
"""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from django.db import DatabaseError, connection

from toolbox.models import Job
from toolbox.work import job_queries
from toolbox.work.job_kinds import Assignment, JobRefused, Outcome, kind_named

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
MAX_REASONS = 500

_leaving = threading.Event()


class _Stopped(Exception):
    """The job is not to go on."""


def drain() -> None:
    """Have the jobs of this process given back, because it is told to end."""
    _leaving.set()


def execute(job_id: int, *, worker: str) -> None:
    """Do the job if nobody else does; whatever becomes of it is written into its row."""
    job = None if _leaving.is_set() else job_queries.claim(job_id, worker=worker)
    if job is None:
        return
    with _Beating(job) as beating:
        try:
            outcome = _do(job, beating=beating)
        except _Stopped:
            _stop(job)
        except JobRefused as refused:
            job_queries.end(job, state=Job.State.FAILED, summary=str(refused))
        except DatabaseError:
            logger.exception("job %s: the database failed", job.pk)
            job_queries.end(
                job, state=Job.State.FAILED, summary="The database refused or went away; what is stored stays."
            )
        except Exception:  # the entry point of every job: logged here, told without details
            logger.exception("job %s failed", job.pk)
            job_queries.end(job, state=Job.State.FAILED, summary="It failed in a way nobody planned; the log has why.")
        else:
            beating.tell_last()
            details = "\n".join(_first(outcome.reasons))
            job_queries.end(job, state=Job.State.SUCCEEDED, summary=outcome.summary, details=details)


def _do(job: Job, *, beating: "_Beating") -> Outcome:
    kind = kind_named(job.kind)
    if kind is None:
        raise JobRefused(f"This server knows no jobs of the kind {job.kind}.")
    if job.started_at is None:
        raise JobRefused("It was never begun.")
    with _kept_file(job) as file:
        return kind.work(
            Assignment(values=job.arguments, file=file, today=job.started_at.date(), on_step=beating.on_step)
        )


def _stop(job: Job) -> None:
    if _leaving.is_set() and job_queries.release(job):
        return
    job_queries.end(job, state=Job.State.CANCELLED, summary="Cancelled; what was stored until then stays.")


def _first(reasons: Iterable[str]) -> Iterator[str]:
    for number, reason in enumerate(reasons):
        if number == MAX_REASONS:
            yield "... and more"
            return
        yield reason[:500]


@contextmanager
def _kept_file(job: Job) -> Iterator[Path | None]:
    """Write the file that came with the job where its work can read it."""
    if job.file is None:
        yield None
        return
    with TemporaryDirectory(prefix="toolroom-job-") as folder:
        path = Path(folder) / (Path(job.file_name).name or "file")
        path.write_bytes(job.file)
        yield path


class _Beating:
    """The thread that keeps a job alive; it has a connection of its own, which it closes."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._progress = ("", 0, 0)
        self._is_over = threading.Event()
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"toolroom-job-{job.pk}", daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._is_over.set()
        self._thread.join()

    def on_step(self, step: str, done: int, expected: int) -> None:
        """Note how far it is; raises where the job is not to go on."""
        self._progress = step, done, expected
        if self._is_stopped.is_set() or _leaving.is_set():
            raise _Stopped

    def tell_last(self) -> None:
        """Write how far it came, before it ends."""
        self._tell()

    def _run(self) -> None:
        while not self._is_over.wait(BEAT_SECONDS):
            with suppress(DatabaseError):  # it may be back in a second; past 15 s the job is another's
                self._tell()
        connection.close()

    def _tell(self) -> None:
        step, done, expected = self._progress
        if not job_queries.heartbeat(self._job, step=step, done=done, expected=expected):
            self._is_stopped.set()
