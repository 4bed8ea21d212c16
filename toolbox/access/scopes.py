"""What a scope may be."""

from collections.abc import Iterable

from toolbox.catalogue.registry import registry

RIGHTS = ("read", "write")

_beside_tools: dict[str, bool] = {}
"""Names of what is no domain of tools, and whether everybody who logs in may use it."""


def add_domain(name: str, *, is_everybodys: bool = False) -> None:
    """Have scopes for what keys open beside tools; an app calls it once, at start."""
    _beside_tools[name] = is_everybodys


def everybodys_scopes() -> list[str]:
    """Name what everybody who logs in may do, in no group at all."""
    return [f"{domain}:{right}" for domain, is_everybodys in _beside_tools.items() if is_everybodys for right in RIGHTS]


def known_scopes() -> list[str]:
    """Name every scope there is: those of all domains first, then each domain's."""
    domains = dict.fromkeys(["*", *(toolkit.domain for toolkit in registry.toolkits()), *_beside_tools])
    return [f"{domain}:{right}" for domain in domains for right in RIGHTS]


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Give those scopes that are none."""
    known = known_scopes()
    return [scope for scope in scopes if scope not in known]
