"""Protected resource metadata: the resource, the issuer of its tokens, and their scopes (RFC 9728)."""

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from toolbox.catalogue.registry import registry
from toolbox.http.server_address import resources, site_of


@require_safe
def protected_resource(request: HttpRequest, *, path: str = "") -> JsonResponse:
    """Describe the server, `/mcp`, or `/mcp/<domain>`, the only resources that tokens can be for."""
    address = f"/{path}" if path else ""
    place = site_of(request)
    issuers = [settings.OAUTH_ISSUER] if settings.OAUTH_ISSUER else [place] if settings.TOOLROOM_OAUTH else []
    if address not in resources() or not issuers:
        raise Http404
    return render_public_json(
        {
            "resource": f"{place}{address}",
            "authorization_servers": issuers,
            "scopes_supported": list_default_scopes(resources()[address]),
            "bearer_methods_supported": ["header"],
            "resource_name": "Toolroom",
            "resource_documentation": f"{place}/api/docs",
        }
    )


def list_default_scopes(domain: str | None = None) -> list[str]:
    """Return the scopes that a client requests at first, to read. A call that needs more is refused and names them."""
    scopes = [tool.scope for tool in registry.tools(domain=domain)]
    reading = dict.fromkeys(scope for scope in scopes if scope.endswith(":read"))
    return list(reading or dict.fromkeys(scopes))


def render_public_json(document: dict[str, object]) -> JsonResponse:
    """Render a document that pages of any site may read."""
    return JsonResponse(document, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=300"})
