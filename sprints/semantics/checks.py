"""
Checks of an answer before it is given: each finding is a sentence for the reader, and no finding is no proof.

Numbers of a text must come from the rows, rows must meet the filters of the question, and where a measure can be
derived another way both ways must agree.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from sprints.contracts import QueryResult
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_condition, split_conditions
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import Dimension, SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    InPeriod,
    MetricQuery,
    Named,
    Not,
    Operator,
    Reference,
    TimeRange,
)
from toolbox.contract.errors import ToolError

Run = Callable[[str], Awaitable[QueryResult]]
Rows = Sequence[dict[str, Any]]

MAX_SHOWN = 3
_LIMIT = re.compile(r"\bLIMIT\s+(\d+)\s*;?\s*\Z", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
_MEASURE_SUFFIX = re.compile(r"_(?:part|share|change)$")
_COLUMN = re.compile(r"\{row\}\.([a-z_][a-z0-9_]*)")


def find_unfounded_numbers(text: str, *, rows: Rows, sources: Iterable[str] = ()) -> tuple[str, ...]:
    """
    List the numbers of a text that neither rows nor sources give.

    Rows give their numbers (rounded as the text has them), how many they are, and each column's sum, mean, smallest,
    largest and range. Sources are texts whose numbers may be repeated: the question, what was understood of it.
    """
    known = set(_known_numbers(rows))
    for source in (*sources, *(str(value) for row in rows for value in row.values() if _as_number(value) is None)):
        known.update(number for written in _NUMBER.findall(source) if (number := _as_number(written)) is not None)
        known.update(Decimal(digits) for digits in re.findall(r"\d+", source))
    return tuple(written for written in _NUMBER.findall(text) if not _is_known(written, known=known))


def _known_numbers(rows: Rows) -> Iterator[Decimal]:
    yield Decimal(len(rows))
    for name in rows[0] if rows else ():
        column = [number for row in rows if (number := _as_number(row.get(name))) is not None]
        yield from column
        if column:
            total = sum(column, Decimal())
            yield from (total, total / len(column), max(column) - min(column), Decimal(len(column)))


def _is_known(written: str, *, known: set[Decimal]) -> bool:
    number = _as_number(written)
    if number is None:
        return False
    places = len(written.partition(".")[2])
    return any(round(candidate, places) == number or round(abs(candidate), places) == number for candidate in known)


def _as_number(value: object) -> Decimal | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = Decimal(str(value).replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def find_unfiltered_rows(rows: Rows, *, query: MetricQuery, model: SemanticModel) -> tuple[str, ...]:
    """Say which filters of a query some row fails, as far as the row has the column."""
    findings = []
    for condition in split_conditions(query.where):
        failing = [row for row in rows if _meets(row, condition=condition, model=model) is False]
        if failing:
            text = describe_condition(condition, model=model)
            findings.append(f"The question asks for {text}, but {len(failing)} of {len(rows)} rows are not.")
    return tuple(findings)


def find_ties(rows: Rows, *, query: MetricQuery) -> tuple[str, ...]:
    """Say where more rows than were asked for are listed, because they share the last place."""
    rank = query.rank
    if rank is None or rank.within or query.compare or len(rows) <= rank.count:
        return ()
    if rank.count == 1:
        return (f"{len(rows)} rows share the first place.",)
    return (f"{len(rows)} rows are listed instead of {rank.count}, because the last of them share their place.",)


def find_cut(rows: Rows, *, sql: str) -> tuple[str, ...]:
    """Say where a statement that somebody else wrote ends at its own LIMIT, which may cut a tie."""
    limit = _LIMIT.search(sql)
    if limit is None or not rows or len(rows) < int(limit[1]):
        return ()
    return (f"The statement lists {limit[1]} rows at most; others may share the place of the last one.",)


def find_unused_values(sql: str, *, query: MetricQuery) -> tuple[str, ...]:
    """Say which values of a question a statement that somebody else wrote does not name."""
    lowered = sql.lower()
    values = {value for condition in split_conditions(query.where) for value in _texts_of(condition)}
    return tuple(
        f"The statement does not name {value!r}, which the question does; its rows may not be filtered by it."
        for value in sorted(values)
        if value.lower() not in lowered
    )


def _texts_of(condition: Condition) -> Iterator[str]:
    match condition:
        case Comparison():
            for value in condition.values:
                yield value.label if isinstance(value, Reference) else str(value)
        case InPeriod():
            for part in split_conditions(condition.where):
                yield from _texts_of(part)
        case Not():
            yield from _texts_of(condition.part)


def _meets(row: dict[str, Any], *, condition: Condition, model: SemanticModel) -> bool | None:
    """Say whether a row meets a condition; None where its columns do not tell."""
    match condition:
        case Comparison():
            return _compares(row, comparison=condition, model=model)
        case Named() if condition.predicate in model.predicates:
            comparison = model.predicates[condition.predicate].comparison
            return None if comparison is None else _compares(row, comparison=comparison, model=model)
        case Not():
            inner = _meets(row, condition=condition.part, model=model)
            return None if inner is None else not inner
        case TimeRange() if condition.role is not None and condition.role in model.time_roles:
            role = model.time_roles[condition.role]
            if role.is_moment:
                return _lies_in(_column_value(row, expression=role.start), condition)
    return None


def _compares(row: dict[str, Any], *, comparison: Comparison, model: SemanticModel) -> bool | None:
    dimension = model.dimensions.get(comparison.field)
    if dimension is None or dimension.many:
        return None
    present, value = _dimension_value(row, dimension=dimension)
    if not present:
        return None
    if comparison.op in {Operator.IS_NULL, Operator.IS_NOT_NULL}:
        return (value is None) == (comparison.op is Operator.IS_NULL)
    return _holds(value, op=comparison.op, expected=[_plain(given) for given in comparison.values])


def _plain(value: object) -> object:
    return value.label if isinstance(value, Reference) else value


def _holds(value: object, *, op: Operator, expected: list[object]) -> bool | None:
    if op in {Operator.NE, Operator.NOT_IN}:
        return not _equals_any(value, expected)
    if value is None:
        return False
    if op in {Operator.EQ, Operator.IN}:
        return _equals_any(value, expected)
    if op is Operator.CONTAINS:
        return str(expected[0]).lower() in str(value).lower()
    left, right = _as_number(value), _as_number(expected[0])
    if left is None or right is None:
        return None
    return {
        Operator.LT: left < right,
        Operator.LE: left <= right,
        Operator.GT: left > right,
        Operator.GE: left >= right,
    }[op]


def _equals_any(value: object, expected: list[object]) -> bool:
    number = _as_number(value)
    return any(
        str(value).lower() == str(other).lower() or (number is not None and number == _as_number(other))
        for other in expected
    )


def _dimension_value(row: dict[str, Any], *, dimension: Dimension) -> tuple[bool, Any]:
    """Find a dimension in a row, under its own name or that of its column."""
    column = _COLUMN.fullmatch(dimension.expression)
    for name in (dimension.id, column[1] if column else dimension.id):
        if name in row:
            return True, row[name]
    return False, None


def _column_value(row: dict[str, Any], *, expression: str) -> object:
    column = _COLUMN.fullmatch(expression)
    return row.get(column[1]) if column else None


def _lies_in(value: object, time_range: TimeRange) -> bool | None:
    if value is None:
        return None
    try:
        moment = _as_moment(value)
    except ValueError:
        return None
    after = time_range.start is None or moment >= _as_moment(time_range.start)
    return after and (time_range.end is None or moment < _as_moment(time_range.end))


def _as_moment(value: object) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def find_second_derivation(query: MetricQuery, *, model: SemanticModel) -> MetricQuery | None:
    """
    Give a query that derives the same numbers another way; None where there is none.

    It has the measures that can be derived twice, under the names of their second derivations.
    """
    others = {
        name: other
        for name in query.measures
        if name in model.measures and (other := model.measures[name].checked_by) is not None
    }
    if not others:
        return None
    plain = {"share": None, "trend": False, "rank": None, "having": (), "order": (), "limit": None}
    second = query.model_copy(update={"measures": tuple(others.values()), **plain})
    try:
        compile_query(second, model=model)
    except SemanticError:
        return None
    return second


async def find_contradictions(query: MetricQuery, *, rows: Rows, model: SemanticModel, run: Run) -> tuple[str, ...]:
    """
    Doubt the rows of a query: filters that a row fails, and numbers that come out differently another way.

    The second derivation is left out where there is none, or where it does not run.
    """
    doubts = find_unfiltered_rows(rows, query=query, model=model)
    second = find_second_derivation(query, model=model)
    if second is None:
        return doubts
    try:
        result = await run(compile_query(second, model=model).sql)
    except ToolError:
        return doubts
    return (*doubts, *find_disagreements(rows, second_rows=result.rows, query=query, model=model))


def find_disagreements(rows: Rows, *, second_rows: Rows, query: MetricQuery, model: SemanticModel) -> tuple[str, ...]:
    """
    Say where two derivations of a query's numbers differ; groups without rows count as zero.

    Of a query that keeps only some groups, only those are compared.
    """
    findings = []
    is_partial = bool(query.rank or query.having or query.limit)
    for name in query.measures:
        other = model.measures[name].checked_by
        if other is None or (second_rows and other not in second_rows[0]):
            continue
        first = _by_group(rows, measure=name, model=model)
        second = _by_group(second_rows, measure=other, model=model)
        for group in sorted(first if is_partial else {*first, *second}):
            if first.get(group, Decimal()) != second.get(group, Decimal()):
                where = f" for {', '.join(group)}" if group else ""
                findings.append(
                    f"Two ways to compute {model.measures[name].label} disagree{where}: "
                    f"{first.get(group, 0)} and {second.get(group, 0)}."
                )
    return tuple(findings[:MAX_SHOWN])


def _by_group(rows: Rows, *, measure: str, model: SemanticModel) -> dict[tuple[str, ...], Decimal]:
    """Give a measure by the columns that are no measure."""
    names = [name for name in (rows[0] if rows else ()) if _MEASURE_SUFFIX.sub("", name) not in model.measures]
    return {tuple(str(row[name]) for name in names): _as_number(row[measure]) or Decimal() for row in rows}
