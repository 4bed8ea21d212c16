"""`/graphql/`: for callers on this machine, or with a key that may read linescore."""

from ipaddress import ip_address
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from strawberry.django.views import AsyncGraphQLView

from linescore.graphql.schema import schema
from toolbox.access.keys import identify
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, KERNEL_ENVELOPE, Refusal, ToolError
from toolbox.http.headers import read_credential

SCOPE = "linescore:read"
_FORWARDING = ("X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via")


class HockeyView(AsyncGraphQLView):
    """Queries by POST or GET; no page to type them into, because that would be loaded from elsewhere."""

    async def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]  # async, as its own base is
        """Answer whoever may ask."""
        try:
            await _admit(request)
        except ToolError as refusal:
            body = encode(KERNEL_ENVELOPE.refusal(refusal))
            return HttpResponse(body, status=refusal.code.status, content_type="application/json")
        return await super().dispatch(request, *args, **kwargs)


async def _admit(request: HttpRequest) -> None:
    """Let local callers pass; a request that came through a proxy is not local, whatever its address."""
    sent = request.headers
    key = read_credential(sent.get("Authorization", ""), api_key=sent.get("X-API-Key", ""))
    if key is None and _is_local(request):
        return
    caller = await identify(key)
    if not caller.has(SCOPE):
        raise Refusal(FORBIDDEN, f"This key lacks the scope {SCOPE}.", suggestion=f"Use a key with the scope {SCOPE}.")


def _is_local(request: HttpRequest) -> bool:
    if any(name in request.headers for name in _FORWARDING):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


view = csrf_exempt(HockeyView.as_view(schema=schema, graphql_ide=None))
