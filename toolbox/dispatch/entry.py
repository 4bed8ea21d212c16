"""
The one entry: every request that reaches data passes `perform`, whatever its transport.

`perform(operation, request=..., work=...)` does, in this order and once:

1. wait for room in the audit (else 503);
2. identify the caller by `request.credential`, else by `request.session`;
3. count the call against the caller's rate limit, before the scope is checked, so that refused calls count too;
4. check `operation.scope`;
5. for an operation that writes, commit an intent row (else 503), with the call's idempotency key;
6. run `work(call)` under `operation.deadline_seconds`;
7. turn whatever was raised into a Reply: kernel refusals in the kernel's envelope, all else in `operation.envelope`;
8. leave one audit row, also after a crash or a cancellation.

It returns what `work` returned, or a Reply that is a refusal. So a use case can return values, which its transport
renders:

    answer = await perform(LIST, request=request, work=lambda call: list_conversations(call.caller))
    reply = answer if isinstance(answer, Reply) else render(answer)

Where `work` returns a Reply, its status, rows and size go into the audit row; other work sets `call.rows` and
`call.answer_bytes` where it knows them. Work whose body is a stream sends it before it returns: the row is written
when the stream has ended. Code that cannot wait for that calls `ActiveCall.begin`, `refuse` and `finish` itself.
Synchronous code uses `perform_in_thread`. Requests refused before anybody can be identified (a body that does not
arrive) go to `record_unread`.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import psycopg

from toolbox.access.keys import find_verified_caller, identify
from toolbox.access.limits import call_limits
from toolbox.access.people import find_session_person
from toolbox.audit.current_request import current_request
from toolbox.audit.log import KEPT_ARGUMENTS, CallRecord, audit
from toolbox.contract.caller import CallContext, Caller, current_upstream_credentials
from toolbox.contract.client_channel import CallInterrupted, MissingCapability
from toolbox.contract.encoding import encode
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    Bearer,
    DatabaseUnavailable,
    ErrorCode,
    ErrorEnvelope,
    Refusal,
    ScopeMissing,
    StatementTimeout,
    ToolError,
)
from toolbox.contract.models import Link
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.database.disk_full import DISK_IS_FULL, WHEN_DISK_IS_FULL, is_disk_full
from toolbox.database.own_writes import mark_written, prepare_reads
from toolbox.database.undone import RETRY_SECONDS, UNDONE, WHEN_UNDONE, is_undone
from toolbox.models import ToolCall

logger = logging.getLogger(__name__)

Outcome = ToolCall.Outcome
Result = TypeVar("Result")

DEFAULT_DEADLINE_SECONDS = 10.0
_CANCELLED, _CANCELLED_STATUS = "CANCELLED", 499
clock: Callable[[], float] = time.perf_counter
deadline_factor = 1.0
"""By this every deadline is multiplied. Tests raise it, because their machine may be busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """
    An operation that is not a tool; `name` and `domain` are for the audit log.

    Without a `scope`, any identified caller may call. Without a deadline, `work` must bound itself. `is_known` is False
    for names that callers make up: they are counted together.
    """

    name: str
    domain: str
    scope: str | None
    envelope: ErrorEnvelope = KERNEL_ENVELOPE
    deadline_seconds: float | None = DEFAULT_DEADLINE_SECONDS
    writes: bool = False
    is_known: bool = True


@dataclass(slots=True, kw_only=True)
class Request:
    """
    How a call came in.

    `credential` is the key or token sent, or a Caller that the transport vouches for. `session` is a browser's session
    cookie; a transport passes it only with requests that change nothing. `arguments` go to the audit log, redacted, and
    only if the caller is known; None means that the body was too large. `upstream_credentials` are the caller's own for
    other servers (toolbox.contract.caller).
    """

    credential: str | Caller | None
    transport: str
    request_id: str
    arguments: bytes | None = b""
    session: str = ""
    upstream_credentials: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(slots=True, kw_only=True)
class Reply:
    """
    The JSON body, its HTTP status, and what the audit log keeps of it.

    `errors` counts the errors that an upstream sent with its answer. A refusal has a `code`, and its `error` for
    transports that render errors in their own form. `continuation` means that the call continues in another way, or
    cannot continue with this client. `links` are resources with more; `bearer` tells OAuth clients which token to
    fetch.
    """

    body: bytes
    status: int = 200
    code: str = ""
    rows: int | None = None
    errors: int = 0
    retry_after_seconds: int | None = None
    content_type: str = "application/json"
    continuation: CallInterrupted | MissingCapability | None = None
    links: tuple[Link, ...] = ()
    bearer: Bearer | None = None
    error: ToolError | None = None

    @property
    def is_refusal(self) -> bool:
        """Return whether the body is a refusal."""
        return bool(self.code)


class OperationFailed(ToolError):
    """A failure with its own code and message; audited as failed, not as refused."""


class CallerLeft(Exception):
    """The client disconnected before it was answered; audited as cancelled."""


class ActiveCall:
    """
    A call on its way through the entry; lives on the event loop of the database.

    `begin` sets `caller`, and `context`, which is what a tool may know of the call.
    """

    caller: Caller
    context: CallContext

    __slots__ = (
        "_caller", "_code", "_heartbeat", "_intent_id", "_status", "answer_bytes", "called_at", "caller", "context",
        "deadline", "domain", "operation", "outcome", "request", "rows", "started",
    )  # fmt: skip

    def __init__(self, operation: Operation | Tool, *, request: Request) -> None:
        self.operation = operation
        self.request = request
        self.domain = operation.domain
        self.outcome = Outcome.CANCELLED
        self.rows: int | None = None
        self.answer_bytes = 0
        self.deadline: asyncio.Timeout | None = None
        self.called_at = datetime.now(UTC)
        self.started = clock()
        self._caller: Caller | None = None
        self._intent_id: int | None = None
        self._heartbeat: asyncio.Task[None] | None = None
        self._status = _CANCELLED_STATUS
        self._code = _CANCELLED

    async def begin(self) -> Caller:
        """Admit the caller: steps 1 to 5 of the module's list. Raises Refusal and DatabaseUnavailable."""
        request, operation = self.request, self.operation
        current_request.set(request.request_id)
        current_upstream_credentials.set(request.upstream_credentials)
        await audit.room()
        credential = request.credential
        if credential is None and request.session:
            credential = await find_session_person(request.session)
        caller = self.caller = self._caller = await self._identify(credential)
        await call_limits.count(caller)
        if operation.scope is not None and not caller.has(operation.scope):
            held = caller.scopes if caller.issuer else None
            raise ScopeMissing(operation.scope, held=held, is_tool=isinstance(operation, Tool))
        prepare_reads(caller, writes=operation.writes)
        idempotency_key = ""
        if operation.writes:
            idempotency_key = self._derive_idempotency_key(caller)
            self.outcome, self._status, self._code = Outcome.UNKNOWN, 0, ""
            self._intent_id = await audit.intend(self._record(), idempotency_key=idempotency_key)
            self.outcome, self._status, self._code = Outcome.CANCELLED, _CANCELLED_STATUS, _CANCELLED
            self._heartbeat = asyncio.create_task(audit.keep_alive(self._intent_id, called_at=self.called_at))
        self.context = CallContext(
            caller=caller,
            request_id=request.request_id,
            transport=request.transport,
            idempotency_key=idempotency_key,
        )
        return caller

    async def _identify(self, credential: str | Caller | None) -> Caller:
        """Identify the caller; without the database, an offline tool accepts recently verified callers."""
        try:
            return await identify(credential)
        except DatabaseUnavailable:
            works_offline = isinstance(self.operation, Tool) and self.operation.works_offline
            caller = find_verified_caller(credential) if works_offline else None
            if caller is None:
                raise
            return caller

    def note(
        self, outcome: Outcome = Outcome.ANSWERED, *, status: int = 200, code: str = "", answer_bytes: int = 0
    ) -> None:
        """Note the outcome of work that returns no Reply."""
        self.outcome, self._status, self._code = outcome, status, code
        self.answer_bytes = answer_bytes or self.answer_bytes

    def end(self, answer: object) -> None:
        """Note that the work ended, and what the audit log keeps of its answer."""
        if isinstance(answer, Reply):
            self.outcome = Outcome.REFUSED if answer.code else Outcome.ANSWERED
            self._status, self._code, self.rows = answer.status, answer.code, answer.rows
            self.answer_bytes = len(answer.body)
        elif self.outcome is Outcome.CANCELLED:
            self.note()

    def refuse(self, error: Exception) -> Reply:
        """Return the reply to an exception, and note the outcome."""
        reply = self._reply_to(error)
        self.note(self.outcome, status=reply.status, code=reply.code, answer_bytes=len(reply.body))
        return reply

    async def finish(self) -> None:
        """Write the audit row; for an operation that writes, before the answer goes out."""
        current_upstream_credentials.set({})
        if self._heartbeat:
            self._heartbeat.cancel()
        audit.record(self._record())
        if self.operation.writes and self._caller:
            try:
                await asyncio.shield(audit.flush())
            except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
                # The write is committed; its outcome stays in the buffer, and the row stays `unknown` until it is
                # flushed.
                logger.exception("The outcome of a writing call waits for the database")
            await asyncio.shield(mark_written(self._caller))

    def _record(self) -> CallRecord:
        caller, request, operation = self._caller, self.request, self.operation
        return CallRecord(
            called_at=self.called_at,
            request_id=request.request_id,
            caller=caller.name if caller else "",
            key_id=caller.key_id if caller else None,
            transport=request.transport,
            domain=self.domain,
            tool=operation.name,
            arguments=(request.arguments or b"")[:KEPT_ARGUMENTS] if caller else b"",
            outcome=self.outcome,
            code=self._code,
            status=self._status,
            rows=self.rows,
            answer_bytes=self.answer_bytes,
            milliseconds=(clock() - self.started) * 1000,
            is_known=isinstance(operation, Tool) or operation.is_known,
            intent_id=self._intent_id,
        )

    def _derive_idempotency_key(self, caller: Caller) -> str:
        """Derive a key that is the same for every attempt: a run's step repeats its request id, and clients may."""
        request = self.request
        owner = caller.owner_id or caller.name
        digest = hashlib.sha256(f"{owner}\0{request.request_id}\0{self.operation.name}\0".encode())
        digest.update(request.arguments or b"")
        return digest.hexdigest()[:32]

    def _reply_to(self, error: Exception) -> Reply:
        operation = self.operation
        envelope = operation.envelope
        self.outcome = Outcome.FAILED
        if isinstance(error, CallInterrupted):
            self.outcome = Outcome.CONTINUED
            return Reply(body=b"", status=202, continuation=error)
        if isinstance(error, CallerLeft):
            self.outcome = Outcome.CANCELLED
            return Reply(body=b"", status=_CANCELLED_STATUS, code=_CANCELLED)
        if isinstance(error, ToolError):
            if not isinstance(error, OperationFailed):
                self.outcome = Outcome.REFUSED
            return render_refusal(error, envelope=envelope)
        if is_disk_full(error):
            logger.error("%s: the database's disk is full", operation.name)
            return self._failure(envelope.database_down, DISK_IS_FULL, suggestion=WHEN_DISK_IS_FULL)
        if is_undone(error):
            logger.warning("%s was undone by the database: %s", operation.name, error)
            again = ToolError(envelope.database_down, UNDONE, suggestion=WHEN_UNDONE, retry_after_seconds=RETRY_SECONDS)
            return render_refusal(again, envelope=envelope)
        if isinstance(error, DatabaseUnavailable):
            logger.warning("%s: the database is away: %s", operation.name, error)
            message, suggestion = _DATABASE_AWAY
            return self._failure(envelope.database_down, message, suggestion=suggestion)
        logger.error("%s failed, request %s", operation.name, self.request.request_id, exc_info=error)
        return self._failure(
            envelope.crash,
            f"The {'tool' if isinstance(operation, Tool) else 'request'} failed in a way nobody planned.",
            suggestion=f"Try other arguments, or report request {self.request.request_id} to this server's operator.",
        )

    def _failure(self, code: ErrorCode, message: str, *, suggestion: str) -> Reply:
        return render_refusal(ToolError(code, message, suggestion=suggestion), envelope=self.operation.envelope)


async def perform(
    operation: Operation | Tool, *, request: Request, work: Callable[[ActiveCall], Awaitable[Result]]
) -> Result | Reply:
    """
    Run `work` for a permitted caller and return its result, or a refusal. Writes one audit row.

    Runs on the event loop of the database. Raises only CancelledError: the caller has gone, and the running statement
    is then cancelled in the database.
    """
    return await event_loop.run_on_loop(lambda: _perform(operation, request=request, work=work))


async def _perform(
    operation: Operation | Tool, *, request: Request, work: Callable[[ActiveCall], Awaitable[Result]]
) -> Result | Reply:
    call = ActiveCall(operation, request=request)
    try:
        await call.begin()
        try:
            async with asyncio.timeout(_deadline_of(operation)) as call.deadline:
                answer = await work(call)
        except (TimeoutError, StatementTimeout) as late:
            raise _deadline_passed(operation) from late
        call.end(answer)
    except Exception as error:  # noqa: BLE001 - the entry point of every call: logged there, answered without details
        return call.refuse(error)
    else:
        return answer
    finally:
        await call.finish()


def perform_in_thread(
    operation: Operation | Tool,
    *,
    request: Request,
    work: Callable[[ActiveCall], Result],
    find_person: Callable[[], Caller | None] | None = None,
) -> Result | Reply:
    """
    Do as `perform` for synchronous code: `work` runs in this thread and must bound its own time.

    Without a credential, `find_person` identifies a logged-in person, in this thread. Must not be called on the event
    loop of the database.
    """

    async def make() -> ActiveCall:
        return ActiveCall(operation, request=request)

    call = event_loop.run(make())
    try:
        if request.credential is None and find_person:
            request.credential = find_person()
        event_loop.run(call.begin())
        current_request.set(request.request_id)
        prepare_reads(call.caller, writes=operation.writes)
        try:
            answer = work(call)
        except (TimeoutError, StatementTimeout) as late:
            raise _deadline_passed(operation) from late
        call.end(answer)
    except Exception as error:  # noqa: BLE001 - as above
        return call.refuse(error)
    else:
        return answer
    finally:
        event_loop.run(call.finish())


async def record_unread(operation: Operation | Tool, *, request: Request, refusal: Refusal) -> Reply:
    """Refuse a request that did not arrive whole, before its caller is identified; writes the audit row."""

    async def record() -> Reply:
        call = ActiveCall(operation, request=request)
        reply = call.refuse(refusal)
        await call.finish()
        return reply

    return await event_loop.run_on_loop(record)


def render_refusal(error: ToolError, *, envelope: ErrorEnvelope = KERNEL_ENVELOPE) -> Reply:
    """Render an error in an envelope; kernel refusals always use the kernel's."""
    if isinstance(error, Refusal):
        envelope = KERNEL_ENVELOPE
    try:
        body = encode(envelope.refusal(error))
    except TypeError:
        logger.exception("A refusal cannot be written: %s", error)
        error = ToolError(envelope.crash, "The refusal cannot be written.", suggestion="Try other arguments.")
        body = encode(envelope.refusal(error))
    return Reply(
        body=body,
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
        continuation=error if isinstance(error, MissingCapability) else None,
        bearer=error.bearer if isinstance(error, Refusal) else None,
        error=error,
    )


def _deadline_of(operation: Operation | Tool) -> float | None:
    return operation.deadline_seconds and operation.deadline_seconds * deadline_factor


def _deadline_passed(operation: Operation | Tool) -> OperationFailed:
    seconds = f"within {operation.deadline_seconds:g} s" if operation.deadline_seconds else "in time"
    return OperationFailed(
        operation.envelope.timeout,
        f"{operation.name} did not finish {seconds}.",
        suggestion="Ask for less: a shorter time range, a smaller limit, one more filter.",
    )


_DATABASE_AWAY = ("The database is not reachable.", "Database temporarily unavailable. Please try again.")
