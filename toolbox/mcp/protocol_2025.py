"""What the 2025 protocols want beside plain requests: sessions, calls that speak, answers to their questions."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
import orjson
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Message, Send

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import LOG_LEVELS, ClientChannel, ConnectedChannel
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import Sent
from toolbox.mcp.cancellation import running_calls
from toolbox.mcp.preferences import names_no_document
from toolbox.mcp.sessions import HEADER, Session, begin, resume
from toolbox.mcp.streamed_calls import StreamedCall, questions
from toolbox.mcp.tool_calls import ToolsCall

_VERSION = b"mcp-protocol-version"


class _Sketch(msgspec.Struct):
    """What decides who reads a message."""

    id: Any = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


_sketch = msgspec.json.Decoder(_Sketch)


@dataclass(frozen=True, kw_only=True)
class Legacy:
    """One request of a 2025 protocol, by a known caller."""

    caller: Caller
    session_id: str

    @staticmethod
    def speaks(sent: Sent) -> bool:
        """Tell whether the headers are those of a protocol before 2026."""
        return sent.get(_VERSION, "") in ("", *HANDSHAKE_PROTOCOL_VERSIONS)

    @property
    def session(self) -> Session | None:
        """The session that the request belongs to."""
        return resume(self.session_id, caller=self.caller) if self.session_id else None

    @property
    def is_of_no_session(self) -> bool:
        """Tell whether it names a session that is not, or not this caller's."""
        return bool(self.session_id) and self.session is None

    async def client(self, call: ToolsCall, *, conversation: StreamedCall) -> ClientChannel:
        """Make the client of a call: it is told and asked on the call's own connection."""
        session = self.session
        return ConnectedChannel(
            capabilities=session.capabilities if session else {},
            notify=conversation.notify,
            progress_token=call.progress_token,
            log_level=await session.log_level() if session else "info",
            send=conversation.ask,
        )

    async def reply(self, body: bytes) -> Reply | None:
        """Take an answer to a question of ours, or a change of the session; None leaves the message to the SDK."""
        try:
            message = _sketch.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return None
        try:
            if message.method is None and message.id is not None and (message.result or message.error):
                found = await questions.answer(orjson.loads(body), caller=self.caller)
                return _ACCEPTED if found else _TOO_LARGE
            if message.method == "notifications/cancelled":
                await self._cancel((message.params or {}).get("requestId"))
                return _ACCEPTED
            if not isinstance(message.id, int | str) or not await self._changed(message):
                return None
        except DatabaseUnavailable:
            return _AWAY
        return Reply(body=orjson.dumps({"jsonrpc": "2.0", "id": message.id, "result": {}}))

    async def _cancel(self, call_id: Any) -> None:
        if self.session and isinstance(call_id, int | str):
            await running_calls.cancel(self.session_id, call_id=call_id)

    async def _changed(self, message: _Sketch) -> bool:
        """Change the session as the message says; False where it says nothing of that, or says it wrong."""
        session, params = self.session, message.params or {}
        level, uri = params.get("level"), params.get("uri")
        if isinstance(uri, str) and names_no_document(uri):
            return False
        if message.method == "logging/setLevel" and level in LOG_LEVELS:
            await session.keep_log_level(level) if session else None
        elif message.method == "resources/subscribe" and isinstance(uri, str):
            await session.watch(uri) if session else None
        elif message.method == "resources/unsubscribe" and isinstance(uri, str):
            await session.unwatch(uri) if session else None
        else:
            return False
        return True

    def beginning(self, body: bytes, *, send: Send) -> Send:
        """Give the sender that names a new session in the answer to `initialize`."""
        try:
            message = _sketch.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return send
        if message.method != "initialize":
            return send
        session_id = begin((message.params or {}).get("capabilities"), caller=self.caller)

        async def naming(part: Message) -> None:
            if part["type"] == "http.response.start" and part["status"] == HTTPStatus.OK:
                part = {**part, "headers": [*part["headers"], (HEADER, session_id.encode())]}
            await send(part)

        return naming


def _error(code: int, message: str, *, status: int) -> Reply:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return Reply(body=orjson.dumps(body), status=status)


_ACCEPTED = Reply(body=b"", status=202)
_TOO_LARGE = _error(-32600, "The answer is larger than 7,900 bytes, or nobody waits for it.", status=413)
_AWAY = _error(-32603, "Database temporarily unavailable. Please try again.", status=503)
NO_SESSION = _error(-32600, "There is no such session; send initialize.", status=404)
NO_STREAM = _error(-32600, "Here messages come on the call's own stream. Send POST.", status=405)
