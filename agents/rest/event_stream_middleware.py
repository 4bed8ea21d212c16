"""
Event streams served before Django, which would keep a thread for each as long as it is open.

Takes `GET …/runs/<run>/events` and hands everything else on. A browser that is logged in shows its session instead of a
key: it cannot send headers with an EventSource. tests/agents/test_event_stream.py holds both to the same.
"""

import asyncio
import re
from contextlib import aclosing
from urllib.parse import parse_qs

from django.conf import settings
from django.http.cookie import parse_cookie
from starlette.types import ASGIApp, Receive, Scope, Send

from agents.rest import openapi, run_endpoints
from agents.rest.event_stream import CONTENT_TYPE, HEADERS, EventStream
from agents.rest.recording import Asked
from agents.rest.replies import READ, replied
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import Sent, decode_headers, has_allowed_host, read_credential, read_request_id
from toolbox.rest.middleware import send_reply

_ADDRESS = re.compile(r"/api/agents/conversations/([^/]+)/runs/([^/]+)/events")


class EventStreamMiddleware:
    """An ASGI application in front of another."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream a run's events, or hand the request on."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        address = _ADDRESS.fullmatch(scope["path"]) if is_get else None
        sent = decode_headers(scope["headers"]) if address else {}
        if address is None or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
            return
        stream = await _opened(address, sent, query=scope["query_string"])
        if isinstance(stream, Reply):
            await send_reply(send, stream, request_id=read_request_id(sent.get(b"x-request-id", "")))
        else:
            await _stream(stream, receive, send)


async def _opened(address: re.Match[str], sent: Sent, *, query: bytes) -> EventStream | Reply:
    asked = Asked(
        name=openapi.EVENTS.name,
        credential=read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
        session=parse_cookie(sent.get(b"cookie", "")).get(settings.SESSION_COOKIE_NAME, ""),
        request_id=read_request_id(sent.get(b"x-request-id", "")),
        sent=address[0].encode("utf-8", "replace"),
    )
    after = parse_qs(query.decode("latin-1")).get("after", [""])[-1]
    last = sent.get(b"last-event-id", "").strip()
    return await run_on_loop(
        lambda: replied(
            asked,
            scope=READ,
            work=lambda caller: run_endpoints.events(
                address[1], run_id=address[2], last=last, after=after, caller=caller
            ),
        )
    )


async def _stream(stream: EventStream, receive: Receive, send: Send) -> None:
    """Send until the stream ends or the reader leaves, whichever comes first; no faster than it reads."""
    lines = [("Content-Type", CONTENT_TYPE), *HEADERS.items()]
    headers = [(name.lower().encode(), value.encode()) for name, value in lines]
    await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def pieces() -> None:
        async with aclosing(stream.pieces()) as parts:
            async for part in parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    sending, leaving = asyncio.create_task(pieces()), asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, leaving):
            task.cancel()
        await asyncio.wait({sending, leaving})
    if not sending.cancelled():
        sending.result()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
