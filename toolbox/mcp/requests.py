"""
Middleware of the SDK's server: every MCP request but `tools/call` passes the one entry here.

Each request passes `toolbox.dispatch.entry` once: its caller is identified and counted, its time is limited, errors
become MCP's, and one audit row is written whose `tool` is the method. Handlers find the call in their context:
`ctx.lifespan_context.caller`.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, TypeVar

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from toolbox.access.keys import run_until_revoked
from toolbox.audit.log import KEPT_ARGUMENTS
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import CallInterrupted, MissingCapability
from toolbox.contract.errors import AuthenticationRequired, ErrorCode, Refusal, ToolError
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, Request, perform
from toolbox.mcp.client import Context, get_request_id, missing_capability_error, run_on

Result = TypeVar("Result")
CredentialOf = Callable[[Context], str | Caller | None]

WITHOUT_ENTRY: Final = frozenset({"ping", "tools/call"})
"""`ping` reaches no data; `tools/call` passes the entry under the tool's name."""
LONG_LIVED: Final = frozenset({"subscriptions/listen"})
"""Recorded when it begins; it ends with the connection, or within 5 s after its caller's access."""
OPERATIONS: Final[Mapping[str, Operation]] = {
    method: Operation(name=method, domain="", scope=None, writes=method in ("tasks/update", "tasks/cancel"))
    for method in (
        "initialize", "server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read",
        "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete",
        "logging/setLevel", "subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel",
    )
}  # fmt: skip
"""Every method that reaches data. Resources and prompts have scopes of their own, which the handlers check."""
SESSION_STREAM: Final = Operation(name="sessions/stream", domain="", scope=None)
"""GET of a 2025 session; recorded when it begins."""
INVALID_MESSAGE: Final = Operation(name="mcp message", domain="", scope=None)
"""What is refused before its method is known: an unknown caller, a body too large, a malformed message."""
SCOPE_KEY: Final = "toolroom.mcp_request"
"""The key of the McpHttpRequest in an ASGI scope, for handlers behind the SDK's transport."""
_NOT_LOGGED = frozenset({"_meta", "inputResponses", "requestState"})
_INVALID_PARAMETERS = ErrorCode("INVALID_PARAMETERS", 400, "The protocol's own error.")


class ContinueWithResult(CallInterrupted):
    """The request continues in another one, which this result asks for."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("the client is asked")
        self.result = result


class _ProtocolError(ToolError):
    """An error that is already in MCP's form."""

    def __init__(self, error: MCPError | ValidationError) -> None:
        super().__init__(_INVALID_PARAMETERS, str(error), suggestion="")
        self.error = error


def get_operation(method: str) -> Operation:
    """Return the operation of a method; unknown methods are audited as such, because callers can make up any number."""
    return OPERATIONS.get(method) or Operation(name=method, domain="", scope=None, is_known=False)


def make_entry(*, transport: str, credential_of: CredentialOf) -> ServerMiddleware[Any]:
    """Build the middleware of a server with this transport."""

    async def enter(ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request is not None:
            ctx.request.scope[SCOPE_KEY].is_recorded = True
        if ctx.request_id is None or ctx.method in WITHOUT_ENTRY:
            return await call_next(ctx)
        loop, credential = asyncio.get_running_loop(), credential_of(ctx)
        request = make_request(ctx.params, credential=credential, transport=transport, request_id=get_request_id(ctx))

        async def call_handler(call: ActiveCall) -> HandlerResult:
            try:
                return await run_on(loop, work=_await(call_next(replace(ctx, lifespan_context=call))))
            except (MCPError, ValidationError) as error:
                raise _ProtocolError(error) from error

        async def admit(call: ActiveCall) -> ActiveCall:
            return call

        if ctx.method not in LONG_LIVED:
            return _raise_refusal(await perform(get_operation(ctx.method), request=request, work=call_handler))
        call = _raise_refusal(await perform(get_operation(ctx.method), request=request, work=admit))
        try:
            listening = _await(call_next(replace(ctx, lifespan_context=call)))
            return await run_until_revoked(listening, credential=credential)
        except AuthenticationRequired as ended:
            raise MCPError(types.INVALID_REQUEST, f"{ended.message} {ended.suggestion}") from ended

    return enter


async def _await(awaitable: Any) -> HandlerResult:
    result: HandlerResult = await awaitable
    return result


def make_request(
    params: Mapping[str, Any] | None, *, credential: str | Caller | None, transport: str, request_id: str
) -> Request:
    """Build the entry's request from a message's parameters, without those that only MCP needs."""
    logged = {name: value for name, value in (params or {}).items() if name not in _NOT_LOGGED}
    arguments = json.dumps(logged, ensure_ascii=False).encode("utf-8", "surrogatepass")[:KEPT_ARGUMENTS]
    return Request(credential=credential, transport=transport, request_id=request_id, arguments=arguments)


def _raise_refusal(answer: Result | Reply) -> Result | types.InputRequiredResult:
    """Return what the entry returned; raise MCP's error if that is a refusal."""
    if not isinstance(answer, Reply):
        return answer
    if isinstance(answer.continuation, ContinueWithResult):
        return answer.continuation.result
    if isinstance(answer.error, _ProtocolError):
        raise answer.error.error
    raise make_protocol_error(answer)


def make_protocol_error(refusal: Reply) -> MCPError:
    """Return MCP's error for a refusal of the entry."""
    error = refusal.error
    if isinstance(error, MissingCapability):
        return missing_capability_error(error)
    if error is None:
        return MCPError(types.INTERNAL_ERROR, "The request failed.")
    code = types.INVALID_REQUEST if isinstance(error, Refusal) else types.INVALID_PARAMS
    if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        code = types.INTERNAL_ERROR
    return MCPError(code, f"{error.message.rstrip('.')}. {error.suggestion}", dict(error.details) or None)
