"""Connected apps: their rights, since when they are connected, and how to disconnect them."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from toolbox.access.people import require_person
from toolbox.http.pages import page
from toolbox.oauth.authorization_server import describe_scope
from toolbox.oauth.queries import find_connected_clients, revoke_client
from toolbox.oauth.validators import clean_client_name


@require_safe
@page(domain="console")
def index(request: HttpRequest) -> HttpResponse:
    """List the connected apps, the last used first."""
    clients = [
        {
            "id": one.id,
            "name": clean_client_name(one.name or one.client_id),
            "address": one.client_id if one.client_id.startswith("https://") else "",
            "goes_to": one.goes_to,
            "may": [describe_scope(scope) for scope in one.scopes],
            "since": one.since,
            "used_at": one.used_at,
        }
        for one in find_connected_clients(require_person(request).owner_id or 0)
    ]
    return render(request, "console/clients.html", {"clients": clients, "is_on": settings.TOOLROOM_OAUTH})


@require_POST
@page(domain="console", writes=True)
def end(request: HttpRequest, *, client_id: int) -> HttpResponse:
    """Disconnect an app; it may ask for permission again."""
    name = revoke_client(client_id, user_id=require_person(request).owner_id or 0)
    if name is None:
        raise Http404
    messages.success(request, f"{clean_client_name(name)} is disconnected: its calls are refused within 5 seconds.")
    return redirect("console:clients")
