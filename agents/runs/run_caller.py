"""
Resolve the caller on whose behalf a run calls tools; repeated at every step.

The caller is the API key that asked, the person who asked in the console, or else the local operator. Its scopes are
narrowed to the conversation's toolkits.
"""

from dataclasses import replace
from difflib import get_close_matches

from agents.queries.rows import ClaimedRun
from toolbox.access.keys import find_caller_by_key_id
from toolbox.access.people import find_person
from toolbox.access.scopes import RIGHTS
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.database.caches import TtlCache

_cache: TtlCache[Caller | None] = TtlCache(seconds=2.0)
"""Shorter than elsewhere: a heartbeat looks every second, and a run ends within 5 s of its key."""


async def resolve_caller(run: ClaimedRun) -> Caller | None:
    """Give the run's caller, as they are now (4 s old at most); None where key or account has ended."""
    if run.key_id is not None:
        key_id, owner_id = run.key_id, run.owner_id
        known = await _cache.get((key_id, owner_id), lambda: _look_up(key_id, owner_id=owner_id))
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


async def _look_up(key_id: int, *, owner_id: int | None) -> Caller | None:
    caller = await find_caller_by_key_id(key_id)
    return caller if caller and caller.owner_id == owner_id else None
