"""
Tool calls served before Django: the same answer(), without Django's handlers, which cost more than the SQL.

Takes `POST /api/tools/<domain>/<tool>` and hands everything else on. tests/toolbox/test_lanes.py holds it to the
status, headers and bytes of the django-ninja operation.
"""

from collections.abc import Iterable

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.answer import LARGEST_ARGUMENTS, Call, Reply, answer
from toolbox.rest import FACE
from toolbox.wire import credential, headers, request_id

PREFIX = "/api/tools/"


class FastLane:
    """An ASGI application in front of another."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a tool call, or hand the request on."""
        address = _tool_address(scope)
        sent = _sent(scope["headers"]) if address else {}
        if address is None or not _names_this_host(sent):
            await self._behind(scope, receive, send)
            return
        body = await read_body(receive, most=LARGEST_ARGUMENTS)
        if body is GONE:
            return
        domain, name = address
        call = Call(
            tool=name,
            domain=domain,
            arguments=body,
            face=FACE,
            request_id=request_id(sent.get(b"x-request-id", "")),
            credential=credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
        )
        await send_reply(send, await answer(call), request_id=call.request_id)


GONE = b"\x00gone"
"""What read_body gives when the client left before its request was whole."""


async def read_body(receive: Receive, *, most: int) -> bytes | None:
    """Read a request's body; None if it is larger than `most` bytes, of which no more is kept; GONE if it broke off."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return GONE
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts) if size <= most else None


async def send_reply(send: Send, reply: Reply, *, request_id: str) -> None:
    """Send a reply as an ASGI response."""
    lines = [(name.encode(), value.encode()) for name, value in headers(reply, request_id=request_id)]
    await send({"type": "http.response.start", "status": reply.status, "headers": lines})
    await send({"type": "http.response.body", "body": reply.body})


def _tool_address(scope: Scope) -> tuple[str, str] | None:
    if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].startswith(PREFIX):
        return None
    domain, _, name = scope["path"][len(PREFIX) :].partition("/")
    return domain, name


def _names_this_host(sent: dict[bytes, str]) -> bool:
    """Tell whether Host is one of ALLOWED_HOSTS; Django, behind, has the words for those that are not."""
    domain, _ = split_domain_port(sent.get(b"host", ""))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _sent(lines: Iterable[tuple[bytes, bytes]]) -> dict[bytes, str]:
    return {name.lower(): value.decode("latin-1") for name, value in lines}
