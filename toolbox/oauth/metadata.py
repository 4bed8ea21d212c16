"""What a client of OAuth reads first: which resource this is, who gives tokens for it, and their scopes (RFC 9728)."""

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from toolbox.catalogue.registry import registry
from toolbox.http.server_address import resources, site_of


@require_safe
def protected_resource(request: HttpRequest, *, path: str = "") -> JsonResponse:
    """Describe the server, `/mcp`, or `/mcp/<domain>`; nothing else of ours takes tokens under its own name."""
    address = f"/{path}" if path else ""
    place = site_of(request)
    issuers = [settings.OAUTH_ISSUER] if settings.OAUTH_ISSUER else [place] if settings.TOOLROOM_OAUTH else []
    if address not in resources() or not issuers:
        raise Http404
    return public(
        {
            "resource": f"{place}{address}",
            "authorization_servers": issuers,
            "scopes_supported": usual_scopes(resources()[address]),
            "bearer_methods_supported": ["header"],
            "resource_name": "Toolroom",
            "resource_documentation": f"{place}/api/docs",
        }
    )


def usual_scopes(domain: str | None = None) -> list[str]:
    """Name what a client asks for at first: to read. A call that needs more is refused with what it needs."""
    scopes = [tool.scope for tool in registry.tools(domain=domain)]
    reading = dict.fromkeys(scope for scope in scopes if scope.endswith(":read"))
    return list(reading or dict.fromkeys(scopes))


def public(document: dict[str, object]) -> JsonResponse:
    """Answer with a document that pages of any site may read."""
    return JsonResponse(document, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=300"})
