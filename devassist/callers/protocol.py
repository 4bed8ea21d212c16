"""The parts of the Language Server Protocol that we read, and the framing of its messages."""

import asyncio
from typing import Any

import msgspec

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
_MAX_HEADER_LINES = 16
_NOTHING = msgspec.Raw(b"null")


class Broken(Exception):
    """The server sent an invalid message, or one above the size limit."""


class Position(msgspec.Struct, frozen=True):
    """A place in a file: line and character from 0, the character in UTF-16 units."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    """A range in a file."""

    start: Position
    end: Position


class Location(msgspec.Struct, frozen=True):
    """A range in a named file."""

    uri: str
    range: Range


class IncomingCall(msgspec.Struct, frozen=True):
    """The caller and its call sites. `caller` is kept unchanged, since it may have to be sent back."""

    caller: dict[str, Any] = msgspec.field(name="from")
    ranges: list[Range] = msgspec.field(name="fromRanges")


class Failure(msgspec.Struct, frozen=True):
    """A server's error."""

    code: int = 0
    message: str = ""


class Message(msgspec.Struct, frozen=True):
    """A request, a response or a notification. Its parts are decoded by the reader that needs them."""

    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = _NOTHING
    result: msgspec.Raw = _NOTHING
    error: Failure | None = None


_decoder = msgspec.json.Decoder(Message)


async def read_message(stream: asyncio.StreamReader) -> tuple[Message, int] | None:
    """Read one message and its size. Returns None at the end. Raises Broken."""
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
    """Read the header up to the empty line and return the content length. None at the end of the stream."""
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
    """Encode a message with its header."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
