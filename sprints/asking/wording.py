"""Rows put into words by rule, for when no model is asked. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from sprints.asking.charting import is_number
from sprints.contracts import QueryResult

MAX_TOLD, MAX_FACTS, MAX_VALUE = 3, 5, 80


def describe_rows(result: QueryResult) -> str:
    """Say in a few sentences what the rows hold: one row whole, of several how many, the first, and the sums."""
    if result.error:
        return f"The statement could not be run: {result.error}"
    if not result.rows:
        return "No rows match the question."
    if len(result.rows) == 1:
        return f"{_row(result.rows[0])}."
    more = " More rows were left out." if result.truncated else ""
    first = "; ".join(_row(row) for row in result.rows[:MAX_TOLD])
    shown = f"The first {MAX_TOLD}: {first}." if len(result.rows) > MAX_TOLD else f"{first}."
    return f"{len(result.rows)} rows. {shown}{_totals(result.rows)}{more}"


def _row(row: Mapping[str, Any]) -> str:
    """Give the names in a row, then its numbers with what they are."""
    facts = list(row.items())
    if len(facts) == 1:
        [(name, value)] = facts
        return f"{_words_of(name)}: {_value(value)}"
    names = [_value(value) for name, value in facts if isinstance(value, str)][:MAX_FACTS]
    numbers = [
        f"{_words_of(name)} {_value(value)}"
        for name, value in facts
        if value is not None and not isinstance(value, str)
    ]
    return f"{', '.join(names)}{': ' if names and numbers else ''}{', '.join(numbers[:MAX_FACTS])}"


def _totals(rows: Sequence[Mapping[str, Any]]) -> str:
    """Give the sum of the first column of counts or points, over all rows; days of a burndown are not summed."""
    if "day" in rows[0]:
        return ""
    for name in rows[0]:
        values = [row[name] for row in rows if row.get(name) is not None]
        if name.endswith(("points", "issues")) and values and all(is_number(value) for value in values):
            return f" {_words_of(name).capitalize()} in all: {_value(sum(values))}."
    return ""


def _words_of(name: str) -> str:
    return name.replace("_", " ")


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 1]}…"
