"""
Requests of MCP beside calls of tools, done at home: failures become the protocol's errors, and each leaves a row.

The row's `tool` is the method, as resources/read, and its arguments are what was named.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolbox.audit.log import KEPT_ARGUMENTS, CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import CallInterrupted, MissingCapability
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout, ToolError
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch import entry as kernel_entry
from toolbox.mcp.client import missing_capability_error
from toolbox.models import ToolCall

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 10.0
Outcome = ToolCall.Outcome
Result = TypeVar("Result")


@dataclass(slots=True, kw_only=True)
class Entry:
    """What the row will say; `domain` and `size` are found out on the way, a `code` says that it was refused."""

    method: str
    about: dict[str, Any]
    caller: Caller
    transport: str
    request_id: str
    domain: str = ""
    size: int = 0
    outcome: Outcome = Outcome.CANCELLED
    code: str = ""


async def recorded(entry: Entry, *, work: Callable[[], Awaitable[Result]]) -> Result:
    """Do it within 10 s; raises MCPError, and Interruption where the client is to be asked."""

    async def at_once() -> Result:
        async with _row(entry), asyncio.timeout(DEADLINE_SECONDS):
            return await work()

    return await run_on_loop(at_once)


@asynccontextmanager
async def _row(entry: Entry) -> AsyncIterator[None]:
    started, called_at = kernel_entry.clock(), datetime.now(UTC)
    try:
        await audit.room()
        yield
        entry.outcome = Outcome.REFUSED if entry.code else Outcome.ANSWERED
    except CallInterrupted:
        entry.outcome = Outcome.CONTINUED
        raise
    except MCPError:
        entry.outcome, entry.code = Outcome.REFUSED, "INVALID_PARAMETERS"
        raise
    except ToolError as error:
        entry.outcome, entry.code = Outcome.REFUSED, error.code.code
        raise _refusal(error) from error
    except (TimeoutError, StatementTimeout) as late:
        said = f"{entry.method} did not finish within {DEADLINE_SECONDS:g} s."
        raise _ended(entry, said, code="TIMEOUT") from late
    except DatabaseUnavailable as away:
        said = "Database temporarily unavailable. Please try again."
        raise _ended(entry, said, code="DATABASE_ERROR") from away
    except Exception as error:  # the entry point of these requests: logged here, answered without details
        logger.exception("%s failed, request %s", entry.method, entry.request_id)
        raise _ended(entry, "It failed in a way nobody planned.", code="INTERNAL_ERROR") from error
    finally:
        audit.record(_record(entry, called_at=called_at, milliseconds=(kernel_entry.clock() - started) * 1000))


def _refusal(error: ToolError) -> MCPError:
    if isinstance(error, MissingCapability):
        return missing_capability_error(error)
    said = f"{error.message.rstrip('.')}. {error.suggestion}"
    return MCPError(types.INVALID_PARAMS, said, dict(error.details) or None)


def _ended(entry: Entry, message: str, *, code: str) -> MCPError:
    entry.outcome, entry.code = Outcome.FAILED, code
    return MCPError(types.INTERNAL_ERROR, message)


def _record(entry: Entry, *, called_at: datetime, milliseconds: float) -> CallRecord:
    return CallRecord(
        called_at=called_at,
        request_id=entry.request_id,
        caller=entry.caller.name,
        key_id=entry.caller.key_id,
        transport=entry.transport,
        domain=entry.domain,
        tool=entry.method,
        arguments=json.dumps(entry.about, ensure_ascii=False).encode("utf-8", "surrogatepass")[:KEPT_ARGUMENTS],
        outcome=entry.outcome,
        code=entry.code,
        status=_STATUS.get(entry.outcome, 499),
        rows=None,
        answer_bytes=entry.size,
        milliseconds=milliseconds,
    )


_STATUS = {Outcome.ANSWERED: 200, Outcome.CONTINUED: 202, Outcome.REFUSED: 400, Outcome.FAILED: 500}
