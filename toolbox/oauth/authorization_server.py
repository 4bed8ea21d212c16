"""
Our own authorization server: what django-oauth-toolkit asks of us.

It does the protocol. Ours are the scopes, the look of tokens, what tokens may be for, that a code which comes twice
ends what the first one gave, and how many clients may register.
"""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes

from toolbox.access.scopes import known_scopes
from toolbox.catalogue.registry import registry
from toolbox.http.server_address import resources
from toolbox.oauth.metadata import usual_scopes
from toolbox.oauth.own_tokens import PREFIX
from toolbox.oauth.queries import clients_of_this_hour, end_family, expire_key_without_tokens, find_token_owner

MAX_CLIENTS_AN_HOUR = 300
_RIGHTS = {"read": "Read", "write": "Change"}
_BESIDE_TOOLS = {"agents": "your conversations with agents", "metrics": "the figures of this server"}


def access_token(_: object) -> str:
    """Make an access token: 256 random bits behind a prefix that secret scanners can find."""
    return PREFIX + secrets.token_urlsafe(32)


def refresh_token(_: object) -> str:
    """Make a refresh token, told apart by its prefix."""
    return "trr_" + secrets.token_urlsafe(32)


class Scopes(BaseScopes):  # type: ignore[misc]  # the library has no types
    """The scopes of keys, each domain's by name; a token never holds `*`, which would mean domains to come."""

    def get_all_scopes(self) -> Mapping[str, str]:
        """Give every scope with what it means to a person."""
        return {scope: in_words(scope) for scope in known_scopes() if not scope.startswith("*")}

    def get_available_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """Give what may be asked for; what is granted is decided on the consent page, by what the person may."""
        return list(self.get_all_scopes())

    def get_default_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """Give what is meant where a client asks for nothing."""
        return usual_scopes()


def in_words(scope: str) -> str:
    """Say what a scope allows."""
    domain, _, right = scope.partition(":")
    about = {toolkit.domain: toolkit.summary.rstrip(".") for toolkit in registry.toolkits()} | _BESIDE_TOOLS
    return f"{_RIGHTS[right]} {domain}: {about.get(domain, domain)}"


class Validator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """What may be asked of the authorization server, beyond what the library checks."""

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Refuse a code that was used, and end the tokens that it gave: two have it, and one is a thief."""
        if super().validate_code(client_id, code, client, request, *args, **kwargs):
            return True
        end_family(_family(code), client=client)
        return False

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """Revoke a token; a client that gives back its last one ends what it began for the person."""
        client = getattr(request, "client", None)
        user_id = find_token_owner(token, client=client) if getattr(client, "pk", None) else None
        super().revoke_token(token, token_type_hint, request, *args, **kwargs)
        if user_id is not None:
            expire_key_without_tokens(user_id, client=client)

    def _create_refresh_token(self, request: Any, token: str, access: Any, previous: Any) -> Any:
        """Name the family of tokens after the code that began it, so that the code finds them again."""
        row = super()._create_refresh_token(request, token, access, previous)
        if previous is None and request.code:
            row.token_family = _family(request.code)
            row.save(update_fields=["token_family"])
        return row


def is_ours(resource: str, *, place: str) -> bool:
    """Tell whether a resource is this server, or an address of its tools."""
    return resource.startswith(place) and resource.removeprefix(place) in resources()


def _family(code: str) -> UUID:
    return UUID(bytes=hashlib.sha256(code.encode()).digest()[:16])


class FewRegistrations:
    """Lets anybody register a client, but not any number: each is a row."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether this hour has room for one more."""
        return clients_of_this_hour() < MAX_CLIENTS_AN_HOUR


class FewDocuments:
    """The same for clients that are known by the address of a document of theirs."""

    def has_permission(self, request: object, client_id: str) -> bool:
        """Tell whether this hour has room for one more."""
        return clients_of_this_hour() < MAX_CLIENTS_AN_HOUR
