"""
Our own authorization server: what django-oauth-toolkit, which implements the protocol, leaves to us.

These are the scopes, the form of tokens, the resources that tokens may be for, the revocation of tokens when a code
comes twice, and how many clients may register.
"""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes

from toolbox.access.scopes import list_known_scopes
from toolbox.catalogue.registry import registry
from toolbox.http.server_address import resources
from toolbox.oauth.metadata import list_default_scopes
from toolbox.oauth.queries import count_recent_clients, expire_key_without_tokens, find_token_owner, revoke_family
from toolbox.oauth.validators import PREFIX

MAX_CLIENTS_PER_HOUR = 300
_RIGHTS = {"read": "Read", "write": "Change"}
_BESIDE_TOOLS = {"agents": "your conversations with agents", "metrics": "the figures of this server"}


def generate_access_token(_: object) -> str:
    """Generate an access token: 256 random bits after a prefix that secret scanners can find."""
    return PREFIX + secrets.token_urlsafe(32)


def generate_refresh_token(_: object) -> str:
    """Generate a refresh token, with a prefix of its own."""
    return "trr_" + secrets.token_urlsafe(32)


class Scopes(BaseScopes):  # type: ignore[misc]  # the library has no types
    """The scopes of keys, each domain's by name; a token never holds `*`, which would mean domains to come."""

    def get_all_scopes(self) -> Mapping[str, str]:
        """Return every scope with what it means to a person."""
        return {scope: describe_scope(scope) for scope in list_known_scopes() if not scope.startswith("*")}

    def get_available_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """List what may be asked for; the consent page grants what the person may do."""
        return list(self.get_all_scopes())

    def get_default_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """List what is meant where a client asks for nothing."""
        return list_default_scopes()


def describe_scope(scope: str) -> str:
    """Say what a scope allows."""
    domain, _, right = scope.partition(":")
    about = {toolkit.domain: toolkit.summary.rstrip(".") for toolkit in registry.toolkits()} | _BESIDE_TOOLS
    return f"{_RIGHTS[right]} {domain}: {about.get(domain, domain)}"


class Validator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """Checks of the authorization server beyond the library's."""

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Refuse a code that was used, and revoke the tokens that it gave: two have it, so it was stolen."""
        if super().validate_code(client_id, code, client, request, *args, **kwargs):
            return True
        revoke_family(_make_family_id(code), client=client)
        return False

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """Revoke a token; a client that gives back its last one ends what it began for the person."""
        client = getattr(request, "client", None)
        user_id = find_token_owner(token, client=client) if getattr(client, "pk", None) else None
        super().revoke_token(token, token_type_hint, request, *args, **kwargs)
        if user_id is not None:
            expire_key_without_tokens(user_id, client=client)

    def _create_refresh_token(self, request: Any, token: str, access: Any, previous: Any) -> Any:
        """Name the family of tokens after its first code, so that the code finds them again."""
        row = super()._create_refresh_token(request, token, access, previous)
        if previous is None and request.code:
            row.token_family = _make_family_id(request.code)
            row.save(update_fields=["token_family"])
        return row


def is_own_resource(resource: str, *, place: str) -> bool:
    """Tell whether a resource is this server, or an address of its tools."""
    return resource.startswith(place) and resource.removeprefix(place) in resources()


def _make_family_id(code: str) -> UUID:
    return UUID(bytes=hashlib.sha256(code.encode()).digest()[:16])


class RegistrationLimit:
    """Lets anybody register a client, up to a number per hour: each is a row."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Tell whether this hour has room for one more."""
        return count_recent_clients() < MAX_CLIENTS_PER_HOUR


class MetadataDocumentLimit:
    """The same for clients that are known by the address of a document of theirs."""

    def has_permission(self, request: object, client_id: str) -> bool:
        """Tell whether this hour has room for one more."""
        return count_recent_clients() < MAX_CLIENTS_PER_HOUR
