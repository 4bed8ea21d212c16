"""What people do with conversations, taken through the same door as REST: scopes, limits and the audit hold."""

from collections.abc import Awaitable, Callable

import orjson
from django.http import HttpRequest

from agents.rest.recording import Asked
from agents.rest.replies import WRITE, replied
from toolbox.access.people import require_person
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import read_request_id
from toolbox.text.redaction import redact

TRANSPORT = "console"


def spoken(request: HttpRequest, *, name: str, work: Callable[[Caller], Awaitable[Reply]]) -> Reply:
    """Do the work as the person who is logged in."""
    said = request.POST.get("text", "")
    asked = Asked(
        name=name,
        credential=require_person(request),
        request_id=read_request_id(request.headers.get("X-Request-Id", "")),
        sent=redact(f"{request.path} {said[:4_000]}").encode(),
        transport=TRANSPORT,
    )
    return event_loop.run(_done(asked, work=work))


def why(reply: Reply) -> str:
    """Say in a line why it was refused and what to do."""
    error = orjson.loads(reply.body)["error"]
    return f"{error['message']} {error.get('suggestion', '')}".strip()


async def _done(asked: Asked, *, work: Callable[[Caller], Awaitable[Reply]]) -> Reply:
    return await replied(asked, scope=WRITE, work=work)
