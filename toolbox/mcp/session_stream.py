"""
The stream of a 2025 session (GET): changes of the catalogue, and of the documents that it watches, as they happen.

Nothing is told to a caller whose access has ended: the stream ends then.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.types import Receive, Send

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.mcp.catalogue_changes import MAX_STREAMS, may_watch
from toolbox.mcp.sessions import Session
from toolbox.mcp.streamed_calls import HEADERS, PING_SECONDS

MAX_BUFFERED = 1_000
_LISTS = ("tools", "prompts")
_PING = "ping"

CallerOf = Callable[[], Awaitable[Caller | None]]
"""Gives who holds the stream, as they are now; None where their access has ended."""

_streams: set[asyncio.Queue[str]] = set()


def is_full() -> bool:
    """Tell whether this process holds as many streams as it may."""
    return len(_streams) >= MAX_STREAMS


async def serve(session: Session, *, registry: Registry, caller_of: CallerOf, receive: Receive, send: Send) -> None:
    """Send what happens until the client leaves, its access ends, or the server ends the stream."""
    await dynamic_tools.ready()
    loop, news = asyncio.get_running_loop(), asyncio.Queue[str](MAX_BUFFERED)

    def hear(what: str) -> None:
        loop.call_soon_threadsafe(_put, news, what)

    forget = registry.on_change(hear)
    _streams.add(news)
    stream = _Stream(session=session, registry=registry, caller_of=caller_of, send=send)
    telling = asyncio.create_task(stream.tell(news))
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait([telling, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        forget()
        _streams.discard(news)
        for task in (telling, leaving):
            task.cancel()


def end_streams() -> None:
    """End every stream of this process, as it stops."""
    for news in _streams:
        _put(news, "")


def _put(news: asyncio.Queue[str], what: str) -> None:
    with suppress(asyncio.QueueFull):  # a client that does not read; it reads the document when it looks again
        news.put_nowait(what)


@dataclass(frozen=True, kw_only=True)
class _Stream:
    session: Session
    registry: Registry
    caller_of: CallerOf
    send: Send

    async def tell(self, news: asyncio.Queue[str]) -> None:
        await self.send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self._write(b": here\n\n")
        while True:
            try:
                what = await asyncio.wait_for(news.get(), PING_SECONDS)
            except TimeoutError:
                what = _PING
            caller = await self.caller_of() if what else None
            if caller is None:
                await self.send({"type": "http.response.body", "body": b""})
                return
            if what == _PING:
                await self._write(b": ping\n\n")
            elif message := await self._message(what, caller=caller):
                await self._write(b"event: message\ndata: %b\n\n" % orjson.dumps({"jsonrpc": "2.0", **message}))

    async def _message(self, what: str, *, caller: Caller) -> dict[str, Any] | None:
        if what in _LISTS:
            return {"method": f"notifications/{what}/list_changed"}
        if not may_watch(what, caller=caller, registry=self.registry) or not await self.session.watches(what):
            return None
        return {"method": "notifications/resources/updated", "params": {"uri": what}}

    async def _write(self, piece: bytes) -> None:
        await self.send({"type": "http.response.body", "body": piece, "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
