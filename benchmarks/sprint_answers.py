"""
Judge answers to the questions of tests/data/sprints/questions.jsonl by their rows. Pure: no database, no clock.

An answer is `{"asks_back": bool, "rows": [...]}`, each row a list or a dict. Names of columns, further columns, and,
where nothing is ranked, the order of rows do not matter. How many rows there are does.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

QUESTIONS = Path(__file__).resolve().parents[1] / "tests/data/sprints/questions.jsonl"
Verdict = Literal["right", "wrong", "asked back"]


def load_questions(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """Load the questions, one JSON object a line."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def judge_answer(question: dict[str, Any], *, asks_back: bool, rows: Iterable[Any]) -> Verdict:
    """Judge one answer. If the question should be asked back, rows are right only if a reading accepts them."""
    if asks_back:
        return "right" if question["kind"] == "ask_back" else "asked back"
    found = [list(row.values()) if isinstance(row, dict) else list(row) for row in rows]
    if len(found) in question.get("accepted_row_counts", ()):
        return "right"
    return "right" if any(_is_same(question, reading["rows"], found) for reading in question["readings"]) else "wrong"


def _is_same(question: dict[str, Any], expected: list[list[Any]], found: list[list[Any]]) -> bool:
    if not expected:
        return not found
    columns = question["columns_that_matter"] or range(len(expected[0]))
    if len(expected) != len(found):
        return _is_one_row_for_all(expected, found, columns)
    wanted = [[row[column] for column in columns] for row in expected]
    return _pair_up(wanted, found, sizes=[row[-1] for row in expected] if question["ordered"] else None)


def _is_one_row_for_all(expected: list[list[Any]], found: list[list[Any]], columns: Sequence[int]) -> bool:
    """
    Accept two figures side by side in one row instead of two rows, if the row names both or there are no names.

    So are two rows instead of two figures in one row, in the same order.
    """
    if (len(found), len(expected), len(columns)) == (2, 1, 2):
        return all(_holds(row, [expected[0][column]]) for row, column in zip(found, columns, strict=True))
    if (len(found), len(expected), len(columns)) != (1, 2, 2):
        return False
    return _holds(found[0], [value for row in expected for value in row])


def _pair_up(wanted: list[list[Any]], found: list[list[Any]], *, sizes: list[Any] | None) -> bool:
    """Match each expected row with a different row; if ranked, rows may change places only where sizes are equal."""
    free = list(range(len(found)))
    for place, row in enumerate(wanted):
        fitting = [
            at for at in free if _holds(found[at], row) and (sizes is None or _same_value(sizes[at], sizes[place]))
        ]
        if not fitting:
            return False
        # A row that fits exactly is preferred to one with more in it.
        free.remove(min(fitting, key=lambda at: len(found[at])))
    return True


def _holds(cells: list[Any], wanted: list[Any]) -> bool:
    """Return whether each expected value is in a different cell."""
    left = list(cells)
    for value in wanted:
        at = next((at for at, cell in enumerate(left) if _same_value(value, cell)), None)
        if at is None:
            return False
        del left[at]
    return True


def _same_value(expected: Any, found: Any) -> bool:
    first, second = _as_number(expected), _as_number(found)
    if first is not None and second is not None:
        return _same_number(first, second)
    return _as_text(expected) == _as_text(found) or _same_month(expected, found)


def _same_month(expected: Any, found: Any) -> bool:
    """Accept "September" and "September 2026" for the first day of that month."""
    try:
        first = date.fromisoformat(_as_text(expected))
    except ValueError:
        return False
    return first.day == 1 and str(found) in (f"{first:%B}", f"{first:%B %Y}")


def _same_number(expected: Decimal, found: Decimal) -> bool:
    """Compare at the coarser precision, but at least one decimal: 37 is not 37.33, 37.3 is."""
    if expected == expected.to_integral_value():
        return abs(expected - found) < Decimal("0.000001")
    exponent = found.as_tuple().exponent
    decimals = max(1, -exponent if isinstance(exponent, int) else 1)
    return abs(expected - found) <= Decimal(10) ** -decimals / 2 + Decimal("0.000001")


def _as_number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | Decimal):
        return Decimal(str(value))
    if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return Decimal(value)
    return None


def _as_text(value: Any) -> str:
    """Write a day or a moment in one way, whichever way it came; midnight is its day."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    text = str(value).strip()
    if re.fullmatch(r"\d{4}-\d\d", text):
        return f"{text}-01"
    if not re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text):
        return text.casefold()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text.casefold()
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.date().isoformat() if moment.time() == time() else moment.isoformat()
