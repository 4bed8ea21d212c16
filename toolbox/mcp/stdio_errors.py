"""
Lines over stdio that are no message: answered by the protocol's own errors.

The SDK's loop drops them, and whoever sent one would wait for ever.
"""

import contextvars
import json
from types import TracebackType
from typing import Any, Protocol, Self

import mcp_types as types
from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

Item = SessionMessage | Exception


class _Read(Protocol):
    async def receive(self) -> Item: ...
    async def aclose(self) -> None: ...


class _Write(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


class StdioErrorResponder:
    """The messages of a stream; what is none is answered on the other one."""

    def __init__(self, read: _Read, *, write: _Write) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> contextvars.Context | None:
        """The context that the last message was sent in, which the SDK runs its handler in."""
        return getattr(self._read, "last_context", None)

    async def receive(self) -> Item:
        """Give the next message."""
        while isinstance(item := await self._read.receive(), Exception):
            if error := _error(item):
                await self._write.send(SessionMessage(error))
        return item

    async def aclose(self) -> None:
        """End the stream."""
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


def _error(reason: Exception) -> types.JSONRPCError | None:
    """Say that a line is no JSON, or no message, under its id where it has one; None for an empty line."""
    problem: Any = reason.errors(include_url=False)[0] if isinstance(reason, ValidationError) else {}
    code, message, sent = types.INVALID_REQUEST, "A line is one request, notification or answer.", problem.get("input")
    if problem.get("type") == "json_invalid":
        code, message = types.PARSE_ERROR, f"Parse error: {problem['ctx']['error']}"
        if not str(sent).strip():
            return None
    error = types.ErrorData(code=code, message=message)
    return types.JSONRPCError(jsonrpc="2.0", id=_id_of(sent), error=error)


def _id_of(sent: Any) -> int | str | None:
    """Read the id of a line that strict readers do not read, as one with half an emoji."""
    try:
        call_id = json.loads(sent)["id"]
        return call_id if isinstance(call_id, int | str) and json.dumps(call_id, ensure_ascii=False).encode() else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
