"""The consent page of OAuth: which app asks, for which scopes, and where the browser goes next."""

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from oauth2_provider.views import AuthorizationView

from console.content_security_policy import POLICY
from toolbox.access.people import require_person
from toolbox.http.server_address import scopes_within, site_of
from toolbox.oauth.authorization_server import describe_scope, is_own_resource, is_unencrypted
from toolbox.oauth.validators import clean_client_name


class ConsentView(AuthorizationView):  # type: ignore[misc]  # the library has no types
    """The library's authorization endpoint with our page; it grants at most the scopes that the person has."""

    template_name = "console/consent.html"
    request: HttpRequest

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Show the request; answer 400 at once if it can never be granted."""
        if problem := self._problem(request):
            return render(request, "console/consent.html", {"problem": problem}, status=400)
        asked = request.GET.copy()
        asked.pop("approval_prompt", None)  # with `auto`, the library would grant without asking
        request.GET = asked  # type: ignore[assignment]
        response: HttpResponseBase = super().get(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponseBase:
        """Grant the ticked scopes that the person has; without any, deny."""
        asked = form.cleaned_data.get("scope", "").split()
        ticked = self.request.POST.getlist("granted")
        form.cleaned_data["scope"] = " ".join(scope for scope in self._grantable(asked) if scope in ticked)
        if not form.cleaned_data["scope"]:
            form.cleaned_data["allow"] = False
        response: HttpResponseBase = super().form_valid(form)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """
        Describe the request in words.

        The client chooses its own name, so the page shows the site that receives the answer beside it.
        """
        context: dict[str, Any] = super().get_context_data(**kwargs)
        asked = context.get("scopes") or []
        granted = self._grantable(asked)
        application = context.get("application")
        context |= {
            "client_label": clean_client_name(application.name or application.client_id) if application else "",
            "goes_to": _place_of(context.get("redirect_uri") or ""),
            "grantable": [(scope, describe_scope(scope)) for scope in granted],
            "beyond": [describe_scope(scope) for scope in asked if scope not in granted],
        }
        return context

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponseBase:
        """Allow the form to redirect to the client, which our content security policy forbids otherwise."""
        response: HttpResponseBase = super().render_to_response(context, **kwargs)
        if target := _place_of(context.get("redirect_uri") or ""):
            response.headers["Content-Security-Policy"] = POLICY.replace(
                "form-action 'self'", f"form-action 'self' {target}"
            )
        return response

    def _grantable(self, scopes: list[str]) -> list[str]:
        """Return the scopes that the person has and the requested resources know, in the order asked for."""
        person, place = require_person(self.request), site_of(self.request)
        known = {scope for scope in scopes if ":" in scope and person.has(scope)}
        for resource in self.request.GET.getlist("resource"):
            known &= scopes_within(resource, scopes=known, place=place)
        return [scope for scope in dict.fromkeys(scopes) if scope in known]

    def _problem(self, request: HttpRequest) -> str:
        """Return what only the app can fix in its request, or ""."""
        place = site_of(request)
        if any(not is_own_resource(resource, place=place) for resource in request.GET.getlist("resource")):
            return f"The app asks for access to another server than this one, which is {place}."
        if request.GET.get("code_challenge_method") != "S256":
            return "The app does not protect its request: this server accepts PKCE with S256 only."
        if is_unencrypted(request.GET.get("redirect_uri", "")):
            return "The app wants the response sent unencrypted to another machine."
        return ""


def _place_of(address: str) -> str:
    """Return the origin of an address, or its scheme alone for an app's own scheme."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:" if parts.scheme else ""
