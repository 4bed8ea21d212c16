"""Taking over from workers that died. Any number may sweep at once; each run is taken by one of them."""

import asyncio
import logging

import psycopg

from agents.queries import abandoned_runs, ending
from agents.runs.messenger import enqueue
from toolbox.contract.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0
STALE_SECONDS = 5.0
"""A worker says every second that it lives; silent for so long, it is taken for dead."""
FORGOTTEN_SECONDS = 5.0
"""A queued run that no worker took up for so long may be unknown to the broker: it is told again, ever more seldom."""


async def sweep() -> int:
    """Queue what nobody works on any more, cancel what no task wants; gives how many runs the broker was told of."""
    taken = await abandoned_runs.reclaim(stale_seconds=STALE_SECONDS)
    if taken:
        logger.warning("%d runs were taken back from workers that are silent: %s", len(taken), taken)
    following = [await ending.cancel(run_id) for run_id in await abandoned_runs.unwanted()]
    waiting = [*taken, *filter(None, following), *await abandoned_runs.forgotten(after_seconds=FORGOTTEN_SECONDS)]
    for run_id in waiting:
        enqueue(run_id)
    return len(waiting)


async def sweep_for_ever() -> None:
    """Sweep every 2 s, on the home loop, whatever becomes of one sweep: no tables yet, no database, a fault of ours."""
    while True:
        try:
            await sweep()
        except (DatabaseUnavailable, psycopg.Error) as away:
            logger.warning("runs are not swept for now: %s", away)
        except Exception:  # a sweep that ends for good is found out when a worker dies, which is too late
            logger.exception("a sweep failed")
        await asyncio.sleep(SWEEP_SECONDS)
