"""Who is calling, and what they may do."""

import hashlib
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    A caller with scopes.

    A scope is `domain:read` or `domain:write`; `*` stands for every domain. Write does not imply read. `owner_id` is
    the key's user, None for the local operator. The defaults name the workspace or upstream that a call means when it
    names none; empty for none. `issuer` names who vouched for the caller by an OAuth token, empty for keys and people:
    only such a caller can fetch a token with more scopes. `audience` are the paths of this server that the token is for
    (RFC 8707), empty for all.
    """

    name: str
    scopes: frozenset[str]
    key_id: int | None = None
    calls_per_minute: int | None = None
    owner_id: int | None = None
    default_workspace: str = ""
    default_upstream: str = ""
    issuer: str = ""
    audience: frozenset[str] = frozenset()

    def has(self, scope: str) -> bool:
        """Return whether the caller holds the scope, by name or by `*`."""
        return scope in self.scopes or f"*:{scope.rpartition(':')[2]}" in self.scopes


class AddressedToken(str):
    """A key or token with the path at which it was presented, for tokens that are restricted to some paths."""

    __slots__ = ("path",)

    path: str

    def __new__(cls, token: str, *, path: str) -> Self:
        """Attach the path to a token."""
        made = super().__new__(cls, token)
        made.path = path
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """
    What a tool may know of its call besides the input; it takes a second parameter of this type.

    `idempotency_key` is for tools that write: the same for every attempt at the same call, empty for other tools.
    """

    caller: Caller
    request_id: str
    transport: str
    idempotency_key: str = ""


current_upstream_credentials: ContextVar[Mapping[str, str]] = ContextVar("current_upstream_credentials")
"""
The caller's own credentials for servers that tools ask on their behalf, by the server's name; set for each call.

An empty value says that one was sent which must not be passed on: the token that this server itself accepted. They are
never logged, stored or put into an answer.
"""


LOCAL_OPERATOR = Caller(name="local", scopes=frozenset({"*:read"}))
"""The caller of `manage.py mcp` without an API key: every read scope, audited as `local`."""


API_KEY_PREFIX = "tr_"


def make_api_key() -> str:
    """Generate a key: 256 random bits after a prefix that secret scanners can find."""
    return API_KEY_PREFIX + secrets.token_urlsafe(32)


def hash_api_key(key: str) -> str:
    """Hash a key for storage. One SHA-256 is enough for 256 random bits; only passwords need stretching."""
    return hashlib.sha256(key.encode()).hexdigest()
