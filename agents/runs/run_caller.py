"""
Resolve the caller on whose behalf a run calls tools; repeated at every step.

The caller is the API key that asked, the person who asked in the console, or else the local operator. Its scopes are
limited to the conversation's toolkits.
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
"""Shorter than elsewhere, because a run must end within 5 s after its key."""


async def resolve_caller(run: ClaimedRun) -> Caller | None:
    """Return the run's caller as of now (at most 4 s old); None if the key or account has ended."""
    if run.key_id is not None:
        key_id, owner_id = run.key_id, run.owner_id
        known = await _cache.get((key_id, owner_id), lambda: _look_up(key_id, owner_id=owner_id))
    else:
        known = LOCAL_OPERATOR if run.owner_id is None else await find_person(run.owner_id)
    return narrow_scopes(known, toolkits=run.toolkits) if known else None


def narrow_scopes(caller: Caller, *, toolkits: tuple[str, ...]) -> Caller:
    """Limit the caller's scopes to these domains, or to all domains with tools if none is named."""
    domains = [domain for domain in usable_toolkits() if not toolkits or domain in toolkits]
    scopes = {f"{domain}:{right}" for domain in domains for right in RIGHTS}
    return replace(caller, scopes=frozenset(scope for scope in scopes if caller.has(scope)))


def usable_toolkits() -> list[str]:
    """Return the domains whose tools runs may use: all but this one, whose tool starts runs."""
    return [toolkit.domain for toolkit in registry.toolkits() if toolkit.domain != "agents"]


def find_readable_toolkits(caller: Caller) -> list[str]:
    """Return the domains whose reading tools a run of this caller may use."""
    return [domain for domain in usable_toolkits() if caller.has(f"{domain}:read")]


def may_use_tools(caller: Caller) -> bool:
    """Return whether a run of this caller would have any tool."""
    return bool(narrow_scopes(caller, toolkits=()).scopes)


def refuse_unknown(field: str, *, names: list[str], known: list[str]) -> None:
    """Refuse unknown names, suggesting the nearest known one first."""
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
