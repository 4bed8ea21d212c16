"""
Authentication: the caller behind an API key or token, cached for 4 s.

API keys are shown once and stored as a hash. OAuth tokens are read by validators (toolbox/oauth/validators.py).
"""

import asyncio
import time
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from toolbox.contract.caller import AddressedToken, Caller, hash_api_key
from toolbox.contract.errors import AuthenticationRequired, DatabaseUnavailable, Refusal
from toolbox.database.caches import SingleFlight
from toolbox.database.event_loop import run_on_loop
from toolbox.database.pools import owner_pool

CACHE_SECONDS = 4.0
"""How long a look-up is cached; below the 5 s in which a revocation takes effect (docs/decisions/0064)."""
RECHECK_SECONDS = 0.5
"""How often a stream checks its caller; with the cache, a revocation ends a stream within 5 s."""
OFFLINE_SECONDS = 300.0
"""While the database is unavailable: how long after the last look-up a caller may use offline tools."""
MAX_CACHED_CALLERS = 10_000
ACCESS_ENDED = "The access that this stream was opened with has ended, or cannot be looked up at the moment."

Result = TypeVar("Result")

_KEY = """
SELECT key.id, key.name, key.scopes, key.calls_per_minute, key.owner_id, key.default_workspace, key.default_upstream,
  CASE WHEN key.digest LIKE 'oauth:%%' THEN 'OAuth' ELSE '' END AS issuer
FROM toolbox_api_keys AS key
JOIN auth_user AS owner ON owner.id = key.owner_id
WHERE {which} = %s
  AND key.revoked_at IS NULL
  AND (key.expires_at IS NULL OR key.expires_at > now())
  AND owner.is_active
"""
_LOOK_UP = _KEY.format(which="key.digest")
_LOOK_UP_BY_ID = _KEY.format(which="key.id")


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    caller: Caller
    until: float
    offline_until: float = 0.0


class TokenValidator(Protocol):
    """Validator of one kind of token besides our API keys."""

    def accepts(self, token: str) -> bool:
        """Return whether a token is of this kind, judged by its form alone."""

    async def find_caller(self, token: str) -> tuple[Caller, float]:
        """Return the token's caller and for how many seconds it is valid; raises Refusal."""


_cache: dict[str, _CachedCaller] = {}
_verified: dict[str, _CachedCaller] = {}
"""Results of the last look-ups, kept longer than _cache for when the database is unavailable."""
_look_ups: SingleFlight[Caller] = SingleFlight()
_validators: list[TokenValidator] = []


def register_validators(validators: Iterable[TokenValidator]) -> None:
    """Accept these kinds of tokens besides API keys; called once, at start."""
    _validators[:] = validators


async def identify(credential: str | Caller | None) -> Caller:
    """
    Return the caller that a credential belongs to. A Caller is returned unchanged: the transport vouches for it.

    Queries the database at most once per key and 4 s. Raises Refusal UNAUTHENTICATED, DatabaseUnavailable.
    """
    if isinstance(credential, Caller):
        return credential
    if not credential:
        raise AuthenticationRequired(
            "This address needs an API key.",
            suggestion="Send the header 'Authorization: Bearer <key>'. `manage.py create_api_key` makes one.",
            is_missing=True,
        )
    hashed = hash_api_key(credential)
    known = _cache.get(hashed)
    if known and known.until > time.monotonic():
        return _check_audience(known.caller, credential=credential)
    return await identify_anew(credential)


def find_verified_caller(credential: str | Caller | None) -> Caller | None:
    """Return the caller from a look-up in the last OFFLINE_SECONDS, or None; makes no query."""
    if not isinstance(credential, str):
        return None
    known = _verified.get(hash_api_key(credential))
    if known is None or known.offline_until <= time.monotonic():
        return None
    return _check_audience(known.caller, credential=credential)


async def find_caller(credential: str | Caller | None) -> Caller | None:
    """Return the caller as of now; None if access has ended. Without the database, a Caller counts as still valid."""
    try:
        return await run_on_loop(lambda: identify(credential))
    except Refusal:
        return None
    except DatabaseUnavailable:
        return credential if isinstance(credential, Caller) else None


async def wait_until_revoked(credential: str | Caller | None) -> None:
    """Return when the credential's access has ended, within 5 s of it."""
    while await find_caller(credential) is not None:  # noqa: ASYNC110 - it happens in the database
        await asyncio.sleep(RECHECK_SECONDS)


async def run_until_revoked(work: Coroutine[Any, Any, Result], *, credential: str | Caller | None) -> Result:
    """Await long work; cancel it and raise AuthenticationRequired within 5 s after the credential is revoked."""
    working = asyncio.ensure_future(work)
    revoking = asyncio.ensure_future(wait_until_revoked(credential))
    try:
        await asyncio.wait([working, revoking], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise AuthenticationRequired(ACCESS_ENDED, suggestion="Open it again with a key or token that is good.")
    finally:
        revoking.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait([working])


async def identify_anew(credential: str) -> Caller:
    """Look up the caller past the cache; for connections that stay open after they were admitted."""
    hashed = hash_api_key(credential)
    caller = await _look_ups.run(hashed, lambda: _look_up(credential, hashed=hashed))
    return _check_audience(caller, credential=credential)


def _check_audience(caller: Caller, *, credential: str) -> Caller:
    """Refuse a token that is restricted to some paths of this server when it is used elsewhere."""
    path = credential.path if isinstance(credential, AddressedToken) else ""
    if caller.audience and path not in caller.audience:
        parts = " and ".join(sorted(caller.audience))
        raise AuthenticationRequired(
            f"The token is for {parts} only.", suggestion="Use it there, or get a token for this address."
        )
    return caller


def forget() -> None:
    """Clear the cache of this process."""
    _cache.clear()
    _verified.clear()
    _look_ups.clear()


async def _look_up(credential: str, *, hashed: str) -> Caller:
    started = time.monotonic()
    _cache.pop(hashed, None)
    validator = next((one for one in _validators if one.accepts(credential)), None)
    try:
        caller, seconds = (
            await validator.find_caller(credential) if validator else (await _find_key_holder(hashed), OFFLINE_SECONDS)
        )
    except Refusal:
        _verified.pop(hashed, None)
        raise
    if len(_verified) >= MAX_CACHED_CALLERS:
        _cache.clear()
        _verified.clear()
    _cache[hashed] = _verified[hashed] = _CachedCaller(
        caller, started + min(seconds, CACHE_SECONDS), started + min(seconds, OFFLINE_SECONDS)
    )
    return caller


async def _find_key_holder(hashed: str) -> Caller:
    found = await owner_pool.fetch(_LOOK_UP, [hashed])
    if not found.rows:
        raise AuthenticationRequired(
            "The API key is unknown, expired or revoked.",
            suggestion="Check the key, or ask the administrator for a new one.",
        )
    return _make_caller(found.rows[0])


async def find_caller_by_key_id(key_id: int) -> Caller | None:
    """Return the caller of a key; None if the key has ended. One query."""
    found = await owner_pool.fetch(_LOOK_UP_BY_ID, [key_id])
    return _make_caller(found.rows[0]) if found.rows else None


def _make_caller(row: dict[str, Any]) -> Caller:
    return Caller(
        name=row["name"],
        scopes=frozenset(row["scopes"]),
        key_id=row["id"],
        calls_per_minute=row["calls_per_minute"],
        owner_id=row["owner_id"],
        default_workspace=row["default_workspace"],
        default_upstream=row["default_upstream"],
        issuer=row["issuer"],
    )
