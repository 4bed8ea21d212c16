"""
Dynamic tools: tools that are rows, kept up to date with the database in every process.

Tables announce their changes by NOTIFY (toolbox/database/migration_operations.py), received by
toolbox/database/notifications.py. Rows are also reloaded when an announcement may have been missed, and 2 s after a
load that failed.
"""

import asyncio
import logging
import math
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import psycopg

from toolbox.catalogue.prompts import PROMPTS_PAYLOAD, refresh_prompts
from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.contract.tool import DynamicTools
from toolbox.database import event_loop
from toolbox.database.migration_operations import CHANNEL, DOCUMENTS
from toolbox.database.notifications import Listener, Notifications, notifications
from toolbox.database.replicas import needed_position

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0

Refresh = Callable[[], Awaitable[None]]


class DynamicToolCache:
    """Keeps one registry up to date, on the process's event loop; `refreshers` load other rows, by NOTIFY payload."""

    def __init__(
        self,
        watched: Registry,
        *,
        heard: Notifications = notifications,
        refreshers: Mapping[str, Refresh] | None = None,
    ) -> None:
        self._registry = watched
        self._notifications = heard
        self._refreshers = dict(refreshers or {})
        self._loading: asyncio.Task[None] | None = None
        self._loaded, self._changed = asyncio.Event(), asyncio.Event()
        self._wanted: set[str] = set()
        self._failed: set[str] = set()
        self._stops: list[Callable[[], None]] = []
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._abandon_loading)

    async def wait_until_loaded(self) -> None:
        """
        Wait until the rows were loaded once, or loading failed; returns at once afterwards.

        Raises nothing: without a database there are no dynamic tools.
        """
        if not self._loaded.is_set():
            await event_loop.run_on_loop(self._start)

    async def close(self) -> None:
        """Stop loading; the next call starts it again."""
        task = self._loading
        for stop in self._stops:
            stop()
        self._stops.clear()
        self._abandon_loading()
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _start(self) -> None:
        if not (self._sources() or self._refreshers):
            self._loaded.set()
            return
        if not self._stops:
            rows = Listener(receive=self._want, poll=self._want_all)
            documents = Listener(receive=self._registry.notify, poll=None)  # no poll can tell which one changed
            self._stops = [
                self._notifications.add_listener(CHANNEL, listener=rows),
                self._notifications.add_listener(DOCUMENTS, listener=documents),
            ]
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load_forever())
        await self._loaded.wait()

    def _want(self, domain: str) -> None:
        self._wanted.add(domain)
        self._changed.set()

    def _want_all(self) -> None:
        self._wanted.update(self._sources(), self._refreshers)
        self._changed.set()

    async def _load_forever(self) -> None:
        needed_position.set(math.inf)  # read from the primary: a replica may not have the announced change yet
        await self._notifications.wait_until_tried()
        self._want_all()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS if self._failed else None):
                    await self._changed.wait()
            self._changed.clear()
            wanted, self._wanted = self._wanted | self._failed, set()
            for domain in wanted:
                await self._load(domain)
            self._loaded.set()

    async def _load(self, domain: str) -> None:
        """Load the rows of a domain, or note the failure; a repeated failure is not logged again."""
        sources = self._sources()
        try:
            if refresh_prompts := self._refreshers.get(domain):
                await refresh_prompts()
            elif domain in sources:
                self._registry.replace_dynamic_tools(await sources[domain].load(), domain=domain)
        except Exception as failed:  # a source that fails must not end the loading of others
            if domain not in self._failed:
                is_away = isinstance(failed, (psycopg.Error, DatabaseUnavailable))
                logger.warning("the rows of %s stay as they were: %s", domain, failed, exc_info=not is_away)
            self._failed.add(domain)
        else:
            self._failed.discard(domain)

    def _sources(self) -> dict[str, DynamicTools]:
        return {toolkit.domain: toolkit.dynamic for toolkit in self._registry.toolkits() if toolkit.dynamic}

    def _abandon_loading(self) -> None:
        """Reset the state; in a forked child no task is loading."""
        self._loading = None
        self._loaded, self._changed = asyncio.Event(), asyncio.Event()
        self._wanted, self._failed = set(), set()


dynamic_tools = DynamicToolCache(registry, refreshers={PROMPTS_PAYLOAD: refresh_prompts})
