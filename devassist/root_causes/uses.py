"""Use counts of entries: counted in memory and written about every second, so that no answer waits."""

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future

import psycopg

from devassist.root_causes import queries
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop
from toolbox.database.pools import writer

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 1.0
MAX_WAITING = 10_000


class Uses:
    """
    The unwritten counts, and the task that writes them on the event loop.

    A killed process loses its last second. Counts are a help to curators, no record: while the database is away
    they wait, and past MAX_WAITING entries they are dropped with a line in the log.
    """

    def __init__(self) -> None:
        self._waiting: Counter[int] = Counter()
        self._writing = asyncio.Lock()
        self._task: Future[None] | None = None
        event_loop.on_shutdown(self.flush)
        os.register_at_fork(after_in_child=self._forget)

    def count(self, ids: Iterable[int]) -> None:
        """Count the entries of an answer."""
        self._waiting.update(ids)
        if self._task is None or self._task.done():
            self._task = asyncio.run_coroutine_threadsafe(self._flush_later(), event_loop.get_loop())

    async def flush(self) -> None:
        """Write the counts, and wait for writes in progress. Counts that cannot be written are kept."""
        async with self._writing:
            await self._write()

    async def _write(self) -> None:
        taken, self._waiting = self._waiting, Counter()
        if not taken:
            return
        try:
            await queries.count_uses(taken, writer=writer)
        except (DatabaseUnavailable, psycopg.Error) as away:
            if len(taken) > MAX_WAITING:
                logger.warning("%d counts of uses are dropped, the database takes none: %s", taken.total(), away)
            else:
                self._waiting.update(taken)

    async def _flush_later(self) -> None:
        await asyncio.sleep(FLUSH_SECONDS)
        await self.flush()

    def _forget(self) -> None:
        self._waiting, self._task, self._writing = Counter(), None, asyncio.Lock()


uses = Uses()
"""The counter of this process."""
