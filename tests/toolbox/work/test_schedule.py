"""Periodic tasks are enqueued by workers, once for all of them, and again when their period is over."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.db.models import F

from config.celery import app
from config.settings import TOOLROOM_PERIODIC_TASKS
from toolbox.database import event_loop
from toolbox.models import PeriodicTask
from toolbox.work.schedule import enqueue_due_tasks

memory_app = Celery("test", broker="memory://", set_as_current=False)


@pytest.fixture(autouse=True)
def memory_broker(database_access: None, settings: Any) -> Iterator[None]:
    """Enqueue to a broker in memory, without workers."""
    settings.TOOLROOM_CELERY_APP = f"{__name__}.memory_app"
    settings.TOOLROOM_PERIODIC_TASKS = {"toolbox.forget": 3_600, "agents.forget": 86_400}
    PeriodicTask.objects.all().delete()
    yield
    PeriodicTask.objects.all().delete()


def test_what_is_due_is_enqueued_once_for_all_workers() -> None:
    async def ask_at_once() -> list[list[str]]:
        return list(await asyncio.gather(*(enqueue_due_tasks() for _ in range(5))))

    enqueued = [name for names in event_loop.run(ask_at_once()) for name in names]

    assert sorted(enqueued) == ["agents.forget", "toolbox.forget"]
    assert event_loop.run(enqueue_due_tasks()) == []


def test_it_is_enqueued_again_when_its_period_is_over() -> None:
    event_loop.run(enqueue_due_tasks())
    PeriodicTask.objects.update(enqueued_at=F("enqueued_at") - timedelta(hours=2))

    assert event_loop.run(enqueue_due_tasks()) == ["toolbox.forget"]


def test_every_planned_task_exists() -> None:
    app.loader.import_default_modules()

    assert set(TOOLROOM_PERIODIC_TASKS) <= set(app.tasks)
