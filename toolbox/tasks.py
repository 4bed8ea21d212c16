"""The kernel's Celery tasks: jobs, MCP tasks, sweeps and retention."""

from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings

from toolbox.audit import retention
from toolbox.database import event_loop
from toolbox.http import form_submissions
from toolbox.mcp import sessions, task_worker
from toolbox.work import jobs, task_queries, worker


@shared_task(name="toolbox.carry_on_job", ignore_result=True)
def carry_out_job(*, job_id: int, **_future: Any) -> None:
    """Execute a job, unless another worker has it or it has ended."""
    event_loop.run(worker.execute(jobs.JOBS, work_id=job_id, work=jobs.carry_out))


@shared_task(name="toolbox.work_on", ignore_result=True)
def carry_out_task(*, task_id: str, **_future: Any) -> None:
    """Execute an MCP task until it ends or asks, unless another worker has it or it has ended."""
    event_loop.run(worker.execute(task_queries.TASKS, work_id=UUID(task_id), work=task_worker.carry_out))


@shared_task(name="toolbox.sweep", ignore_result=True, expires=worker.SWEEP_SECONDS * 2)
def sweep(**_future: Any) -> None:
    """Enqueue unclaimed work: what dead workers left and what the broker lost."""
    event_loop.run(worker.sweep())


@shared_task(name="toolbox.sweep_jobs", ignore_result=True, expires=worker.SWEEP_SECONDS * 2)
def sweep_jobs(**_future: Any) -> None:
    """Do as `sweep`, under the name that schedulers of earlier versions use."""
    event_loop.run(worker.sweep())


@shared_task(name="toolbox.forget_calls", ignore_result=True)
def forget_calls(**_future: Any) -> None:
    """Create the partitions of coming months; drop those past TOOLROOM_AUDIT_KEEP_DAYS."""
    event_loop.run(retention.prepare_months())
    if settings.TOOLROOM_AUDIT_KEEP_DAYS:
        event_loop.run(retention.forget(days=settings.TOOLROOM_AUDIT_KEEP_DAYS))


@shared_task(name="toolbox.forget", ignore_result=True)
def forget(**_future: Any) -> None:
    """Delete expired tasks, MCP sessions and responses to forms."""
    event_loop.run(task_queries.forget_old())
    event_loop.run(sessions.forget_old())
    event_loop.run(form_submissions.forget_old())


@shared_task(name="toolbox.forget_tokens", ignore_result=True)
def forget_tokens(**_future: Any) -> None:
    """Delete expired OAuth tokens, and self-registered clients without tokens."""
    from toolbox.oauth.queries import forget_old  # noqa: PLC0415 - its tables are there once all apps are

    forget_old()
