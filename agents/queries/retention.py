"""Delete the steps and events of old runs; messages and outcomes stay."""

from toolbox.database.pools import work_pool

BATCH = 200

_FORGET = """
WITH old AS (
    SELECT run.id FROM agents_runs AS run
    WHERE run.finished_at < clock_timestamp() - make_interval(days => %(days)s)
      AND (EXISTS (SELECT 1 FROM agents_steps WHERE run_id = run.id)
           OR EXISTS (SELECT 1 FROM agents_events WHERE run_id = run.id))
    ORDER BY run.finished_at
    LIMIT %(batch)s
    FOR UPDATE SKIP LOCKED
),
events AS (DELETE FROM agents_events WHERE run_id IN (SELECT id FROM old)),
steps AS (DELETE FROM agents_steps WHERE run_id IN (SELECT id FROM old))
SELECT id FROM old LIMIT 200
"""


async def forget(*, days: int) -> int:
    """Delete steps and events of runs that ended `days` ago, 200 runs per statement; returns how many runs."""
    forgotten = 0
    while batch := len((await work_pool.fetch(_FORGET, {"days": days, "batch": BATCH})).rows):
        forgotten += batch
    return forgotten
