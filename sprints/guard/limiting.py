"""The contract's LIMIT rule: none becomes 50, above 1000 becomes 1000, else it is kept; subqueries are untouched."""

import math
from typing import Any

from sprints.contracts import DEFAULT_ROWS, MAX_ROWS
from sprints.guard.least import bound

_BY_COUNT, _WITH_TIES = 2, 3  # LimitOption: undefined, default, count, with ties


def set_limit(select: Any) -> int:
    """
    Set the LIMIT of the outermost SELECT; gives the number of rows that it allows at most.

    LIMIT ALL and LIMIT NULL are none. A LIMIT that must be computed is bounded where it stands.
    """
    count = select.limit_count if select.HasField("limit_count") else None
    if count is None or _is_null(count):
        return _write(select, DEFAULT_ROWS)
    number = _number(count)
    if number is None:
        bound(select.limit_count, most=MAX_ROWS)
        return MAX_ROWS
    rows = _write(select, MAX_ROWS) if number > MAX_ROWS else math.ceil(number)
    return MAX_ROWS if select.limit_option == _WITH_TIES else rows


def _write(select: Any, rows: int) -> int:
    select.limit_count.Clear()
    select.limit_count.a_const.ival.ival = rows
    select.limit_option = max(select.limit_option, _BY_COUNT)
    return rows


def _is_null(count: Any) -> bool:
    return count.WhichOneof("node") == "a_const" and bool(count.a_const.isnull)


def _number(count: Any) -> float | None:
    """Read a LIMIT that is a number as it stands; None where it is anything else."""
    if count.WhichOneof("node") != "a_const":
        return None
    kind = count.a_const.WhichOneof("val")
    if kind == "ival":
        return int(count.a_const.ival.ival)
    return _float(count.a_const.fval.fval) if kind == "fval" else None


def _float(written: str) -> float:
    """Read a number that is no 32-bit integer; one that Python cannot read (0xFFFFFFFFFF) is surely large."""
    try:
        return float(written)
    except ValueError:
        return math.inf
