"""
Listeners of runs' events: one LISTEN connection a process, on the event loop of the pools.

A notification carries no data: the listener reads the rows again. After a lost connection is back, every listener is
notified, so nothing is missed for long.
"""

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from toolbox.database import event_loop
from toolbox.database.pools import work_pool

logger = logging.getLogger(__name__)

CHANNEL = "agents_runs"
RETRY_SECONDS = 1.0
ENDINGS = frozenset({"run.finished", "run.taken_back", "run.deleted"})
"""Events after which a worker may have lost its run."""


class RunListener:
    """Notified of every event of its run, or of those of the given kinds."""

    def __init__(self, *, kinds: frozenset[str] = frozenset(), notified: asyncio.Event | None = None) -> None:
        self._kinds = kinds
        self._notified = notified or asyncio.Event()

    def notify(self, *, kind: str = "") -> None:
        """Wake the waiting task if the kind is one of ours; an empty kind wakes every listener."""
        if not kind or not self._kinds or kind in self._kinds:
            self._notified.set()

    async def wait(self, *, seconds: float) -> bool:
        """Wait for a notification; False if none came within the given seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._notified.wait()
        except TimeoutError:
            return False
        self._notified.clear()
        return True


class RunListeners:
    """The listeners of one process; lives on the event loop of the pools."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[RunListener]] = {}
        self._task: asyncio.Task[None] | None = None
        self._is_connected = asyncio.Event()
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._forget)

    @contextmanager
    def subscribe(
        self, run_id: object, *, kinds: frozenset[str] = frozenset(), notified: asyncio.Event | None = None
    ) -> Iterator[RunListener]:
        """Subscribe to the events of a run for as long as the block lasts."""
        listener, key = RunListener(kinds=kinds, notified=notified), str(run_id)
        self._listeners.setdefault(key, set()).add(listener)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._listen())
        try:
            yield listener
        finally:
            self._listeners[key].discard(listener)
            if not self._listeners[key]:
                del self._listeners[key]

    async def ready(self) -> None:
        """Wait until the process listens; returns at once from then on."""
        await self._is_connected.wait()

    async def close(self) -> None:
        """Stop listening; the next subscription starts again."""
        task, self._task = self._task, None
        self._is_connected.clear()
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _listen(self) -> None:
        while True:
            try:
                await self._receive()
            except (psycopg.Error, OSError) as error:
                logger.warning("news of runs are not heard for now: %s", error)
            self._is_connected.clear()
            await asyncio.sleep(RETRY_SECONDS)

    async def _receive(self) -> None:
        connection = await psycopg.AsyncConnection.connect(work_pool.conninfo(), autocommit=True)
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            self._is_connected.set()
            self._notify_all()
            async for notice in connection.notifies():
                key, _, kind = notice.payload.partition(" ")
                for listener in self._listeners.get(key, ()):
                    listener.notify(kind=kind)

    def _notify_all(self) -> None:
        for listener in [listener for listeners in self._listeners.values() for listener in listeners]:
            listener.notify()

    def _forget(self) -> None:
        """In a forked child nobody listens yet."""
        self._listeners, self._task, self._is_connected = {}, None, asyncio.Event()


run_listeners = RunListeners()
