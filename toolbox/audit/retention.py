"""
Retention of the audit log: months are partitions (migration 0023), dropped whole when their last call is old.

A call therefore stays at least the configured days and at most a month more. Calls outside the monthly partitions are
deleted in batches, one statement each, so that no lock is held for long.
"""

import logging

import psycopg

from toolbox.database.pools import owner_pool

logger = logging.getLogger(__name__)

BATCH_ROWS = 5_000
MONTHS_AHEAD = 3
"""Months whose partition is made in advance: rows outside a partition are slow to delete."""

_MAKE_MONTHS = "SELECT toolbox_make_call_months(%s)::text AS made"
_DROP_MONTHS = """
SELECT name FROM toolbox_drop_call_months(now() - make_interval(days => %(days)s)) AS name LIMIT 10000
"""
_FORGET_CALLS = """
WITH old AS (
    SELECT id FROM toolbox_tool_calls
    WHERE called_at < date_trunc('month', now() - make_interval(days => %(days)s), 'UTC')
    ORDER BY called_at LIMIT %(batch)s
), gone AS (
    DELETE FROM toolbox_tool_calls
    WHERE id IN (SELECT id FROM old)
      AND called_at < date_trunc('month', now() - make_interval(days => %(days)s), 'UTC') RETURNING 1
)
SELECT count(*) AS calls FROM gone
"""
_FORGET_COUNTS = """
WITH gone AS (
    DELETE FROM toolbox_call_counts
    WHERE (grain = 'hour' AND began_at < now() - make_interval(days => least(%(days)s, 31)))
       OR (grain = 'day' AND began_at < now() - make_interval(days => %(days)s)) RETURNING 1
) SELECT count(*) AS counts FROM gone
"""


async def prepare_months() -> None:
    """Create the partitions of the coming months. Raises DatabaseUnavailable."""
    try:
        await owner_pool.fetch(_MAKE_MONTHS, [MONTHS_AHEAD])
    except psycopg.errors.LockNotAvailable as busy:
        logger.warning("partitions of calls are made later: %s", busy)


async def forget(*, days: int) -> None:
    """Drop months that ended more than `days` ago, and counts of that age. Raises DatabaseUnavailable."""
    try:
        dropped = (await owner_pool.fetch(_DROP_MONTHS, {"days": days})).rows
    except psycopg.errors.LockNotAvailable as busy:
        logger.warning("old partitions of calls are dropped later: %s", busy)
    else:
        for month in dropped:
            logger.info("the partition %s is dropped: its calls are older than %d days", month["name"], days)
    while (await owner_pool.fetch(_FORGET_CALLS, {"days": days, "batch": BATCH_ROWS})).rows[0]["calls"]:
        pass
    await owner_pool.fetch(_FORGET_COUNTS, {"days": days})
