"""Who is calling, and what they may do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    Somebody with scopes.

    A scope is `domain:read` or `domain:write`; `*` stands for every domain. Write does not imply read.
    """

    name: str
    scopes: frozenset[str]
    key_id: int | None = None
    calls_per_minute: int | None = None

    def has(self, scope: str) -> bool:
        """Tell whether the caller holds the scope, by name or by its `*`."""
        return scope in self.scopes or f"*:{scope.rpartition(':')[2]}" in self.scopes


LOCAL_OPERATOR = Caller(name="local", scopes=frozenset({"*:read"}))
"""Whoever runs `manage.py mcp` on the machine itself: every read scope, audited as `local`."""
