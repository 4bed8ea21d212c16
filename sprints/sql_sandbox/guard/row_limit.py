"""The contract's LIMIT rule: none becomes 50, above 1000 becomes 1000, else it stays. Subqueries are untouched."""

import math
from dataclasses import dataclass
from typing import Any

from sprints.contracts import DEFAULT_ROWS, MAX_ROWS
from sprints.sql_sandbox.guard.number_bounds import limit_number

_BY_COUNT, _WITH_TIES = 2, 3  # LimitOption: undefined, default, count, with ties


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLimit:
    """The maximum number of rows of a statement, and whether its own LIMIT was missing or may have been lowered."""

    max_rows: int
    was_set: bool = False
    was_lowered: bool = False


def set_limit(select: Any, *, default_rows: int = DEFAULT_ROWS, max_rows: int = MAX_ROWS) -> RowLimit:
    """
    Set the LIMIT of the outermost SELECT.

    LIMIT ALL and LIMIT NULL are none. A LIMIT that must be computed is bounded where it stands. What is set or lowered
    is one row more than may be given, which tells whether rows were left out.
    """
    count = select.limit_count if select.HasField("limit_count") else None
    if count is None or _is_null(count):
        return RowLimit(max_rows=_write(select, default_rows), was_set=True)
    number = _number(count)
    if number is None:
        limit_number(select.limit_count, most=max_rows + 1)
        return RowLimit(max_rows=max_rows, was_lowered=True)
    if number > max_rows:
        return RowLimit(max_rows=_write(select, max_rows), was_lowered=True)
    return RowLimit(max_rows=max_rows if select.limit_option == _WITH_TIES else math.ceil(number))


def _write(select: Any, rows: int) -> int:
    select.limit_count.Clear()
    select.limit_count.a_const.ival.ival = rows + 1
    select.limit_option = max(select.limit_option, _BY_COUNT)
    return rows


def _is_null(count: Any) -> bool:
    return count.WhichOneof("node") == "a_const" and bool(count.a_const.isnull)


def _number(count: Any) -> float | None:
    """Return a LIMIT that is a literal number. None for anything else."""
    if count.WhichOneof("node") != "a_const":
        return None
    kind = count.a_const.WhichOneof("val")
    if kind == "ival":
        return int(count.a_const.ival.ival)
    return _float(count.a_const.fval.fval) if kind == "fval" else None


def _float(written: str) -> float:
    """Return a number beyond 32 bits. One that Python cannot parse (0xFFFFFFFFFF) is certainly large."""
    try:
        return float(written)
    except ValueError:
        return math.inf
