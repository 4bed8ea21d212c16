"""
When a sequence is complete, told from its shape. Pure.

A shape is the set of trails of type codes from the root to each leaf. With a pattern, a sequence has begun if any of
the pattern's types is in it, and is complete if along one of its trails all of them occur in the pattern's order.
Without a pattern a sequence is two events or more, or one whose parent is missing; it is complete unless its parent is
missing or its parents run in a circle.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backtests.ingest.chains import CIRCLE, ORPHAN
from backtests.vocabulary import EVENT_TYPES, TYPE_CODES


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sequence counts, whether it is complete, and what it has not reached."""

    has_begun: bool
    is_complete: bool
    missing: list[str] | None


def judge(trails: Iterable[str], *, pattern: Sequence[str] | None, depth: int) -> Verdict:
    """Judge sequences of one shape, `depth` levels deep."""
    known = list(trails)
    if not pattern:
        broken = any(trail[0] in (ORPHAN, CIRCLE) for trail in known)
        return Verdict(broken or any(len(trail) > 1 for trail in known), not broken, None)
    codes = [str(TYPE_CODES[name]) for name in pattern]
    cut = [trail.lstrip(ORPHAN + CIRCLE)[: depth + 1] for trail in known]
    reached = max((reach(trail, codes=codes) for trail in cut), default=0)
    begun = any(code in trail for trail in cut for code in codes)
    missing = [EVENT_TYPES[int(code)] for code in codes[reached:]] or None
    return Verdict(begun, missing is None, missing)


def reach(trail: str, *, codes: Sequence[str]) -> int:
    """Count how many of the pattern's codes occur in order along a trail."""
    at = 0
    for reached, code in enumerate(codes):
        at = trail.find(code, at) + 1
        if not at:
            return reached
    return len(codes)
