"""What workers and the scheduler do for the kernel: jobs, calls that became tasks, and forgetting what is over."""

import logging
import os
import platform
from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from toolbox.audit import retention
from toolbox.database import event_loop
from toolbox.mcp import sessions
from toolbox.work import job_queries, job_worker, task_queries, task_worker

logger = logging.getLogger(__name__)


@shared_task(name="toolbox.carry_on_job", ignore_result=True)
def carry_on_job(*, job_id: int, **_future: Any) -> None:
    """Do the job; nothing where it is another's or over."""
    job_worker.execute(job_id, worker=f"{platform.node()}:{os.getpid()}")


@shared_task(name="toolbox.sweep_jobs", ignore_result=True, expires=10)
def sweep_jobs(**_future: Any) -> None:
    """Tell the broker again of jobs that it forgot, and of those that a dead worker left."""
    for job_id in job_queries.to_be_told():
        enqueue(job_id)


@shared_task(name="toolbox.forget_calls", ignore_result=True)
def forget_calls(**_future: Any) -> None:
    """Delete calls that are older than TOOLROOM_AUDIT_KEEP_DAYS says."""
    if settings.TOOLROOM_AUDIT_KEEP_DAYS:
        event_loop.run(retention.forget(days=settings.TOOLROOM_AUDIT_KEEP_DAYS))


def enqueue(job_id: int) -> None:
    """Tell the broker of a job; where it is away, the sweep tells it again within seconds."""
    try:
        carry_on_job.apply_async(kwargs={"job_id": job_id}, retry=False)
    except (OperationalError, OSError) as away:
        logger.warning("the broker is away, job %s waits for the sweep: %s", job_id, type(away).__name__)


@shared_task(name="toolbox.work_on", ignore_result=True)
def work_on(*, task_id: str, **_future: Any) -> None:
    """Take the task as far as it goes; nothing where it is another worker's or over."""
    event_loop.run(task_worker.work_on(UUID(task_id)))


@shared_task(name="toolbox.forget", ignore_result=True)
def forget(**_future: Any) -> None:
    """Forget tasks whose time is over, and sessions that nobody resumes."""
    event_loop.run(task_queries.forget_old())
    event_loop.run(sessions.forget_old())


@shared_task(name="toolbox.forget_tokens", ignore_result=True)
def forget_tokens(**_future: Any) -> None:
    """Delete tokens that are over, and clients that registered themselves and have none."""
    from toolbox.oauth.queries import forget_old  # noqa: PLC0415 - its tables are there once all apps are

    forget_old()
