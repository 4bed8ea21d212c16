"""What we read of the Language Server Protocol, and how its messages are framed."""

import asyncio
from typing import Any

import msgspec

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
_MAX_HEADER_LINES = 16
_NOTHING = msgspec.Raw(b"null")


class Broken(Exception):
    """What the server sent is no message, or larger than any may be."""


class Position(msgspec.Struct, frozen=True):
    """A place in a file: line and character from 0, the character in UTF-16 units."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    """A stretch of a file."""

    start: Position
    end: Position


class Location(msgspec.Struct, frozen=True):
    """A stretch of a named file."""

    uri: str
    range: Range


class IncomingCall(msgspec.Struct, frozen=True):
    """Who calls, and where; `caller` is kept as it came, for it may have to be sent back."""

    caller: dict[str, Any] = msgspec.field(name="from")
    ranges: list[Range] = msgspec.field(name="fromRanges")


class Failure(msgspec.Struct, frozen=True):
    """A server's error."""

    code: int = 0
    message: str = ""


class Message(msgspec.Struct, frozen=True):
    """A request, an answer or a notification; its parts are decoded by the reader that wants them."""

    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = _NOTHING
    result: msgspec.Raw = _NOTHING
    error: Failure | None = None


_decoder = msgspec.json.Decoder(Message)


async def read_message(stream: asyncio.StreamReader) -> tuple[Message, int] | None:
    """Read one message and its size, or None at the end; raises Broken."""
    size = await _header(stream)
    if size is None:
        return None
    if not 0 < size <= MAX_MESSAGE_BYTES:
        raise Broken(f"a message of {size:,} bytes")
    try:
        return _decoder.decode(await stream.readexactly(size)), size
    except asyncio.IncompleteReadError:
        return None
    except msgspec.DecodeError as error:
        raise Broken(f"a message that is no JSON-RPC: {error}") from error


async def _header(stream: asyncio.StreamReader) -> int | None:
    """Read to the empty line, and give the length it announces; None at the end of the stream."""
    size = None
    for _ in range(_MAX_HEADER_LINES):
        try:
            line = await stream.readline()
        except ValueError as error:
            raise Broken("a header line without an end") from error
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower().strip() == b"content-length" and value.strip().isdigit():
            size = int(value)
        elif not line.strip() and size is not None:
            return size
    raise Broken("something that is no header")


def frame(message: dict[str, Any]) -> bytes:
    """Give the bytes that carry the message."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
