"""
Malformed JSON-RPC messages, and MCP's errors for them.

The SDK keeps the last of two values for a key, treats a request with an invalid id as a notification, which gets no
answer, and drops a stdio line that is not a message: its sender would wait forever.
"""

import contextvars
import json
from types import TracebackType
from typing import Any, Protocol, Self

import mcp_types as types
import orjson
from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from toolbox.dispatch.arguments import DuplicateKey, parse_json_strictly
from toolbox.dispatch.dispatch import Reply

MAX_QUOTED_CHARACTERS = 80
Item = SessionMessage | Exception


def render_error(
    message: str, *, code: int = types.INVALID_REQUEST, status: int = 400, call_id: int | str | None = None
) -> Reply:
    """Render an MCP error as an HTTP reply."""
    body = {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": message}}
    return Reply(body=orjson.dumps(body), status=status, code="INVALID_MESSAGE")


def find_message_error(body: bytes) -> Reply | None:
    """Return MCP's error for a message; None if it is valid, and for invalid JSON, which the SDK reports."""
    try:
        message = parse_json_strictly(body)
    except DuplicateKey as duplicate:
        name = str(duplicate)
        cut = name if len(name) <= MAX_QUOTED_CHARACTERS else f"{name[:MAX_QUOTED_CHARACTERS]}…"
        quoted = repr(cut).encode("utf-8", "replace").decode()
        return render_error(f"{quoted} comes twice in an object. Send it once.")
    except (ValueError, RecursionError):
        return None
    if isinstance(message, list):
        return render_error("Messages come one at a time; batches were taken out of the protocol.")
    if not isinstance(message, dict):
        return render_error("A message is a JSON object.")
    call_id = message.get("id", "")
    if "method" in message and (not isinstance(call_id, int | str) or isinstance(call_id, bool)):
        return render_error("The id of a request is a text or a whole number.")
    return None


def split_lone_surrogates(body: bytes) -> tuple[bytes, bytes] | None:
    r"""
    Split a call with a lone UTF-16 surrogate, such as `\ud800`, into the message and its arguments, still escaped.

    JSON's grammar allows one, strict parsers do not. The tool then refuses the arguments in its contract's words, as
    over REST. None if the arguments are not the only problem.
    """
    if b"\\ud" not in body and b"\\uD" not in body:
        return None
    try:
        message = json.loads(body)
        arguments = message["params"].pop("arguments")
        return orjson.dumps(message), json.dumps(arguments).encode()
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None


class _ReadStream(Protocol):
    async def receive(self) -> Item: ...
    async def aclose(self) -> None: ...


class _WriteStream(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


class StdioErrorResponder:
    """A read stream that answers invalid lines on the write stream instead of passing them on."""

    def __init__(self, read: _ReadStream, *, write: _WriteStream) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> contextvars.Context | None:
        """Return the context of the last message; the SDK runs its handler in it."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> Item:
        """Return the next valid message."""
        while isinstance(item := await self._read.receive(), Exception):
            if error := _find_line_error(item):
                await self._write.send(SessionMessage(error))
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _find_line_error(reason: Exception) -> types.JSONRPCError | None:
    """Return the error for a line that is not JSON, or not a message; None for an empty line."""
    problem: Any = reason.errors(include_url=False)[0] if isinstance(reason, ValidationError) else {}
    code, message, line = types.INVALID_REQUEST, "A line is one request, notification or answer.", problem.get("input")
    if problem.get("type") == "json_invalid":
        code, message = types.PARSE_ERROR, f"Parse error: {problem['ctx']['error']}"
        if not str(line).strip():
            return None
    error = types.ErrorData(code=code, message=message)
    return types.JSONRPCError(jsonrpc="2.0", id=_read_id(line), error=error)


def _read_id(line: Any) -> int | str | None:
    """Read the id of a line that strict parsers refuse, such as one with a lone surrogate."""
    try:
        call_id = json.loads(line)["id"]
        return call_id if isinstance(call_id, int | str) and json.dumps(call_id, ensure_ascii=False).encode() else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
