"""
Keeps tools that are rows in step with the database, in every process.

Tables announce their changes (toolbox/database/migration_operations.py). One connection a process listens, and a lost
announcement is made up for within a minute.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping

import psycopg

from toolbox.catalogue.prompts import ANNOUNCED, refresh
from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.contract.tool import DynamicTools
from toolbox.database import event_loop
from toolbox.database.migration_operations import CHANNEL, DOCUMENTS
from toolbox.database.pools import Pool, owner_pool

logger = logging.getLogger(__name__)

Refresh = Callable[[], Awaitable[None]]
RETRY_SECONDS = 2.0
RECHECK_SECONDS = 60.0


class DynamicToolCache:
    """Listens for one registry, on the home loop; `beside` are other rows that are loaded anew when named."""

    def __init__(self, watched: Registry, *, pool: Pool, beside: Mapping[str, Refresh] | None = None) -> None:
        self._registry = watched
        self._pool = pool
        self._listening: asyncio.Task[None] | None = None
        self._gathered = asyncio.Event()
        self._hearers: dict[str, Callable[[str], None]] = {}
        self._beside = dict(beside or {})
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._forget)

    def hear(self, channel: str, *, hearer: Callable[[str], None]) -> None:
        """Have what is announced on another channel told, on the home loop; said before the first `ready`."""
        self._hearers[channel] = hearer

    async def ready(self) -> None:
        """
        Wait until rows were loaded once, or could not be; returns at once from then on.

        The first call opens the connection. Raises nothing: without a database there are no dynamic tools.
        """
        if not self._gathered.is_set():
            await event_loop.run_on_loop(self._begin)

    async def close(self) -> None:
        """Stop listening; the next call begins again."""
        task, self._listening = self._listening, None
        if task:
            task.cancel()
            await asyncio.wait([task])
        self._gathered.clear()

    async def _begin(self) -> None:
        if not (self._sources() or self._hearers or self._beside):
            self._gathered.set()
            return
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        await self._gathered.wait()

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except (psycopg.Error, OSError) as lost:
                logger.warning("tools that are rows are not refreshed for now: %s", lost)
            except Exception:  # a source that fails must not end the listening; logged here, tried again
                logger.exception("the tools that are rows could not be loaded")
            self._gathered.set()
            await asyncio.sleep(RETRY_SECONDS)

    async def _hear(self) -> None:
        connection = await psycopg.AsyncConnection.connect(self._pool.conninfo(), autocommit=True)
        async with connection:
            hearers = {DOCUMENTS: self._registry.tell, **self._hearers}
            for channel in (CHANNEL, *hearers):
                await connection.execute(f"LISTEN {channel}".encode())
            while True:
                await self._gather([*self._sources(), *self._beside])
                self._gathered.set()
                async for notice in connection.notifies(timeout=RECHECK_SECONDS):
                    if hearer := hearers.get(notice.channel):
                        hearer(notice.payload)
                    else:
                        await self._gather([notice.payload])

    async def _gather(self, domains: Iterable[str]) -> None:
        sources = self._sources()
        for domain in domains:
            try:
                if refresh := self._beside.get(domain):
                    await refresh()
                elif domain in sources:
                    self._registry.put(await sources[domain].load(), domain=domain)
            except (psycopg.Error, DatabaseUnavailable, StatementTimeout) as away:
                logger.warning("the rows of %s stay as they were: %s", domain, away)

    def _sources(self) -> dict[str, DynamicTools]:
        return {toolkit.domain: toolkit.dynamic for toolkit in self._registry.toolkits() if toolkit.dynamic}

    def _forget(self) -> None:
        """In a forked child nobody listens yet."""
        self._listening, self._gathered = None, asyncio.Event()


dynamic_tools = DynamicToolCache(registry, pool=owner_pool, beside={ANNOUNCED: refresh})
