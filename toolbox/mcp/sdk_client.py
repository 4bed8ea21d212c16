"""The other end of a call as the SDK's server knows it: how it is told, asked, and recognised when it calls again."""

import asyncio
import hashlib
import json
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from toolbox.access.signed_tokens import read_token, sign_token
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import (
    Answers,
    ClientChannel,
    ClientRequest,
    ConnectedChannel,
    InputRequired,
    MissingCapability,
    RetriedCall,
)
from toolbox.http.headers import read_request_id

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")

STATE_SECONDS = 3_600
"""How long a question may wait for the call that answers it."""
_PURPOSE = "mcp-state"
_NOTICES: dict[str, Any] = {
    "notifications/progress": types.ProgressNotification,
    "notifications/message": types.LoggingMessageNotification,
}
_REQUESTS: dict[str, Any] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def client_of(ctx: Context, *, params: types.RequestParams, caller: Caller, log_level: str = "info") -> ClientChannel:
    """
    Make the client of this request: one that calls again in the 2026 era, one that is waited for before it.

    `log_level` is the least that a client of before 2026 hears of.

    Raises MCPError where the state it brings back was sealed for another call or caller, changed, or is too old.
    """
    meta = dict((ctx.params or {}).get("_meta") or {})
    told: dict[str, Any] = {
        "notify": _Telling(ctx).notify,
        "progress_token": meta.get("progressToken"),
        "log_level": meta.get(types.LOG_LEVEL_META_KEY),
    }
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        declared = meta.get(types.CLIENT_CAPABILITIES_META_KEY) or {}
        return RetriedCall(capabilities=declared, answers=_answers(ctx, params, caller=caller), **told)
    declared = ctx.session.client_capabilities
    known = declared.model_dump(by_alias=True, exclude_none=True) if declared else {}
    return ConnectedChannel(capabilities=known, send=_Telling(ctx).send, **told | {"log_level": log_level})


def request_id_of(ctx: Context) -> str:
    """Give the id of the HTTP request that carried the message, or make one."""
    return read_request_id(ctx.request.headers.get("x-request-id", "") if ctx.request is not None else "")


def interim(
    continuation: InputRequired, *, ctx: Context, client: ClientChannel, caller: Caller
) -> types.InputRequiredResult:
    """Give what asks the client to call again: the questions, and a state that holds the answers so far."""
    asking = question(continuation, answers=client.answers, binding=_binding(ctx, caller=caller))
    return types.InputRequiredResult.model_validate(asking, by_name=False)


def question(continuation: InputRequired, *, answers: Answers, binding: str) -> dict[str, Any]:
    """Write the questions, and the state that holds the answers so far, as the protocol does."""
    asked = {name: client_request.to_json() for name, client_request in continuation.client_requests.items()}
    state = sign_token({"answers": answers, "for": binding}, purpose=_PURPOSE)
    return {"inputRequests": asked, "requestState": state}


def missing(error: MissingCapability) -> MCPError:
    """Give the protocol's own error for a client that lacks a capability."""
    code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
    return MCPError(code, f"{error.message} {error.suggestion}", {"requiredCapabilities": error.lacking})


def _answers(ctx: Context, params: Any, *, caller: Caller) -> Answers:
    given = (ctx.params or {}).get("inputResponses") or {}
    state = getattr(params, "request_state", None)
    if state is None:
        return dict(given)
    kept = read_token(state, purpose=_PURPOSE, seconds=STATE_SECONDS)
    if not isinstance(kept, dict) or kept.get("for") != _binding(ctx, caller=caller):
        raise MCPError(types.INVALID_PARAMS, "requestState is not of this call, or too old. Call again without it.")
    answers: Answers = kept["answers"]
    return answers | dict(given)


def _binding(ctx: Context, *, caller: Caller) -> str:
    return binding_of(ctx.method, params=ctx.params or {}, caller=caller)


def binding_of(method: str, *, params: Mapping[str, Any], caller: Caller) -> str:
    """Name the call and its caller: a state that one of them was given is of no use to another."""
    what = [method, params.get("name"), params.get("uri"), params.get("arguments") or {}]
    whose = [caller.name, caller.key_id]
    return hashlib.sha256(json.dumps([what, whose], sort_keys=True).encode()).hexdigest()


class _Telling:
    """Speaks on the loop that the request came in on, from whichever loop the tool runs on."""

    def __init__(self, ctx: Context) -> None:
        self._ctx, self._loop = ctx, asyncio.get_running_loop()

    async def notify(self, method: str, *, params: dict[str, Any]) -> None:
        notice = _NOTICES[method].model_validate({"method": method, "params": params}, by_name=False)
        await self._there(self._ctx.session.send_notification(notice, related_request_id=self._ctx.request_id))

    async def send(self, client_request: ClientRequest) -> dict[str, Any]:
        kind, answer = _REQUESTS[client_request.method]
        request = kind.model_validate(client_request.to_json(), by_name=False)
        result: BaseModel = await self._there(self._ctx.session.send_request(request, answer))
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def _there(self, work: Coroutine[Any, Any, Result]) -> Result:
        if asyncio.get_running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))
