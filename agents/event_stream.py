"""
A run's events as server-sent events: past events first, then live ones until the run ends.

The database holds what a stream has not sent yet: a slow reader costs one page of events, and a vanished one costs
nothing once its connection is found dead. The reader is identified again every 2 s; a stream whose key or session has
ended reports it and ends within 5 s. `EventStreamMiddleware` serves streams before Django, which would hold a thread
for each open stream. A browser sends its session instead of a key, because an EventSource cannot send headers.
tests/agents/test_event_stream.py checks that both behave the same.
"""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import orjson
from django.conf import settings
from django.http.cookie import parse_cookie
from starlette.types import ASGIApp, Receive, Scope, Send

from agents import use_cases
from agents.queries import events
from agents.runs.run_listeners import RunListener, run_listeners
from agents.step_access import hide_contents
from toolbox.access.keys import identify, identify_anew
from toolbox.access.people import find_session_person
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import UNAVAILABLE, DatabaseUnavailable, Refusal, ScopeMissing
from toolbox.database.caches import TtlCache
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.entry import Reply, Request, perform, render_refusal
from toolbox.http.asgi import send_reply
from toolbox.http.django_requests import TRANSPORT
from toolbox.http.headers import decode_headers, has_allowed_host, read_credential, read_request_id

logger = logging.getLogger(__name__)

MAX_STREAMS = 2_000
"""Open streams per process."""
SILENCE_SECONDS = 15.0
"""A comment is sent after this silence, so that proxies keep the connection and dead ones are noticed."""
IDENTIFY_SECONDS = 2.0
"""How often a reader is identified again; twice this, with the cache, is less than 5 s."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
CONTENT_TYPE = "text/event-stream"
EVENTS_DESCRIPTION = """
Server-sent events of a run, from its first or from the one after `Last-Event-ID` (or `after`), live to its end.

Each has an `id` that counts from 1, an `event` and `data` of one line of JSON. `run.queued`, `run.started` (a worker
took it up; what was said in an unfinished step is void), `model.asked`, `text` (a piece of what the model writes in a
`step`), `model.retrying` (what came of the step so far is void), `model.answered`, `tool.called`, `tool.answered`,
`approval.needed`, `approval.given`, `approval.refused`, `run.taken_back` (its worker was lost) and at last
`run.finished` with `state` and, where there is one, the whole `text` or the `error`. The arguments and error messages
of a call come only with the scope of its tool; without it, `requires` names the scope. When your key, token or session
ends, the stream ends within 5 s with `stream.ended`, which has no id and whose data is the refusal.
"""
_FIRST = b"retry: 1000\n\n"
_STILL_HERE = b": still here\n\n"
_ADDRESS = re.compile(r"/api/agents/conversations/([^/]+)/runs/([^/]+)/events")

_callers: TtlCache[Caller] = TtlCache(seconds=IDENTIFY_SECONDS)
_open = 0


class EventStream:
    """One reader of one run; lives on the event loop of the database, whichever loop reads it."""

    def __init__(self, run_id: UUID, *, after: int, request: Request, caller: Caller) -> None:
        self._run_id = run_id
        self._number = after
        self._request = request
        self._caller = caller
        self._stack = ExitStack()
        self._listener: RunListener | None = None
        self._identify_at = 0.0
        self._is_over = False

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield pieces of the stream until the run is over; after any end, Last-Event-ID resumes it."""
        await run_on_loop(self._begin)
        try:
            yield _FIRST
            while not self._is_over:
                yield await run_on_loop(self._next_piece)
        except Refusal as ended:
            yield b"event: stream.ended\ndata: %s\n\n" % render_refusal(ended).body
        except DatabaseUnavailable as away:
            logger.warning("a stream of run %s ends, its reader will come back: %s", self._run_id, away)
        finally:
            await run_on_loop(self._end)

    async def _begin(self) -> None:
        global _open
        _open += 1
        self._listener = self._stack.enter_context(run_listeners.subscribe(self._run_id))

    async def _next_piece(self) -> bytes:
        """Return the next events together, a comment after silence, or b"" at the end; raises Refusal."""
        assert self._listener  # noqa: S101 - created by _begin
        clock = asyncio.get_running_loop().time
        silent_at = clock() + SILENCE_SECONDS
        while True:
            if clock() >= self._identify_at:
                self._caller = await _identify_reader(self._request)
                self._identify_at = clock() + IDENTIFY_SECONDS
            if page := await events.load_events(self._run_id, number=self._number):
                self._number = page[-1]["number"]
                self._is_over = page[-1]["kind"] == "run.finished"
                return b"".join(_render(event, caller=self._caller) for event in page)
            if await events.is_over(self._run_id, number=self._number):
                self._is_over = True
                return b""
            while not await self._listener.wait(seconds=max(min(self._identify_at, silent_at) - clock(), 0.001)):
                if clock() >= silent_at:
                    return _STILL_HERE
                if clock() >= self._identify_at:
                    break

    async def _end(self) -> None:
        global _open
        _open -= 1
        self._stack.close()


async def open_stream(
    conversation_id: UUID, *, run_id: UUID, last: str, after: str, request: Request, caller: Caller
) -> EventStream:
    """Open the stream of a run's events after `last` (the header Last-Event-ID), or else after `after`."""
    row = await use_cases.find_run(conversation_id, run_id=run_id, caller=caller)
    await dynamic_tools.wait_until_loaded()
    if _open >= MAX_STREAMS:
        raise Refusal(
            UNAVAILABLE,
            "This server process holds as many event streams as it may.",
            suggestion="Close those you do not read, or try again in some seconds.",
            retry_after_seconds=5,
        )
    last = last.strip()
    is_number = last.isascii() and last.isdigit() and len(last) < len(str(use_cases.MAX_NUMBER))
    number = use_cases.parse_number(after, name="after", default=0, minimum=0)
    return EventStream(row["id"], after=int(last) if is_number else number, request=request, caller=caller)


async def _identify_reader(request: Request) -> Caller:
    """Return the reader of a stream, at most 2 s old; raises Refusal if the key or session has ended."""
    credential, session = request.credential, request.session
    if isinstance(credential, str):
        caller = await _callers.get(("key", credential), lambda: identify_anew(credential))
    elif session:
        caller = await _callers.get(("session", session), lambda: _identify_session(session))
    else:
        caller = await identify(credential)
    if not caller.has(use_cases.EVENTS.scope or ""):
        raise ScopeMissing(use_cases.EVENTS.scope or "", held=caller.scopes if caller.issuer else None)
    return caller


async def _identify_session(session: str) -> Caller:
    return await identify(await find_session_person(session))


def _render(event: dict[str, Any], *, caller: Caller) -> bytes:
    """Render an event with what the caller may see of it; its data is one line of JSON."""
    data = orjson.dumps(hide_contents(event["data"], caller=caller) | {"at": format_timestamp(event["at"])})
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event["number"], event["kind"].encode(), data)


class EventStreamMiddleware:
    """ASGI middleware that serves `GET …/runs/<run>/events` and passes everything else on."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream a run's events, or pass the request on."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        address = _ADDRESS.fullmatch(scope["path"]) if is_get else None
        sent = decode_headers(scope["headers"]) if address else {}
        if address is None or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
            return
        request = Request(
            credential=read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
            session=parse_cookie(sent.get(b"cookie", "")).get(settings.SESSION_COOKIE_NAME, ""),
            transport=TRANSPORT,
            request_id=read_request_id(sent.get(b"x-request-id", "")),
            arguments=address[0].encode("utf-8", "replace"),
        )
        after = parse_qs(scope["query_string"].decode("latin-1")).get("after", [""])[-1]
        stream = await perform(
            use_cases.EVENTS,
            request=request,
            work=lambda call: open_stream(
                use_cases.parse_conversation_id(address[1]),
                run_id=use_cases.parse_run_id(address[2]),
                last=sent.get(b"last-event-id", ""),
                after=after,
                request=request,
                caller=call.caller,
            ),
        )
        if isinstance(stream, Reply):
            await send_reply(send, stream, request_id=request.request_id)
        else:
            await _send_stream(stream, receive, send)


async def _send_stream(stream: EventStream, receive: Receive, send: Send) -> None:
    """Send until the stream ends or the reader leaves; no faster than the reader reads."""
    lines = [("Content-Type", CONTENT_TYPE), *HEADERS.items()]
    headers = [(name.lower().encode(), value.encode()) for name, value in lines]
    await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def send_pieces() -> None:
        async with aclosing(stream.pieces()) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def wait_for_disconnect() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    sending, leaving = asyncio.create_task(send_pieces()), asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, leaving):
            task.cancel()
        await asyncio.wait({sending, leaving})
    if not sending.cancelled():
        sending.result()
