"""Finding runs that nobody works on any more, and those that the broker has forgotten."""

from uuid import UUID

from agents.queries.leases import append
from agents.queries.pools import store
from toolbox.database.pools import Connection

_STALE = """
UPDATE agents_runs
SET state = 'queued', worker = '', losses = losses + 1, enqueued_at = clock_timestamp()
WHERE id IN (
    SELECT id FROM agents_runs
    WHERE state = 'running' AND heartbeat_at < clock_timestamp() - make_interval(secs => %s)
    ORDER BY heartbeat_at
    LIMIT 200
    FOR UPDATE SKIP LOCKED
)
RETURNING id, attempt
"""
_FORGOTTEN = """
UPDATE agents_runs
SET enqueued_at = clock_timestamp(), enqueues = enqueues + 1
WHERE id IN (
    SELECT mine.id FROM agents_runs AS mine
    WHERE mine.state = 'queued'
      AND coalesce(mine.enqueued_at, mine.created_at)
          < clock_timestamp() - make_interval(secs => least(%s * power(2, least(mine.enqueues, 6)), 300))
      AND NOT EXISTS (
          SELECT 1 FROM agents_runs AS earlier
          WHERE earlier.conversation_id = mine.conversation_id
            AND earlier.state IN ('queued', 'running', 'awaiting_approval')
            AND (earlier.created_at, earlier.id) < (mine.created_at, mine.id)
      )
    ORDER BY mine.created_at
    LIMIT 200
    FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
_UNWANTED = """
SELECT run.id FROM agents_runs AS run
WHERE run.state IN ('queued', 'running', 'awaiting_approval')
  AND EXISTS (SELECT 1 FROM toolbox_tasks AS task WHERE task.id = run.id AND task.status = 'cancelled')
LIMIT 200
"""


async def reclaim(*, stale_seconds: float) -> list[UUID]:
    """Queue every run whose worker has not said for so long that it lives; gives the runs to tell the broker of."""

    async def take(connection: Connection) -> list[UUID]:
        async with connection.transaction():
            stale = await (await connection.execute(_STALE, [stale_seconds])).fetchall()
            for row in stale:
                await append(connection, run_id=row["id"], kind="run.taken_back", data={"attempt": row["attempt"]})
            return [row["id"] for row in stale]

    return await store.run(take)


async def forgotten(*, after_seconds: float) -> list[UUID]:
    """Give queued runs that nobody took up for a while; each is asked for more seldom than the time before."""
    return [row["id"] for row in (await store.fetch(_FORGOTTEN, [after_seconds])).rows]


async def unwanted() -> list[UUID]:
    """Give runs whose task was cancelled (agents/runs/ask_agent.py), by its client or in the admin."""
    return [row["id"] for row in (await store.fetch(_UNWANTED)).rows]
