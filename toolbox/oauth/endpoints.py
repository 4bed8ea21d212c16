"""The library's endpoints for clients, which register for the code flow alone, and get tokens for this server alone."""

import json
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from oauth2_provider.views import DynamicClientRegistrationView, TokenView

from toolbox.http.server_address import site_of
from toolbox.oauth.authorization_server import is_ours

MAX_REQUEST = 16_384
TAKEN_GRANTS = {"authorization_code", "refresh_token"}


class RegistrationView(DynamicClientRegistrationView):  # type: ignore[misc]  # the library has no types
    """The library's endpoint, for clients that people let in."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Register a client, if it asks for nothing that this server never gives."""
        if len(request.body) > MAX_REQUEST:
            return _refused("The request is larger than 16 KiB.", status=413)
        try:
            asked = json.loads(request.body)
            grants = set(asked.get("grant_types", ["authorization_code"]))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return _refused("The request is no JSON object with lists of words.")
        if not _is_text(asked.get("client_name", "")) or not all(map(_is_text, asked.get("redirect_uris") or [""])):
            return _refused("The name and the addresses are plain words.")
        if not grants <= TAKEN_GRANTS:
            return _refused("This server gives tokens by authorization_code and refresh_token alone.")
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


class TokensView(TokenView):  # type: ignore[misc]  # the library has no types
    """The library's endpoint, which knows not yet what a resource of ours is."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Give tokens, if they are for this server (RFC 8707)."""
        place = site_of(request)
        if not all(is_ours(resource, place=place) for resource in request.POST.getlist("resource")):
            return _refused("Tokens of this server are for this server.", error="invalid_target")
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\x00" not in value


def _refused(why: str, *, status: int = 400, error: str = "invalid_client_metadata") -> JsonResponse:
    return JsonResponse({"error": error, "error_description": why}, status=status)
