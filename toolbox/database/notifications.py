"""
Database notifications: one LISTEN connection per process, and a watchdog that checks whether they arrive.

`notifications.add_listener(channel, listener=Listener(receive=…, poll=…))` calls `receive` with each payload of the
channel, and `poll` whenever payloads may have been missed: when listening begins, after each lost connection, and every
2 s while notifications do not arrive. Both run on the process's event loop and must not block. A pooler in transaction
mode accepts LISTEN but delivers nothing. So the process notifies itself through the pool that all notifications use,
when it begins to listen and every 30 s (TOOLROOM_WATCHDOG_SECONDS). If that does not arrive, the log, `/readyz` and the
metrics report it, and every listener polls until it does.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from django.conf import settings

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop
from toolbox.database.pools import CONNECT_TIMEOUT_SECONDS, Connection, direct_conninfo, owner_pool

logger = logging.getLogger(__name__)

WATCHDOG_CHANNEL = "toolroom_watchdog"
ARRIVAL_SECONDS = 5.0
"""How long a notification may take, and how long connecting and LISTEN may take."""
POLL_SECONDS = 2.0
RETRY_SECONDS = 1.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Listener:
    """Callbacks: `receive` gets payloads; `poll`, if any, looks for changes when payloads may have been missed."""

    receive: Callable[[str], object]
    poll: Callable[[], object] | None


class Notifications:
    """The notifications that one process receives; lives on its event loop and begins with the first `start`."""

    def __init__(
        self,
        *,
        conninfo: Callable[[], str] = direct_conninfo,
        watchdog_seconds: float = 30.0,
        arrival_seconds: float = ARRIVAL_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._conninfo = conninfo
        self._watchdog_seconds = watchdog_seconds
        self._arrival_seconds = arrival_seconds
        self._poll_seconds = poll_seconds
        self._retry_seconds = retry_seconds
        self._listeners: dict[str, list[Listener]] = {}
        self._reset()
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Reset to not listening; also in a forked child. Listeners stay registered."""
        self.is_arriving: bool | None = None
        """Whether notifications arrive; None before the first check."""
        self.seconds: float | None = None
        """How many seconds the last check's notification took."""
        self._tasks: list[asyncio.Task[None]] = []
        self._tried = asyncio.Event()
        self._listening = asyncio.Event()
        self._changed = asyncio.Event()
        self._reconnect = asyncio.Event()
        self._missed = asyncio.Event()
        self._check_now = asyncio.Event()
        self._under_way: dict[str, asyncio.Event] = {}

    def add_listener(self, channel: str, *, listener: Listener) -> Callable[[], None]:
        """Register a listener; returns the function that removes it. May be called at any time, from any thread."""
        self._listeners.setdefault(channel, []).append(listener)
        for task in self._tasks[:1]:
            task.get_loop().call_soon_threadsafe(self._changed.set)

        def remove() -> None:
            with suppress(ValueError):
                self._listeners.get(channel, []).remove(listener)

        return remove

    def start(self) -> None:
        """Begin to listen on the running loop, unless already begun."""
        if not self._tasks:
            work = (self._listen_forever(), self._watch_forever(), self._poll_while_missing())
            self._tasks = [asyncio.get_running_loop().create_task(one) for one in work]

    async def wait_until_tried(self) -> None:
        """Begin to listen, and wait until that succeeded or failed once; reads after this miss no change."""
        self.start()
        await self._tried.wait()

    async def wait_until_listening(self) -> None:
        """Begin to listen, and wait until LISTEN has succeeded."""
        self.start()
        await self._listening.wait()

    async def close(self) -> None:
        """Stop listening; the next start listens again with the same listeners."""
        tasks = self._tasks
        self._reset()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _listen_forever(self) -> None:
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as lost:
                why = str(lost) or "no answer in time"
                self._set_arriving(is_arriving=False, why=f"listening failed: {why}")
            self._listening.clear()
            self._tried.set()
            await asyncio.sleep(self._retry_seconds)

    async def _listen(self) -> None:
        """Listen until the connection is lost or the watchdog asks for a new one."""
        async with asyncio.timeout(self._arrival_seconds):
            connection = await psycopg.AsyncConnection.connect(
                self._conninfo(), autocommit=True, connect_timeout=CONNECT_TIMEOUT_SECONDS
            )
        self._reconnect.clear()
        async with connection:
            while not self._reconnect.is_set():
                self._changed.clear()
                async with asyncio.timeout(self._arrival_seconds):
                    for channel in (WATCHDOG_CHANNEL, *self._listeners):
                        await connection.execute(f"LISTEN {channel}".encode())
                self._listening.set()
                self._tried.set()
                self._poll()
                self._check_now.set()
                await self._receive(connection)

    async def _receive(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        """Deliver payloads until there is a new channel to LISTEN to, or the connection must be replaced."""
        reading = asyncio.ensure_future(self._read(connection))
        waits = [asyncio.ensure_future(event.wait()) for event in (self._changed, self._reconnect)]
        try:
            await asyncio.wait({reading, *waits}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in (reading, *waits):
                one.cancel()
            await asyncio.wait({reading})
        if not reading.cancelled():
            reading.result()

    async def _read(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        async for notice in connection.notifies():
            if notice.channel == WATCHDOG_CHANNEL:
                if arrived := self._under_way.get(notice.payload):
                    arrived.set()
                continue
            for listener in tuple(self._listeners.get(notice.channel, ())):
                try:
                    listener.receive(notice.payload)
                except Exception:  # one failing listener must not stop the others; logged here
                    logger.exception("a notification on %s was not understood", notice.channel)

    async def _watch_forever(self) -> None:
        """Check at once when listening begins, then regularly; after a loss, more often until notifications arrive."""
        while True:
            seconds = self._watchdog_seconds if self.is_arriving else self._retry_seconds
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._check_now.wait()
            self._check_now.clear()
            if self._listening.is_set():
                await self._check()

    async def _check(self) -> None:
        token, clock = secrets.token_hex(8), asyncio.get_running_loop().time
        arrived = self._under_way[token] = asyncio.Event()
        began = 0.0

        async def notify(connection: Connection) -> None:
            nonlocal began
            began = clock()  # only now: waiting for a busy pool is no loss
            await connection.execute("SELECT pg_notify(%s, %s)", [WATCHDOG_CHANNEL, token])

        try:
            await owner_pool.run(notify)
            async with asyncio.timeout_at(began + self._arrival_seconds):
                await arrived.wait()
        except TimeoutError:
            why = "a notification to ourselves did not arrive; DATABASE_LISTEN_URL must lead past any pooler"
            self._set_arriving(is_arriving=False, why=why)
            self._reconnect.set()
        except (DatabaseUnavailable, StatementTimeout, psycopg.Error) as away:
            self._set_arriving(is_arriving=False, why=f"the database is away: {away}")
        else:
            self.seconds = clock() - began
            self._set_arriving(is_arriving=True)
        finally:
            del self._under_way[token]

    def _set_arriving(self, *, is_arriving: bool, why: str = "") -> None:
        """Note whether notifications arrive; a change is logged, and a loss makes every listener poll."""
        was_arriving, self.is_arriving = self.is_arriving, is_arriving
        if is_arriving:
            self._missed.clear()
            if was_arriving is False:
                logger.warning("notifications of the database arrive again")
                self._poll()
            return
        self._missed.set()
        if was_arriving is not False:
            logger.warning("notifications of the database do not arrive, everything polls: %s", why)

    async def _poll_while_missing(self) -> None:
        while True:
            await self._missed.wait()
            self._poll()
            await asyncio.sleep(self._poll_seconds)

    def _poll(self) -> None:
        for listener in [one for listeners in self._listeners.values() for one in listeners]:
            try:
                if listener.poll:
                    listener.poll()
            except Exception:  # as above
                logger.exception("a listener could not look for itself")


notifications = Notifications(watchdog_seconds=settings.TOOLROOM_WATCHDOG_SECONDS)
