"""Addresses that are no tools, answered as tools are: same keys, same limits, same form of refusal."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from agents.contracts import UNKNOWN_CONVERSATION, UNKNOWN_RUN
from agents.rest.recording import Asked, record
from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.access.people import find_session_person
from toolbox.audit.current_request import current_request
from toolbox.audit.log import audit
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import (
    FORBIDDEN,
    KERNEL_ENVELOPE,
    PAYLOAD_TOO_LARGE,
    DatabaseUnavailable,
    Refusal,
    ToolError,
)
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import MAX_ARGUMENTS, Reply
from toolbox.http.headers import read_credential, read_request_id, response_headers

logger = logging.getLogger(__name__)

READ, WRITE = "agents:read", "agents:write"
Answered = TypeVar("Answered")


async def answered(
    request: HttpRequest, *, name: str, scope: str, work: Callable[[Caller], Awaitable[Reply | HttpResponseBase]]
) -> HttpResponseBase:
    """Find out who asks, and answer them; refusals come in the kernel's form."""
    asked = Asked(
        name=name,
        credential=read_credential(
            request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", "")
        ),
        session=request.COOKIES.get(settings.SESSION_COOKIE_NAME, "") if request.method == "GET" else "",
        request_id=read_request_id(request.headers.get("X-Request-Id", "")),
        sent=_sent(request),
    )
    reply = await run_on_loop(lambda: replied(asked, scope=scope, work=work))
    return response_of(reply, request_id=asked.request_id) if isinstance(reply, Reply) else reply


async def replied(
    asked: Asked, *, scope: str, work: Callable[[Caller], Awaitable[Reply | Answered]]
) -> Reply | Answered:
    """
    Do the work for whoever has the key, on the home loop; gives a refusal where it may not be done.

    Either leaves a row in the audit.
    """
    current_request.set(asked.request_id)
    reply = await _tried(asked, scope=scope, work=work)
    record(asked, reply=reply if isinstance(reply, Reply) else None)
    return reply


async def _tried(
    asked: Asked, *, scope: str, work: Callable[[Caller], Awaitable[Reply | Answered]]
) -> Reply | Answered:
    try:
        await audit.room()
        return await work(await _permitted(asked, scope=scope))
    except ToolError as error:
        return refusal_reply(error)
    except DatabaseUnavailable as away:
        logger.warning("the database is away: %s", away)
        suggestion = "Database temporarily unavailable. Please try again."
        return refusal_reply(
            ToolError(KERNEL_ENVELOPE.database_down, "The database is not reachable.", suggestion=suggestion)
        )


def success(answer: object, *, status: int = 200) -> Reply:
    """Give an answer as a reply."""
    return Reply(body=encode(answer), status=status)


def body_of(request: HttpRequest) -> bytes:
    """Give the request's body; raises Refusal where it is too large."""
    try:
        body = request.body
    except RequestDataTooBig:
        body = b""
        too_large = True
    else:
        too_large = len(body) > MAX_ARGUMENTS
    if too_large:
        raise Refusal(PAYLOAD_TOO_LARGE, "The body is too large.", suggestion="Say less at once.")
    return body


def conversation_id(text: str) -> UUID:
    """Read an id; raises Refusal as for a conversation that is not there."""
    return _uuid(text) or _raise(unknown_conversation())


def run_id(text: str) -> UUID:
    """Read an id; raises Refusal as for a run that is not there."""
    return _uuid(text) or _raise(unknown_run())


def unknown_conversation() -> Refusal:
    """Refuse what is not there, or is another's; nobody learns which."""
    return Refusal(
        UNKNOWN_CONVERSATION, "There is no such conversation.", suggestion="GET /api/agents/conversations lists yours."
    )


def unknown_run() -> Refusal:
    """Refuse a run that the conversation does not have."""
    return Refusal(
        UNKNOWN_RUN,
        "This conversation has no such run.",
        suggestion="GET the conversation's messages; each names its run.",
    )


def _raise(error: Refusal) -> UUID:
    raise error


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def _permitted(asked: Asked, *, scope: str) -> Caller:
    caller = asked.caller = await identify(asked.credential or await find_session_person(asked.session))
    if not caller.has(scope):
        raise Refusal(FORBIDDEN, f"This key lacks the scope {scope}.", suggestion=f"Use a key with the scope {scope}.")
    await call_limits.count(caller)
    return caller


def refusal_reply(error: ToolError) -> Reply:
    """Give a refusal as a reply."""
    return Reply(
        body=encode(KERNEL_ENVELOPE.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
    )


def response_of(reply: Reply, *, request_id: str) -> HttpResponse:
    """Make a reply Django's response."""
    response = HttpResponse(reply.body, status=reply.status)
    for name, value in response_headers(reply, request_id=request_id):
        response[name] = value
    return response


def _sent(request: HttpRequest) -> bytes:
    try:
        return request.path.encode("utf-8", "replace") + (b" " + request.body if request.body else b"")
    except RequestDataTooBig:
        return request.path.encode("utf-8", "replace")
