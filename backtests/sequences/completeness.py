"""
Completeness of sequences, decided by their shape. Pure.

A shape is the set of trails of type codes from the root to each leaf. With a pattern, a sequence has begun if any of
the pattern's types is in it, and is complete if along one of its trails all of them occur in the pattern's order.
Without a pattern a sequence is two events or more, or one whose parent is missing; it is complete unless its parent is
missing or its parents form a cycle. `judge` decides for one shape, `select_shapes` for all shapes of a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backtests.ingest.chains import CIRCLE, ORPHAN
from backtests.ingest.signatures import NO_CODE, SignatureBlock
from backtests.vocabulary import EVENT_TYPES, TYPE_CODES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_BYTE_PATTERN = 8
MIN_ROWS = 3
"""Rows of a block needed without a pattern: whether the chain is broken, the root, one level below it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sequence counts, whether it is complete, and which types it has not reached."""

    has_begun: bool
    is_complete: bool
    missing: list[str] | None


def judge(trails: Iterable[str], *, pattern: Sequence[str] | None, depth: int) -> Verdict:
    """Decide whether sequences of one shape count and are complete, down to `depth` levels."""
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


def count_rows(pattern: Sequence[str] | None, *, depth: int) -> int:
    """Count the rows of a block that a query needs."""
    return depth + 2 if pattern else MIN_ROWS


def select_shapes(
    block: SignatureBlock, *, pattern: Sequence[str] | None, depth: int, only_incomplete: bool
) -> NDArray[np.int64]:
    """Return the numbers of a block's shapes that a query selects; it agrees with `judge` on each."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    starts = np.flatnonzero(np.diff(block.owners, prepend=-1))
    begun, complete = _judge_trails(block.codes[: count_rows(pattern, depth=depth)], pattern=pattern)
    selected = np.logical_or.reduceat(begun, starts)
    if only_incomplete:
        is_complete = np.logical_or.reduceat(complete, starts) if pattern else np.logical_and.reduceat(complete, starts)
        selected &= ~is_complete
    return np.flatnonzero(selected) + block.first_shape


def _judge_trails(
    codes: NDArray[np.uint8], *, pattern: Sequence[str] | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each trail whether it begins its sequence, and whether it completes it."""
    import numpy as np  # noqa: PLC0415 - loaded with the first sequences, not with every process

    if not pattern:
        broken = codes[0] != 0
        return (broken | (codes[2] != NO_CODE)) if len(codes) >= MIN_ROWS else broken, ~broken
    word = np.dtype(np.uint8 if len(pattern) < MAX_BYTE_PATTERN else np.uint64)
    steps: dict[int, int] = {}  # by type: bit n + 1 is set if place n of the pattern has the type
    for place, name in enumerate(pattern):
        steps[TYPE_CODES[name]] = steps.get(TYPE_CODES[name], 0) | 2 << place
    seen = np.zeros(codes.shape[1], dtype=word)
    reached = np.ones(codes.shape[1], dtype=word)  # bit n is set if the first n types of the pattern occurred in order
    for row in codes[1:]:
        step = np.zeros(codes.shape[1], dtype=word)
        for code, bits in steps.items():
            step |= (row == code) * word.type(bits)
        seen |= step
        reached |= (reached << word.type(1)) & step
    return seen != 0, reached >= word.type(1 << len(pattern))
