"""
Who presents a credential, looked up with a short memory.

API keys are made once, shown once, and kept as a hash. Tokens of OAuth are read by whoever `read_also` made known.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from toolbox.contract.caller import Caller, hash_api_key
from toolbox.contract.errors import Unauthenticated
from toolbox.database.caches import SingleFlight
from toolbox.database.pools import owner_pool

MEMORY_SECONDS = 4.0
"""How long a look-up is trusted. A revocation takes effect within 5 s (docs/design.md), so this stays below."""
MAX_REMEMBERED = 10_000

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
class _Remembered:
    caller: Caller
    until: float


class TokenValidator(Protocol):
    """A kind of tokens beside our keys."""

    def has(self, token: str) -> bool:
        """Tell from its look whether it is of this kind."""

    async def holder(self, token: str) -> tuple[Caller, float]:
        """Give who holds it, and for how many seconds it is good; raises Refusal."""


_memory: dict[str, _Remembered] = {}
_under_way: SingleFlight[Caller] = SingleFlight()
_kinds: list[TokenValidator] = []


def register_validators(kinds: Iterable[TokenValidator]) -> None:
    """Have tokens of these kinds taken beside keys; called once, at start."""
    _kinds[:] = kinds


async def identify(credential: str | Caller | None) -> Caller:
    """
    Find out who presents this credential; a Caller is taken at its word (a transport of the kernel vouches for it).

    Asks the database at most once per key and 4 s. Raises Refusal UNAUTHENTICATED, DatabaseUnavailable.
    """
    if isinstance(credential, Caller):
        return credential
    if not credential:
        raise Unauthenticated(
            "This address needs an API key.",
            suggestion="Send the header 'Authorization: Bearer <key>'. `manage.py create_api_key` makes one.",
            is_missing=True,
        )
    hashed = hash_api_key(credential)
    known = _memory.get(hashed)
    if known and known.until > time.monotonic():
        return known.caller
    return await _under_way.run(hashed, lambda: _look_up(credential, hashed=hashed))


def forget() -> None:
    """Forget every look-up of this process."""
    _memory.clear()
    _under_way.clear()


async def _look_up(credential: str, *, hashed: str) -> Caller:
    asked_at = time.monotonic()
    _memory.pop(hashed, None)
    kind = next((kind for kind in _kinds if kind.has(credential)), None)
    caller, seconds = await kind.holder(credential) if kind else (await _key_holder(hashed), MEMORY_SECONDS)
    if len(_memory) >= MAX_REMEMBERED:
        _memory.clear()
    _memory[hashed] = _Remembered(caller, asked_at + min(seconds, MEMORY_SECONDS))
    return caller


async def _key_holder(hashed: str) -> Caller:
    found = await owner_pool.fetch(_LOOK_UP, [hashed])
    if not found.rows:
        raise Unauthenticated(
            "The API key is unknown, expired or revoked.",
            suggestion="Check the key, or ask whoever runs this server for a new one.",
        )
    return _caller(found.rows[0])


async def find_caller_by_key_id(key_id: int) -> Caller | None:
    """Give who may call with this key now; None where it has ended. One query."""
    found = await owner_pool.fetch(_LOOK_UP_BY_ID, [key_id])
    return _caller(found.rows[0]) if found.rows else None


def _caller(row: dict[str, Any]) -> Caller:
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
