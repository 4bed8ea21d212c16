"""What workers do: execute one run, and sweep up what others left."""

import os
import platform
import secrets
from typing import Any
from uuid import UUID

from celery import shared_task
from django.conf import settings

from agents.queries import retention
from agents.runs import execution, sweeper
from toolbox.database import event_loop


@shared_task(name="agents.carry_on", ignore_result=True)
def carry_on(*, run_id: str, **_future: Any) -> None:
    """Take the run as far as it goes; nothing where it is another's or over."""
    event_loop.run(execution.execute(UUID(run_id), worker=worker_name()))


@shared_task(name="agents.sweep", ignore_result=True, expires=sweeper.SWEEP_SECONDS * 2)
def sweep(**_future: Any) -> None:
    """Queue again what a dead worker left, and tell the broker of what it forgot."""
    event_loop.run(sweeper.sweep())


@shared_task(name="agents.forget", ignore_result=True)
def forget(**_future: Any) -> None:
    """Forget how old runs went, where AGENT_KEEP_DAYS says how long that is kept."""
    if settings.AGENT_KEEP_DAYS:
        event_loop.run(retention.forget(days=settings.AGENT_KEEP_DAYS))


def worker_name() -> str:
    """Name this process and this taking-up: a run that it lost sight of is known by it."""
    return f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"
