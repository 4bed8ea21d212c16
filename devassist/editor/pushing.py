"""A push of an editor's state, whoever sends it: who may, what is kept, what is recorded."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from devassist.dialect import DB_CONNECTION_FAILED, TOO_LARGE, DevassistDialect
from devassist.editor import queries
from devassist.editor.state import MAX_PUSH, read_state
from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.audit.log import CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, KERNEL_ENVELOPE, UNAUTHENTICATED, DatabaseUnavailable, Refusal, ToolError
from toolbox.database.pools import reader, writer
from toolbox.dispatch.dispatch import Reply
from toolbox.models import ToolCall

SCOPE = "devassist:write"
Work = Callable[[int], Awaitable[object]]
Outcome = ToolCall.Outcome


async def push(body: bytes | None, *, owner_id: int, seconds: int) -> object:
    """Keep what is sent in place of what was; raises ToolError and DatabaseUnavailable."""
    if body is None:
        raise ToolError(
            TOO_LARGE,
            f"The state is larger than {MAX_PUSH:,} bytes.",
            suggestion="Send the end of the terminal and fewer diagnostics.",
        )
    parts = await asyncio.to_thread(lambda: read_state(body).parts())
    try:
        await queries.push(owner_id, parts=parts, seconds=seconds, writer=writer)
    except queries.OwnerIsGone as gone:
        raise Refusal(UNAUTHENTICATED, "The key's owner is gone.", suggestion="Use another key.") from gone
    return {"success": True, "data": {"kept": sorted(parts), "seconds": seconds}}


async def clear(owner_id: int) -> object:
    """Forget what is kept of a user; raises DatabaseUnavailable."""
    await queries.clear(owner_id, writer=writer)
    return {"success": True, "data": {"kept": [], "seconds": 0}}


async def recorded(work: Work, *, name: str, key: str | None, request_id: str, called_at: datetime, size: int) -> Reply:
    """Find out who calls, do the work for the owner of the key, and leave an audit row; it holds a size, no content."""
    started = reader.clock()
    caller: Caller | None = None
    try:
        await audit.room()
        caller = await _permitted(key)
        reply, outcome = Reply(body=encode(await work(_owner(caller)))), Outcome.ANSWERED
    except ToolError as error:
        reply, outcome = _refusal(error), Outcome.REFUSED
    except DatabaseUnavailable:
        reply, outcome = _refusal(_away()), Outcome.FAILED
    audit.record(
        CallRecord(
            called_at=called_at, request_id=request_id, caller=caller.name if caller else "",
            key_id=caller.key_id if caller else None, transport="rest", domain="devassist", tool=name,
            arguments=encode({"bytes": size}), outcome=outcome, code=reply.code, status=reply.status,
            rows=reply.rows, answer_bytes=len(reply.body), milliseconds=(reader.clock() - started) * 1000,
        )
    )  # fmt: skip
    return reply


async def _permitted(key: str | None) -> Caller:
    caller = await identify(key)
    if not caller.has(SCOPE):
        suggestion = f"Use a key with the scope {SCOPE}."
        raise Refusal(FORBIDDEN, f"This key lacks the scope {SCOPE}.", suggestion=suggestion)
    await call_limits.count(caller)
    return caller


def _owner(caller: Caller) -> int:
    if caller.owner_id is None:
        raise Refusal(FORBIDDEN, "Only a key's owner has an editor.", suggestion="Send a key.")
    return caller.owner_id


def _away() -> ToolError:
    said = "The database is not reachable."
    return ToolError(DB_CONNECTION_FAILED, said, suggestion="Try again in a moment.")


def _refusal(error: ToolError) -> Reply:
    envelope = KERNEL_ENVELOPE if isinstance(error, Refusal) else DevassistDialect()
    return Reply(
        body=encode(envelope.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
    )
