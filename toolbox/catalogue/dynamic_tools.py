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

from toolbox.catalogue.prompts import PROMPTS_PAYLOAD, refresh_prompts
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
    """Listens for one registry, on the process's event loop; `refreshers` load other rows by payload."""

    def __init__(self, watched: Registry, *, pool: Pool, refreshers: Mapping[str, Refresh] | None = None) -> None:
        self._registry = watched
        self._pool = pool
        self._listening: asyncio.Task[None] | None = None
        self._loaded = asyncio.Event()
        self._listeners: dict[str, Callable[[str], None]] = {}
        self._refreshers = dict(refreshers or {})
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._abandon_listening)

    def add_listener(self, channel: str, *, listener: Callable[[str], None]) -> None:
        """Call `listener` with each payload of another channel; to be called before the first `wait_until_loaded`."""
        self._listeners[channel] = listener

    async def wait_until_loaded(self) -> None:
        """
        Wait until rows were loaded once, or could not be; returns at once from then on.

        The first call opens the connection. Raises nothing: without a database there are no dynamic tools.
        """
        if not self._loaded.is_set():
            await event_loop.run_on_loop(self._start_listening)

    async def close(self) -> None:
        """Stop listening; the next call begins again."""
        task, self._listening = self._listening, None
        if task:
            task.cancel()
            await asyncio.wait([task])
        self._loaded.clear()

    async def _start_listening(self) -> None:
        if not (self._sources() or self._listeners or self._refreshers):
            self._loaded.set()
            return
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        await self._loaded.wait()

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_until_lost()
            except (psycopg.Error, OSError) as lost:
                logger.warning("tools that are rows are not refreshed for now: %s", lost)
            except Exception:  # a source that fails must not end the listening; logged here, tried again
                logger.exception("the tools that are rows could not be loaded")
            self._loaded.set()
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen_until_lost(self) -> None:
        connection = await psycopg.AsyncConnection.connect(self._pool.conninfo(), autocommit=True)
        async with connection:
            listeners = {DOCUMENTS: self._registry.notify, **self._listeners}
            for channel in (CHANNEL, *listeners):
                await connection.execute(f"LISTEN {channel}".encode())
            while True:
                await self._load([*self._sources(), *self._refreshers])
                self._loaded.set()
                async for notice in connection.notifies(timeout=RECHECK_SECONDS):
                    if listener := listeners.get(notice.channel):
                        listener(notice.payload)
                    else:
                        await self._load([notice.payload])

    async def _load(self, domains: Iterable[str]) -> None:
        sources = self._sources()
        for domain in domains:
            try:
                if refresh_prompts := self._refreshers.get(domain):
                    await refresh_prompts()
                elif domain in sources:
                    self._registry.replace_dynamic_tools(await sources[domain].load(), domain=domain)
            except (psycopg.Error, DatabaseUnavailable, StatementTimeout) as away:
                logger.warning("the rows of %s stay as they were: %s", domain, away)

    def _sources(self) -> dict[str, DynamicTools]:
        return {toolkit.domain: toolkit.dynamic for toolkit in self._registry.toolkits() if toolkit.dynamic}

    def _abandon_listening(self) -> None:
        """In a forked child nobody listens yet."""
        self._listening, self._loaded = None, asyncio.Event()


dynamic_tools = DynamicToolCache(registry, pool=owner_pool, refreshers={PROMPTS_PAYLOAD: refresh_prompts})
