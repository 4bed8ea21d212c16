"""
Checks of an answer: each finding is a sentence for the reader. No finding is no proof.

Rows must meet the filters of the question. If a measure has a second derivation, both must agree.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from sprints.contracts import QueryResult
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import describe_condition, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import Dimension, SemanticModel
from sprints.semantics.query import (
    MAX_LIMIT,
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Reference,
    TimeRange,
)
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.text.numbers import as_number

Run = Callable[[str], Awaitable[QueryResult]]
Rows = Sequence[dict[str, Any]]

MAX_SHOWN = 3
_LIMIT = re.compile(r"\bLIMIT\s+(\d+)\s*;?\s*\Z", re.IGNORECASE)
_MEASURE_SUFFIX = re.compile(r"_(?:part|share|rest|change)$")
_COLUMN = re.compile(r"\{row\}\.([a-z_][a-z0-9_]*)")


def find_unfiltered_rows(rows: Rows, *, query: MetricQuery, model: SemanticModel) -> tuple[str, ...]:
    """Return the filters of a query that some row fails, as far as the row has the column."""
    findings = []
    for condition in split_conditions(query.where):
        failing = [row for row in rows if _meets(row, condition=condition, model=model) is False]
        if failing:
            text = describe_condition(condition, model=model)
            findings.append(f"The question asks for {text}, but {len(failing)} of {len(rows)} rows are not.")
    return tuple(findings)


def find_ties(rows: Rows, *, query: MetricQuery) -> tuple[str, ...]:
    """Say that rows beyond the requested number are listed because they tie for the last place."""
    rank = query.rank
    if rank is None or rank.within or query.compare or len(rows) <= rank.count:
        return ()
    if rank.count == 1:
        return (f"{len(rows)} rows share the first place.",)
    return (f"{len(rows)} rows are listed instead of {rank.count}, because the last of them share their place.",)


def find_missing_change(rows: Rows, *, query: MetricQuery) -> tuple[str, ...]:
    """Say that a change is of two groups, of which only one has a number: from Q2, before the first issue, to Q3."""
    if not query.trend or len(query.group_by) != 1 or len(rows) != 1:
        return ()
    return ("There is no change to tell: only this one has such a number.",)


def find_empty_follow_up(
    rows: Rows, *, query: MetricQuery, context: MetricQuery | None, model: SemanticModel
) -> tuple[str, ...]:  # fmt: skip
    """
    Say what was kept of the question before, if nothing meets that and what a follow-up adds.

    That nothing is so may be the answer, or the question was meant without it.
    """
    is_empty = not any(row.get(name) for row in rows for name in query.measures) if query.measures else not rows
    if context is None or not is_empty or query.share or query.compare:
        return ()
    before = split_conditions(context.where)
    kept = [one for one in split_conditions(query.where) if one in before]
    if not kept or len(kept) == len(split_conditions(query.where)):
        return ()
    said = "; ".join(describe_condition(one, model=model) for one in kept)
    return (f"Nothing is all of this. Kept from the question before: {said}.",)


def find_total(query: MetricQuery, *, model: SemanticModel) -> str:
    """
    Return the column whose sum over the rows means something. Empty if there is none.

    Means do not add up, nor do groups that share rows, as labels do, nor what a ranking or a limit leaves of the whole.
    Of a list, only what an additive measure sums: points of issues, but not those left on each day of a burndown.
    """
    if query.rank or query.limit or query.having or query.compare or query.share or query.trend:
        return ""
    if query.rows_of:
        sums = {m.expression for m in model.measures.values() if m.additive and m.entity == query.rows_of}
        shown = query.columns or model.entities[query.rows_of].columns
        return next((name for name in shown if f"sum({model.dimensions[name].expression})" in sums), "")
    groups = [model.dimensions[group.dimension] for group in query.group_by if isinstance(group, DimensionGroup)]
    if any(dimension.many for dimension in groups):
        return ""
    return next((name for name in query.measures if model.measures[name].additive), "")


def is_cut(rows: Rows, *, query: MetricQuery) -> bool:
    """Return whether rows may have been left out, because of the query's limit or because an answer holds no more."""
    return len(rows) >= (query.limit or MAX_LIMIT)


def find_cut(rows: Rows, *, sql: str) -> tuple[str, ...]:
    """Say that a statement of a model ends at its own LIMIT, which may cut a tie."""
    limit = _LIMIT.search(sql)
    if limit is None or not rows or len(rows) < int(limit[1]):
        return ()
    return (f"The statement lists {limit[1]} rows at most; others may share the place of the last one.",)


def find_unused_values(sql: str, *, query: MetricQuery) -> tuple[str, ...]:
    """Return the values of a question that a statement of a model does not use."""
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
    """Return whether a row meets a condition. None if its columns do not tell."""
    match condition:
        case Comparison():
            return _compares(row, comparison=condition, model=model)
        case NamedCondition() if condition.predicate in model.predicates:
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
    is_by_key = any(isinstance(value, Reference) for value in comparison.values)
    if dimension is None or dimension.many or (is_by_key and not dimension.named):
        return None
    present, value = _dimension_value(row, dimension=dimension)
    if not present:
        return None
    if comparison.op in {Operator.IS_NULL, Operator.IS_NOT_NULL}:
        return (value in (None, "")) == (comparison.op is Operator.IS_NULL)
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
    left, right = as_number(value), as_number(expected[0])
    if left is None or right is None:
        return None
    return {
        Operator.LT: left < right,
        Operator.LE: left <= right,
        Operator.GT: left > right,
        Operator.GE: left >= right,
    }[op]


def _equals_any(value: object, expected: list[object]) -> bool:
    number = as_number(value)
    return any(
        str(value).lower() == str(other).lower() or (number is not None and number == as_number(other))
        for other in expected
    )


def _dimension_value(row: dict[str, Any], *, dimension: Dimension) -> tuple[bool, Any]:
    """Return a dimension's value in a row, under its own name or that of its column."""
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
    Return a query that derives the same numbers another way. None if there is none.

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
    Return doubts about the rows of a query: failed filters, and numbers with a different second derivation.

    The second derivation is left out if there is none, or if it does not run.
    """
    doubts = find_unfiltered_rows(rows, query=query, model=model)
    second = find_second_derivation(query, model=model)
    if second is None:
        return doubts
    try:
        result = await run(compile_query(second, model=model).sql)
    except (ToolError, DatabaseUnavailable):
        return doubts
    return (*doubts, *find_disagreements(rows, second_rows=result.rows, query=query, model=model))


def find_disagreements(rows: Rows, *, second_rows: Rows, query: MetricQuery, model: SemanticModel) -> tuple[str, ...]:
    """
    Return where two derivations of a query's numbers differ. Groups without rows count as zero.

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
    """Return a measure by the columns that are not measures."""
    names = [name for name in (rows[0] if rows else ()) if _MEASURE_SUFFIX.sub("", name) not in model.measures]
    return {tuple(str(row[name]) for name in names): as_number(row[measure]) or Decimal() for row in rows}
