"""The channel to the client of a call that the SDK's server handles."""

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
from toolbox.text.redaction import mask_secrets

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")

MAX_STATE_AGE_SECONDS = 3_600
"""How old a question may be when the call with its answer arrives."""
_PURPOSE = "mcp-state"
_NOTIFICATIONS: dict[str, Any] = {
    "notifications/progress": types.ProgressNotification,
    "notifications/message": types.LoggingMessageNotification,
}
_REQUESTS: dict[str, Any] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def make_client_channel(
    ctx: Context, *, params: types.RequestParams, caller: Caller, log_level: str = "info"
) -> ClientChannel:
    """
    Build the channel to a request's client: retried calls in the 2026 era, awaited answers before it.

    `log_level` is the lowest that a client of before 2026 receives. Raises MCPError if the state that the client
    returns was signed for another call or caller, was changed, or is too old.
    """
    meta = dict((ctx.params or {}).get("_meta") or {})
    session = _SdkSession(ctx)
    common: dict[str, Any] = {"notify": session.notify, "progress_token": meta.get("progressToken")}
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return RetriedCall(
            capabilities=meta.get(types.CLIENT_CAPABILITIES_META_KEY) or {},
            answers=_read_answers(ctx, params, caller=caller),
            log_level=meta.get(types.LOG_LEVEL_META_KEY),
            **common,
        )
    declared = ctx.session.client_capabilities
    capabilities = declared.model_dump(by_alias=True, exclude_none=True) if declared else {}
    return ConnectedChannel(capabilities=capabilities, send=session.send, log_level=log_level, **common)


def get_request_id(ctx: Context) -> str:
    """Return the id of the HTTP request that carried the message, or a new one."""
    return read_request_id(ctx.request.headers.get("x-request-id", "") if ctx.request is not None else "")


def render_input_required(
    continuation: InputRequired, *, ctx: Context, client: ClientChannel, caller: Caller
) -> types.InputRequiredResult:
    """Render the result that asks the client to call again with answers."""
    binding = compute_binding(ctx.method, params=ctx.params or {}, caller=caller)
    result = render_client_requests(continuation, answers=client.answers, binding=binding)
    return types.InputRequiredResult.model_validate(result, by_name=False)


def render_client_requests(continuation: InputRequired, *, answers: Answers, binding: str) -> dict[str, Any]:
    """Render the requests to the client, and the signed state with the answers so far."""
    requests = {name: client_request.to_json() for name, client_request in continuation.client_requests.items()}
    state = sign_token({"answers": answers, "for": binding}, purpose=_PURPOSE)
    return {"inputRequests": requests, "requestState": state}


def missing_capability_error(error: MissingCapability) -> MCPError:
    """Return MCP's error for a client that lacks a capability."""
    code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
    return MCPError(code, f"{error.message} {error.suggestion}", {"requiredCapabilities": error.lacking})


def compute_binding(method: str, *, params: Mapping[str, Any], caller: Caller) -> str:
    """Hash the call and its caller, so that a state signed for them is refused for any other."""
    call = [method, params.get("name"), params.get("uri"), params.get("arguments") or {}]
    return hashlib.sha256(json.dumps([call, [caller.name, caller.key_id]], sort_keys=True).encode()).hexdigest()


def _read_answers(ctx: Context, params: Any, *, caller: Caller) -> Answers:
    answers: Answers = dict((ctx.params or {}).get("inputResponses") or {})
    state = getattr(params, "request_state", None)
    if state is None:
        return answers
    stored = read_token(state, purpose=_PURPOSE, seconds=MAX_STATE_AGE_SECONDS)
    binding = compute_binding(ctx.method, params=ctx.params or {}, caller=caller)
    if not isinstance(stored, dict) or stored.get("for") != binding:
        raise MCPError(types.INVALID_PARAMS, "requestState is not of this call, or too old. Call again without it.")
    earlier: Answers = stored["answers"]
    return earlier | answers


class _SdkSession:
    """Sends on the event loop that the request came in on, whichever loop the tool runs on."""

    def __init__(self, ctx: Context) -> None:
        self._ctx, self._loop = ctx, asyncio.get_running_loop()

    async def notify(self, method: str, *, params: dict[str, Any]) -> None:
        message = {"method": method, "params": mask_notification(params)}
        notification = _NOTIFICATIONS[method].model_validate(message, by_name=False)
        sending = self._ctx.session.send_notification(notification, related_request_id=self._ctx.request_id)
        await run_on(self._loop, work=sending)

    async def send(self, client_request: ClientRequest) -> dict[str, Any]:
        request_type, result_type = _REQUESTS[client_request.method]
        request = request_type.model_validate(client_request.to_json(), by_name=False)
        result: BaseModel = await run_on(self._loop, work=self._ctx.session.send_request(request, result_type))
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def mask_notification(params: dict[str, Any]) -> dict[str, Any]:
    """Mask the texts of progress and of log messages."""
    texts = {name: params[name] for name in ("message", "data") if isinstance(params.get(name), str)}
    return params | {name: mask_secrets(text, is_code=True) for name, text in texts.items()}


async def run_on(loop: asyncio.AbstractEventLoop, *, work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine on an event loop, whichever loop this runs on."""
    if asyncio.get_running_loop() is loop:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
