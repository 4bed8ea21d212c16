"""Comparison of results: rows as a set, columns by content. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from itertools import islice, permutations
from typing import Any

Rows = Sequence[Mapping[str, Any]]
DECIMALS_COMPARED = 1
MAX_ASSIGNMENTS = 5_000


def same(given: Rows, *, gold: Rows, ordered: bool = False) -> bool:
    """
    Return whether the rows contain the gold rows. Column names are ignored, and row order unless `ordered`.

    More columns than the gold has are no mistake, fewer are; more or fewer rows are. Numbers are held against each
    other at the decimals of the coarser one, at one decimal at least.
    """
    if len(given) != len(gold):
        return False
    if not gold:
        return True
    wanted = [[row[name] for row in gold] for name in gold[0]]
    held = [[row[name] for row in given] for name in given[0]]
    return any(
        _rows_agree([held[place] for place in chosen], wanted, ordered=ordered) for chosen in _choices(held, wanted)
    )


def _choices(held: list[list[Any]], wanted: list[list[Any]]) -> Any:
    """Return the possible mappings of the gold's columns to the answer's, by values that could be equal."""
    fitting = [[place for place, column in enumerate(held) if _alike(column, gold)] for gold in wanted]
    if any(not places for places in fitting):
        return iter(())
    free = sorted({place for places in fitting for place in places})
    ways = (
        chosen
        for chosen in permutations(free, len(wanted))
        if all(one in fit for one, fit in zip(chosen, fitting, strict=True))
    )
    return islice(ways, MAX_ASSIGNMENTS)


def _alike(column: list[Any], gold: list[Any]) -> bool:
    """Return whether the columns hold the same values, ignoring order."""
    left, right = sorted(map(_sortable, column)), sorted(map(_sortable, gold))
    return all(_equal(one, other) for one, other in zip(left, right, strict=True))


def _rows_agree(held: list[list[Any]], wanted: list[list[Any]], *, ordered: bool) -> bool:
    left = [tuple(map(_sortable, row)) for row in zip(*held, strict=True)]
    right = [tuple(map(_sortable, row)) for row in zip(*wanted, strict=True)]
    if not ordered:
        if Counter(left) == Counter(right):
            return True
        left, right = sorted(left), sorted(right)
    return all(_equal(one, other) for a, b in zip(left, right, strict=True) for one, other in zip(a, b, strict=True))


def _sortable(value: Any) -> tuple[int, Any]:
    """Return a sort key for any value: nulls, then numbers, then texts."""
    if value is None:
        return (0, 0)
    if isinstance(value, bool):
        return (2, str(value))
    number = _number(value)
    if number is not None:
        return (1, number)
    return (2, value.isoformat() if isinstance(value, datetime) else str(value))


def _number(value: Any) -> Decimal | None:
    if not isinstance(value, int | float | Decimal):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _equal(left: tuple[int, Any], right: tuple[int, Any]) -> bool:
    """Compare two values from `_sortable`. Null equals only null; numbers are compared at their common precision."""
    (kind, one), (other_kind, other) = left, right
    if kind != other_kind:
        return False
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        if one == one.to_integral_value() and other == other.to_integral_value():
            return one == other
        places = max(DECIMALS_COMPARED, min(_decimals(one), _decimals(other)))
        return abs(one - other) <= Decimal(6).scaleb(-places - 1)
    return bool(one == other)


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
