"""Sentences about open upstreams for the descriptions of tools, from the last count."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """The upstreams' queries, and which upstreams support each of the six operations."""

    counts: str = ""
    operations: dict[str, str] = field(default_factory=dict)


figures = Figures()


def describe_counts() -> str:
    """Say how many queries each upstream has. Empty before the first count."""
    return figures.counts


def describe_operation(name: str) -> Callable[[], str]:
    """Say which upstreams support one of the contract's operations. Empty before the first count."""
    return lambda: figures.operations.get(name, "")
