"""Celery tasks of conversations: execute a run, delete old steps and events."""

from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings

from agents.queries import retention
from agents.queries.leases import RUNS
from agents.runs import execution
from toolbox.database import event_loop
from toolbox.work import worker


@shared_task(name="agents.carry_on", ignore_result=True)
def carry_out_run(*, run_id: str, **_future: Any) -> None:
    """Execute the run, unless another worker has it or it has ended."""
    event_loop.run(worker.execute(RUNS, work_id=UUID(run_id), work=execution.carry_out))


@shared_task(name="agents.sweep", ignore_result=True, expires=worker.SWEEP_SECONDS * 2)
def sweep(**_future: Any) -> None:
    """Do as toolbox.sweep, under the name that schedulers of earlier versions use."""
    event_loop.run(worker.sweep())


@shared_task(name="agents.forget", ignore_result=True)
def forget(**_future: Any) -> None:
    """Delete steps and events of runs older than AGENT_KEEP_DAYS, if it is set."""
    if settings.AGENT_KEEP_DAYS:
        event_loop.run(retention.forget(days=settings.AGENT_KEEP_DAYS))
