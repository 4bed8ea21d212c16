"""Values of a query from phrases: names, days, operators and numbers."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sprints.linking.names import Name
from sprints.semantics.enums import Operator
from sprints.semantics.query import Comparison, Condition, Not, Or, Reference, TimeRange, Value
from sprints.semantics.questions.phrase import Phrase


def to_value(name: Name) -> Value:
    """Return the value to compare with: a name's key, or its text."""
    return (
        Reference(key=name.value, label=name.text) if name.kind in ("team", "person", "sprint", "epic") else name.text
    )


def is_among(dimension: str, *, values: Sequence[Value], is_negated: bool = False) -> Comparison:
    """Compare a dimension with one value or several."""
    if len(values) == 1:
        return Comparison(field=dimension, op=Operator.NE if is_negated else Operator.EQ, values=tuple(values))
    return Comparison(field=dimension, op=Operator.NOT_IN if is_negated else Operator.IN, values=tuple(values))


def contains_any(dimension: str, *, texts: Sequence[str], is_negated: bool = False) -> Condition:
    """Search a text for one value or any of several."""
    found = [Comparison(field=dimension, op=Operator.CONTAINS, values=(text,)) for text in texts]
    where: Condition = found[0] if len(found) == 1 else Or(parts=tuple(found))
    return Not(part=where) if is_negated else where


def to_range(phrase: Phrase, *, role: str | None) -> TimeRange:
    """Return the days of a period. Those of "before" have no start."""
    assert phrase.period is not None  # noqa: S101 - for mypy
    span = phrase.period.span
    is_open = span.start.year <= 1970  # noqa: PLR2004 - the calendar's beginning, of "before"
    return TimeRange(role=role, start=None if is_open else span.start, end=span.end)


def to_moment(phrase: Phrase, *, role: str | None) -> TimeRange:
    """Return the moment at which a day is over: as it was at its end. Raises ValueError if it is no day of the past."""
    moment = phrase.period.moment if phrase.period else None
    if moment is None:
        raise ValueError(phrase.said)
    return TimeRange(role=role, start=moment, end=moment)


def to_range_ahead(phrase: Phrase, *, role: str | None, said: str) -> tuple[TimeRange, list[str]]:
    """Return the days of a period of what may be planned, and what is assumed. Since has no end."""
    period = phrase.period
    assert period is not None  # noqa: S101 - for mypy
    found = to_range(replace(phrase, period=replace(period, span=period.nearest or period.span)), role=role)
    if period.edge in ("since", "after"):
        found = found.model_copy(update={"end": None})
    if period.nearest is None:
        return found, []
    return found, [f"Took '{phrase.said}' as {period.write_days(period.nearest)}, because {said} days lie ahead."]


def to_range_beside(phrase: Phrase, *, beside: TimeRange, ahead: Collection[str]) -> tuple[TimeRange, list[str]]:
    """
    Return the days of a period that takes the place of another, and what is assumed. Times `ahead` may lie ahead.

    Without a year they are those nearest to the other, unless the usual ones are of its year: November 2025, | May.
    """
    assert phrase.period is not None  # noqa: S101 - for mypy
    if beside.start == beside.end:
        return to_moment(phrase, role=beside.role), []
    lies_ahead = beside.role in ahead
    usual_range = to_range_ahead(phrase, role=beside.role, said=beside.role or "") if lies_ahead else None
    found, assumed = usual_range or (to_range(phrase, role=beside.role), [])
    usual, other, in_year = found.start, beside.start, phrase.period.in_year
    if usual is None or other is None or in_year is None or usual.year == other.year:
        return found, assumed
    spans = [in_year(other.year + by) for by in (-1, 0, 1)]
    spans = [one for one in spans if lies_ahead or one.start <= phrase.period.span.start]
    nearest = min(spans, key=lambda one: abs(one.start - other))
    if nearest.start == usual:
        return found, assumed
    found = found.model_copy(update={"start": nearest.start, "end": nearest.end})
    return found, [f"Took '{phrase.said}' as {phrase.period.write_days(nearest)}, near those of the question before."]


def operator_of(phrase: Phrase) -> Operator:
    """Return the comparison operator. A plain number is compared for equality."""
    return phrase.op or Operator.EQ


def number_of(phrase: Phrase) -> int | float:
    """Return the number."""
    value = phrase.number or 0.0
    return int(value) if value == int(value) else value
