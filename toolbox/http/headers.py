"""HTTP headers of a call: read credentials and ids, write response headers. Middleware and django-ninja share them."""

import re
import secrets
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from toolbox.contract.caller import API_KEY_PREFIX
from toolbox.contract.encoding import encode
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    METHOD_NOT_ALLOWED,
    REQUEST_TIMEOUT,
    UNAUTHENTICATED,
    Bearer,
    Refusal,
)
from toolbox.dispatch.dispatch import Reply

Sent = Mapping[bytes, str]
"""Headers by lower-case name."""

UPSTREAM_CREDENTIAL = b"x-upstream-credential-"
"""Prefix of the headers with the caller's own credentials for other servers; the server's name follows."""
_MAX_REMEMBERED = 8_192
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_SECURITY: tuple[tuple[str, str], ...] = (
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
)

if settings.SECURE_HSTS_SECONDS:
    _SECURITY += (("strict-transport-security", f"max-age={settings.SECURE_HSTS_SECONDS}"),)
NEVER_REMEMBERED = sys.maxsize
SECURITY_LINES = [(name.encode(), value.encode()) for name, value in _SECURITY]


def has_allowed_host(sent: Sent) -> bool:
    """Return whether Host is one of ALLOWED_HOSTS; Django, further in, words the refusal."""
    return _is_allowed(sent.get(b"host", ""), tuple(settings.ALLOWED_HOSTS))


@lru_cache(maxsize=256)
def _is_allowed(host: str, allowed: tuple[str, ...]) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, allowed)


def decode_headers(lines: Iterable[tuple[bytes, bytes]]) -> Sent:
    """
    Return headers by lower-case name; repeated ones are joined by commas, as HTTP says and Django does.

    A client sends the same lines with every call, so the last few hundred small heads are cached, except any with a
    credential for another server.
    """
    head = tuple(lines)
    return _fold_value(head) if measure_head(head) <= _MAX_REMEMBERED else _fold_value.__wrapped__(head)


def measure_head(head: tuple[tuple[bytes, bytes], ...]) -> int:
    """
    Estimate how many bytes it takes to cache these lines; every line costs a hundred besides its text.

    Lines with a credential for another server must never be cached, so they measure as larger than any limit.
    """
    if any(name.lower().startswith(UPSTREAM_CREDENTIAL) for name, _ in head):
        return NEVER_REMEMBERED
    return sum([len(name) + len(value) + 100 for name, value in head])


@lru_cache(maxsize=512)
def _fold_value(head: tuple[tuple[bytes, bytes], ...]) -> Sent:
    sent: dict[bytes, str] = {}
    for name, value in head:
        text = value.decode("latin-1")
        key = name.lower()
        sent[key] = f"{sent[key]},{text}" if key in sent else text
    return sent


def is_own_origin(sent: Sent) -> bool:
    """Return whether a browser may call from its Origin: none, an allowed host's, or a configured one."""
    origin = sent.get(b"origin", "")
    if not origin or origin in settings.CSRF_TRUSTED_ORIGINS or origin in settings.TOOLROOM_BROWSER_ORIGINS:
        return True
    return _is_allowed(urlsplit(origin).netloc, tuple(settings.ALLOWED_HOSTS))


def read_credential(authorization: str, *, api_key: str = "") -> str | None:
    """Return the key from `Authorization: Bearer …`, or else from `X-API-Key`."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return api_key.strip() or None


def read_upstream_credentials(sent: Sent) -> Mapping[str, str]:
    """
    Return the caller's own credentials for other servers, from `X-Upstream-Credential-<name>: <value>`, by name.

    A value is empty if it is a key of this server or the token that was sent for it: neither is passed on.
    """
    found = {
        name[len(UPSTREAM_CREDENTIAL) :].decode("latin-1"): value.strip()
        for name, value in sent.items()
        if name.startswith(UPSTREAM_CREDENTIAL)
    }
    if not found:
        return found
    own = read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))
    return {name: "" if _is_own(value, own=own) else value for name, value in found.items()}


def _is_own(value: str, *, own: str | None) -> bool:
    return any(word == own or word.startswith(API_KEY_PREFIX) for word in value.split())


def read_request_id(sent: str) -> str:
    """Return the request's id if it is well-formed, otherwise a new one."""
    return sent if _REQUEST_ID.fullmatch(sent) else secrets.token_hex(16)


def render_challenge(bearer: Bearer, *, metadata: str = "") -> str:
    """Render the WWW-Authenticate header: the token's problem and where to get one (RFC 6750, RFC 9728)."""
    said = {"realm": "Toolroom", "error": bearer.error, "scope": bearer.scope, "resource_metadata": metadata}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in said.items() if value)


def response_headers(reply: Reply, *, request_id: str, metadata: str = "") -> Iterable[tuple[str, str]]:
    """Yield every header of a reply, in order; `metadata` is where OAuth clients find the issuer of tokens."""
    yield "content-type", reply.content_type
    yield "content-length", str(len(reply.body))
    yield "x-request-id", request_id
    if reply.bearer or reply.status == UNAUTHENTICATED.status:
        yield "www-authenticate", render_challenge(reply.bearer or Bearer(), metadata=metadata)
    if reply.status == METHOD_NOT_ALLOWED.status:
        yield "allow", "POST"
    if reply.retry_after_seconds is not None:
        yield "retry-after", str(reply.retry_after_seconds)
    if reply.status == REQUEST_TIMEOUT.status:
        yield "connection", "close"
    yield from _SECURITY


def refuse_method() -> Reply:
    """Return the 405 reply to a tool call by a method other than POST."""
    refusal = Refusal(
        METHOD_NOT_ALLOWED,
        "Tools are called with POST.",
        suggestion="Send POST with the parameters as a JSON object; /api/docs shows each tool.",
    )
    return Reply(body=encode(KERNEL_ENVELOPE.refusal(refusal)), status=405, code=METHOD_NOT_ALLOWED.code)
