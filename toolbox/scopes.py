"""What a scope may be."""

from collections.abc import Iterable

from toolbox.registry import registry

RIGHTS = ("read", "write")

_beside_tools: list[str] = []


def add_domain(name: str) -> None:
    """Have scopes for what keys open beside tools; an app calls it once, at start."""
    if name not in _beside_tools:
        _beside_tools.append(name)


def beside_tools() -> list[str]:
    """Name the scopes of what is no domain of tools."""
    return [f"{domain}:{right}" for domain in _beside_tools for right in RIGHTS]


def known_scopes() -> list[str]:
    """Name every scope there is: those of all domains first, then each domain's."""
    domains = ["*", *(toolkit.domain for toolkit in registry.toolkits()), *_beside_tools]
    return [f"{domain}:{right}" for domain in domains for right in RIGHTS]


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Give those scopes that are none."""
    known = known_scopes()
    return [scope for scope in scopes if scope not in known]
