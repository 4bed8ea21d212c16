"""
The lease of a piece of background work: the broker delivers, the row decides.

One worker at a time holds a row. Every statement that writes for the work names the attempt of the claim, so a worker
that lost its lease changes nothing. All times are the database's own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString, TypeVar
from uuid import UUID

import psycopg

from toolbox.database.pools import Connection, relaxed_pool, work_pool

Result = TypeVar("Result")
Row = dict[str, Any]
WorkId = UUID | int

MAX_LOSSES = 5
"""Work that lost so many workers is not retried: it may be what kills them."""
FORGOTTEN_SECONDS = 5.0
"""Queued work that stays unclaimed for this long is enqueued again, each time after twice as long, up to 300 s."""
MAX_PER_SWEEP = 200


class LeaseLost(Exception):
    """The work is not this attempt's any more: it ended, was cancelled or deleted, or another worker took it over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKind:
    """
    One kind of background work: its table, and the Celery task that delivers it.

    The table has the columns id, state, attempt, losses, worker, heartbeat_at, created_at, enqueued_at and enqueues.
    The other fields add SQL to the common statements, in which the row is called `work`.
    """

    table: LiteralString
    celery_task: str
    id_argument: str
    stale_seconds: float
    """A worker sends a heartbeat every second; after this long without one it counts as dead."""
    is_ready: LiteralString = "true"
    """SQL condition: queued work may be claimed now."""
    claimed: LiteralString = "work.id"
    """Columns that a claim returns."""
    on_claim: LiteralString = ""
    on_progress: LiteralString = ""
    on_finish: LiteralString = ""
    on_requeue: Callable[[Connection, Row], Awaitable[None]] | None = None
    """Called in the transaction that queues a row again, with its id and attempt."""
    on_sweep: Callable[[], Awaitable[Sequence[WorkId]]] | None = None
    """Called by each sweep; returns further work to enqueue."""


@dataclass(eq=False, slots=True, kw_only=True)
class Lease:
    """
    A piece of work that this process has claimed; `attempt` is the fencing token.

    `progress` is written with each heartbeat. Setting `news` triggers the next heartbeat at once. `on_drain` is called
    when the process is told to end; the work then stops as soon as it can, by raising CancelledError.
    """

    kind: WorkKind
    id: Any
    attempt: int
    losses: int = 0
    row: Row = field(default_factory=dict)
    progress: Row = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    on_drain: Callable[[], object] = bool
    is_ending: bool = False
    """Set when the attempt itself ends the lease: a failing heartbeat is then no loss."""

    @property
    def is_hopeless(self) -> bool:
        """Return whether this work lost too many workers to be retried."""
        return self.losses >= MAX_LOSSES

    async def heartbeat(self) -> bool:
        """Record that the worker lives, and the progress; False if the lease is lost."""
        changes = ["heartbeat_at = clock_timestamp()", self.kind.on_progress if self.progress else ""]
        return bool((await relaxed_pool.fetch(self._update(changes), self._key | self.progress)).rows)

    async def finish(self, *, state: str, **columns: Any) -> None:
        """End the attempt: put the work into a final or waiting state, with these columns. Raises LeaseLost."""
        self.is_ending = True
        changes = ["state = %(state)s", "worker = ''", *(f"{name} = %({name})s" for name in columns)]
        statement = self._update([*changes, self.kind.on_finish])
        if not (await work_pool.fetch(statement, self._key | columns | {"state": state})).rows:
            raise LeaseLost

    async def release(self) -> None:
        """Queue the work again for another worker, because this one stops. Raises LeaseLost."""
        self.is_ending = True
        statement = self._update(["state = 'queued'", "worker = ''", "enqueued_at = clock_timestamp()"])
        if not await _requeue(self.kind, statement=statement, parameters=self._key):
            raise LeaseLost

    async def transact(self, work: Callable[[Connection], Awaitable[Result]], *, first: LiteralString = "") -> Result:
        """Do `work` in a transaction that locks the row; `first` is a statement that runs before. Raises LeaseLost."""

        async def run_in_transaction(connection: Connection) -> Result:
            async with connection.transaction():
                if first:
                    await connection.execute(first, [self.id])
                hold = _HOLD.format(kind=self.kind, where=_IS_HELD).encode()
                if await (await connection.execute(hold, self._key)).fetchone() is None:
                    raise LeaseLost
                return await work(connection)

        return await work_pool.run(run_in_transaction)

    @property
    def _key(self) -> Row:
        return {"id": self.id, "attempt": self.attempt}

    def _update(self, changes: Sequence[str]) -> str:
        return _update(self.kind, changes=changes, where=_IS_HELD)


_HOLD = "SELECT id FROM {kind.table} AS work WHERE {where} LIMIT 1 FOR UPDATE"
_UPDATE = "UPDATE {kind.table} AS work SET {changes}\nWHERE {where} RETURNING id, attempt"
_IS_HELD = "work.id = %(id)s AND work.attempt = %(attempt)s AND work.state = 'running'"
_CLAIM = """
WITH free AS (
    SELECT work.id FROM {kind.table} AS work
    WHERE work.id = %(id)s
      AND (work.state = 'queued' OR (work.state = 'running' AND work.worker = %(worker)s))
      AND ({kind.is_ready})
    FOR UPDATE SKIP LOCKED
)
UPDATE {kind.table} AS work
SET state = 'running', attempt = work.attempt + 1, worker = %(worker)s, heartbeat_at = clock_timestamp(),
    enqueues = 0{on_claim}
FROM free WHERE work.id = free.id
RETURNING work.attempt, work.losses, {kind.claimed}
"""
_IS_STALE = """work.id IN (
    SELECT work.id FROM {kind.table} AS work
    WHERE work.state = 'running' AND work.heartbeat_at < clock_timestamp() - make_interval(secs => %(stale)s)
    ORDER BY work.heartbeat_at LIMIT {limit} FOR UPDATE SKIP LOCKED
)"""
_IS_FORGOTTEN = """work.id IN (
    SELECT work.id FROM {kind.table} AS work
    WHERE work.state = 'queued'
      AND coalesce(work.enqueued_at, work.created_at)
          < clock_timestamp() - make_interval(secs => least(%(forgotten)s * power(2, least(work.enqueues, 6)), 300))
      AND ({kind.is_ready})
    ORDER BY work.created_at LIMIT {limit} FOR UPDATE SKIP LOCKED
)"""

kinds: dict[str, WorkKind] = {}
"""Every kind of background work by its table; sweeps cover all of them."""


def register_kind(kind: WorkKind) -> WorkKind:
    """Register a kind of work for the sweeps."""
    kinds[kind.table] = kind
    return kind


async def claim(kind: WorkKind, *, work_id: WorkId, worker: str) -> Lease | None:
    """
    Claim queued work whose turn it is; None if it is not free. Does not wait for rows that others are claiming.

    `worker` is new for each execution: the same worker may claim again what it lost with its connection.
    """
    on_claim = f", {kind.on_claim}" if kind.on_claim else ""
    try:
        found = await work_pool.fetch(_CLAIM.format(kind=kind, on_claim=on_claim), {"id": work_id, "worker": worker})
    except psycopg.errors.UniqueViolation:  # other work that must come first was claimed a moment earlier
        return None
    if not found.rows:
        return None
    row = found.rows[0]
    return Lease(kind=kind, id=work_id, attempt=row["attempt"], losses=row["losses"], row=row)


async def sweep(kind: WorkKind) -> list[WorkId]:
    """
    Return the work to enqueue: what dead workers left, which is queued again here, and what the broker lost.

    Any number of processes may sweep at once; each row is found by one of them.
    """
    reclaimed = await reclaim(kind)
    further = await kind.on_sweep() if kind.on_sweep else []
    return [*reclaimed, *further, *await find_forgotten(kind)]


async def reclaim(kind: WorkKind) -> list[WorkId]:
    """Queue the work of silent workers again, and count the loss."""
    changes = ["state = 'queued'", "worker = ''", "losses = work.losses + 1", "enqueued_at = clock_timestamp()"]
    where = _IS_STALE.format(kind=kind, limit=MAX_PER_SWEEP)
    return await _requeue(
        kind, statement=_update(kind, changes=changes, where=where), parameters={"stale": kind.stale_seconds}
    )


async def find_forgotten(kind: WorkKind) -> list[WorkId]:
    """Return queued work that nobody claimed for a while, and note that it is enqueued again."""
    changes = ["enqueued_at = clock_timestamp()", "enqueues = work.enqueues + 1"]
    where = _IS_FORGOTTEN.format(kind=kind, limit=MAX_PER_SWEEP)
    found = await work_pool.fetch(_update(kind, changes=changes, where=where), {"forgotten": FORGOTTEN_SECONDS})
    return [row["id"] for row in found.rows]


async def _requeue(kind: WorkKind, *, statement: str, parameters: Mapping[str, Any]) -> list[WorkId]:
    async def run_in_transaction(connection: Connection) -> list[WorkId]:
        async with connection.transaction():
            rows = await (await connection.execute(statement.encode(), parameters)).fetchall()
            if kind.on_requeue:
                for row in rows:
                    await kind.on_requeue(connection, row)
            return [row["id"] for row in rows]

    return await work_pool.run(run_in_transaction)


def _update(kind: WorkKind, *, changes: Sequence[str], where: str) -> str:
    return _UPDATE.format(kind=kind, changes=", ".join(filter(None, changes)), where=where)
