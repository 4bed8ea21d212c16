"""The bytes of what a function or a cast returns, from the bytes of its arguments and the numbers among them."""

import re
from typing import Any

from sprints.sql_sandbox.guard.number_bounds import limit_number
from sprints.sql_sandbox.guard.operation_steps import UNKNOWN_PATH, count_path_bytes
from sprints.sql_sandbox.guard.refusals import Refused
from sprints.sql_sandbox.sql_vocabulary import FIXED_SIZE_TYPES

MAX_VALUE_BYTES = 1_000_000
"""The maximum size of a value at run time. The function in migration 0020 has the same number."""
MAX_REPETITIONS = 10_000
"""The maximum third argument of repeat, lpad and rpad."""
NUMERIC_BYTES = 65_000
SMALL = 16
_EIGHTFOLD = frozenset(
    ["array_to_json", "string_to_array", "regexp_split_to_array", "to_char", "to_json", "to_jsonb", "row_to_json"]
)
_MAX_PADDING_BYTES = 10_485_760
_PATTERN_SIZE = re.compile(r"%[^%a-zA-Z]*(\d{5}|\*)")


def result_bytes(name: str, *, sizes: list[int], call: Any) -> float:
    """
    Return the maximum size of a function's result, mostly twice the size of its arguments.

    A call with too few arguments names no function of PostgreSQL, which refuses it.
    """
    if not sizes:
        return SMALL
    total = sum(sizes)
    second = call.args[1] if len(sizes) > 1 else None
    match name:
        case "repeat":
            return sizes[0] * (_number(second) or MAX_REPETITIONS)
        case "lpad" | "rpad":
            return 4 * (_number(second) or MAX_REPETITIONS) + total
        case "replace" | "regexp_replace" if len(sizes) > 2:  # noqa: PLR2004 - a text, a pattern, what takes its place
            return sizes[0] * sizes[2]
        case "array_to_string":
            return sizes[0] * max(1, sum(sizes[1:]) - SMALL) + 3 * total
        case "concat_ws":
            return total + sizes[0] * len(sizes)
        case "format":
            _refuse_wide_format(call.args[0])
            return total * max(1, sizes[0] / 4)
        case "exp" | "factorial" | "power" | "pow" | "round" | "trunc":
            return _numeric_bytes(name, size=total, second=second)
    return _other_bytes(name, total=total, call=call)


def _other_bytes(name: str, *, total: int, call: Any) -> float:
    if name == "bpchar" and len(call.args) > 1:
        return total + (_number(call.args[1]) or _MAX_PADDING_BYTES)
    if name.startswith("jsonb_path_query_array"):
        return count_path_bytes(get_path(call), size=total * 2 + SMALL)
    return total * 8 if name in _EIGHTFOLD else total * 2 + SMALL


def cast_bytes(name: Any, *, size: int) -> float:
    """Return the maximum size of a value of this type that is made of `size` bytes."""
    kind, is_list = get_type_name(name), bool(name.array_bounds)
    if not is_list and kind in FIXED_SIZE_TYPES:
        return SMALL
    if not is_list and kind == "numeric":
        return min(size + sum(_number(one) or SMALL for one in name.typmods), NUMERIC_BYTES)
    padded = _number(name.typmods[0]) or _MAX_PADDING_BYTES if kind in ("bpchar", "bit") and name.typmods else 0
    is_text = kind in ("text", "varchar", "bpchar") and not is_list
    return size * (1 if is_text else 8) + padded * (size if is_list else 1)


def get_type_name(name: Any) -> str:
    """Return a type's name without its schema. A column without a type has the type text."""
    return str(name.names[-1].string.sval) if name.names else "text"


def get_text(node: Any, *, missing: str = UNKNOWN_PATH) -> str:
    """Return a text that is a literal in the statement."""
    is_text = node.WhichOneof("node") == "a_const" and node.a_const.WhichOneof("val") == "sval"
    return str(node.a_const.sval.sval) if is_text else missing


def get_path(call: Any) -> str:
    """Return the JSON path of a call, which is a literal or no path: no type makes a path of a computed text."""
    named = [one.named_arg_expr for one in call.args if one.WhichOneof("node") == "named_arg_expr"]
    for argument in named:
        if argument.name == "path":
            return get_text(argument.arg)
    return get_text(call.args[1]) if len(call.args) > 1 else UNKNOWN_PATH


def part_bytes(name: str, *, sizes: list[int], call: Any) -> int:
    """Return the maximum size of a part of the arguments. Each group of a pattern may be the whole text."""
    if not name.startswith("regexp_match") or len(sizes) < 2:  # noqa: PLR2004 - a text and a pattern
        return max(sizes, default=SMALL)
    is_literal = call.args[1].WhichOneof("node") == "a_const"
    groups = call.args[1].a_const.sval.sval.count("(") if is_literal else sizes[1] // 2
    return sizes[0] * max(1, int(groups))


def _numeric_bytes(name: str, *, size: int, second: Any | None) -> int:
    """Limit the digits of a number. An exponent or a number of digits may make many of few."""
    if second is None:
        return NUMERIC_BYTES if name in ("exp", "factorial") else size
    if name in ("power", "pow"):
        return power_bytes(size, exponent=second)
    digits = _number(second)
    return NUMERIC_BYTES if digits is None else size + digits


def power_bytes(size: int, *, exponent: Any) -> int:
    """Return the maximum size of a power."""
    number = _number(exponent)
    return NUMERIC_BYTES if number is None else min(size * max(number, 1), NUMERIC_BYTES)


def bound_repetitions(call: Any, *, name: str) -> None:
    """Limit the repetitions of a text. A computed number becomes LEAST(number, MAX_REPETITIONS)."""
    if len(call.args) < 2:  # noqa: PLR2004 - a text and a number
        return
    number = _number(call.args[1])
    if number is None:
        limit_number(call.args[1], most=MAX_REPETITIONS)
    elif number > MAX_REPETITIONS:
        raise Refused(
            f"{name}() may make a text of at most {MAX_REPETITIONS:,} characters.",
            suggestion=f"Use a number up to {MAX_REPETITIONS}.",
        )


def _refuse_wide_format(text: Any) -> None:
    is_text = text.WhichOneof("node") == "a_const" and text.a_const.WhichOneof("val") == "sval"
    if not is_text or _PATTERN_SIZE.search(text.a_const.sval.sval):
        raise Refused(
            "format() takes a format written in the statement, with widths below 10,000.",
            suggestion="Use format('%s of %s', a, b) with a literal first argument, or concat().",
        )


def _number(node: Any | None) -> int | None:
    """Return a whole number that is a literal in the statement."""
    if node is None or node.WhichOneof("node") != "a_const" or node.a_const.WhichOneof("val") != "ival":
        return None
    return int(node.a_const.ival.ival)
