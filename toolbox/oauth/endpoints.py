"""
The library's OAuth endpoints with our limits: per address, the code flow only, and tokens for this server only.

Callers are unknown here, so every request is counted by its address before anything is done for it.
"""

import json
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from limits import RateLimitItemPerMinute
from oauth2_provider.views import (
    DynamicClientRegistrationManagementView,
    DynamicClientRegistrationView,
    RevokeTokenView,
    TokenView,
)

from toolbox.access.address_limits import AddressLimit
from toolbox.http.server_address import site_of
from toolbox.oauth.authorization_server import REGISTRATIONS, is_own_resource, is_unencrypted
from toolbox.oauth.queries import delete_surplus_clients

MAX_REQUEST_BYTES = 16_384
MAX_REQUESTS_PER_MINUTE = 240
ALLOWED_GRANT_TYPES = {"authorization_code", "refresh_token"}
REQUESTS = AddressLimit(name="oauth", window=RateLimitItemPerMinute(MAX_REQUESTS_PER_MINUTE))


class _LimitedView(View):
    """Answers 429 with Retry-After when an address exceeds the limit."""

    limit = REQUESTS

    @method_decorator(csrf_exempt)
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Count the request first."""
        if seconds := self.limit.hit(request.META.get("REMOTE_ADDR", "")):
            why = f"Too many requests from this address. Wait {seconds} s."
            refused = _render_error(why, status=429, error="temporarily_unavailable")
            refused.headers["Retry-After"] = str(seconds)
            return refused
        answered: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answered


class RegistrationView(_LimitedView, DynamicClientRegistrationView):  # type: ignore[misc]  # the library has no types
    """The library's endpoint of dynamic client registration."""

    limit = REGISTRATIONS

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Register a client unless it asks for what this server never grants; replaces the oldest unused one."""
        if refused := _check_metadata(request):
            return refused
        delete_surplus_clients()
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


class ClientConfigurationView(_LimitedView, DynamicClientRegistrationManagementView):  # type: ignore[misc]  # as above
    """The library's endpoint where a client reads, changes and deletes its registration."""

    def put(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Change a client under the same rules as at registration."""
        response: HttpResponseBase = _check_metadata(request) or super().put(request, *args, **kwargs)
        return response


class TokensView(_LimitedView, TokenView):  # type: ignore[misc]  # the library has no types
    """The library's token endpoint, which does not check resources itself."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Issue tokens if they are for this server (RFC 8707)."""
        if request.POST.get("grant_type") not in ALLOWED_GRANT_TYPES:
            return _render_error(_GRANT_TYPES, error="unsupported_grant_type")
        place = site_of(request)
        if not all(is_own_resource(resource, place=place) for resource in request.POST.getlist("resource")):
            return _render_error("Tokens of this server are for this server.", error="invalid_target")
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


class RevocationView(_LimitedView, RevokeTokenView):  # type: ignore[misc]  # the library has no types
    """The library's revocation endpoint."""


def _check_metadata(request: HttpRequest) -> JsonResponse | None:
    """Refuse invalid client metadata; None if the library may check the rest."""
    if len(request.body) > MAX_REQUEST_BYTES:
        return _render_error("The request is larger than 16 KiB.", status=413)
    try:
        asked = json.loads(request.body)
        grants = set(asked.get("grant_types", ["authorization_code"]))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return _render_error("The request is no JSON object with lists of words.")
    addresses = asked.get("redirect_uris") or [""]
    if not isinstance(addresses, list) or not all(map(_is_text, [asked.get("client_name", ""), *addresses])):
        return _render_error("The name and the addresses are plain words.")
    if not grants <= ALLOWED_GRANT_TYPES:
        return _render_error(_GRANT_TYPES)
    try:
        is_refused = any(map(is_unencrypted, addresses))
    except ValueError:
        is_refused = True
    if is_refused:
        return _render_error(
            "A redirect address over http must be on the loopback interface (http://127.0.0.1); use https elsewhere.",
            error="invalid_redirect_uri",
        )
    return None


_GRANT_TYPES = "This server gives tokens by authorization_code and refresh_token alone."


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\x00" not in value


def _render_error(why: str, *, status: int = 400, error: str = "invalid_client_metadata") -> JsonResponse:
    return JsonResponse({"error": error, "error_description": why}, status=status)
