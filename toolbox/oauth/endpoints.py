"""The library's endpoints, with clients registered for the code flow only, and tokens for this server only."""

import json
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from oauth2_provider.views import DynamicClientRegistrationView, TokenView

from toolbox.http.server_address import site_of
from toolbox.oauth.authorization_server import is_own_resource

MAX_REQUEST_BYTES = 16_384
ALLOWED_GRANT_TYPES = {"authorization_code", "refresh_token"}


class RegistrationView(DynamicClientRegistrationView):  # type: ignore[misc]  # the library has no types
    """The library's endpoint of dynamic client registration."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Register a client, if it asks for nothing that this server never grants."""
        if len(request.body) > MAX_REQUEST_BYTES:
            return _render_error("The request is larger than 16 KiB.", status=413)
        try:
            asked = json.loads(request.body)
            grants = set(asked.get("grant_types", ["authorization_code"]))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return _render_error("The request is no JSON object with lists of words.")
        if not _is_text(asked.get("client_name", "")) or not all(map(_is_text, asked.get("redirect_uris") or [""])):
            return _render_error("The name and the addresses are plain words.")
        if not grants <= ALLOWED_GRANT_TYPES:
            return _render_error("This server gives tokens by authorization_code and refresh_token alone.")
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


class TokensView(TokenView):  # type: ignore[misc]  # the library has no types
    """The library's endpoint, which does not check resources yet."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Issue tokens, if they are for this server (RFC 8707)."""
        place = site_of(request)
        if not all(is_own_resource(resource, place=place) for resource in request.POST.getlist("resource")):
            return _render_error("Tokens of this server are for this server.", error="invalid_target")
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\x00" not in value


def _render_error(why: str, *, status: int = 400, error: str = "invalid_client_metadata") -> JsonResponse:
    return JsonResponse({"error": error, "error_description": why}, status=status)
