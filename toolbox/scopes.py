"""What a scope may be."""

from collections.abc import Iterable

from toolbox.registry import registry

RIGHTS = ("read", "write")


def known_scopes() -> list[str]:
    """Name every scope there is: those of all domains first, then each domain's."""
    domains = ["*", *(toolkit.domain for toolkit in registry.toolkits())]
    return [f"{domain}:{right}" for domain in domains for right in RIGHTS]


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Give those scopes that are none."""
    known = known_scopes()
    return [scope for scope in scopes if scope not in known]
