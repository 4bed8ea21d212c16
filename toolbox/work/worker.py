"""The worker's side of background work of every kind: claim, heartbeat, drain and sweep."""

import asyncio
import logging
import os
import platform
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psycopg

from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.event_loop import run_on_loop
from toolbox.work import lease as leases
from toolbox.work.lease import Lease, LeaseLost, WorkId, WorkKind
from toolbox.work.publisher import enqueue

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
SWEEP_SECONDS = 2.0
RETRY_SECONDS = 1.0
MAX_TRIES_WITHOUT_DATABASE = 60

Work = Callable[[Lease], Awaitable[None]]

_held: set[Lease] = set()
_beginnings: list[Callable[[], object]] = []
_is_draining = False


async def execute(kind: WorkKind, *, work_id: WorkId, work: Work) -> None:
    """
    Claim the work and do it, unless it is not free or this process is told to end.

    `work` ends the work through its lease. While the database is unavailable the claim is retried for a minute; then
    the sweep finds the work. Raises only CancelledError.
    """
    await run_on_loop(lambda: _execute(kind, work_id=work_id, work=work))


def on_begin(function: Callable[[], object]) -> None:
    """Register a function to be called on the event loop when a worker process begins."""
    _beginnings.append(function)


async def begin() -> None:
    """Call the functions registered by `on_begin`."""
    for function in _beginnings:
        function()


async def drain() -> None:
    """Stop and release this process's work, and claim none from now on."""
    global _is_draining
    _is_draining = True
    for lease in list(_held):
        lease.on_drain()


def is_draining() -> bool:
    """Return whether this process is told to end."""
    return _is_draining


async def sweep() -> int:
    """Enqueue unclaimed work of every kind; returns how much it was."""
    found = [(kind, work_id) for kind in list(leases.kinds.values()) for work_id in await _sweep(kind)]
    for kind, work_id in found:
        enqueue(kind, work_id=work_id)
    return len(found)


async def sweep_forever() -> None:
    """Sweep every 2 s."""
    while True:
        await sweep()
        await asyncio.sleep(SWEEP_SECONDS)


async def _sweep(kind: WorkKind) -> list[WorkId]:
    """Sweep one kind; a failure does not stop the other kinds or the next sweep."""
    try:
        return await leases.sweep(kind)
    except (DatabaseUnavailable, psycopg.Error) as away:
        logger.warning("%s is not swept for now: %s", kind.table, away)
    except Exception:  # the sweep must go on: nobody would notice its end until a worker dies
        logger.exception("a sweep of %s failed", kind.table)
    return []


async def _execute(kind: WorkKind, *, work_id: WorkId, work: Work) -> None:
    worker = f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"
    for _ in range(MAX_TRIES_WITHOUT_DATABASE):
        if _is_draining:
            return
        try:
            lease = await leases.claim(kind, work_id=work_id, worker=worker)
            if lease is not None:
                await _hold(lease, work=work)
        except LeaseLost:
            logger.info("%s %s is no longer this worker's", kind.table, work_id)
        except DatabaseUnavailable as away:
            logger.warning("%s %s waits for the database: %s", kind.table, work_id, away)
            await asyncio.sleep(RETRY_SECONDS)
            continue
        except Exception:  # the entry point of all background work; the sweep queues it again and counts the loss
            logger.exception("%s %s failed", kind.table, work_id)
        return


async def _hold(lease: Lease, *, work: Work) -> None:
    """Do the work while the lease is held; release it if the work stopped early."""
    working = asyncio.ensure_future(work(lease))
    lease.on_drain = working.cancel
    beating = asyncio.create_task(_beat(lease))
    _held.add(lease)
    if _is_draining:
        lease.on_drain()
    cancelled: asyncio.CancelledError | None = None
    try:
        await asyncio.wait({working, beating}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError as error:
        cancelled = error
    try:
        working.cancel()
        await asyncio.wait({working})  # the heartbeat continues while the work winds down
    finally:
        is_lost = beating.done()
        beating.cancel()
        _held.discard(lease)
    if not working.cancelled():
        working.result()
    elif is_lost:
        raise LeaseLost
    else:
        await lease.release()
        enqueue(lease.kind, work_id=lease.id)
    if cancelled:
        raise cancelled


async def _beat(lease: Lease) -> None:
    """Send a heartbeat every second, at once if there is news, until the lease is lost."""
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(lease.news.wait(), HEARTBEAT_SECONDS)
        lease.news.clear()
        try:
            if not await lease.heartbeat() and not lease.is_ending:
                return
        except DatabaseUnavailable as away:
            logger.warning("%s %s: %s", lease.kind.table, lease.id, away)
