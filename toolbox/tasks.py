"""What workers do for the kernel: jobs, tasks, sweeping, and forgetting what is over."""

from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings

from toolbox.audit import retention
from toolbox.database import event_loop
from toolbox.mcp import sessions, task_worker
from toolbox.work import jobs, task_queries, worker


@shared_task(name="toolbox.carry_on_job", ignore_result=True)
def carry_out_job(*, job_id: int, **_future: Any) -> None:
    """Do the job; nothing where it is another worker's or over."""
    event_loop.run(worker.execute(jobs.JOBS, work_id=job_id, work=jobs.carry_out))


@shared_task(name="toolbox.work_on", ignore_result=True)
def carry_out_task(*, task_id: str, **_future: Any) -> None:
    """Take the task as far as it goes; nothing where it is another worker's or over."""
    event_loop.run(worker.execute(task_queries.TASKS, work_id=UUID(task_id), work=task_worker.carry_out))


@shared_task(name="toolbox.sweep", ignore_result=True, expires=worker.SWEEP_SECONDS * 2)
def sweep(**_future: Any) -> None:
    """Enqueue the work that nobody does: what dead workers left, and what the broker forgot."""
    event_loop.run(worker.sweep())


@shared_task(name="toolbox.sweep_jobs", ignore_result=True, expires=worker.SWEEP_SECONDS * 2)
def sweep_jobs(**_future: Any) -> None:
    """Sweep, as schedulers of earlier versions ask for it."""
    event_loop.run(worker.sweep())


@shared_task(name="toolbox.forget_calls", ignore_result=True)
def forget_calls(**_future: Any) -> None:
    """Make the partitions of months to come; drop those that are older than TOOLROOM_AUDIT_KEEP_DAYS says."""
    event_loop.run(retention.prepare_months())
    if settings.TOOLROOM_AUDIT_KEEP_DAYS:
        event_loop.run(retention.forget(days=settings.TOOLROOM_AUDIT_KEEP_DAYS))


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
