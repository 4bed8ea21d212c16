"""
Requests and replies over ASGI: bodies read whole, replies sent, calls cancelled when their client leaves.

A body is read within a size, a time, and what a process gives to unfinished ones together: over REST nobody has shown
a credential yet, and a thousand who send a byte a second must not fill the memory.
"""

import asyncio

from starlette.types import Receive, Send

from toolbox.contract.errors import REQUEST_TIMEOUT, UNAVAILABLE, Refusal
from toolbox.dispatch.entry import Reply, render_refusal
from toolbox.http.headers import response_header_lines

PATIENCE_SECONDS = 0.2
BODY_SECONDS = 30.0
MAX_UNFINISHED = 67_108_864


class BodyError(Exception):
    """The body is not to be had; `refusal` is what to answer, None where the client has left."""

    def __init__(self, refusal: Refusal | None = None) -> None:
        super().__init__(str(refusal or "the client left"))
        self.refusal = refusal
        self.reply = render_refusal(refusal) if refusal else None


class _Unfinished:
    """How many bytes of bodies that are not whole this process holds."""

    held = 0


async def read_body(receive: Receive, *, most: int) -> bytes | None:
    """Read a body; None if it is larger than `most` bytes, of which no more is kept. Raises BodyError."""
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
                    _Unfinished.held += len(part)
                is_whole = not message.get("more_body")
                if not is_whole and _Unfinished.held > MAX_UNFINISHED:
                    busy = "Too many requests here are not whole yet."
                    raise BodyError(Refusal(UNAVAILABLE, busy, suggestion="Please try again.", retry_after_seconds=5))
    except TimeoutError:
        message_text = f"The request did not come whole within {BODY_SECONDS:g} s."
        raise BodyError(Refusal(REQUEST_TIMEOUT, message_text, suggestion="Send it at once.")) from None
    finally:
        _Unfinished.held -= sum(map(len, kept))
    return b"".join(kept) if size <= most else None


class CancelOnDisconnect:
    """Cancel the block when the client leaves; looked for only once the call has taken 200 ms, which few do."""

    __slots__ = ("_is_left", "_receive", "_task", "_timer", "_watcher")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_left = False
        self._watcher: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._begin)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self._timer.cancel()
        if self._watcher:
            self._watcher.cancel()
        return self._is_left and kind is asyncio.CancelledError

    def _begin(self) -> None:
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._is_left = True
        if self._task:
            self._task.cancel()


async def send_reply(send: Send, reply: Reply, *, request_id: str, metadata: str = "") -> None:
    """Send a reply as an ASGI response."""
    lines = response_header_lines(reply, request_id=request_id, metadata=metadata)
    await send({"type": "http.response.start", "status": reply.status, "headers": lines})
    await send({"type": "http.response.body", "body": reply.body})
