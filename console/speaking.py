"""What people do with conversations, taken through the same door as REST: scopes, limits and the audit hold."""

from collections.abc import Awaitable, Callable

import orjson
from django.http import HttpRequest

from agents.recording import Asked
from agents.replies import WRITE, replied
from toolbox import home
from toolbox.answer import Reply
from toolbox.callers import Caller
from toolbox.people import logged_in
from toolbox.redaction import redacted
from toolbox.wire import request_id

FACE = "console"


def spoken(request: HttpRequest, *, name: str, work: Callable[[Caller], Awaitable[Reply]]) -> Reply:
    """Do the work as the person who is logged in."""
    said = request.POST.get("text", "")
    asked = Asked(
        name=name,
        credential=logged_in(request),
        request_id=request_id(request.headers.get("X-Request-Id", "")),
        sent=redacted(f"{request.path} {said[:4_000]}").encode(),
        face=FACE,
    )
    return home.run(_done(asked, work=work))


def why(reply: Reply) -> str:
    """Say in a line why it was refused and what to do."""
    error = orjson.loads(reply.body)["error"]
    return f"{error['message']} {error.get('suggestion', '')}".strip()


async def _done(asked: Asked, *, work: Callable[[Caller], Awaitable[Reply]]) -> Reply:
    return await replied(asked, scope=WRITE, work=work)
