"""
A pool of connections of one Django database alias, on the process's event loop.

Works behind any pooler: it sends no start-up options, leaves nothing in a session, and prepares statements only where
what is prepared is there for the next transaction. Settings of a session belong to the role
(config/postgres/roles.py); what one pool needs beside them is set within each transaction.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import coroutine
from typing import Any, LiteralString, TypeVar

import psycopg
from django.db import connections
from psycopg import AsyncConnection, sql
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop

Connection = AsyncConnection[DictRow]
Parameters = Mapping[str, Any] | Sequence[Any]
Result = TypeVar("Result")

CONNECT_TIMEOUT_SECONDS = 2
WAIT_SECONDS = 2.0
_CONNECTING: dict[str, Any] = {
    "autocommit": True, "row_factory": dict_row, "connect_timeout": CONNECT_TIMEOUT_SECONDS
}  # fmt: skip
NOT_MIGRATED = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.InsufficientPrivilege,
)
"""What our own statements meet only on a database that migrations have not reached."""

_STALE = (
    psycopg.errors.FeatureNotSupported,
    psycopg.errors.InvalidSqlStatementName,
    psycopg.errors.DuplicatePreparedStatement,
)
"""A prepared statement is no longer what it was: a migration changed its answer, or a pooler gave another session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRows:
    """Rows of one statement, and how long the database took for them, connection and transfer included."""

    rows: list[dict[str, Any]]
    milliseconds: float


class ReplicaConflict(StatementTimeout):
    """A replica took a statement back, because it replays a change of the rows that the statement reads."""


class Pool:
    """
    Connections of one Django database alias, owned by the process's event loop, opened on first use.

    With `retries`, work that meets a dead connection runs once more on a new pool, unless the database is found to be
    away; it must then be safe to do twice, for a commit may have arrived whose answer was lost. Without, it gets a
    connection that has just answered; `checks` says otherwise.

    `deadline_seconds` ends work that takes longer, and its statement in the database. `local_settings` hold in the
    transaction in which all work of this pool then runs: `SET LOCAL …` statements.

    `configure` is awaited once with each new connection, `reset` with each that comes back, after the caller has gone
    on; a connection that it cannot clean is closed. With `prepares=False` no statement is prepared.
    """

    def __init__(
        self,
        alias: str,
        *,
        max_size: int,
        retries: bool = True,
        checks: bool | None = None,
        prepares: bool = True,
        deadline_seconds: float | None = None,
        local_settings: LiteralString = "",
        configure: Callable[[Connection], Awaitable[None]] | None = None,
        reset: Callable[[Connection], Awaitable[None]] | None = None,
    ) -> None:
        self.clock = time.perf_counter
        self._alias = alias
        self.max_size = max_size
        self._retries = retries
        self._checks = not retries if checks is None else checks
        self._prepares = prepares
        self._deadline_seconds = deadline_seconds
        self._local_settings = local_settings
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
        except NOT_MIGRATED as behind:
            raise DatabaseUnavailable(f"the database is behind the code; run manage.py migrate: {behind}") from behind
        return FetchedRows(rows=rows, milliseconds=(self.clock() - started) * 1000)

    async def ping(self) -> None:
        """Have the database answer; raises DatabaseUnavailable."""
        await self.fetch("SELECT 1")

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Run `work` with a connection (autocommit), on the process's event loop; raises as `fetch` does."""
        return await event_loop.run_on_loop(lambda: self._route(work))

    async def close(self) -> None:
        """Close every connection; the next use opens the pool again."""
        pool, self._pool = self._pool, None
        if pool:
            await pool.close(timeout=1)

    def conninfo(self) -> str:
        """Return how to connect; the alias is read each time, because tests point it at their own database."""
        entry = connections[self._alias].settings_dict
        own = dict(entry.get("OPTIONS", {}))
        return psycopg.conninfo.make_conninfo(
            dbname=entry["NAME"],
            user=entry["USER"],
            password=entry["PASSWORD"] or None,
            host=entry["HOST"] or None,
            port=entry["PORT"] or None,
            **{"application_name": f"toolroom-{self._alias}"} | own,
        )

    async def _route(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        return await self._run(work)

    async def _run(self, work: Callable[[Connection], Awaitable[Result]], *, is_repeated: bool = False) -> Result:
        """Run `work`; where a dead connection was met, once more on a new pool, if this pool retries."""
        try:
            async with self._free:
                self.in_use += 1
                try:
                    connection, pool = await self._acquire()
                    try:
                        return await self._do(work, connection=connection)
                    except psycopg.errors.QueryCanceled as stopped:
                        raise StatementTimeout(str(stopped)) from stopped
                    except psycopg.errors.SerializationFailure as taken_back:
                        raise ReplicaConflict(str(taken_back)) from taken_back
                    except _STALE as stale:
                        raise _ConnectionLost(stale, pool=pool) from stale
                    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                        if connection.closed:
                            raise _ConnectionLost(error, pool=pool) from error
                        raise
                    finally:
                        await _finish(_give_back(connection, pool=pool))
                finally:
                    self.in_use -= 1
        except _ConnectionLost as lost:
            await self._discard(lost.pool)
            if not self._retries:
                raise DatabaseUnavailable(f"the connection was lost, and what was done is unknown: {lost}") from lost
            if is_repeated:
                raise DatabaseUnavailable(str(lost)) from lost
        return await self._run(work, is_repeated=True)

    async def _do(self, work: Callable[[Connection], Awaitable[Result]], *, connection: Connection) -> Result:
        """Do `work` within the deadline of this pool, in a transaction where it has settings of its own."""
        try:
            async with asyncio.timeout(self._deadline_seconds) as deadline:
                if not self._local_settings:
                    return await work(connection)
                await connection.execute(f"BEGIN; {self._local_settings}".encode(), prepare=False)
                result = await work(connection)
                await connection.execute("COMMIT", prepare=False)
                return result
        except TimeoutError as late:
            if not deadline.expired():
                raise
            raise StatementTimeout(f"the work did not end within {self._deadline_seconds:g} s") from late

    async def _acquire(self) -> tuple[Connection, AsyncConnectionPool[Connection]]:
        """
        Give a connection, and the pool that it goes back to; raises DatabaseUnavailable.

        Work that waits here has not begun. Where others close the pool meanwhile, because a connection of theirs died,
        it waits in the next pool: nothing was lost, and nothing is done twice.
        """
        while True:
            pool = self._pool or await self._open()
            try:
                return await pool.getconn(timeout=WAIT_SECONDS), pool
            except PoolClosed:
                await self._discard(pool)
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
                    check=AsyncConnectionPool.check_connection if self._checks else None,
                    configure=self._configure_connection,
                    reset=self._reset,
                    connection_class=Connection,
                    kwargs=_CONNECTING,
                )
                await pool.open(wait=False)
                self._pool = pool
            return self._pool

    async def _configure_connection(self, connection: Connection) -> None:
        if not (self._prepares and await keeps_prepared_statements(connection)):
            connection.prepare_threshold = None
        if self._configure:
            await self._configure(connection)

    async def _discard(self, pool: AsyncConnectionPool[Connection]) -> None:
        """Close a pool that held a dead connection: its others are likely dead too, and its retries back off."""
        if self._pool is pool:
            self._pool = None
            await pool.close(timeout=0)

    async def _probe(self) -> None:
        """Raise DatabaseUnavailable unless the database takes a connection now that can be used."""
        try:
            connection = await Connection.connect(self.conninfo(), **_CONNECTING)
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(str(error)) from error
        try:
            await self._configure_connection(connection)
        except psycopg.Error as error:
            raise DatabaseUnavailable(f"connections cannot be used: {error}") from error
        finally:
            await connection.close()

    def _abandon_connections(self) -> None:
        """In a forked child the parent's connections are not ours to close."""
        self._pool, self._opening, self._free = None, asyncio.Lock(), asyncio.Semaphore(self.max_size)
        self.in_use = 0


async def is_pooled(connection: Connection) -> bool:
    """Tell whether a pooler stands before the server: it makes up the number of the backend that the protocol names."""
    row = await (await connection.execute("SELECT pg_backend_pid() AS pid LIMIT 1", prepare=False)).fetchone()
    return row is None or row["pid"] != connection.info.backend_pid


async def keeps_prepared_statements(connection: Connection) -> bool:
    """
    Tell whether the next transaction finds what this one prepared.

    It does on a session of one's own, and behind a pooler that knows prepared statements (PgBouncer 1.21 or newer with
    max_prepared_statements). Behind another one, `_pg3_0` of the next transaction may be another client's statement,
    whose answer would be taken for ours. A pooler that knows prepared statements is noticed by the names that it gives
    them.
    """
    if not await is_pooled(connection):
        return True
    try:
        async with connection.transaction():  # what is prepared, asked and deallocated is of one session
            found = await (await connection.execute(_OWN_NAME, prepare=True)).fetchone()
            name = found["name"] if found else ""
            if name and not name.startswith("PGBOUNCER_"):
                await connection.execute(sql.SQL("DEALLOCATE {}").format(sql.Identifier(name)), prepare=False)
    except (*_STALE, psycopg.errors.InsufficientPrivilege):
        return False
    return bool(name.startswith("PGBOUNCER_"))


_OWN_NAME = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%toolroom asks for its own name%' LIMIT 1"


class _ConnectionLost(Exception):
    """A connection turned out to be dead; the database may be back already."""

    def __init__(self, error: Exception, *, pool: AsyncConnectionPool[Connection]) -> None:
        super().__init__(str(error))
        self.pool = pool


async def _give_back(connection: Connection, *, pool: AsyncConnectionPool[Connection]) -> None:
    """Return a connection, without what work that failed or was cancelled has left of a transaction."""
    if connection.info.transaction_status in _OPEN:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await connection.rollback()
        except (psycopg.Error, TimeoutError):
            await connection.close()
    await pool.putconn(connection)


_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


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
