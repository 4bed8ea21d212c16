"""
The steps of an operation, from the bytes that it is given.

What no list of the vocabulary names is charged as if it compared each part of its arguments with each other part.
"""

from collections.abc import Sequence

from sprints.sql_sandbox.sql_vocabulary import (
    LINEAR_FUNCTIONS,
    LINEAR_OPERATORS,
    LINEAR_TYPES,
    PAIR_OPERATOR_STEPS,
    PAIR_STEPS,
    SQUARE_STEPS,
)

LINEAR_STEPS = 4
UNKNOWN_PATH = "("
_SQUARE_STEPS = 1 / 4
_DIGIT_STEPS = 1 / 50
_LIST_STEPS = 1 / 50
_MAX_DOUBLINGS, _MAX_LEVELS = 60, 4  # beyond these the statement is refused, whatever its sizes


def count_function_steps(name: str, *, sizes: Sequence[float]) -> float:
    """Return the steps of a function for arguments of these sizes."""
    total = sum(sizes)
    steps = total * LINEAR_STEPS
    if name in LINEAR_FUNCTIONS:
        return steps
    if name in PAIR_STEPS:
        smaller, larger = sorted((0, 0, *sizes))[-2:]
        return steps + smaller * larger * PAIR_STEPS[name]
    return steps + total**2 * SQUARE_STEPS.get(name, _SQUARE_STEPS)


def count_operator_steps(name: str, *, left: float, right: float, is_list: bool = False) -> float:
    """Return the steps of an operator. With ANY and ALL the left value is compared with each of the list."""
    weight = 0.0 if name in LINEAR_OPERATORS else PAIR_OPERATOR_STEPS.get(name, 1.0)
    if is_list:
        weight = max(weight, _LIST_STEPS)
    return (left + right) * LINEAR_STEPS + left * right * weight


def count_cast_steps(name: str, *, size: float) -> float:
    """Return the steps of a cast beyond one look at the value."""
    return 0 if name in LINEAR_TYPES else size**2 * _DIGIT_STEPS


def count_path_bytes(path: str, *, size: float) -> float:
    """
    Return the bytes of all items that a JSON path gives.

    Each comma of a subscript may give its items once more, `keyvalue()` three for one, `**` one for each level.
    """
    doublings = min(path.count(",") + 2 * path.count("keyvalue"), _MAX_DOUBLINGS)
    return size * 2.0**doublings * size ** min(path.count("**"), _MAX_LEVELS)


def count_path_steps(path: str, *, size: float) -> float:
    """Return the steps of a JSON path over a document. A comparison compares each item with each."""
    items = count_path_bytes(path, size=size)
    is_plain = not set(path) & set("<>=(")
    return items * LINEAR_STEPS + (0 if is_plain else items * size * _SQUARE_STEPS)
