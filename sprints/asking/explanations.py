"""Explanations of rows in words, by the model if one is configured, else by rules."""

import logging
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import regex

from sprints.asking.charts import is_number
from sprints.asking.prompts import EXPLAIN, ExplainedRows, write_explanation_task
from sprints.contracts import QueryResult
from toolbox.contract.encoding import encode
from toolbox.model import Message, Model, ModelFailure
from toolbox.text.numbers import KnownNumbers

logger = logging.getLogger(__name__)

MODEL_SECONDS = 20.0
MAX_ROWS_LISTED, MAX_FACTS, MAX_FACTS_OF_ONE_ROW, MAX_VALUE_CHARACTERS = 3, 5, 20, 80
_MOMENT = regex.compile(r"\d{4}-\d\d-\d\d(?:T|$)")
MIN_GROUPED = 10_000
"""From here on a number is written with separators. Four digits may be a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The answer in words, and suggested questions."""

    text: str
    suggestions: tuple[str, ...] = ()

    def as_contract(self) -> str:
        """Format it for the contract: plain text, or a JSON string if there are suggestions."""
        if not self.suggestions:
            return self.text
        return encode({"explanation": self.text, "suggestions": list(self.suggestions)}).decode()


async def explain(
    result: QueryResult, *, question: str, sql: str, model: Model | None, suggestions: Sequence[str] = (),
    assumptions: Sequence[str] = (), total_of: str = "",
) -> Explanation:  # fmt: skip
    """
    Explain a result. `suggestions` are those known without a model; the column `total_of` may be summed.

    A failure of the model is said in the text. A text with numbers that the rows do not give is replaced.
    """
    described = describe_rows(result, total_of=total_of)
    if model is None or result.error:
        return Explanation(text=described, suggestions=tuple(suggestions))
    task = write_explanation_task(question, sql=sql, rows=result.rows, assumptions=assumptions)
    try:
        given = await model.complete_structured(
            [Message.system(EXPLAIN), Message.user(task)], schema=ExplainedRows, deadline_seconds=MODEL_SECONDS
        )
    except ModelFailure as failure:
        logger.warning("Rows were put into words by rule: %s", failure)
        text = f"The model could not explain the rows: {failure} {described}"
        return Explanation(text=text, suggestions=tuple(suggestions))
    text = given.explanation.strip() or described
    known = KnownNumbers()
    known.add_data(result.rows)
    known.add_text("\n".join((question, *assumptions)))
    if unfounded := known.find_unfounded(text):
        numbers = ", ".join(unfounded[:MAX_FACTS])
        text = f"{described} The model's text is left out, because no row gives its {numbers}."
    return Explanation(text=text, suggestions=tuple(given.suggestions or suggestions))


def describe_rows(result: QueryResult, *, total_of: str = "") -> str:
    """
    Describe the rows in a few sentences: one row in full; of several the count, the first, and a total.

    Only what knows how the rows came about knows whether they may be summed, and says so with `total_of`.
    """
    if result.error:
        return f"The statement could not be run: {result.error}"
    more = "".join(f" {note}" for note in result.notes or ())
    is_part = bool(result.truncated) or result.count > len(result.rows)
    if not result.rows and is_part:
        return (
            f"{result.count:,} rows were found, but the result holds no row."
            if result.count
            else "No row is given; rows were left out."
        )
    if not more and is_part:
        more = " More rows were left out."
    if not result.rows:
        return f"No rows match the question.{more}"
    texts = {name for row in result.rows for name, value in row.items() if isinstance(value, str)}
    if len(result.rows) == 1:
        return f"{_describe_row(result.rows[0], texts=texts, most=MAX_FACTS_OF_ONE_ROW)}.{more}"
    first = "; ".join(_describe_row(row, texts=texts) for row in result.rows[:MAX_ROWS_LISTED])
    shown = f"The first {MAX_ROWS_LISTED}: {first}." if len(result.rows) > MAX_ROWS_LISTED else f"{first}."
    total = "" if is_part else _describe_total(result.rows, name=total_of)
    return f"{_write_value(len(result.rows))} rows. {shown}{total}{more}"


def _describe_row(row: Mapping[str, Any], *, texts: AbstractSet[str], most: int = MAX_FACTS) -> str:
    """
    Return `most` names in a row, then as many numbers and dates with their columns. `texts` are the columns of names.

    The last name is among them: a column that the question asks for stands behind the usual ones.
    """
    facts = list(row.items())
    if not facts:
        return "an empty row"
    if len(facts) == 1:
        [(name, value)] = facts
        return f"{name.replace('_', ' ')}: {_write_value(value)}"
    labelled = {name for name, value in facts[1:] if isinstance(value, str) and _MOMENT.match(value)}
    names = [
        f"no {name.replace('_', ' ')}" if value in (None, "") else _write_value(value)
        for name, value in facts
        if name not in labelled and (isinstance(value, str) or (value is None and name in texts))
    ]
    numbers = [
        f"no {name.replace('_', ' ')}" if value is None else f"{name.replace('_', ' ')} {_write_value(value)}"
        for name, value in facts
        if name in labelled or (not isinstance(value, str) and name not in (texts if value is None else ()))
    ]
    left_out = max(0, len(names) - most) + max(0, len(numbers) - most)
    more = f", and {left_out:,} more columns" if left_out and most > MAX_FACTS else ""
    told = [*names[: most - 1], names[-1]] if len(names) > most else names
    return f"{', '.join(told)}{': ' if names and numbers else ''}{', '.join(numbers[:most])}{more}"


def _describe_total(rows: Sequence[Mapping[str, Any]], *, name: str) -> str:
    values = [row[name] for row in rows if row.get(name) is not None]
    if not values or not all(is_number(value) for value in values):
        return ""
    total = sum((Decimal(str(value)) for value in values), Decimal())  # 0.1 + 0.2 is 0.3 in the rows' own decimals
    whole = int(total) if total == total.to_integral_value() else total.normalize()
    return f" {name.replace('_', ' ').capitalize()} in all: {_write_value(whole)}."


def _write_value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:,}" if isinstance(value, int) and abs(value) >= MIN_GROUPED else str(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[: MAX_VALUE_CHARACTERS - 1]}…"
