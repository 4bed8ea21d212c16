"""API keys: made once, shown once, kept as a hash, looked up with a short memory."""

import asyncio
import hashlib
import secrets
import time
from dataclasses import dataclass

from toolbox.callers import Caller
from toolbox.errors import UNAUTHENTICATED, Refusal
from toolbox.ledger import ledger

PREFIX = "tr_"
MEMORY_SECONDS = 4.0
"""How long a look-up is trusted. A revocation takes effect within 5 s (docs/design.md), so this stays below."""
MOST_REMEMBERED = 10_000

_LOOK_UP = """
SELECT key.id, key.name, key.scopes, key.calls_per_minute
FROM toolbox_api_keys AS key
JOIN auth_user AS owner ON owner.id = key.owner_id
WHERE key.digest = %s
  AND key.revoked_at IS NULL
  AND (key.expires_at IS NULL OR key.expires_at > now())
  AND owner.is_active
"""


@dataclass(frozen=True, slots=True)
class _Remembered:
    caller: Caller
    until: float


_memory: dict[str, _Remembered] = {}
_under_way: dict[str, asyncio.Task[Caller]] = {}


def new_key() -> str:
    """Make a key: 256 random bits behind a prefix that secret scanners can find."""
    return PREFIX + secrets.token_urlsafe(32)


def digest(key: str) -> str:
    """Hash a key for keeping. One SHA-256 is enough for 256 random bits; stretching is for what people invent."""
    return hashlib.sha256(key.encode()).hexdigest()


async def identify(credential: str | Caller | None) -> Caller:
    """
    Find out who presents this credential; a Caller is taken at its word (a face of the kernel vouches for it).

    Asks the database at most once per key and 4 s. Raises Refusal UNAUTHENTICATED, DatabaseUnavailable.
    """
    if isinstance(credential, Caller):
        return credential
    if not credential:
        raise Refusal(
            UNAUTHENTICATED,
            "This address needs an API key.",
            suggestion="Send the header 'Authorization: Bearer <key>'. `manage.py create_api_key` makes one.",
        )
    hashed = digest(credential)
    known = _memory.get(hashed)
    if known and known.until > time.monotonic():
        return known.caller
    return await _looked_up_once(hashed)


def forget() -> None:
    """Forget every look-up of this process."""
    _memory.clear()
    _under_way.clear()


async def _looked_up_once(hashed: str) -> Caller:
    """Join the look-up of the same key that is under way, or start one."""
    task = _under_way.get(hashed)
    if task is None or task.get_loop() is not asyncio.get_running_loop():
        task = asyncio.get_running_loop().create_task(_look_up(hashed))
        _under_way[hashed] = task
        task.add_done_callback(lambda done: _ended(done, hashed=hashed))
    return await asyncio.shield(task)


def _ended(task: asyncio.Task[Caller], *, hashed: str) -> None:
    """Let the next caller start anew; an error is for those who waited, if any still do."""
    if _under_way.get(hashed) is task:
        del _under_way[hashed]
    if not task.cancelled():
        task.exception()


async def _look_up(hashed: str) -> Caller:
    asked_at = time.monotonic()
    found = await ledger.fetch(_LOOK_UP, [hashed])
    _memory.pop(hashed, None)
    if not found.rows:
        raise Refusal(
            UNAUTHENTICATED,
            "The API key is unknown, expired or revoked.",
            suggestion="Check the key, or ask whoever runs this server for a new one.",
        )
    row = found.rows[0]
    caller = Caller(
        name=row["name"], scopes=frozenset(row["scopes"]), key_id=row["id"], calls_per_minute=row["calls_per_minute"]
    )
    if len(_memory) >= MOST_REMEMBERED:
        _memory.clear()
    _memory[hashed] = _Remembered(caller, asked_at + MEMORY_SECONDS)
    return caller
