"""
Resolve the caller on whose behalf a run calls tools; repeated at every step.

The caller is the API key that asked, the person who asked in the console, or else the local operator. Its scopes are
narrowed to the conversation's toolkits.
"""

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from agents.queries.rows import ClaimedRun
from toolbox.access.people import find_person
from toolbox.access.scopes import RIGHTS
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.database.caches import TtlCache
from toolbox.database.pools import work_pool

_KEY = """
SELECT key.id, key.name, key.scopes, key.calls_per_minute, key.owner_id, key.default_workspace, key.default_upstream,
  CASE WHEN key.digest LIKE 'oauth:%%' THEN 'OAuth' ELSE '' END AS issuer
FROM toolbox_api_keys AS key
JOIN auth_user AS owner ON owner.id = key.owner_id
WHERE key.id = %s AND key.owner_id = %s
  AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now()) AND owner.is_active
LIMIT 1
"""

_memory: TtlCache[Caller | None] = TtlCache(seconds=2.0)
"""Shorter than elsewhere: a heartbeat looks every second, and a run ends within 5 s of its key."""


async def resolve_caller(run: ClaimedRun) -> Caller | None:
    """Give the run's caller, as they are now (4 s old at most); None where key or account has ended."""
    if run.key_id is not None:
        known = await _memory.get((run.key_id, run.owner_id), lambda: _look_up(run))
    else:
        known = LOCAL_OPERATOR if run.owner_id is None else await find_person(run.owner_id)
    return narrow_scopes(known, toolkits=run.toolkits) if known else None


def narrow_scopes(caller: Caller, *, toolkits: tuple[str, ...]) -> Caller:
    """Leave the caller the scopes of these domains, of all domains with tools where none is named."""
    domains = [domain for domain in usable_toolkits() if not toolkits or domain in toolkits]
    scopes = {f"{domain}:{right}" for domain in domains for right in RIGHTS}
    return replace(caller, scopes=frozenset(scope for scope in scopes if caller.has(scope)))


def usable_toolkits() -> list[str]:
    """Name the domains whose tools runs may use: all but this one, whose tool begins runs."""
    return [toolkit.domain for toolkit in registry.toolkits() if toolkit.domain != "agents"]


def find_readable_toolkits(caller: Caller) -> list[str]:
    """Name the domains whose reading tools a run of this caller may use."""
    return [domain for domain in usable_toolkits() if caller.has(f"{domain}:read")]


def may_use_tools(caller: Caller) -> bool:
    """Tell whether an agent would have a tool to act with as this caller."""
    return bool(narrow_scopes(caller, toolkits=()).scopes)


def refuse_unknown(field: str, *, names: list[str], known: list[str]) -> None:
    """Refuse names that are none, with the nearest known one first."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            listed = ", ".join([*near, *(other for other in known if other not in near)][:40])
            raise Refusal(
                KERNEL_ENVELOPE.bad_input, f"{field}: there is no {name[:80]!r}.", suggestion=f"Use one of: {listed}."
            )


async def _look_up(run: ClaimedRun) -> Caller | None:
    found = await work_pool.fetch(_KEY, [run.key_id, run.owner_id])
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
