"""The stream of a 2025 session (GET): changes of the documents that it watches, told as they happen."""

import asyncio
from contextlib import suppress

import orjson
from starlette.types import Receive, Send

from toolbox.mcp_changes import MOST_STREAMS
from toolbox.mcp_sessions import Session
from toolbox.mcp_talk import HEADERS, PING_SECONDS
from toolbox.registry import Registry
from toolbox.watch import watcher

MOST_BUFFERED = 1_000
_streams: set[asyncio.Queue[str]] = set()


def is_full() -> bool:
    """Tell whether this process holds as many streams as it may."""
    return len(_streams) >= MOST_STREAMS


async def serve(session: Session, *, registry: Registry, receive: Receive, send: Send) -> None:
    """Send what happens until the client leaves, or the server ends the stream."""
    await watcher.ready()
    loop, news = asyncio.get_running_loop(), asyncio.Queue[str](MOST_BUFFERED)

    def hear(what: str) -> None:
        if "://" in what:
            loop.call_soon_threadsafe(_put, news, what)

    forget = registry.on_change(hear)
    _streams.add(news)
    telling = asyncio.create_task(_tell(news, session=session, send=send))
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


async def _tell(news: asyncio.Queue[str], *, session: Session, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b": here\n\n", "more_body": True})
    while True:
        try:
            uri = await asyncio.wait_for(news.get(), PING_SECONDS)
        except TimeoutError:
            await send({"type": "http.response.body", "body": b": ping\n\n", "more_body": True})
            continue
        if not uri:
            await send({"type": "http.response.body", "body": b""})
            return
        if await session.watches(uri):
            message = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
            event = b"event: message\ndata: %b\n\n" % orjson.dumps(message)
            await send({"type": "http.response.body", "body": event, "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
