"""The scopes that exist."""

from collections.abc import Iterable

from toolbox.catalogue.registry import registry

RIGHTS = ("read", "write")

_beside_tools: dict[str, bool] = {}
"""Names beside the domains of tools, and whether everybody who logs in may use them."""


def register_scopes(name: str, *, is_everybodys: bool = False) -> None:
    """Register scopes beside those of tools; an app calls it once, at start."""
    _beside_tools[name] = is_everybodys


def list_default_scopes() -> list[str]:
    """List the scopes of everybody who logs in, without any group."""
    return [f"{domain}:{right}" for domain, is_everybodys in _beside_tools.items() if is_everybodys for right in RIGHTS]


def list_known_scopes() -> list[str]:
    """List every scope: those of all domains first, then each domain's."""
    domains = dict.fromkeys(["*", *(toolkit.domain for toolkit in registry.toolkits()), *_beside_tools])
    return [f"{domain}:{right}" for domain in domains for right in RIGHTS]


def find_unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Return those that are not scopes."""
    known = list_known_scopes()
    return [scope for scope in scopes if scope not in known]
