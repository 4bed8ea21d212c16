"""
What the 2025 protocols need beyond plain requests: sessions, messages during calls, answers and cancellations.

A call's response becomes an event stream with its first message; a call that sends none is answered with plain JSON.
The answer to a question and the cancellation of a call arrive as separate requests, at any process. A process that does
not know the question or the call passes it on by NOTIFY.
"""

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from typing import Any

import msgspec
import orjson
from mcp_types import INTERNAL_ERROR
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Message, Send

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import LOG_LEVELS, ClientRequest, ConnectedChannel, MissingCapability
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.database.notifications import Listener, notifications
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.dispatch.entry import ActiveCall, perform, render_refusal
from toolbox.http.asgi import send_reply
from toolbox.http.headers import Sent
from toolbox.mcp.changes import EVENT_STREAM_HEADERS, PING_SECONDS, is_storable_uri, render_event
from toolbox.mcp.client import mask_notification
from toolbox.mcp.jsonrpc import render_error
from toolbox.mcp.requests import get_operation, make_protocol_error, make_request
from toolbox.mcp.sessions import DEFAULT_LOG_LEVEL, HEADER, Session, create_session_id, find_session
from toolbox.mcp.tool_calls import ToolsCall

ANSWERS_CHANNEL = "toolroom_client_answers"
CANCELLATIONS_CHANNEL = "toolroom_cancelled_calls"
MAX_NOTIFY_BYTES = 7_900
"""PostgreSQL's limit of a NOTIFY payload, less our own envelope."""
_VERSION = b"mcp-protocol-version"
_NOTIFY = "SELECT pg_notify(%s, %s)"


class _Envelope(msgspec.Struct):
    """The part of a message that decides who handles it."""

    id: Any = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


_envelope = msgspec.json.Decoder(_Envelope)


def is_2025_protocol(sent: Sent) -> bool:
    """Return whether the headers are those of a protocol before 2026."""
    return sent.get(_VERSION, "") in ("", *HANDSHAKE_PROTOCOL_VERSIONS)


@dataclass(frozen=True, kw_only=True)
class Request2025:
    """One request of a 2025 protocol by an identified caller."""

    caller: Caller
    session_id: str
    transport: str
    request_id: str

    @cached_property
    def session(self) -> Session | None:
        """Return the session that the request belongs to."""
        return find_session(self.session_id, caller=self.caller) if self.session_id else None

    async def make_client_channel(self, call: ToolsCall, *, stream: "StreamedCall") -> ConnectedChannel:
        """Build the channel to a call's client: notified and asked on the call's own connection."""
        session = self.session
        return ConnectedChannel(
            capabilities=session.capabilities if session else {},
            notify=stream.notify,
            progress_token=call.progress_token,
            log_level=await session.read_log_level() if session else DEFAULT_LOG_LEVEL,
            send=stream.ask,
        )

    async def reply(self, body: bytes) -> Reply | None:
        """Handle an answer to a question, a cancellation or a change of the session; None leaves it to the SDK."""
        try:
            message = _envelope.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return None
        try:
            if message.method is None and message.id is not None and (message.result or message.error):
                is_taken = await pending_elicitations.answer(orjson.loads(body), caller=self.caller)
                return _ACCEPTED if is_taken else _ANSWER_TOO_LARGE
            if message.method == "notifications/cancelled":
                call_id = (message.params or {}).get("requestId")
                if self.session and isinstance(call_id, int | str):
                    await running_calls.cancel(self.session_id, call_id=call_id)
                return _ACCEPTED
        except DatabaseUnavailable:
            return _DATABASE_UNAVAILABLE
        return await self._change_session(message)

    async def _change_session(self, message: _Envelope) -> Reply | None:
        """Change the session as the message says; None for other messages or invalid parameters."""
        name, change = _SESSION_CHANGES.get(message.method or "", ("", None))
        value: Any = (message.params or {}).get(name)
        is_valid = value in LOG_LEVELS if name == "level" else isinstance(value, str) and is_storable_uri(value)
        if change is None or not is_valid or not isinstance(message.id, int | str):
            return None

        async def work(_: ActiveCall) -> None:
            if self.session:
                await change(self.session, value)

        request = make_request(
            message.params, credential=self.caller, transport=self.transport, request_id=self.request_id
        )
        refusal = await perform(get_operation(message.method or ""), request=request, work=work)
        if refusal is None:
            return Reply(body=orjson.dumps({"jsonrpc": "2.0", "id": message.id, "result": {}}))
        error = make_protocol_error(refusal)
        reply = render_error(error.message, code=error.code, status=refusal.status, call_id=message.id)
        return replace(reply, code="")  # it is recorded already

    def add_session_id(self, body: bytes, *, send: Send) -> Send:
        """Return a `send` that adds a new session's id to the answer to `initialize`."""
        try:
            message = _envelope.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return send
        if message.method != "initialize":
            return send
        session_id = create_session_id((message.params or {}).get("capabilities"), caller=self.caller)

        async def send_with_session_id(part: Message) -> None:
            if part["type"] == "http.response.start" and part["status"] == HTTPStatus.OK:
                part = {**part, "headers": [*part["headers"], (HEADER, session_id.encode())]}
            await send(part)

        return send_with_session_id


_SESSION_CHANGES = {
    "logging/setLevel": ("level", Session.set_log_level),
    "resources/subscribe": ("uri", Session.subscribe),
    "resources/unsubscribe": ("uri", Session.unsubscribe),
}
_ACCEPTED = Reply(body=b"", status=202)
_ANSWER_TOO_LARGE = render_error("The answer is larger than 7,900 bytes, or nobody waits for it.", status=413)
_DATABASE_UNAVAILABLE = render_error(
    "Database temporarily unavailable. Please try again.", code=INTERNAL_ERROR, status=503
)
NO_SESSION = render_error("There is no such session; send initialize.", status=404)
NO_STREAM = render_error("Here messages come on the call's own stream. Send POST.", status=405)


class StreamedCall:
    """The messages sent on one call's connection."""

    def __init__(self, send: Send, *, request_id: str, caller: Caller) -> None:
        self._send, self._request_id, self._caller = send, request_id, caller
        self._has_begun = False
        self._lock = asyncio.Lock()

    async def notify(self, method: str, *, params: dict[str, Any]) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": mask_notification(params)}
        await self._write(render_event(message))

    async def ask(self, client_request: ClientRequest) -> dict[str, Any]:
        """Send a request and wait for its answer; raises MissingCapability if the client answers with an error."""
        async with pending_elicitations.open(self._caller) as (request_id, answered):
            await self._write(render_event({"jsonrpc": "2.0", "id": request_id, **client_request.to_json()}))
            while not (await asyncio.wait([answered], timeout=PING_SECONDS))[0]:
                await self._write(b": ping\n\n")
            result = answered.result().get("result")
        if not isinstance(result, dict):
            raise MissingCapability(
                {client_request.capability: {}}, what=f"answers {client_request.method}; this one gave an error"
            )
        return result

    async def end(self, body: bytes) -> None:
        """Send the call's answer as the last message; none for a cancelled call, as MCP says."""
        if body and not self._has_begun:
            await send_reply(self._send, Reply(body=body), request_id=self._request_id)
            return
        await self._write(b"event: message\ndata: %b\n\n" % body if body else b"")
        await self._send({"type": "http.response.body", "body": b""})

    async def refuse(self, error: ToolError, *, call_id: int | str) -> None:
        """End a call whose caller lost access: by an HTTP refusal, or after the first message by an MCP error."""
        reply = render_error(f"{error.message} {error.suggestion}", call_id=call_id)
        if self._has_begun:
            await self.end(reply.body)
        else:
            await send_reply(self._send, render_refusal(error), request_id=self._request_id)

    async def _write(self, part: bytes) -> None:
        async with self._lock:
            if not self._has_begun:
                headers = [*EVENT_STREAM_HEADERS, (b"x-request-id", self._request_id.encode())]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
                self._has_begun = True
            await self._send({"type": "http.response.body", "body": part, "more_body": True})


class PendingElicitations:
    """The requests to clients that this process awaits; an id is a 128-bit secret, valid for its caller only."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[int | None, asyncio.Future[dict[str, Any]]]] = {}
        notifications.add_listener(ANSWERS_CHANNEL, listener=Listener(receive=self._receive, poll=None))

    @asynccontextmanager
    async def open(self, caller: Caller) -> AsyncIterator[tuple[str, asyncio.Future[dict[str, Any]]]]:
        """Yield the id and the future answer of a request, valid within the block."""
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        request_id = f"ask-{secrets.token_hex(16)}"
        self._open[request_id] = (caller.key_id, answered)
        try:
            yield request_id, answered
        finally:
            del self._open[request_id]

    async def answer(self, message: dict[str, Any], *, caller: Caller) -> bool:
        """Deliver an answer, here or in another process; False if it is too large to pass on."""
        if self._deliver(message, key_id=caller.key_id):
            return True
        payload = orjson.dumps({"key": caller.key_id, "message": message})
        if len(payload) > MAX_NOTIFY_BYTES:
            return False
        await owner_pool.fetch(_NOTIFY, [ANSWERS_CHANNEL, payload.decode()])
        return True

    def _receive(self, payload: str) -> None:
        passed_on = orjson.loads(payload)
        self._deliver(passed_on["message"], key_id=passed_on["key"])

    def _deliver(self, message: dict[str, Any], *, key_id: int | None) -> bool:
        owner, answered = self._open.get(str(message.get("id")), (None, None))
        if answered is None or owner != key_id:
            return False
        if not answered.done():
            answered.set_result(message)
        return True


@dataclass(slots=True)
class _RunningCall:
    """A call in progress; `is_cancelled` once its client asked to cancel it."""

    task: asyncio.Task[Any]
    is_cancelled: bool = False


class RunningCalls:
    """
    The calls of sessions that this process answers, for `notifications/cancelled`.

    Only a call of a session can be cancelled: two clients without sessions may use the same ids.
    """

    def __init__(self) -> None:
        self._running: dict[str, _RunningCall] = {}
        notifications.add_listener(CANCELLATIONS_CHANNEL, listener=Listener(receive=self._receive, poll=None))

    async def dispatch(self, call: Call, *, session_id: str, call_id: int | str) -> Reply | None:
        """Answer a call; None if its client cancelled it, which also cancels its statement in the database."""
        task = asyncio.current_task()
        if task is None or not session_id:
            return await dispatch(call)
        name, running = _hash_name(session_id, call_id=call_id), _RunningCall(task)
        self._running[name] = running
        try:
            return await dispatch(call)
        except asyncio.CancelledError:
            if not running.is_cancelled or task.uncancel():
                raise
            return None
        finally:
            if self._running.get(name) is running:
                del self._running[name]

    async def cancel(self, session_id: str, *, call_id: int | str) -> None:
        """Cancel the call, here or in another process; an unknown call is ignored."""
        name = _hash_name(session_id, call_id=call_id)
        if not self._cancel_here(name):
            await owner_pool.fetch(_NOTIFY, [CANCELLATIONS_CHANNEL, name])

    def _receive(self, name: str) -> None:
        self._cancel_here(name)

    def _cancel_here(self, name: str) -> bool:
        running = self._running.get(name)
        if running:
            running.task.get_loop().call_soon_threadsafe(self._cancel_task, name, running)
        return running is not None

    def _cancel_task(self, name: str, running: _RunningCall) -> None:
        if self._running.get(name) is running and not running.is_cancelled:
            running.is_cancelled = True
            running.task.cancel()


def render_cancelled(call_id: int | str) -> Reply:
    """Render the end of a cancelled call that has no stream, as the SDK does."""
    return render_error("Request cancelled", code=0, status=200, call_id=call_id)


def _hash_name(session_id: str, *, call_id: int | str) -> str:
    return hashlib.sha256(json.dumps([session_id, call_id]).encode()).hexdigest()


pending_elicitations = PendingElicitations()
running_calls = RunningCalls()
