"""The relations and columns that a statement may use: the views of one schema."""

from dataclasses import dataclass, field
from functools import cached_property

SCHEMA = "sprintscope"


@dataclass(frozen=True, kw_only=True)
class ViewCatalog:
    """A schema of views. No other relation exists for a statement."""

    schema: str
    views: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Every column of every view."""
        return frozenset().union(*self.views.values())
