"""
ASGI middleware for uploads, in front of Django, which would write a whole body to disk before it is read.

The loader requests each chunk when it needs it. Meanwhile the server does not read the connection and the client
waits, so memory does not grow with the length of the stream.
"""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import RawIOBase
from typing import Any

from django.db import connection
from starlette.types import ASGIApp, Receive, Scope, Send

from backtests.uploads.operation import UPLOAD, UPLOAD_FILE, StreamBroken, StreamStalled, describe_upload
from toolbox.contract.errors import UNAVAILABLE, Refusal, ToolError
from toolbox.dispatch.entry import CallerLeft, Reply, Request, perform
from toolbox.http.asgi import send_reply
from toolbox.http.django_requests import TRANSPORT
from toolbox.http.headers import decode_headers, has_allowed_host, read_credential, read_request_id

PATIENCE_SECONDS = 30.0
MAX_UPLOADS = 4
"""Concurrent uploads of one process: each has a thread of its own and a database connection."""
_ADDRESS = re.compile(r"/api/backtests/(?:runs/([^/]+)/events|files)").fullmatch
"""Events of a run, whose id is the group, or a file."""


class UploadMiddleware:
    """ASGI middleware that serves uploads of events and files, and passes other requests on."""

    def __init__(self, behind: ASGIApp, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._behind = behind
        self._patience = patience_seconds
        self._threads = ThreadPoolExecutor(MAX_UPLOADS, thread_name_prefix="upload")
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store an upload, or pass the request on."""
        address = _ADDRESS(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        sent = decode_headers(scope["headers"]) if address else {}
        if address is None or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
            return
        run_id, query = address[1], scope.get("query_string", b"").decode("latin-1")
        request = Request(
            credential=read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
            transport=TRANSPORT,
            request_id=read_request_id(sent.get(b"x-request-id", "")),
            arguments=describe_upload(run_id, query=query),
        )
        body = _Body(receive, patience_seconds=self._patience)
        try:
            reply = await perform(
                UPLOAD if run_id else UPLOAD_FILE, request=request,
                work=lambda call: self._store(run_id, body, query=query, owner_id=call.caller.owner_id),
            )  # fmt: skip
        finally:
            body.abandon()
        if not body.is_gone:
            await send_reply(send, reply, request_id=request.request_id)

    async def _store(self, run_id: str | None, body: "_Body", *, query: str, owner_id: int | None) -> Reply:
        if self._under_way >= MAX_UPLOADS:
            raise Refusal(
                UNAVAILABLE,
                f"{MAX_UPLOADS} uploads are under way.",
                suggestion="Send it again in a moment.",
                retry_after_seconds=5,
            )
        self._under_way += 1
        try:
            work = partial(_store_in_thread, run_id, body, query=query, owner_id=owner_id)
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except ToolError as error:
            if body.is_gone:
                raise CallerLeft from error
            raise
        finally:
            self._under_way -= 1


def _store_in_thread(run_id: str | None, body: RawIOBase, *, query: str, owner_id: int | None) -> Reply:
    from backtests.uploads.storage import store_file, store_upload  # noqa: PLC0415 - the loader, with the first upload

    try:
        if run_id is None:
            return store_file(body, query=query, owner_id=owner_id)
        return store_upload(run_id, body, query=query)
    finally:
        connection.close()


class _Body(RawIOBase):
    """A request's body as a raw stream for another thread; it receives a chunk when the thread reads."""

    def __init__(self, receive: Receive, *, patience_seconds: float) -> None:
        self._receive = receive
        self._patience = patience_seconds
        self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        self._rest = memoryview(b"")
        self._is_whole = False
        self.is_gone = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._is_whole:
            self._rest = memoryview(self._read_next())
        taken = min(len(buffer), len(self._rest))
        buffer[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken

    def abandon(self) -> None:
        """Break the stream for a thread that is still reading."""
        self._loop = None

    def _read_next(self) -> bytes:
        loop = self._loop
        if loop is None:
            raise StreamBroken
        try:
            return asyncio.run_coroutine_threadsafe(self._piece(), loop).result(2 * self._patience)
        except (asyncio.CancelledError, TimeoutError, RuntimeError) as error:  # the server is shutting down
            raise StreamBroken from error

    async def _piece(self) -> bytes:
        try:
            message = await asyncio.wait_for(self._receive(), self._patience)
        except TimeoutError as error:
            raise StreamStalled from error
        if message["type"] == "http.disconnect":
            self.is_gone = True
            raise StreamBroken
        self._is_whole = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece
