"""The scopes that exist: one to read and one to write per domain."""

from collections.abc import Iterable

from toolbox.catalogue.registry import registry

RIGHTS = ("read", "write")

_beside_tools: dict[str, bool] = {}
"""Names besides the domains of tools, and whether everyone who logs in has their scopes."""


def register_scopes(name: str, *, is_everybodys: bool = False) -> None:
    """Register scopes for something that has no tools; an app calls it once, at start."""
    _beside_tools[name] = is_everybodys


def list_default_scopes() -> list[str]:
    """List the scopes of everyone who logs in, without any group."""
    return [f"{domain}:{right}" for domain, is_everybodys in _beside_tools.items() if is_everybodys for right in RIGHTS]


def list_known_scopes() -> list[str]:
    """List every scope: first those of all domains (`*`), then each domain's."""
    domains = dict.fromkeys(["*", *(toolkit.domain for toolkit in registry.toolkits()), *_beside_tools])
    return [f"{domain}:{right}" for domain in domains for right in RIGHTS]


def find_unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Return the given names that are not scopes."""
    known = list_known_scopes()
    return [scope for scope in scopes if scope not in known]
