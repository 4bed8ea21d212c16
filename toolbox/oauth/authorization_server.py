"""
Our own authorization server: what django-oauth-toolkit, which implements the protocol, leaves to us.

These are the scopes, the form of tokens, the resources that tokens may be for, the revocation of tokens when a code is
used twice, client authentication, and the number of registrations from an address.
"""

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus, urlsplit
from uuid import UUID

from limits import RateLimitItemPerHour
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes

from toolbox.access.address_limits import AddressLimit
from toolbox.access.scopes import list_known_scopes
from toolbox.catalogue.registry import registry
from toolbox.http.server_address import resources
from toolbox.oauth.client_secrets import check_client_secret
from toolbox.oauth.metadata import list_default_scopes
from toolbox.oauth.queries import delete_surplus_clients, expire_key_without_tokens, find_token_owner, revoke_family
from toolbox.oauth.validators import PREFIX

MAX_CLIENTS_PER_HOUR = 100
REGISTRATIONS = AddressLimit(name="registrations", window=RateLimitItemPerHour(MAX_CLIENTS_PER_HOUR))
_RIGHTS = {"read": "Read", "write": "Change"}
_BESIDE_TOOLS = {"agents": "your conversations with agents", "metrics": "the figures of this server"}


def generate_access_token(_: object) -> str:
    """Generate an access token: 256 random bits after a prefix that secret scanners can find."""
    return PREFIX + secrets.token_urlsafe(32)


def generate_refresh_token(_: object) -> str:
    """Generate a refresh token, with a prefix of its own."""
    return "trr_" + secrets.token_urlsafe(32)


class Scopes(BaseScopes):  # type: ignore[misc]  # the library has no types
    """The scopes of keys by domain; a token never holds `*`, which would include future domains."""

    def get_all_scopes(self) -> Mapping[str, str]:
        """Return every scope with its description for people."""
        return {scope: describe_scope(scope) for scope in list_known_scopes() if not scope.startswith("*")}

    def get_available_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """Return what may be requested; the consent page grants what the person may do."""
        return list(self.get_all_scopes())

    def get_default_scopes(self, application: object = None, request: object = None, *_: object) -> list[str]:
        """Return the scopes of a client that requests none."""
        return list_default_scopes()


def describe_scope(scope: str) -> str:
    """Return what a scope allows, in words."""
    domain, _, right = scope.partition(":")
    about = {toolkit.domain: toolkit.summary.rstrip(".") for toolkit in registry.toolkits()} | _BESIDE_TOOLS
    return f"{_RIGHTS[right]} {domain}: {about.get(domain, domain)}"


class Validator(OAuth2Validator):  # type: ignore[misc]  # the library has no types
    """Checks of the authorization server beyond the library's."""

    def authenticate_client(self, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Check the secret of a confidential client; the library would hash every guess for a second."""
        client_id, secret = _read_client_credentials(request)
        if not client_id or self.authenticate_client_id(client_id, request) or request.client is None:
            return False  # nobody, or a public client, which was given no secret
        return check_client_secret(request.client, secret=secret, address=request.headers.get("REMOTE_ADDR", ""))

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Refuse a code that was used, and revoke the tokens issued for it: two have it, so it was stolen."""
        if super().validate_code(client_id, code, client, request, *args, **kwargs):
            return True
        revoke_family(_make_family_id(code), client=client)
        return False

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """Revoke a token; revoking a client's last one also ends the runs it began for the person."""
        client = getattr(request, "client", None)
        user_id = find_token_owner(token, client=client) if getattr(client, "pk", None) else None
        super().revoke_token(token, token_type_hint, request, *args, **kwargs)
        if user_id is not None:
            expire_key_without_tokens(user_id, client=client)

    def _create_refresh_token(self, request: Any, token: str, access: Any, previous: Any) -> Any:
        """Derive the token family from its authorization code, so that the code identifies its tokens."""
        row = super()._create_refresh_token(request, token, access, previous)
        if previous is None and request.code:
            row.token_family = _make_family_id(request.code)
            row.save(update_fields=["token_family"])
        return row


def is_own_resource(resource: str, *, place: str) -> bool:
    """Return whether a resource is this server or one of its MCP addresses."""
    return resource.startswith(place) and resource.removeprefix(place) in resources()


def _make_family_id(code: str) -> UUID:
    return UUID(bytes=hashlib.sha256(code.encode()).digest()[:16])


def is_unencrypted(redirect_uri: str) -> bool:
    """Return whether a redirect address would send a code unencrypted to another machine."""
    parts = urlsplit(redirect_uri)
    return parts.scheme == "http" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_client_credentials(request: Any) -> tuple[str, str]:
    """Return the client's id and secret, from HTTP Basic authentication or from the body (RFC 6749, 2.3.1)."""
    scheme, _, encoded = request.headers.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "basic":
        return request.client_id or "", request.client_secret or ""
    try:
        client_id, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return unquote_plus(client_id), unquote_plus(secret)


class MetadataDocumentLimit:
    """Limits how many clients identified by a metadata document may be added per hour and address."""

    def has_permission(self, request: Any, client_id: str) -> bool:
        """Count a document that is about to be fetched, and delete surplus clients."""
        if REGISTRATIONS.hit(request.headers.get("REMOTE_ADDR", "")):
            return False
        delete_surplus_clients()
        return True
