"""
Periodic tasks without a scheduler: every worker checks what is due, and each task is enqueued once for all of them.

settings.TOOLROOM_PERIODIC_TASKS has the periods; a row has each task's last time. A task that the broker loses runs one
period later.
"""

import asyncio
import logging

import psycopg
from django.conf import settings

from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.pools import owner_pool
from toolbox.work.broker import BrokerAway, send_task

logger = logging.getLogger(__name__)

CHECK_SECONDS = 10.0

_CLAIM = """
INSERT INTO toolbox_periodic_tasks AS known (name, period_seconds, enqueued_at)
SELECT name, period_seconds, now()
FROM unnest(%(names)s::text[], %(periods)s::int[]) AS planned (name, period_seconds)
ORDER BY name
ON CONFLICT (name) DO UPDATE SET period_seconds = excluded.period_seconds, enqueued_at = excluded.enqueued_at
WHERE known.enqueued_at <= now() - make_interval(secs => excluded.period_seconds)
RETURNING known.name
"""


async def enqueue_due_tasks() -> list[str]:
    """Enqueue the tasks that are due and return their names; one statement claims them for this worker."""
    planned = settings.TOOLROOM_PERIODIC_TASKS
    claimed = await owner_pool.fetch(_CLAIM, {"names": list(planned), "periods": list(planned.values())})
    names: list[str] = [row["name"] for row in claimed.rows]
    for name in names:
        await asyncio.to_thread(send_task, name, expires_seconds=planned[name])
    return names


async def enqueue_forever() -> None:
    """Check every 10 s; failures are logged and retried."""
    while True:
        try:
            await enqueue_due_tasks()
        except (DatabaseUnavailable, psycopg.Error, BrokerAway) as away:
            logger.warning("periodic tasks wait: %s", away)
        await asyncio.sleep(CHECK_SECONDS)
