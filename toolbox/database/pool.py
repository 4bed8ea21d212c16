"""
A pool of connections of one Django database alias, on the process's event loop.

Works behind any pooler: it sends no start-up options, leaves nothing in a session, and prepares statements only if the
next transaction can use them. Session settings belong to the role (config/postgres/roles.py); a pool's other settings
are set within each transaction.
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
"""Errors that our own statements meet only on a database that was not migrated."""

_STALE = (
    psycopg.errors.FeatureNotSupported,
    psycopg.errors.InvalidSqlStatementName,
    psycopg.errors.DuplicatePreparedStatement,
)
"""A prepared statement is invalid: a migration changed its result, or a pooler switched sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedRows:
    """Rows of one statement, and its duration including the wait for a connection and the transfer."""

    rows: list[dict[str, Any]]
    milliseconds: float


class ReplicaConflict(StatementTimeout):
    """A replica cancelled a statement because it must replay a change to the rows that the statement reads."""


class Pool:
    """
    Connections of one Django database alias, owned by the process's event loop and opened on first use.

    With `retries`, work that meets a dead connection runs once more on a new pool, unless the database is unavailable;
    so does work that the database ended because it and other work waited for each other. Such work must be safe to
    repeat: a commit may have arrived although its answer was lost. Without `retries`, connections are checked before
    use; `checks` overrides that. `deadline_seconds` ends work that takes longer, and its statement in the database.
    `local_settings` are `SET LOCAL …` statements; with them all work runs in a transaction.
    `configure` is awaited once with each new connection, `reset` with each returned one, after the caller has gone on;
    a connection that it cannot clean is closed. With `prepares=False` no statement is prepared.
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
        Run one statement, prepared, and return all its rows: bound them with LIMIT.

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
        """Query the database; raises DatabaseUnavailable."""
        await self.fetch("SELECT 1")

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Run `work` with a connection in autocommit mode, on the process's event loop; raises as `fetch` does."""
        return await event_loop.run_on_loop(lambda: self._route(work))

    async def close(self) -> None:
        """Close every connection; the next use opens the pool again."""
        pool, self._pool = self._pool, None
        if pool:
            await pool.close(timeout=1)

    def conninfo(self) -> str:
        """Return the connection string; read from the alias each time, because tests change its database."""
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
        """Run `work`; after a dead connection or a deadlock, once more if this pool retries."""
        try:
            async with self._free:
                self.in_use += 1
                try:
                    connection, pool = await self._acquire()
                    return await self._use(connection, pool=pool, work=work)
                finally:
                    self.in_use -= 1
        except _ConnectionLost as lost:
            await self._discard(lost.pool)
            if not self._retries:
                raise DatabaseUnavailable(f"the connection was lost, and what was done is unknown: {lost}") from lost
            if is_repeated:
                raise DatabaseUnavailable(str(lost)) from lost
        except psycopg.errors.DeadlockDetected:
            if is_repeated or not self._retries:
                raise
        return await self._run(work, is_repeated=True)

    async def _use(
        self,
        connection: Connection,
        *,
        pool: AsyncConnectionPool[Connection],
        work: Callable[[Connection], Awaitable[Result]],
    ) -> Result:
        """Run `work` with a connection and return the connection to its pool; raises _ConnectionLost if it is dead."""
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

    async def _do(self, work: Callable[[Connection], Awaitable[Result]], *, connection: Connection) -> Result:
        """Run `work` within this pool's deadline, in a transaction if it has local settings."""
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
        Return a connection and the pool to return it to; raises DatabaseUnavailable.

        Work that waits here has not begun. If another caller discards the pool meanwhile, because its connection died,
        this waits in the next pool: nothing was lost, and nothing is done twice.
        """
        while True:
            pool = self._pool or await self._open()
            try:
                return await pool.getconn(timeout=WAIT_SECONDS), pool
            except PoolClosed:
                await self._discard(pool)
            except PoolTimeout:
                # Perhaps only busy: then wait on, within the caller's deadline. If the database is unavailable, the
                # pool's own retries would back off.
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
        """Close a pool that held a dead connection: its others are probably dead too, and its own retries back off."""
        if self._pool is pool:
            self._pool = None
            await pool.close(timeout=0)

    async def _probe(self) -> None:
        """Raise DatabaseUnavailable unless a usable connection can be made now."""
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
        """Start without connections in a forked child: the parent's are not ours to close."""
        self._pool, self._opening, self._free = None, asyncio.Lock(), asyncio.Semaphore(self.max_size)
        self.in_use = 0


async def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler is in between: it makes up the backend's process id."""
    row = await (await connection.execute("SELECT pg_backend_pid() AS pid LIMIT 1", prepare=False)).fetchone()
    return row is None or row["pid"] != connection.info.backend_pid


async def keeps_prepared_statements(connection: Connection) -> bool:
    """
    Return whether the next transaction can use what this one prepared.

    It can on a direct session, and behind a pooler that supports prepared statements (PgBouncer 1.21 or newer with
    max_prepared_statements), which is recognised by the names that it gives them. Behind another pooler, `_pg3_0` of
    the next transaction may be another client's statement, whose answer would be taken for ours.
    """
    if not await is_pooled(connection):
        return True
    try:
        async with connection.transaction():  # one transaction, so that all of this uses one session
            found = await (await connection.execute(_OWN_NAME, prepare=True)).fetchone()
            name = found["name"] if found else ""
            if name and not name.startswith("PGBOUNCER_"):
                await connection.execute(sql.SQL("DEALLOCATE {}").format(sql.Identifier(name)), prepare=False)
    except (*_STALE, psycopg.errors.InsufficientPrivilege):
        return False
    return bool(name.startswith("PGBOUNCER_"))


_OWN_NAME = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%toolroom asks for its own name%' LIMIT 1"


class _ConnectionLost(Exception):
    """A connection was dead; the database itself may be available."""

    def __init__(self, error: Exception, *, pool: AsyncConnectionPool[Connection]) -> None:
        super().__init__(str(error))
        self.pool = pool


async def _give_back(connection: Connection, *, pool: AsyncConnectionPool[Connection]) -> None:
    """Return a connection to its pool; rolls back what failed or cancelled work left open."""
    if connection.info.transaction_status in _OPEN:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await connection.rollback()
        except (psycopg.Error, TimeoutError):
            await connection.close()
    await pool.putconn(connection)


_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


async def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Finish work even if the caller is cancelled meanwhile; makes a task only if it does not end at once."""
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
