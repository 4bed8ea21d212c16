"""
Requests and replies over ASGI: read bodies whole, send replies, cancel calls when their client leaves.

A body is limited in size and time, and all unfinished bodies of a process share a limit: over REST no credential is
checked yet, and a thousand clients that send a byte a second must not fill the memory.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Receive, Send

from toolbox.contract.errors import REQUEST_TIMEOUT, UNAVAILABLE, Refusal
from toolbox.dispatch.entry import Reply, render_refusal
from toolbox.http.headers import SECURITY_LINES, response_headers

PATIENCE_SECONDS = 0.2
BODY_SECONDS = 30.0
MAX_UNFINISHED = 67_108_864


class BodyError(Exception):
    """The body could not be read; `refusal` is what to answer, None if the client has left."""

    def __init__(self, refusal: Refusal | None = None) -> None:
        super().__init__(str(refusal or "the client left"))
        self.refusal = refusal
        self.reply = render_refusal(refusal) if refusal else None


class _UnfinishedBodies:
    """How many bytes of unfinished bodies this process holds."""

    held = 0


async def read_body(receive: Receive, *, most: int) -> bytes | None:
    """Read a body; None if it has more than `most` bytes, of which no more are kept. Raises BodyError."""
    kept: list[bytes] = []
    size, is_whole = 0, False
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while not is_whole:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyError
                part = message.get("body", b"")
                size += len(part)
                if size <= most:
                    kept.append(part)
                    _UnfinishedBodies.held += len(part)
                is_whole = not message.get("more_body")
                if not is_whole and _UnfinishedBodies.held > MAX_UNFINISHED:
                    busy = "Too many requests here are not whole yet."
                    raise BodyError(Refusal(UNAVAILABLE, busy, suggestion="Please try again.", retry_after_seconds=5))
    except TimeoutError:
        message_text = f"The request did not come whole within {BODY_SECONDS:g} s."
        raise BodyError(Refusal(REQUEST_TIMEOUT, message_text, suggestion="Send it at once.")) from None
    finally:
        _UnfinishedBodies.held -= sum(map(len, kept))
    return b"".join(kept) if size <= most else None


@contextmanager
def cancel_on_disconnect(receive: Receive) -> Iterator[None]:
    """Cancel the block when the client leaves; checked only for calls that take longer than 200 ms, which are few."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    watcher: asyncio.Task[None] | None = None
    has_left = False

    async def watch() -> None:
        nonlocal has_left
        while (await receive())["type"] != "http.disconnect":
            pass
        has_left = True
        if task:
            task.cancel()

    def begin() -> None:
        nonlocal watcher
        watcher = loop.create_task(watch())

    timer = loop.call_later(PATIENCE_SECONDS, begin)
    try:
        yield
    except asyncio.CancelledError:
        if not has_left:
            raise
    finally:
        timer.cancel()
        if watcher:
            watcher.cancel()


async def send_reply(send: Send, reply: Reply, *, request_id: str, metadata: str = "") -> None:
    """Send a reply as an ASGI response; `metadata` is the address where OAuth clients find the issuer of tokens."""
    if reply.status == 200 and reply.retry_after_seconds is None and not reply.bearer:  # noqa: PLR2004
        # The usual case of response_headers, without encoding the constant headers again.
        length, kind = b"%d" % len(reply.body), reply.content_type.encode()
        own = [(b"content-type", kind), (b"content-length", length), (b"x-request-id", request_id.encode())]
        lines = [*own, *SECURITY_LINES]
    else:
        headers = response_headers(reply, request_id=request_id, metadata=metadata)
        lines = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": lines})
    await send({"type": "http.response.body", "body": reply.body})
