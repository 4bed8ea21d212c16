"""Send messages to workers. Celery is imported by the first message: most processes never send one."""

from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string


class BrokerAway(Exception):
    """The broker cannot be reached, so no worker got the message; a sweep or the schedule enqueues the work later."""


def send_task(name: str, *, arguments: dict[str, Any] | None = None, expires_seconds: float | None = None) -> None:
    """Enqueue a Celery task by its name; waits for the broker, not for the worker. Raises BrokerAway."""
    from kombu.exceptions import OperationalError  # noqa: PLC0415

    app = import_string(settings.TOOLROOM_CELERY_APP)
    try:
        app.send_task(name, kwargs=arguments, expires=expires_seconds, retry=False)
    except (OperationalError, OSError) as away:
        raise BrokerAway(type(away).__name__) from away
