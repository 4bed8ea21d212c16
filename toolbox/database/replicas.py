"""
The reader's replicas: a read goes to a replica that is recent enough, otherwise to the primary.

Every second each process asks the primary for its WAL position and each replica how far it has replayed. A replica is
used while it answers and lags at most `max_lag_seconds` (TOOLROOM_REPLICA_LAG). Its lag is the age of the newest
primary position that it has reached, by this process's clock: an idle primary causes no lag, and the hosts' clocks do
not matter. While the primary does not answer, the lag grows. A read that fails on a replica, because the replica ends,
hangs, cancels the statement or lags behind a migration, is repeated on the primary; one that timed out is not. Reads
whose context has a `needed_position` that a replica has not replayed go to the primary
(toolbox/database/own_writes.py).
"""

import asyncio
import logging
import math
import os
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

import psycopg

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.pool import NOT_MIGRATED, Connection, Pool, ReplicaConflict

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

MEASURE_SECONDS = 1.0
PATIENCE_SECONDS = 2.0
"""A server that does not report its position within this time counts as hanging."""
KEPT_POSITIONS = 600

needed_position: ContextVar[float] = ContextVar("needed_position", default=0)
"""The WAL position that reads in this context need; infinity means the primary."""

_POSITION = """
SELECT pg_is_in_recovery() AS is_replica, pg_postmaster_start_time()::text AS started_at,
       pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                       '0/0')::bigint AS position,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS seconds_since_replay
LIMIT 1
"""


class Replica:
    """One replica, or another address of the primary, as this process sees it."""

    def __init__(self, address: str, *, alias: str, max_size: int) -> None:
        given = psycopg.conninfo.conninfo_to_dict(address)
        self.name = f"{given.get('host', 'localhost')}:{given.get('port', 5432)}"
        self.pool = _CuttablePool(alias, address=address, max_size=max_size)
        self.watch = _CuttablePool(alias, address=address, max_size=1)
        self.position = 0.0
        self.lag_seconds = math.inf
        self.measured_at = -math.inf
        self.why_away = "not measured yet"
        """Why it is not used; empty while it answers."""

    def has_replayed(self, position: float) -> bool:
        """Return whether a read here sees everything up to a WAL position."""
        return self.position >= position

    def note_away(self, why: str) -> None:
        """Stop using it until it answers a measurement again."""
        if not self.why_away:
            logger.warning("replica %s is not read for now: %s", self.name, why)
        self.why_away = why or "away"

    def note_position(self, *, position: float, lag_seconds: float, measured_at: float) -> None:
        """Record its measured position and lag."""
        if self.why_away and self.position:
            logger.warning("replica %s answers again", self.name)
        self.position, self.lag_seconds, self.measured_at, self.why_away = position, lag_seconds, measured_at, ""


class _CuttablePool(Pool):
    """Connections to one address, the alias's own if empty; nothing is retried, and hanging reads can be cut."""

    def __init__(self, alias: str, *, address: str = "", max_size: int) -> None:
        super().__init__(alias, max_size=max_size, retries=False, checks=False)
        self._address = address
        self._busy: set[Connection] = set()

    def conninfo(self) -> str:
        """Return the connection string of the address."""
        if not self._address:
            return super().conninfo()
        return psycopg.conninfo.make_conninfo(self._address, application_name="toolroom-replica")

    async def _do(self, work: Callable[[Connection], Awaitable[Result]], *, connection: Connection) -> Result:
        self._busy.add(connection)
        try:
            return await super()._do(work, connection=connection)
        finally:
            self._busy.discard(connection)

    async def _configure_connection(self, connection: Connection) -> None:
        self._busy.add(connection)
        try:
            await super()._configure_connection(connection)
        finally:
            self._busy.discard(connection)

    def _abandon_connections(self) -> None:
        """Forget the parent's connections in a forked child, without cutting them."""
        super()._abandon_connections()
        self._busy = set()

    def cut(self) -> None:
        """
        Make every waiting read fail at once, by shutting down its socket.

        A server that hangs (stopped, or its host is gone) does not answer a cancellation, for which psycopg would wait.
        """
        for connection in list(self._busy):
            try:
                with socket.socket(fileno=os.dup(connection.fileno())) as line:
                    line.shutdown(socket.SHUT_RDWR)
            except (OSError, psycopg.Error):  # it has ended by itself
                continue


class ReplicatedPool(Pool):
    """The primary's pool, which sends reads to usable replicas first."""

    def __init__(self, alias: str, *, replicas: Sequence[str], max_size: int, max_lag_seconds: float) -> None:
        super().__init__(alias, max_size=max_size)
        self.replicas = [Replica(address, alias=alias, max_size=max_size) for address in replicas]
        self.max_lag_seconds = max_lag_seconds
        self.reads = {"primary": 0, "replica": 0}
        self._watch = _CuttablePool(alias, max_size=1)
        self._positions: deque[tuple[float, float]] = deque(maxlen=KEPT_POSITIONS)
        self._measuring: asyncio.Task[None] | None = None
        self._next = 0

    def find_position(self, *, after: float) -> float | None:
        """Return the first primary position that was asked for after a time of `clock`."""
        return next((position for at, position in self._positions if at > after), None)

    async def ping(self) -> None:
        """Query the primary; raises DatabaseUnavailable."""
        token = needed_position.set(math.inf)
        try:
            await super().ping()
        finally:
            needed_position.reset(token)

    async def close(self) -> None:
        """Close every connection; the next use opens them again."""
        measuring, self._measuring = self._measuring, None
        if measuring:
            measuring.cancel()
            await asyncio.wait([measuring])
        for replica in self.replicas:
            replica.why_away = "closed"
            await replica.pool.close()
            await replica.watch.close()
        await self._watch.close()
        await super().close()

    def list_usable(self) -> list[Replica]:
        """Return the replicas in use: recent enough, by a recent measurement."""
        oldest = self.clock() - 2 * PATIENCE_SECONDS - 3 * MEASURE_SECONDS
        return [
            one
            for one in self.replicas
            if not one.why_away and one.lag_seconds <= self.max_lag_seconds and one.measured_at >= oldest
        ]

    async def _route(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(self._measure_forever())
        if replica := self._choose():
            try:
                result = await replica.pool.run(work)
            except (ReplicaConflict, psycopg.errors.DeadlockDetected, *NOT_MIGRATED) as behind:
                logger.info("replica %s leaves a read to the primary: %s", replica.name, behind)
            except StatementTimeout:  # the primary would take as long
                raise
            except DatabaseUnavailable as away:
                replica.note_away(str(away))
            else:
                self.reads["replica"] += 1
                return result
        self.reads["primary"] += 1
        return await super()._route(work)

    def _choose(self) -> Replica | None:
        """Choose the next replica, in rotation, that has replayed what this context needs."""
        needed = needed_position.get()
        able = [one for one in self.list_usable() if one.has_replayed(needed)]
        self._next += 1
        return able[self._next % len(able)] if able else None

    async def _measure_forever(self) -> None:
        while True:
            try:
                await self.measure()
            except Exception:  # measuring must go on; replicas without a recent measurement are not used
                logger.exception("the replicas could not be measured")
            await asyncio.sleep(MEASURE_SECONDS)

    async def measure(self) -> None:
        """Ask every server for its position."""
        began = self.clock()
        found = await _ask(self._watch)
        if not isinstance(found, str):
            self._positions.append((began, found["position"]))
        started_at = None if isinstance(found, str) else found["started_at"]
        await asyncio.gather(*[self._measure_one(replica, started_at=started_at) for replica in self.replicas])

    async def _measure_one(self, replica: Replica, *, started_at: str | None) -> None:
        found = await _ask(replica.watch)
        if isinstance(found, str):
            replica.note_away(found)
            replica.pool.cut()
            return
        if not found["is_replica"] and started_at is not None and found["started_at"] != started_at:
            replica.note_away("it is a server of its own and replicates nothing")
            return
        position = found["position"] if found["position"] is not None else 0
        lag_seconds = self._lag(found, position=position)
        replica.note_position(position=position, lag_seconds=lag_seconds, measured_at=self.clock())

    def _abandon_connections(self) -> None:
        """Reset in a forked child: no task measures there."""
        super()._abandon_connections()
        self._measuring = None
        for replica in self.replicas:
            replica.why_away = "not measured yet"

    def _lag(self, found: Mapping[str, Any], *, position: float) -> float:
        """Return the age of the newest known primary position that is replayed."""
        now = self.clock()
        for at, reached in reversed(self._positions):
            if position >= reached:
                return now - at
        since = found["seconds_since_replay"]  # by its clock; used only until it reaches a position known here
        return math.inf if since is None else float(since)


async def _ask(pool: _CuttablePool) -> dict[str, Any] | str:
    """Ask a server for its position; returns an explanation if it does not answer."""
    asking = asyncio.ensure_future(pool.fetch(_POSITION))
    try:
        await asyncio.wait({asking}, timeout=PATIENCE_SECONDS)
        has_answered = asking.done()
        pool.cut()
        answer = (await asking).rows[0]
    except (DatabaseUnavailable, StatementTimeout, psycopg.Error) as away:
        return str(away) if has_answered else f"no answer within {PATIENCE_SECONDS:g} s"
    except asyncio.CancelledError:
        pool.cut()
        asking.cancel()
        raise
    else:
        return answer
