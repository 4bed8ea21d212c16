"""Jobs as rows: taken by one worker at a time, kept alive, ended once. Moments are the database's own."""

from datetime import timedelta
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Now

from toolbox.database.pools import owner_pool
from toolbox.models import Job

STALE = timedelta(seconds=15)
FORGOTTEN = timedelta(seconds=10)
MAX_ATTEMPTS = 5
MAX_AT_ONCE = 100

_COUNTS = """
SELECT state, count(*) AS jobs FROM (
    SELECT state FROM toolbox_jobs
    WHERE state IN ('queued', 'running') OR created_at > now() - interval '1 day'
    ORDER BY created_at DESC LIMIT 10000
) AS latest GROUP BY state LIMIT 10
"""


def claim(job_id: int, *, worker: str) -> Job | None:
    """Take a queued job for this worker; None where it is another's, or over."""
    taken = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING,
        attempt=F("attempt") + 1,
        worker=worker,
        started_at=Now(),
        heartbeat_at=Now(),
        step="",
        done=0,
        expected=0,
    )
    return Job.objects.get(pk=job_id) if taken else None


def heartbeat(job: Job, *, step: str, done: int, expected: int) -> bool:
    """Say that it lives and how far it is; False where it is no longer this attempt's, or is to stop."""
    alive = _mine(job).filter(is_unwanted=False)
    return bool(alive.update(heartbeat_at=Now(), step=step[:200], done=done, expected=expected))


def end(job: Job, *, state: str, summary: str, details: str = "") -> bool:
    """End it, and let go of its file; False where it was taken over meanwhile."""
    changes: dict[str, Any] = {"state": state, "summary": summary[:2_000], "details": details, "file": None}
    return bool(_mine(job).update(finished_at=Now(), **changes))


def release(job: Job) -> bool:
    """Queue it again for another worker, because this one is told to end."""
    return bool(_mine(job).update(state=Job.State.QUEUED, worker="", enqueued_at=None))


def cancel(job_id: int) -> bool:
    """End a job that waits, and ask one under way to stop; False where it had ended."""
    waiting = Job.objects.filter(pk=job_id, state=Job.State.QUEUED)
    if waiting.update(state=Job.State.CANCELLED, finished_at=Now(), summary="Cancelled before it began.", file=None):
        return True
    return bool(Job.objects.filter(pk=job_id, state=Job.State.RUNNING).update(is_unwanted=True))


def to_be_told() -> list[int]:
    """Queue what a silent worker left, end what five lost, and give the ids that the broker is to be told of."""
    silent = Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=Now() - STALE)
    silent.filter(is_unwanted=True).update(
        state=Job.State.CANCELLED, finished_at=Now(), summary="Cancelled; its worker was gone.", file=None
    )
    silent.filter(attempt__gte=MAX_ATTEMPTS).update(
        state=Job.State.FAILED, finished_at=Now(), file=None,
        summary=f"{MAX_ATTEMPTS} workers ended before it did; what was stored stays.",
    )  # fmt: skip
    silent.update(state=Job.State.QUEUED, worker="", enqueued_at=None)
    untold = Q(enqueued_at=None) | Q(enqueued_at__lt=Now() - FORGOTTEN)
    waiting = Job.objects.filter(untold, state=Job.State.QUEUED).order_by("created_at")
    ids = list(waiting.values_list("pk", flat=True)[:MAX_AT_ONCE])
    Job.objects.filter(pk__in=ids).update(enqueued_at=Now())
    return ids


async def job_counts() -> dict[str, int]:
    """Count jobs by state: those under way, and those of the last day; raises DatabaseUnavailable."""
    found = dict.fromkeys(Job.State.values, 0)
    return found | {row["state"]: row["jobs"] for row in (await owner_pool.fetch(_COUNTS)).rows}


def latest_jobs() -> list[Job]:
    """Give the last eight, without their files."""
    return list(Job.objects.defer("file").order_by("-created_at")[:8])


def _mine(job: Job) -> Any:
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, state=Job.State.RUNNING)
