"""
Carrying on a run, from wherever its rows say that it stands.

Each step is committed before the next begins. While the work goes on the worker says every second that it lives, and
stops at once when the run is no longer its own: cancelled, deleted, or taken over. Nothing it would still write is
taken, because every write names its attempt (agents/queries/leases.py). A run whose key has ended fails within 5 s, in
the middle of a model's answer too.
"""

import asyncio
import logging
from uuid import UUID

from agents.models import Run
from agents.queries import ending, leases
from agents.queries.rows import Claimed, RunLost
from agents.runs import run_caller
from agents.runs.attempt import KEY_ENDED, Attempt
from agents.runs.messenger import enqueue
from agents.runs.run_listeners import ENDINGS, RunListener, bells
from agents.runs.run_policy import End
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.event_loop import run_on_loop

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
AGAIN_SECONDS = 1.0
MAX_TRIES_WITHOUT_DATABASE = 60
MAX_LOSSES = 5
"""A run over which so many workers were lost is not tried again: it may be what ends them."""

_at_work: set[Attempt] = set()
_is_leaving = False


async def execute(run_id: UUID, *, worker: str) -> None:
    """
    Take a run as far as it goes: to its end, or to where a person must decide; nothing where it is not free.

    `worker` must be new for every call. While the database is away the work waits for it, a minute at most; then the
    sweep finds the run. Raises nothing but CancelledError.
    """
    await run_on_loop(lambda: _carry_on(run_id, worker=worker))


async def drain() -> None:
    """Give every run of this process back, after the call that is being made, and take none from now on."""
    global _is_leaving
    _is_leaving = True
    for attempt in list(_at_work):
        attempt.leave()


async def _carry_on(run_id: UUID, *, worker: str) -> None:
    if _is_leaving:
        return
    for _ in range(MAX_TRIES_WITHOUT_DATABASE):
        try:
            run = await leases.claim(run_id, worker=worker)
            if run is not None:
                await _hold(run)
        except RunLost:
            logger.info("run %s is no longer this worker's", run_id)
        except DatabaseUnavailable as away:
            logger.warning("run %s waits for the database: %s", run_id, away)
            await asyncio.sleep(AGAIN_SECONDS)
            continue
        return


async def _hold(run: Claimed) -> None:
    """Work on the run for as long as it is ours."""
    attempt = Attempt(run)
    with bells.hung(run.held.run_id, kinds=ENDINGS) as bell:
        work = asyncio.create_task(_work(attempt))
        _at_work.add(attempt)
        beating = asyncio.create_task(_beat(attempt, bell=bell))
        try:
            await asyncio.wait({work, beating}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            _at_work.discard(attempt)
            work.cancel()
            beating.cancel()
            await asyncio.wait({work, beating})
    if work.cancelled() and attempt.is_leaving:
        await ending.release(run.held)
        enqueue(run.held.run_id)
    elif work.cancelled() and attempt.has_lost_key:
        if following := await _finish(attempt, end=KEY_ENDED):
            enqueue(following)
    elif work.cancelled():
        raise RunLost
    elif following := work.result():
        enqueue(following)


async def _beat(attempt: Attempt, *, bell: RunListener) -> None:
    """Say that the worker lives, until the run or its key is lost; woken early by whatever may have ended the run."""
    while True:
        await bell.wait(seconds=BEAT_SECONDS)
        try:
            if not await leases.heartbeat(attempt.run.held) and not attempt.is_ending:
                return
            if await run_caller.caller_of(attempt.run) is None and not attempt.is_ending:
                attempt.has_lost_key = True
                return
        except DatabaseUnavailable as away:
            logger.warning("run %s: %s", attempt.run.held.run_id, away)


async def _work(attempt: Attempt) -> UUID | None:
    """Take the run as far as it goes, within its time; gives the run that is next in the conversation."""
    end = await _ended(attempt)
    return await _finish(attempt, end=end) if end else None


async def _finish(attempt: Attempt, *, end: End) -> UUID | None:
    attempt.is_ending = True
    held = attempt.run.held
    return await ending.finish(held, state=end.state, text=end.text, code=end.code, error=end.error)


async def _ended(attempt: Attempt) -> End | None:
    run = attempt.run
    if run.losses >= MAX_LOSSES:
        error = f"{run.losses} workers were lost over this run; it is not tried again."
        return End(state=Run.State.FAILED, code="WORKERS_LOST", error=error)
    limit = asyncio.timeout(max(run.seconds_left, 0.0))
    try:
        async with limit:
            return await attempt.go_on()
    except TimeoutError:
        if limit.expired():
            return End(state=Run.State.TIMED_OUT, code="TIME_OVER", error="The time of this run is over.")
        logger.exception("run %s failed", run.held.run_id)
    except (RunLost, DatabaseUnavailable):
        raise
    except Exception:  # the entry point of every run: logged here, ended without details
        logger.exception("run %s failed", run.held.run_id)
    error = "The run failed in a way nobody planned; the server's log has more."
    return End(state=Run.State.FAILED, code="INTERNAL_ERROR", error=error)
