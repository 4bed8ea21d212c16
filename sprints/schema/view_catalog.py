"""What a statement may name: the views of one schema, and their columns."""

from dataclasses import dataclass, field
from functools import cached_property

SCHEMA = "sprintscope"


@dataclass(frozen=True, kw_only=True)
class ViewCatalog:
    """A schema of views; every other relation does not exist for a statement."""

    schema: str
    views: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Every column of every view."""
        return frozenset().union(*self.views.values())
