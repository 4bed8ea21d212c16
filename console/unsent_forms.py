"""
A form that was sent after its session had ended: the log-in carries it along, and then it can be sent.

The same page shows a form whose CSRF token is older than the latest log-in, if the browser says that it comes from a
page of this server. Nothing is sent before the person has seen it and agreed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from toolbox.access.login_limits import RateLimitedLoginForm

SALT = "console.unsent_forms"
MAX_AGE_SECONDS = 86_400
LOGGED_OUT = "You were logged out when you sent this, or have logged in since you loaded its page."
OTHERS = ("/admin/", "/oauth/", settings.LOGIN_URL, "/logout/")
"""Pages with passwords, and pages whose address has all that they need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentForm:
    """What a form was to send, and where."""

    path: str
    fields: list[tuple[str, str]]

    @classmethod
    def find(cls, request: HttpRequest) -> Self | None:
        """Return the form in a request; None if it sends none, or one that cannot be carried along."""
        if request.method != "POST" or request.path.startswith(OTHERS) or not request.POST or request.FILES:
            return None
        sent = [(name, value) for name, values in request.POST.lists() for value in values]
        return cls(path=request.get_full_path(), fields=[one for one in sent if one[0] != "csrfmiddlewaretoken"])

    @classmethod
    def read(cls, sealed: str) -> Self | None:
        """Return a form that `seal` wrote within a day."""
        try:
            path, fields = signing.loads(sealed, salt=SALT, max_age=MAX_AGE_SECONDS)
        except signing.BadSignature:
            return None
        return cls(path=path, fields=[(name, value) for name, value in fields])

    def seal(self) -> str:
        """Return the form as signed text: only what was sent to this server is offered to be sent."""
        return signing.dumps([self.path, self.fields], salt=SALT, compress=True)


class UnsentFormsMiddleware:
    """
    Django middleware that answers a form with the log-in page, where a redirect to it would lose the contents.

    An address of the console that takes only forms, opened by itself, shows a page that says so.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        response = self._get_response(request)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET" and _is_ours(request):
            return render(request, "405.html", status=response.status_code)
        place = response.headers.get("Location", "")
        if not place.startswith(f"{settings.LOGIN_URL}?") or request.user.is_authenticated:
            return response
        unsent = UnsentForm.find(request)
        return _show(request, unsent=unsent) if unsent else response


def show_unsent_form(request: HttpRequest, *, unsent: UnsentForm, why: str = LOGGED_OUT) -> HttpResponse:
    """Show the form to the person, who may send it."""
    shown = [(name, value) for name, value in unsent.fields if value.strip()]
    return render(request, "console/unsent_form.html", {"unsent": unsent, "shown": shown, "why": why})


def explain_csrf_failure(request: HttpRequest, **_: str) -> HttpResponse:
    """Answer a form without a valid CSRF token: a log-in meanwhile has made the page's token old."""
    if request.path == settings.LOGIN_URL and request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    is_ours = request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    unsent = UnsentForm.find(request) if is_ours else None
    return _show(request, unsent=unsent) if unsent else render(request, "403_csrf.html", status=403)


def _is_ours(request: HttpRequest) -> bool:
    return request.resolver_match is not None and request.resolver_match.app_name == "console"


def _show(request: HttpRequest, *, unsent: UnsentForm) -> HttpResponse:
    """Show the form, or the log-in page first; in place of the page's contents if htmx sent it."""
    if request.user.is_authenticated:
        response = show_unsent_form(request, unsent=unsent)
    else:
        shown = {"form": RateLimitedLoginForm(request), "unsent": unsent.seal()}
        response = render(request, "console/log_in.html", shown)
    if "HX-Request" in request.headers:
        for name, value in (("HX-Retarget", "#main"), ("HX-Reselect", "#main"), ("HX-Reswap", "outerHTML")):
            response.headers[name] = value
    return response
