"""
The connections that run SQL written by a model: the role `sprints_analyst`, a pool of its own.

PostgreSQL stops a statement only where its code looks for interrupts; a slow function on a large value goes on after
the timeout, and after the client has closed the connection. So a slot of this pool is free again only when the backend
is: never are more backends busy than the pool has slots.

A connection that comes back is reset to the state of a new one before the next statement gets it; if that fails it is
closed.
"""

import asyncio
import logging
import math
import os
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
import psycopg
from django.conf import settings
from psycopg.adapt import Buffer, Loader
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import FloatLoader, NumericLoader
from psycopg.types.string import TextLoader

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop
from toolbox.database.pools import Connection, Pool, owner_pool

STATEMENT_SECONDS = 5
CALL_SECONDS = STATEMENT_SECONDS + 1.0
"""The maximum time that a caller waits for a statement. A backend that does not stop is awaited in the background."""
SLOT_SECONDS = 2.5
"""The maximum time that a caller waits for a free slot. With CALL_SECONDS it is below the deadline of a tool."""
CANCEL_SECONDS = 0.5
"""The maximum time that a cancelled caller waits for its statement to stop."""
POLL_SECONDS = 0.25

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

_BEGIN = "; ".join(
    (
        "BEGIN READ ONLY",
        f"SET LOCAL statement_timeout = {STATEMENT_SECONDS * 1000}",
        "SET LOCAL search_path = sprintscope",
        "SET LOCAL timezone = 'UTC'",
        "SET LOCAL datestyle = 'ISO'",
        "SET LOCAL intervalstyle = 'postgres'",
        "SET LOCAL standard_conforming_strings = on",
        "SET LOCAL jit = off",
        "SET LOCAL application_name = '{name}'",
    )
)
"""Settings of the transaction, not of the session: behind a pooler each transaction may have another."""
_AS_TEXT = (
    "date time timetz interval bytea uuid inet cidr record int4range int8range numrange daterange tsrange tstzrange "
    "int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange"
)
_MOMENT_LENGTH = len("2025-01-31 12:00:00")


class _Moment(Loader):
    """A timestamp in the contract's form: ISO 8601, milliseconds, Z. `infinity` and years BC stay unchanged."""

    def load(self, data: Buffer) -> str:
        """Parse `2025-01-31 12:00:00.123456+00`. The session's zone is UTC."""
        text = bytes(data).decode()
        moment = text.removesuffix("+00")
        if len(moment) < _MOMENT_LENGTH or moment[4] != "-" or not moment[-1].isdigit():
            return text
        milliseconds = moment[_MOMENT_LENGTH + 1 : _MOMENT_LENGTH + 4].ljust(3, "0")
        return f"{moment[:10]}T{moment[11:_MOMENT_LENGTH]}.{milliseconds}Z"


class _Json(Loader):
    """JSON parsed by orjson, which can also write its numbers. What it cannot parse stays text."""

    def load(self, data: Buffer) -> Any:
        """Parse the value."""
        text = bytes(data)
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text.decode()


class _Float(FloatLoader):
    """A float. NaN and Infinity stay text, because JSON has none."""

    def load(self, data: Buffer) -> Any:
        """Parse the value."""
        value = super().load(data)
        return value if math.isfinite(value) else bytes(data).decode()


class _Numeric(NumericLoader):
    """A number. NaN and Infinity stay text, as for a float."""

    def load(self, data: Buffer) -> Any:
        """Parse the value."""
        value = super().load(data)
        return value if value.is_finite() else bytes(data).decode()


async def begin(connection: Connection) -> None:
    """Begin the READ ONLY transaction of one statement with its settings."""
    await connection.execute(_BEGIN.format(name=_backend_name(connection)).encode(), prepare=False)


def _backend_name(connection: Connection) -> str:
    """Return an id of the connection's backend. A pooler may change it, so its process id is unknown here."""
    return f"toolroom-analyst-{_HOST}-{os.getpid()}-{id(connection):x}"


async def _configure(connection: Connection) -> None:
    """Register the loaders of answers."""
    for name in _AS_TEXT.split():
        connection.adapters.register_loader(name, TextLoader)
    for name in ("timestamp", "timestamptz"):
        connection.adapters.register_loader(name, _Moment)
    for name in ("float4", "float8"):
        connection.adapters.register_loader(name, _Float)
    connection.adapters.register_loader("numeric", _Numeric)
    for name in ("json", "jsonb"):
        connection.adapters.register_loader(name, _Json)


async def _reset(connection: Connection) -> None:
    """Reset the connection: transaction, settings, locks, cursors, prepared statements, listeners, temporary tables."""
    if connection.info.transaction_status != TransactionStatus.IDLE:
        await connection.execute("ROLLBACK")
    await connection.execute("DISCARD ALL")


class NoFreeSlot(Exception):
    """Every slot is held by a statement that has not stopped yet."""


class AnalystPool(Pool):
    """A pool whose slot is free when the backend has finished with the statement, not when the caller has."""

    def __init__(self, *, max_size: int) -> None:
        # Nothing is prepared, because nothing outlives a statement here.
        super().__init__("analyst", max_size=max_size, prepares=False, configure=_configure, reset=_reset)
        self._slots = asyncio.Semaphore(max_size)
        self._releases: set[asyncio.Task[None]] = set()

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """
        Run `work` with a connection for at most CALL_SECONDS.

        Raises NoFreeSlot, StatementTimeout, DatabaseUnavailable; psycopg's errors pass.
        """
        return await event_loop.run_on_loop(lambda: self._run_in_slot(work))

    async def _run_in_slot(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        try:
            async with asyncio.timeout(SLOT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise NoFreeSlot from None
        used: list[Connection] = []

        async def work_noting_backend(connection: Connection) -> Result:
            used.append(connection)
            return await work(connection)

        running = asyncio.ensure_future(super().run(work_noting_backend))
        try:
            async with asyncio.timeout(CALL_SECONDS):
                return await asyncio.shield(running)
        except TimeoutError as late:
            running.cancel()
            raise StatementTimeout("the backend did not stop") from late
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait({running}, timeout=CANCEL_SECONDS)
            raise
        finally:
            self._release_slot(running, used=used)

    def _release_slot(self, running: asyncio.Future[Any], *, used: list[Connection]) -> None:
        """Free the slot, now or when the last backend of the work is gone."""
        if running.done() and not (used and used[-1].closed):
            self._slots.release()
            return
        release = asyncio.ensure_future(self._release_after(running, used=used))
        self._releases.add(release)
        release.add_done_callback(self._releases.discard)

    async def _release_after(self, running: asyncio.Future[Any], *, used: list[Connection]) -> None:
        await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # read, so that asyncio does not log it
        if used and used[-1].closed:
            await self._wait_until_gone(_backend_name(used[-1]))
        self._slots.release()

    async def _wait_until_gone(self, backend: str) -> None:
        """Terminate a backend and wait until PostgreSQL no longer lists it."""
        while True:
            try:
                if not await owner_pool.run(lambda connection: _end_backend(connection, backend=backend)):
                    return
            except (DatabaseUnavailable, psycopg.Error) as away:
                logger.warning("Whether backend %s still runs is unknown: %s", backend, away)
            await asyncio.sleep(POLL_SECONDS)

    def _abandon_connections(self) -> None:
        super()._abandon_connections()
        self._slots, self._releases = asyncio.Semaphore(self.max_size), set()


async def _end_backend(connection: Connection, *, backend: str) -> bool:
    """Terminate a backend of the analyst. Returns False if there is none. Without the right to, it ends by itself."""
    found = await (
        await connection.execute(_LISTED, {"backend": backend, "role": settings.SPRINTS_ANALYST_ROLE})
    ).fetchone()
    if found is None:
        return False
    try:
        await connection.execute("SELECT pg_terminate_backend(%s)", [found["pid"]])
    except psycopg.errors.InsufficientPrivilege:
        logger.info("The owner may not end backends of the analyst; waiting for backend %s.", found["pid"])
    return True


_LISTED = "SELECT pid FROM pg_stat_activity WHERE application_name = %(backend)s AND usename = %(role)s LIMIT 1"
_HOST = secrets.token_hex(4)

analyst = AnalystPool(max_size=settings.SPRINTS_ANALYST_POOL)
