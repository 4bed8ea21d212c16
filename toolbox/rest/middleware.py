"""
Tool calls served before Django: the same dispatch(), without Django's handlers, which cost more than the SQL.

Takes `POST /api/tools/<domain>/<tool>` and hands everything else on. tests/toolbox/rest/test_middleware.py holds it to
the status, headers and bytes of the django-ninja operation.
"""

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.dispatch.dispatch import MAX_ARGUMENTS, Call, Reply, dispatch
from toolbox.http.bodies import BodyError, read_body
from toolbox.http.django_requests import TRANSPORT
from toolbox.http.headers import (
    decode_headers,
    has_allowed_host,
    read_credential,
    read_request_id,
    response_header_lines,
)
from toolbox.http.server_address import metadata_address, site

PREFIX = "/api/tools/"
PATIENCE_SECONDS = 0.2


class ToolCallMiddleware:
    """An ASGI application in front of another."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a tool call, or hand the request on."""
        address = _tool_address(scope)
        sent = decode_headers(scope["headers"]) if address else {}
        if address is None or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
            return
        named = read_request_id(sent.get(b"x-request-id", ""))
        try:
            body = await read_body(receive, most=MAX_ARGUMENTS)
        except BodyError as why:
            await send_reply(send, why.reply, request_id=named) if why.reply else None
            return
        domain, name = address
        call = Call(
            tool=name,
            domain=domain,
            arguments=body,
            transport=TRANSPORT,
            request_id=named,
            credential=read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
        )
        with CancelOnDisconnect(receive):
            reply = await dispatch(call)
            metadata = metadata_address(site(sent, scheme=scope["scheme"])) if reply.bearer else ""
            await send_reply(send, reply, request_id=call.request_id, metadata=metadata)


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


def _tool_address(scope: Scope) -> tuple[str, str] | None:
    if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].startswith(PREFIX):
        return None
    domain, _, name = scope["path"][len(PREFIX) :].partition("/")
    return domain, name
