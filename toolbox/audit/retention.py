"""How long calls stay in the audit: whole batches of the oldest are deleted, a statement each, so that nobody waits."""

from toolbox.database.pools import owner_pool

BATCH_ROWS = 5_000

_FORGET_CALLS = """
WITH old AS (
    SELECT id FROM toolbox_tool_calls
    WHERE called_at < now() - make_interval(days => %(days)s)
    ORDER BY called_at LIMIT %(batch)s
), gone AS (DELETE FROM toolbox_tool_calls WHERE id IN (SELECT id FROM old) RETURNING 1)
SELECT count(*) AS calls FROM gone
"""
_FORGET_COUNTS = """
WITH gone AS (
    DELETE FROM toolbox_call_counts
    WHERE (grain = 'hour' AND began_at < now() - make_interval(days => least(%(days)s, 31)))
       OR (grain = 'day' AND began_at < now() - make_interval(days => %(days)s)) RETURNING 1
) SELECT count(*) AS counts FROM gone
"""


async def forget(*, days: int) -> int:
    """Delete what was called so many days ago, and its counts; gives how many calls. Raises DatabaseUnavailable."""
    forgotten = 0
    while batch := int((await owner_pool.fetch(_FORGET_CALLS, {"days": days, "batch": BATCH_ROWS})).rows[0]["calls"]):
        forgotten += batch
    await owner_pool.fetch(_FORGET_COUNTS, {"days": days})
    return forgotten
