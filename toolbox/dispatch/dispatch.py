"""
The one path that every call takes, whatever its transport.

Authenticate, authorise, limit, validate, run under a deadline, render, record. So an answer, an error, an audit row
and a time limit are the same on every transport.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import psycopg

from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.audit.current_request import current_request
from toolbox.audit.log import KEPT_ARGUMENTS, CallRecord, audit
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import CallContext, Caller
from toolbox.contract.client_channel import CallInterrupted, ClientChannel, MissingCapability
from toolbox.contract.encoding import encode
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    PAYLOAD_TOO_LARGE,
    UNKNOWN_TOOL,
    Bearer,
    DatabaseUnavailable,
    ErrorCode,
    Refusal,
    ScopeMissing,
    StatementTimeout,
    ToolError,
)
from toolbox.contract.models import Link
from toolbox.contract.tool import Tool
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.arguments import parse_arguments
from toolbox.models import ToolCall

logger = logging.getLogger(__name__)

MAX_ARGUMENTS = 1_048_576
Outcome = ToolCall.Outcome


@dataclass(slots=True, kw_only=True)
class Call:
    """
    One call as a transport received it.

    `credential` is the key that came along, or a Caller that the transport vouches for. `arguments` are raw JSON; None
    says that they were too large to be read.
    """

    tool: str
    arguments: bytes | None
    credential: str | Caller | None
    transport: str
    request_id: str
    domain: str | None = None
    client: ClientChannel = field(default_factory=ClientChannel)


@dataclass(slots=True, kw_only=True)
class Reply:
    """
    What goes back: the JSON body, its HTTP status, and what the audit wants to know.

    `continuation` says that the call goes on in another way, or cannot with this client; transports that know how say
    so. `links` are documents that say more, for transports that have a place for them; `bearer` is for clients of
    OAuth: what to fetch a token for.
    """

    body: bytes
    status: int = 200
    code: str = ""
    rows: int | None = None
    retry_after_seconds: int | None = None
    content_type: str = "application/json"
    continuation: CallInterrupted | MissingCapability | None = None
    links: tuple[Link, ...] = ()
    bearer: Bearer | None = None

    @property
    def is_refusal(self) -> bool:
        """Tell whether the body is a refusal."""
        return bool(self.code)


@dataclass(slots=True)
class CallState:
    """What has become known of a call on its way."""

    tool: Tool | None = None
    caller: Caller | None = None
    outcome: Outcome = field(default=Outcome.CANCELLED)


clock: Callable[[], float] = time.perf_counter


async def dispatch(call: Call) -> Reply:
    """
    Answer one call, on the home loop; every outcome is a Reply, and leaves one audit row.

    Queries: the tool's own, and at most one key look-up per key and 4 s. Raises only CancelledError, when the caller
    has gone: the statement under way is then cancelled in the database.
    """
    return await run_on_loop(lambda: _answer(call))


async def _answer(call: Call) -> Reply:
    course, started, called_at = CallState(), clock(), datetime.now(UTC)
    current_request.set(call.request_id)
    reply = Reply(body=b"", status=499, code="CANCELLED")
    try:
        reply = await _reply(call, course)
        return reply
    finally:
        record = _record(call, course, reply, called_at=called_at, milliseconds=(clock() - started) * 1000)
        audit.record(record)
        if course.tool and course.tool.writes and course.caller:
            await _keep_at_once()


async def _keep_at_once() -> None:
    """Write the record before the answer leaves; what was done stays done, so one that must wait is only logged."""
    try:
        await asyncio.shield(audit.flush())
    except (DatabaseUnavailable, StatementTimeout, psycopg.Error):
        logger.exception("The record of a writing call waits for the database")


async def _reply(call: Call, course: CallState) -> Reply:
    await dynamic_tools.ready()
    course.tool = registry.find(call.tool, domain=call.domain)
    envelope = course.tool.envelope if course.tool else KERNEL_ENVELOPE
    try:
        return await _run(await _admitted(call, course), _within_size(call), call.client, course)
    except CallInterrupted as continuation:
        course.outcome = Outcome.CONTINUED
        return Reply(body=b"", status=202, continuation=continuation)
    except ToolError as error:
        course.outcome = Outcome.REFUSED
        return _refusal(error, tool=course.tool)
    except DatabaseUnavailable as away:
        logger.warning("%s: the database is away: %s", call.tool, away)
        return _failure(
            course,
            envelope.database_down,
            "The database is not reachable.",
            suggestion="Database temporarily unavailable. Please try again.",
        )
    except Exception:  # the entry point of every call: logged here, answered without details
        logger.exception("%s failed, request %s", call.tool, call.request_id)
        return _failure(
            course,
            envelope.crash,
            "The tool failed in a way nobody planned.",
            suggestion=f"Try other arguments, or report request {call.request_id} to whoever runs this server.",
        )


async def _admitted(call: Call, course: CallState) -> Tool:
    """Give the tool to a caller who may use it now."""
    await audit.room()
    caller = course.caller = await identify(call.credential)
    await call_limits.count(caller)
    tool = _permitted(call, course, caller=caller)
    call.client.call = CallContext(caller=caller, request_id=call.request_id, transport=call.transport)
    return tool


async def _run(tool: Tool, arguments: bytes, client: ClientChannel, course: CallState) -> Reply:
    question = parse_arguments(tool, arguments)
    try:
        async with asyncio.timeout(tool.deadline_seconds) as client.deadline:
            output = await tool.ask(question, client=client)
    except (TimeoutError, StatementTimeout):
        return _failure(
            course,
            tool.envelope.timeout,
            f"{tool.name} did not finish within {tool.deadline_seconds:g} s.",
            suggestion="Ask for less: a shorter time range, a smaller limit, one more filter.",
        )
    course.outcome = Outcome.ANSWERED
    rows = output.row_count() if hasattr(output, "row_count") else None
    links = tuple(tool.links(question, answer=output)) if tool.links else ()
    return Reply(
        body=encode(output if tool.returns_contents else tool.envelope.success(output)), rows=rows, links=links
    )


def _permitted(call: Call, course: CallState, *, caller: Caller) -> Tool:
    """Give the tool if the caller may use it; a tool it may not see is refused by scope, without its contents."""
    tool = course.tool
    if tool is None:
        names = registry.nearest(call.tool, caller=caller)
        suggestion = f"Tools of this key: {', '.join(names)}." if names else "This key may use no tool; ask for scopes."
        raise Refusal(UNKNOWN_TOOL, "There is no tool of that name here.", suggestion=suggestion)
    if not caller.has(tool.scope):
        raise ScopeMissing(tool.scope, held=caller.scopes if caller.issuer else None)
    return tool


def _within_size(call: Call) -> bytes:
    if call.arguments is None or len(call.arguments) > MAX_ARGUMENTS:
        raise Refusal(
            PAYLOAD_TOO_LARGE,
            f"The arguments are larger than {MAX_ARGUMENTS:,} bytes.",
            suggestion="Send less: tools take names, ids and short texts.",
        )
    return call.arguments


def _refusal(error: ToolError, *, tool: Tool | None) -> Reply:
    envelope = KERNEL_ENVELOPE if tool is None or isinstance(error, Refusal) else tool.envelope
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
    )


def _failure(course: CallState, code: ErrorCode, message: str, *, suggestion: str) -> Reply:
    course.outcome = Outcome.FAILED
    return _refusal(ToolError(code, message, suggestion=suggestion), tool=course.tool)


def _record(call: Call, course: CallState, reply: Reply, *, called_at: datetime, milliseconds: float) -> CallRecord:
    return CallRecord(
        called_at=called_at,
        request_id=call.request_id,
        transport=call.transport,
        status=reply.status,
        code=reply.code,
        caller=course.caller.name if course.caller else "",
        key_id=course.caller.key_id if course.caller else None,
        domain=course.tool.domain if course.tool else (call.domain or ""),
        tool=call.tool,
        arguments=(call.arguments or b"")[:KEPT_ARGUMENTS] if course.caller else b"",
        outcome=course.outcome,
        rows=reply.rows,
        answer_bytes=len(reply.body),
        milliseconds=milliseconds,
        is_known=course.tool is not None,
    )
