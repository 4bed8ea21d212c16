"""
The Celery app: the broker tells workers that work waits; the work's row says everything else.

Workers start the embedded broker and database if the settings name no others.
"""

import asyncio
import os
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


app = Celery("toolroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def start_parts(**_: Any) -> None:
    """Start the embedded broker and database, in the parent before it forks."""
    from config.embedded.components import start_embedded  # noqa: PLC0415 - Django's settings are read when they are needed

    start_embedded()


@worker_init.connect
def survive_closed_connections(**_: Any) -> None:
    """
    Let the acknowledgement of messages survive a lost connection: messages received over it are not acknowledged.

    kombu 5.7 uses the closed connection, and the AttributeError ends the worker. Nothing is lost without the
    acknowledgement: the run's row says what was done, and the sweep enqueues waiting runs again.
    """
    from kombu.transport.redis import Channel, QoS  # noqa: PLC0415 - 30 MB of client that only workers need at start

    class ClosedConnectionQoS(QoS):
        restore_at_shutdown = False

        def ack(self, delivery_tag: str) -> None:
            """Acknowledge, unless the connection is closed."""
            if self.channel.connection is not None:
                super().ack(delivery_tag)  # type: ignore[no-untyped-call]

        def reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - kombu's signature
            """Return to the queue, unless the connection is closed."""
            if self.channel.connection is not None:
                super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]

    Channel.QoS = ClosedConnectionQoS


@worker_init.connect
def prepare_model(**_: Any) -> None:
    """Import the model's client in the parent, for all its children."""
    from toolbox import model  # noqa: PLC0415 - Django's settings are read when they are needed

    model.prepare()


@worker_ready.connect
def begin_sweeping(**_: Any) -> None:
    """Start to sweep and to enqueue periodic tasks on the event loop, so that neither needs a free slot for runs."""
    from toolbox.database import event_loop  # noqa: PLC0415 - Django must be ready
    from toolbox.work import schedule, worker  # noqa: PLC0415

    asyncio.run_coroutine_threadsafe(worker.begin(), event_loop.get_loop())
    asyncio.run_coroutine_threadsafe(worker.sweep_forever(), event_loop.get_loop())
    asyncio.run_coroutine_threadsafe(schedule.enqueue_forever(), event_loop.get_loop())


@worker_shutting_down.connect
def drain(**_: Any) -> None:
    """Release the work of a worker that is told to end, so that other workers continue it at once."""
    from toolbox.database import event_loop  # noqa: PLC0415 - Django must be ready
    from toolbox.work import worker  # noqa: PLC0415

    asyncio.run_coroutine_threadsafe(worker.drain(), event_loop.get_loop())
