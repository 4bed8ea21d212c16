"""
The audit log of calls on every transport.

Calls append a record to a buffer. One task writes it out every 250 ms or 200 rows, and at shutdown; a killed process
may lose that window. Records are never dropped: they wait while the database is unavailable. When the buffer is full,
calls wait up to 2 s and are then refused. A call that writes is journaled: `intend` commits its row with the outcome
`unknown` before the work begins, and the row is completed before the call is answered. While the work runs,
`keep_alive` renews the row's heartbeat. A row whose heartbeat is older than LOST_SECONDS belongs to a process that was
killed; whether its work was done is unknown.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, fields
from datetime import datetime

import psycopg

from toolbox.contract.errors import UNAVAILABLE, DatabaseUnavailable, Refusal, StatementTimeout
from toolbox.database import event_loop
from toolbox.database.disk_full import DISK_IS_FULL, WHEN_DISK_IS_FULL, is_disk_full
from toolbox.database.pools import Connection, owner_pool
from toolbox.text.redaction import mask_marked_secrets, mask_secrets

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 0.25
FLUSH_ROWS = 200
BUFFER_ROWS = 10_000
WAIT_SECONDS = 2.0
MAX_ARGUMENTS = 4_096
KEPT_ARGUMENTS = 4 * MAX_ARGUMENTS
"""Bytes of arguments kept in the buffer: enough that cutting at 4,096 characters never splits a secret."""
RETRY_SECONDS = 1.0
HEARTBEAT_SECONDS = 30.0
LOST_SECONDS = 90
_COST_OF_A_ROW = 100
_MAX_UNBROKEN = 2_000
"""Bytes redacted before the event loop gets a turn; each row counts as 100 more."""


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One row of toolbox_tool_calls."""

    called_at: datetime
    request_id: str
    caller: str
    key_id: int | None
    transport: str
    domain: str
    tool: str
    arguments: bytes | str
    outcome: str
    code: str
    status: int
    rows: int | None
    answer_bytes: int
    milliseconds: float
    is_known: bool = True
    intent_id: int | None = None
    """The id of the row that `intend` inserted, which this record completes."""


_NAMES = [field.name for field in fields(CallRecord) if field.name != "intent_id"]
_COPY = f"COPY toolbox_tool_calls ({', '.join(_NAMES)}) FROM STDIN"
_INTEND = f"""
INSERT INTO toolbox_tool_calls ({", ".join(_NAMES)}, idempotency_key, heartbeat_at)
VALUES ({", ".join(["%s"] * len(_NAMES))}, %s, now()) RETURNING id
"""  # noqa: S608 - names of columns
_COMPLETE = f"""
UPDATE toolbox_tool_calls SET ({", ".join(_NAMES)}) = ({", ".join(["%s"] * len(_NAMES))})
WHERE id = %s AND called_at = %s AND outcome = 'unknown' RETURNING id
"""  # noqa: S608 - names of columns
_BEAT = """
UPDATE toolbox_tool_calls SET heartbeat_at = now()
WHERE id = %s AND called_at = %s AND outcome = 'unknown' RETURNING id
"""


class Audit:
    """Buffer of records and the task that writes it; lives on the process's event loop."""

    def __init__(self) -> None:
        self._buffer: list[CallRecord] = []
        self._due = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._writer: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self.on_record: Callable[[CallRecord], object] | None = None
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._forget)

    @property
    def waiting_count(self) -> int:
        """Return how many records are not written yet."""
        return len(self._buffer)

    async def room(self) -> None:
        """Wait until the buffer has room; raises Refusal UNAVAILABLE after 2 s."""
        if self._has_room.is_set():
            return
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._has_room.wait()
        except TimeoutError as full:
            raise Refusal(
                UNAVAILABLE,
                "Calls cannot be recorded at the moment, so none are taken.",
                suggestion="Try again in some seconds; if it stays so, tell this server's operator.",
                retry_after_seconds=5,
            ) from full

    async def intend(self, call: CallRecord, *, idempotency_key: str) -> int:
        """Commit the row of a call that will write, and return its id. Raises Refusal UNAVAILABLE if it cannot."""
        try:
            found = await owner_pool.fetch(_INTEND, [*_row(call), idempotency_key])
        except (DatabaseUnavailable, psycopg.Error) as away:
            logger.warning("%s is refused, for it cannot be journaled: %s", call.tool, away)
            if is_disk_full(away):
                raise Refusal(UNAVAILABLE, DISK_IS_FULL, suggestion=WHEN_DISK_IS_FULL) from away
            raise Refusal(
                UNAVAILABLE,
                "Calls that write cannot be recorded at the moment, so none are taken. Nothing was done.",
                suggestion="Try again in some seconds; if it stays so, tell this server's operator.",
                retry_after_seconds=5,
            ) from away
        return int(found.rows[0]["id"])

    async def keep_alive(self, intent_id: int, *, called_at: datetime) -> None:
        """Renew the heartbeat of a writing call until cancelled; `called_at` selects the partition of its row."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                await owner_pool.fetch(_BEAT, [intent_id, called_at])
            except (DatabaseUnavailable, psycopg.Error) as away:
                logger.warning("the heartbeat of call %d is late: %s", intent_id, away)

    def record(self, call: CallRecord) -> None:
        """Append a record to the buffer; its arguments must have at most KEPT_ARGUMENTS bytes."""
        self._buffer.append(call)
        if self.on_record:
            self.on_record(call)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.get_running_loop().create_task(self._keep_writing())
        if len(self._buffer) >= FLUSH_ROWS:
            self._due.set()
        if len(self._buffer) >= BUFFER_ROWS:
            self._has_room.clear()

    async def flush(self) -> None:
        """
        Write out all records so far; on failure they stay in the buffer.

        Raises DatabaseUnavailable, StatementTimeout and psycopg.Error.
        """
        await event_loop.run_on_loop(self._flush)

    async def close(self) -> None:
        """Stop the task and write out the rest."""
        if self._writer:
            self._writer.cancel()
        try:
            await self._flush()
        except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
            logger.exception("%d records of calls are lost: the database was away at shutdown", len(self._buffer))

    async def _keep_writing(self) -> None:
        """Write until the buffer is empty; the next record starts the task again."""
        while self._buffer:
            try:
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._due.wait()
            except TimeoutError:
                pass
            try:
                # Shielded: a cancellation after the rows are stored would leave them in the buffer, to be written
                # twice.
                await asyncio.shield(self._flush())
            except (DatabaseUnavailable, StatementTimeout, psycopg.Error) as away:
                logger.warning("%d records of calls wait for the database: %s", len(self._buffer), away)
                await asyncio.sleep(RETRY_SECONDS)

    async def _flush(self) -> None:
        async with self._writing:
            batch = self._buffer[:]
            if batch:
                await _complete([record for record in batch if record.intent_id is not None])
                await _write([row async for row in _rows(record for record in batch if record.intent_id is None)])
                del self._buffer[: len(batch)]
        self._due.clear()
        self._has_room.set()

    def _forget(self) -> None:
        """Start empty in a forked child: the parent writes the records that it has."""
        self.__init__()  # type: ignore[misc]


async def _rows(batch: Iterable[CallRecord]) -> AsyncIterator[tuple[object, ...]]:
    """Yield rows of records; lets the event loop run in between, for redacting long arguments takes ms."""
    unbroken = 0
    for record in batch:
        yield _row(record)
        unbroken += _COST_OF_A_ROW + len(record.arguments)
        if unbroken > _MAX_UNBROKEN:
            unbroken = 0
            await asyncio.sleep(0)


async def _complete(records: list[CallRecord]) -> None:
    """Complete the rows of journaled calls; safe to repeat."""
    for record in records:
        try:
            await owner_pool.fetch(_COMPLETE, [*_row(record), record.intent_id, record.called_at])
        except (psycopg.DataError, psycopg.IntegrityError):
            logger.exception("The outcome of call %s cannot be kept", record.intent_id)


async def _write(rows: list[tuple[object, ...]]) -> None:
    """Copy the rows in; if the database refuses one, log it and keep the others."""
    if not rows:
        return
    try:
        await owner_pool.run(lambda connection: _copy(connection, rows))
    except (psycopg.DataError, psycopg.IntegrityError):
        await owner_pool.run(lambda connection: _copy_one_by_one(connection, rows))


async def _copy_one_by_one(connection: Connection, rows: list[tuple[object, ...]]) -> None:
    """Copy each row in a savepoint of one transaction: a lost connection leaves none, and all are retried."""
    async with connection.transaction():
        for row in rows:
            try:
                async with connection.transaction():
                    await _copy(connection, [row])
            except (psycopg.DataError, psycopg.IntegrityError):
                logger.exception("A record of a call cannot be kept: %r", row)


async def _copy(connection: Connection, rows: list[tuple[object, ...]]) -> None:
    async with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for row in rows:
            await copy.write_row(row)


def _row(record: CallRecord) -> tuple[object, ...]:
    """
    Make the record fit its columns: NUL replaced, secrets redacted, then cut.

    A random request id is no secret: the call is found by it.
    """
    return (
        record.called_at,
        mask_marked_secrets(record.request_id)[:64],
        record.caller,
        record.key_id,
        record.transport,
        _text(record.domain)[:60],
        _text(record.tool)[:200],
        _text(record.arguments)[:MAX_ARGUMENTS],
        record.outcome,
        record.code,
        record.status,
        record.rows,
        record.answer_bytes,
        record.milliseconds,
        record.is_known,
    )


def _text(value: bytes | str) -> str:
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "replace")
    text = raw[:KEPT_ARGUMENTS].decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
    return mask_secrets(text, is_code=True)


audit = Audit()
