"""
The connection pools of this process, one per database role and use.

`reader` is what tools read through: `reader.fetch(statement, parameters)`. It logs in as the reader role, which can
SELECT what migrations granted and nothing else, and every statement runs READ ONLY. Deadlines are the callers': a
cancelled call cancels its statement in the database; the timeout set here only ends what nobody waits for any more.

`writer` is what tools declared `writes=True`, and caches, write through: `writer.run(work)`, as the owner of the
tables. Nothing is ever tried twice: after a connection is lost in the middle, whether its commit arrived is unknown,
and the caller is told so (DatabaseUnavailable).

`owner_pool` is the kernel's own, as the owner: keys are looked up and calls are recorded through it.

`work_pool` and `relaxed_pool` keep background work and runs, as the owner. A statement that meets a dead connection is
repeated, so each there is safe to repeat. `relaxed_pool` is for what a crash of the database may take back without
harm: heartbeats, streamed text, that a step began.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import coroutine
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop

Connection = AsyncConnection[DictRow]
Parameters = Mapping[str, Any] | Sequence[Any]
Result = TypeVar("Result")

CONNECT_TIMEOUT_SECONDS = 2
WAIT_SECONDS = 2.0
_NOT_MIGRATED = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.InsufficientPrivilege,
)
"""What our own statements meet only on a database that migrations have not reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRows:
    """Rows of one statement, and how long the database took for them, connection and transfer included."""

    rows: list[dict[str, Any]]
    milliseconds: float


class Pool:
    """
    Connections of one Django database alias, owned by the process's event loop, opened on first use.

    With `retries`, work that meets a dead connection runs once more on a new pool, unless the database is found to be
    away; it must then be safe to do twice, for a commit may have arrived whose answer was lost.

    `configure` is awaited once with each new connection, `reset` with each that comes back, after the caller has gone
    on; a connection that it cannot clean is closed.
    """

    def __init__(
        self,
        alias: str,
        *,
        options: str,
        max_size: int,
        retries: bool = True,
        configure: Callable[[Connection], Awaitable[None]] | None = None,
        reset: Callable[[Connection], Awaitable[None]] | None = None,
    ) -> None:
        self.clock = time.perf_counter
        self._alias = alias
        self._options = options
        self.max_size = max_size
        self._retries = retries
        self._configure = configure
        self._reset = reset
        self.in_use = 0
        self._pool: AsyncConnectionPool[Connection] | None = None
        self._opening = asyncio.Lock()
        # Waiting here is cheaper than in the pool's own queue, and ends with the caller's deadline.
        self._free = asyncio.Semaphore(max_size)
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._abandon_connections)

    async def fetch(self, statement: str, parameters: Parameters = ()) -> FetchedRows:
        """
        Run one statement, prepared, and return all its rows: bound them by LIMIT.

        Raises DatabaseUnavailable and StatementTimeout; psycopg's other errors pass.
        """
        started = self.clock()
        # Statements come from the code and from .sql files; callers' words go in as parameters.
        text = statement.encode()

        async def fetch_rows(connection: Connection) -> list[dict[str, Any]]:
            return await (await connection.execute(text, parameters, prepare=True)).fetchall()

        try:
            rows = await self.run(fetch_rows)
        except _NOT_MIGRATED as behind:
            raise DatabaseUnavailable(f"the database is behind the code; run manage.py migrate: {behind}") from behind
        return FetchedRows(rows=rows, milliseconds=(self.clock() - started) * 1000)

    async def ping(self) -> None:
        """Have the database answer; raises DatabaseUnavailable."""
        await self.fetch("SELECT 1")

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Run `work` with a connection (autocommit), on the process's event loop; raises as `fetch` does."""
        return await event_loop.run_on_loop(lambda: self._run(work))

    async def close(self) -> None:
        """Close every connection; the next use opens the pool again."""
        pool, self._pool = self._pool, None
        if pool:
            await pool.close(timeout=1)

    def conninfo(self) -> str:
        """Return how to connect; the alias is read each time, because tests point it at their own database."""
        entry = connections[self._alias].settings_dict
        own = dict(entry.get("OPTIONS", {}))
        own["options"] = f"{own.get('options', '')} {self._options}".strip()
        return psycopg.conninfo.make_conninfo(
            dbname=entry["NAME"],
            user=entry["USER"],
            password=entry["PASSWORD"] or None,
            host=entry["HOST"] or None,
            port=entry["PORT"] or None,
            **{"application_name": f"toolroom-{self._alias}"} | own,
        )

    async def _run(self, work: Callable[[Connection], Awaitable[Result]], *, is_repeated: bool = False) -> Result:
        """Run `work`; where a dead connection was met, once more on a new pool, if this pool retries."""
        try:
            async with self._free:
                self.in_use += 1
                try:
                    pool = self._pool or await self._open()
                    connection = await self._acquire(pool)
                    try:
                        return await work(connection)
                    except (psycopg.errors.QueryCanceled, psycopg.errors.SerializationFailure) as stopped:
                        # The second: a replica took the statement back.
                        raise StatementTimeout(str(stopped)) from stopped
                    except psycopg.errors.FeatureNotSupported as stale:  # a migration changed a prepared answer
                        raise _ConnectionLost(stale, pool=pool) from stale
                    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                        if connection.closed:
                            raise _ConnectionLost(error, pool=pool) from error
                        raise
                    finally:
                        await _finish(pool.putconn(connection))
                finally:
                    self.in_use -= 1
        except _ConnectionLost as lost:
            await self._discard(lost.pool)
            if not self._retries:
                raise DatabaseUnavailable(f"the connection was lost, and what was done is unknown: {lost}") from lost
            if is_repeated:
                raise DatabaseUnavailable(str(lost)) from lost
        return await self._run(work, is_repeated=True)

    async def _acquire(self, pool: AsyncConnectionPool[Connection]) -> Connection:
        while True:
            try:
                return await pool.getconn(timeout=WAIT_SECONDS)
            except PoolClosed as closed:
                raise _ConnectionLost(closed, pool=pool) from closed
            except PoolTimeout:
                # Busy, not away: wait on, within the caller's deadline. If away, the pool's own retries would back off.
                try:
                    await self._probe()
                except DatabaseUnavailable:
                    await self._discard(pool)
                    raise

    async def _open(self) -> AsyncConnectionPool[Connection]:
        async with self._opening:
            if self._pool is None:
                await self._probe()
                pool = AsyncConnectionPool(
                    self.conninfo(),
                    min_size=0,
                    max_size=self.max_size,
                    open=False,
                    # Work that must not be repeated gets a connection that has just answered.
                    check=None if self._retries else AsyncConnectionPool.check_connection,
                    configure=self._configure,
                    reset=self._reset,
                    connection_class=Connection,
                    kwargs={"autocommit": True, "row_factory": dict_row, "connect_timeout": CONNECT_TIMEOUT_SECONDS},
                )
                await pool.open(wait=False)
                self._pool = pool
            return self._pool

    async def _discard(self, pool: AsyncConnectionPool[Connection]) -> None:
        """Close a pool that held a dead connection: its others are likely dead too, and its retries back off."""
        if self._pool is pool:
            self._pool = None
            await pool.close(timeout=0)

    async def _probe(self) -> None:
        """Raise DatabaseUnavailable unless the database takes a connection now."""
        try:
            connection = await psycopg.AsyncConnection.connect(self.conninfo(), connect_timeout=CONNECT_TIMEOUT_SECONDS)
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(str(error)) from error
        await connection.close()

    def _abandon_connections(self) -> None:
        """In a forked child the parent's connections are not ours to close."""
        self._pool, self._opening, self._free = None, asyncio.Lock(), asyncio.Semaphore(self.max_size)
        self.in_use = 0


class _ConnectionLost(Exception):
    """A connection turned out to be dead; the database may be back already."""

    def __init__(self, error: Exception, *, pool: AsyncConnectionPool[Connection]) -> None:
        super().__init__(str(error))
        self.pool = pool


async def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Finish work also when the caller is cancelled meanwhile; a task is made only where it does not end at once."""
    try:
        first = work.send(None)
    except StopIteration:
        return

    async def resume() -> None:
        await _resume(work, first)

    await asyncio.shield(resume())


@coroutine
def _resume(work: Coroutine[Any, Any, None], awaited: Any) -> Generator[Any, Any, None]:
    while True:
        try:
            given = yield awaited
        except BaseException as thrown:  # noqa: BLE001 - handed on, as `await` does
            step = partial(work.throw, thrown)
        else:
            step = partial(work.send, given)
        try:
            awaited = step()
        except StopIteration:
            return


reader = Pool(
    "reader",
    options="-c default_transaction_read_only=on -c statement_timeout=30000 -c jit=off",
    max_size=settings.TOOLROOM_READER_POOL,
)
writer = Pool("default", options="-c statement_timeout=10000 -c jit=off", max_size=4, retries=False)
owner_pool = Pool("default", options="-c statement_timeout=10000", max_size=2)
work_pool = Pool("default", options="-c statement_timeout=10000", max_size=4)
relaxed_pool = Pool("default", options="-c statement_timeout=10000 -c synchronous_commit=off", max_size=4)
