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
    Somebody with scopes.

    A scope is `domain:read` or `domain:write`; `*` stands for every domain. Write does not imply read. `owner_id` is
    the user whom the key belongs to, None for the local operator. The defaults are names of rows in other domains'
    tables, empty for none: what a call means that names no workspace or upstream. `issuer` is who vouched for them by
    a token of OAuth, empty for keys and people: only such a caller can fetch a token with more scopes. `audience` are
    the paths of this server that their token is for (RFC 8707), empty for all of it.
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
        """Tell whether the caller holds the scope, by name or by its `*`."""
        return scope in self.scopes or f"*:{scope.rpartition(':')[2]}" in self.scopes


class AddressedToken(str):
    """A key or token with the path at which it was presented, which tokens for a part of this server must match."""

    __slots__ = ("path",)

    path: str

    def __new__(cls, token: str, *, path: str) -> Self:
        """Make one."""
        made = super().__new__(cls, token)
        made.path = path
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """
    What a tool may know of the call beside its question, by taking a second parameter of this type.

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
"""The caller for `manage.py mcp` without an API key: has every read scope, audited as `local`."""


API_KEY_PREFIX = "tr_"


def make_api_key() -> str:
    """Make a key: 256 random bits behind a prefix that secret scanners can find."""
    return API_KEY_PREFIX + secrets.token_urlsafe(32)


def hash_api_key(key: str) -> str:
    """Hash a key for keeping. One SHA-256 is enough for 256 random bits; stretching is for what people invent."""
    return hashlib.sha256(key.encode()).hexdigest()
