"""
Bodies of requests, read whole: within a size, a time, and what a process gives to unfinished ones together.

Over REST nobody has shown a credential yet: a thousand who send a byte a second must not fill the memory.
"""

import asyncio

from starlette.types import Receive

from toolbox.contract.errors import REQUEST_TIMEOUT, UNAVAILABLE, Refusal
from toolbox.dispatch.entry import render_refusal

BODY_SECONDS = 30.0
MAX_UNFINISHED = 67_108_864


class BodyError(Exception):
    """The body is not to be had; `reply` is what to answer, None where the client has left."""

    def __init__(self, refusal: Refusal | None = None) -> None:
        super().__init__(str(refusal or "the client left"))
        self.reply = render_refusal(refusal) if refusal else None


class _Unfinished:
    """How many bytes of bodies that are not whole this process holds."""

    held = 0


async def read_body(receive: Receive, *, most: int) -> bytes | None:
    """Read a body; None if it is larger than `most` bytes, of which no more is kept. Raises Unread."""
    kept: list[bytes] = []
    try:
        async with asyncio.timeout(BODY_SECONDS):
            size = await _read_into(kept, receive=receive, most=most)
    except TimeoutError:
        message = f"The request did not come whole within {BODY_SECONDS:g} s."
        raise BodyError(Refusal(REQUEST_TIMEOUT, message, suggestion="Send it at once.")) from None
    finally:
        _Unfinished.held -= sum(map(len, kept))
    return b"".join(kept) if size <= most else None


async def _read_into(kept: list[bytes], *, receive: Receive, most: int) -> int:
    """Keep the parts, up to `most`; give the size of all."""
    size = 0
    while (message := await receive())["type"] != "http.disconnect":
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            kept.append(part)
            _Unfinished.held += len(part)
        if not message.get("more_body"):
            return size
        if _Unfinished.held > MAX_UNFINISHED:
            busy = "Too many requests here are not whole yet."
            raise BodyError(Refusal(UNAVAILABLE, busy, suggestion="Please try again.", retry_after_seconds=5))
    raise BodyError
