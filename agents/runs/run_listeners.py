"""
Notifications about runs: one LISTEN connection per process, on the shared event loop.

Notifications carry no data; a woken listener reads the database again. After a lost connection is restored, every
listener is woken, so that none misses a change for long.
"""

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from agents.queries.pools import store
from toolbox.database import event_loop

logger = logging.getLogger(__name__)

CHANNEL = "agents_runs"
RETRY_SECONDS = 1.0
ENDINGS = frozenset({"run.finished", "run.taken_back", "run.deleted"})
"""Events after which a worker may have lost its run."""


class RunListener:
    """Waits for notifications about one run; `kinds` limits which events count."""

    def __init__(self, *, kinds: frozenset[str] = frozenset(), rung: asyncio.Event | None = None) -> None:
        self._kinds = kinds
        self._rung = rung or asyncio.Event()

    def ring(self, *, kind: str = "") -> None:
        """Wake the waiting task if it subscribed to this kind; a notification without a kind wakes every listener."""
        if not kind or not self._kinds or kind in self._kinds:
            self._rung.set()

    async def wait(self, *, seconds: float) -> bool:
        """Wait for the next notification; False if none comes within the time."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return True


class RunListeners:
    """All listeners of one process; lives on the shared event loop."""

    def __init__(self) -> None:
        self._hung: dict[str, set[RunListener]] = {}
        self._listening: asyncio.Task[None] | None = None
        self._is_connected = asyncio.Event()
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._forget)

    @contextmanager
    def hung(
        self, run_id: object, *, kinds: frozenset[str] = frozenset(), rung: asyncio.Event | None = None
    ) -> Iterator[RunListener]:
        """Subscribe to a run's notifications for the duration of the block."""
        bell, key = RunListener(kinds=kinds, rung=rung), str(run_id)
        self._hung.setdefault(key, set()).add(bell)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.get_running_loop().create_task(self._listen())
        try:
            yield bell
        finally:
            self._hung[key].discard(bell)
            if not self._hung[key]:
                del self._hung[key]

    async def ready(self) -> None:
        """Wait until the process listens; returns at once from then on."""
        await self._is_connected.wait()

    async def close(self) -> None:
        """Stop listening; the next subscription starts again."""
        task, self._listening = self._listening, None
        self._is_connected.clear()
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except (psycopg.Error, OSError) as lost:
                logger.warning("news of runs are not heard for now: %s", lost)
            self._is_connected.clear()
            await asyncio.sleep(RETRY_SECONDS)

    async def _hear(self) -> None:
        connection = await psycopg.AsyncConnection.connect(store.conninfo(), autocommit=True)
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            self._is_connected.set()
            self._ring_all()
            async for notice in connection.notifies():
                key, _, kind = notice.payload.partition(" ")
                for bell in self._hung.get(key, ()):
                    bell.ring(kind=kind)

    def _ring_all(self) -> None:
        for bell in [bell for bells in self._hung.values() for bell in bells]:
            bell.ring()

    def _forget(self) -> None:
        """In a forked child nobody listens yet."""
        self._hung, self._listening, self._is_connected = {}, None, asyncio.Event()


bells = RunListeners()
