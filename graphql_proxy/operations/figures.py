"""Sentences about open upstreams for descriptions of tools, as they were last worked out."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """What the upstreams have: their queries, and which have each of the six operations."""

    counts: str = ""
    operations: dict[str, str] = field(default_factory=dict)


figures = Figures()


def describe_counts() -> str:
    """Give how many queries each upstream has; empty until it was counted."""
    return figures.counts


def describe_operation(name: str) -> Callable[[], str]:
    """Give what says which upstreams have one of the contract's operations; empty until it was worked out."""
    return lambda: figures.operations.get(name, "")
