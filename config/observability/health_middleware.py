"""
Middleware for `/healthz`, `/readyz` and `/metrics`, before everything else.

It comes before Django, so that liveness depends on nothing, and so that a probe may use any host name. The first two
are public and say nothing secret; the metrics need a key with the scope `metrics:read`.
"""

from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, KERNEL_ENVELOPE, DatabaseUnavailable, Refusal, ToolError
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Reply
from toolbox.http.asgi import send_reply
from toolbox.http.headers import Sent, decode_headers, read_credential, read_request_id

SCOPE = "metrics:read"


class HealthMiddleware:
    """ASGI middleware that answers probes and passes everything else on."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a probe, or pass the request on."""
        answer = _ADDRESSES.get(scope["path"]) if scope["type"] == "http" else None
        if answer is None or scope["method"] not in ("GET", "HEAD"):
            await self._behind(scope, receive, send)
            return
        sent = decode_headers(scope["headers"])
        reply = await answer(sent)
        await send_reply(send, reply, request_id=read_request_id(sent.get(b"x-request-id", "")))


async def _alive(_: Sent) -> Reply:
    return Reply(body=b'{"status":"alive"}')


async def _ready(_: Sent) -> Reply:
    from config.observability.health import is_ready, parts  # noqa: PLC0415 - Celery, loaded by the first who asks

    known = await parts()
    words = {True: "up", False: "down", None: "none"}
    said = [
        {"name": part.name, "state": words[part.is_up], "isNeeded": part.is_needed, "says": part.says} for part in known
    ]
    ready = is_ready(known)
    status = "ready" if ready and all(part.is_up is not False for part in known) else "degraded"
    return Reply(body=encode({"status": status if ready else "not ready", "parts": said}), status=200 if ready else 503)


async def _figures(sent: Sent) -> Reply:
    from prometheus_client import CONTENT_TYPE_LATEST  # noqa: PLC0415 - loaded by the first who asks

    from config.observability.metrics import exposition  # noqa: PLC0415

    try:
        await run_on_loop(lambda: _require_scope(sent))
        return Reply(body=await exposition(), content_type=CONTENT_TYPE_LATEST)
    except ToolError as error:
        return Reply(body=encode(KERNEL_ENVELOPE.refusal(error)), status=error.code.status, code=error.code.code)
    except DatabaseUnavailable:
        away = ToolError(KERNEL_ENVELOPE.database_down, "The database is not reachable.", suggestion="See /readyz.")
        return Reply(body=encode(KERNEL_ENVELOPE.refusal(away)), status=503, code=away.code.code)


async def _require_scope(sent: Sent) -> None:
    key = read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))
    caller = await identify(key)
    if not caller.has(SCOPE):
        raise Refusal(FORBIDDEN, f"This key lacks the scope {SCOPE}.", suggestion=f"Use a key with the scope {SCOPE}.")
    await call_limits.count(caller)


_ADDRESSES: dict[str, Callable[[Sent], Awaitable[Reply]]] = {
    "/healthz": _alive,
    "/readyz": _ready,
    "/metrics": _figures,
}
