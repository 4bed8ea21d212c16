"""What workers do for the kernel: carry on calls that became tasks, and forget what is over."""

from typing import Any
from uuid import UUID

from celery import shared_task

from toolbox import home, mcp_sessions, task_rows, task_work


@shared_task(name="toolbox.work_on", ignore_result=True)
def work_on(*, task_id: str, **_future: Any) -> None:
    """Take the task as far as it goes; nothing where it is another worker's or over."""
    home.run(task_work.work_on(UUID(task_id)))


@shared_task(name="toolbox.forget", ignore_result=True)
def forget(**_future: Any) -> None:
    """Forget tasks whose time is over, and sessions that nobody resumes."""
    home.run(task_rows.forget_old())
    home.run(mcp_sessions.forget_old())
