"""The page that connects a client: its configuration, a test of the connection, and its first calls as they arrive."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from console.connect.clients import CLIENTS, write_instructions
from console.connect.queries import KEY_DAYS, WATCHED, find_first_calls, list_grantable_scopes, make_key
from toolbox.access.people import require_person
from toolbox.http.form_submissions import mark_submission
from toolbox.http.pages import page
from toolbox.http.server_address import site_of
from toolbox.text.moments import read_moment

MAX_NAME = 100
MAX_ID = 2**63 - 1


@require_safe
@never_cache
@page(domain="console")
def show_connect_page(request: HttpRequest) -> HttpResponse:
    """Show how to connect a client, and a form that makes a key to those who may make one."""
    return render(request, "console/connect.html", _context(request, client=request.GET.get("client", "")))


@require_POST
@never_cache
@page(domain="console", writes=True)
@sensitive_variables("key", "instructions")
def make_client_key(request: HttpRequest) -> HttpResponse:
    """Make a key for a client and show its configuration; the key cannot be shown again."""
    if not _may_make_keys(request):
        raise PermissionDenied("Your account may not make keys. Connect without one, or ask an administrator.")
    context = _context(request, client=request.POST.get("client", ""))
    scopes = list_grantable_scopes(require_person(request), writes="writes" in request.POST)
    name = request.POST.get("name", "").strip()[:MAX_NAME] or context["suggested_name"]
    row, key = make_key(name=name, owner_id=request.user.pk or 0, scopes=scopes)
    instructions = write_instructions(context["client"].id, site=site_of(request), key=key)
    watch = _watch(timezone.now(), key_id=row.pk)
    shown = context | {"made": row, "key": key, "instructions": instructions, "watch": watch}
    return mark_submission(render(request, "console/connect.html", shown), is_done=True)


@require_safe
@never_cache
@page(domain="console")
def show_first_calls(request: HttpRequest) -> HttpResponse:
    """Render the part of the page with the first calls; it polls until there is one, for an hour at most."""
    since, key = read_moment(request.GET.get("since", "")), request.GET.get("key", "")
    if since is None or (key and not (key.isdecimal() and int(key) <= MAX_ID)):
        raise Http404
    key_id = int(key) if key else None
    calls = find_first_calls(owner_id=request.user.pk or 0, since=since, key_id=key_id)
    return render(request, "console/first_calls.html", {"calls": calls, "watch": _watch(since, key_id=key_id)})


def _context(request: HttpRequest, *, client: str) -> dict[str, Any]:
    chosen = CLIENTS.get(client, CLIENTS["claude"])
    return {
        "clients": CLIENTS.values(),
        "client": chosen,
        "site": site_of(request),
        "days": KEY_DAYS,
        "may_make_keys": _may_make_keys(request),
        "has_oauth": settings.TOOLROOM_OAUTH,
        "scopes": list_grantable_scopes(require_person(request), writes=False),
        "suggested_name": f"{chosen.title} of {request.user.get_username()}"[:MAX_NAME],
        "without_key": write_instructions(chosen.id, site=site_of(request)),
        "watch": _watch(timezone.now()),
    }


def _watch(since: datetime, *, key_id: int | None = None) -> dict[str, Any]:
    return {"since": since.isoformat(), "key": key_id, "has_ended": timezone.now() - since > WATCHED}


def _may_make_keys(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.has_perm("toolbox.add_apikey")
