"""Bounds of numbers known only at run time: LEAST(number, most), written into the tree."""

from typing import Any

_LEAST = 2  # MinMaxOp: undefined, greatest, least


def limit_number(number: Any, *, most: int) -> None:
    """Replace a number's node by the LEAST of it and `most`, unless it is one already. Null becomes `most`."""
    if _is_bounded(number, most=most):
        return
    asked = type(number)()
    asked.CopyFrom(number)
    number.Clear()
    number.min_max_expr.op = _LEAST
    number.min_max_expr.args.append(asked)
    number.min_max_expr.args.add().a_const.ival.ival = most


def _is_bounded(number: Any, *, most: int) -> bool:
    if number.WhichOneof("node") != "min_max_expr" or number.min_max_expr.op != _LEAST:
        return False
    last = number.min_max_expr.args[-1]
    is_number = last.WhichOneof("node") == "a_const" and last.a_const.WhichOneof("val") == "ival"
    return bool(is_number and 0 <= last.a_const.ival.ival <= most)
