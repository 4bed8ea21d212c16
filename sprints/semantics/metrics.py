"""The `list_metrics` and `query_metric` tools. Errors say what to write instead."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, date, timedelta
from difflib import get_close_matches
from typing import Any

from sprints.semantics.checks import Run, find_contradictions, is_cut
from sprints.semantics.compile import compile_query
from sprints.semantics.conditions import read_boolean
from sprints.semantics.describe import describe_query, join_conditions, split_conditions
from sprints.semantics.enums import Grain
from sprints.semantics.errors import SemanticError, find_nearest
from sprints.semantics.lookup import (
    allowed_dimensions,
    allowed_predicates,
    allowed_times,
    find_dimension,
    find_measure,
    summing_dimensions,
)
from sprints.semantics.metric_contracts import (
    GRAINS,
    OPERATORS,
    UNFIT_TERM,
    UNKNOWN_TERM,
    UNKNOWN_VALUE,
    ListMetricsQuestion,
    MetricColumn,
    MetricFilter,
    MetricInfo,
    MetricList,
    MetricPeriod,
    MetricRows,
    QueryMetricQuestion,
    TermInfo,
)
from sprints.semantics.model import Dimension, Measure, SemanticModel
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Order,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.scope import reaches
from sprints.semantics.values import write_known_values, write_missing_values
from toolbox.contract.encoding import encode
from toolbox.contract.errors import ToolError

_SURE = 0.75
_SEVERAL = {"eq": "in", "ne": "not_in"}
_FIRST, _LAST = date(MINYEAR + 1, 1, 1), date(MAXYEAR - 1, 12, 31)


def list_metrics(ask: ListMetricsQuestion, *, model: SemanticModel) -> MetricList:
    """List the metrics that match a search, and the terms that combine with them."""
    measures = [measure for measure in model.measures.values() if not measure.hidden and _matches(measure, ask.search)]
    dimensions = {d.id: d for measure in measures for d in allowed_dimensions(measure, model=model)}
    predicates = {p.id: p for measure in measures for p in allowed_predicates(measure, model=model)}
    times = {name: model.time_roles[name] for measure in measures for name in allowed_times(measure, model=model)}
    return MetricList(
        metrics=[_describe_measure(measure, model=model) for measure in measures],
        dimensions=[_describe_dimension(dimension) for dimension in dimensions.values()],
        filters=[TermInfo(name=p.id, label=p.label, description=p.description) for p in predicates.values()],
        times=[TermInfo(name=t.id, label=t.label, description=t.description) for t in times.values()],
        grains=list(GRAINS),
    )


def _matches(measure: Measure, search: str | None) -> bool:
    words = measure.words
    text = " ".join((measure.id, measure.label, measure.description, *words.nouns, *words.verbs, *words.adjectives))
    return search is None or all(word in text.lower().replace("_", " ") for word in search.lower().split())


def _describe_measure(measure: Measure, *, model: SemanticModel) -> MetricInfo:
    dimensions = [d.id for d in allowed_dimensions(measure, model=model) if d.groupable]
    summing = [dimension.id for dimension in summing_dimensions(measure, model=model)]
    return MetricInfo(
        name=measure.id,
        label=measure.label,
        unit=measure.unit,
        description=measure.description,
        dimensions=dimensions,
        filters=[predicate.id for predicate in allowed_predicates(measure, model=model)],
        times=list(allowed_times(measure, model=model)),
        default_time=measure.time,
        parts_sum_to_whole=bool(dimensions) and summing == dimensions,
        summing_dimensions=summing,
    )


def _describe_dimension(dimension: Dimension) -> TermInfo:
    return TermInfo(
        name=dimension.id,
        label=dimension.label,
        description=dimension.description,
        type=dimension.type,
        values=[str(value) for value in dimension.values] or None,
    )


async def query_metric(ask: QueryMetricQuestion, *, model: SemanticModel, run: Run) -> MetricRows:
    """
    Answer a query of a metric.

    Raises ToolError that names the term or value that is wrong, the nearest right ones and, where there is exactly
    one, the arguments that fix the call.
    """
    try:
        query = build_query(ask, model=model)
        compiled = compile_query(query, model=model)
        description = describe_query(query, model=model)
    except SemanticError as error:
        raise _teach(error, ask=ask, model=model) from error
    await _refuse_unknown_values(query, ask=ask, model=model, run=run)
    result = await run(compiled.sql)
    doubts = await find_contradictions(query, rows=result.rows, model=model, run=run)
    return MetricRows(
        rows=result.rows,
        count=len(result.rows),
        columns=[MetricColumn(name=c.name, label=c.label, unit=c.unit, kind=c.kind) for c in compiled.columns],
        description=description.text,
        assumptions=list(description.assumptions),
        sql=compiled.sql,
        runtime_ms=result.runtime_ms,
        doubts=list(doubts) or None,
        notes=[*compiled.notes, *(result.notes or ())] or None,
        truncated=result.truncated or is_cut(result.rows, query=query) or None,
    )


def build_query(ask: QueryMetricQuestion, *, model: SemanticModel) -> MetricQuery:
    """
    Convert a tool's arguments to a query. Raises SemanticError.

    Conditions on a period that the metric's rows belong to, such as a sprint, are of one and the same period.
    """
    measure = find_measure(ask.metric, model=model)
    entity = model.entities[measure.entity]
    _refuse_contradictions(ask.filters, model=model)
    own: list[Condition] = []
    of_period: list[Condition] = []
    for given in ask.filters:
        condition, term = _read_filter(given, ask=ask, model=model)
        is_own = reaches(entity, term=term, model=model) or model.entities[term.entity].span is None
        (own if is_own else of_period).append(condition)
    if of_period and (period := join_conditions(tuple(of_period))) is not None:
        own.append(InPeriod(where=period))
    role = ask.period.role if ask.period else None
    if ask.period is not None:
        _refuse_reversed(ask.period)
        start, end = _find_bounds(ask.period)
        if start or end:
            own.append(TimeRange(role=role, start=start, end=end))
    lasts = role in model.time_roles and not model.time_roles[role].is_moment
    grain_role = None if lasts and measure.time else role
    return MetricQuery(
        measures=(measure.id,),
        group_by=tuple(_read_group(name, role=grain_role, model=model) for name in ask.dimensions),
        where=join_conditions(tuple(own)),
        order=(Order(by=ask.order.by, direction=ask.order.direction),) if ask.order else (),
        limit=ask.limit,
    )


def _refuse_reversed(period: MetricPeriod) -> None:
    """Refuse a period that ends before it begins: it holds no day, and a count of nothing would look like an answer."""
    if period.start and period.end and period.end < period.start:
        raise SemanticError(
            f"The period ends on {period.end}, before it begins on {period.start}.",
            suggestion="Exchange start and end.",
            fix={"period": {"start": period.end.isoformat(), "end": period.start.isoformat()}},
        )


def _refuse_contradictions(filters: Sequence[MetricFilter], *, model: SemanticModel) -> None:
    """Refuse named filters that no row meets together: open and done, open and not open."""
    held: dict[str, bool] = {}
    for given in filters:
        if given.field not in model.predicates or given.field in model.dimensions:
            continue
        predicate, holds = model.predicates[given.field], _is_affirmed(given)
        opposite = predicate.opposite
        if held.get(predicate.id, holds) != holds or (opposite and held.get(opposite, not holds) == holds):
            words = predicate.label if holds else predicate.negated
            raise SemanticError(
                f"Nothing is {words} and meets the filters before it.",
                suggestion="Leave one of the filters out.",
                term=given.field,
            )
        held[predicate.id] = holds


def _find_bounds(period: MetricPeriod) -> tuple[date | None, date | None]:
    """Return the first day, and the day after the last. The ends of the calendar leave a period open."""
    start, end = period.start, period.end
    return (
        None if start is None or start.year == MINYEAR else min(start, _LAST),
        None if end is None or end >= _LAST else max(end, _FIRST) + timedelta(days=1),
    )


def _read_group(name: str, *, role: str | None, model: SemanticModel) -> Group:
    """Read a dimension, or a grain, which is of a role: None for the metric's own time."""
    if name in GRAINS:
        return TimeGroup(grain=Grain(name), role=role)
    if name not in model.dimensions:
        known = (*GRAINS, *(d.id for d in model.dimensions.values() if d.groupable))
        nearest = find_nearest(name, candidates=known)
        raise SemanticError(
            f"There is no dimension {name!r}.",
            suggestion=f"Did you mean {' or '.join(nearest)}?" if nearest else "Call list_metrics for the dimensions.",
            term=name,
            nearest=nearest,
            kind="dimension",
        )
    return DimensionGroup(dimension=name)


def _replace_operator(ask: QueryMetricQuestion, *, given: MetricFilter, by: str) -> dict[str, Any]:
    """Return the change of arguments that gives one filter another operator."""
    filters = [{"op": one.op, **one.model_dump(mode="json", exclude_defaults=True)} for one in ask.filters]
    place = next(place for place, one in enumerate(ask.filters) if one is given)
    return {"filters": [*filters[:place], filters[place] | {"op": by}, *filters[place + 1 :]]}


def _read_filter(given: MetricFilter, *, ask: QueryMetricQuestion, model: SemanticModel) -> tuple[Condition, Any]:
    """Parse one filter. Returns it with its term."""
    if given.field in model.predicates and given.field not in model.dimensions:
        named = NamedCondition(predicate=given.field)
        return (named if _is_affirmed(given) else Not(part=named)), model.predicates[given.field]
    if given.op in {"is", "is_not"} and (given.field not in model.dimensions or not given.values):
        raise _explain_named_filter(given, model=model)
    dimension = find_dimension(given.field, model=model)
    op = {"is": "eq", "is_not": "ne"}.get(given.op, given.op)
    if given.op != op:
        raise SemanticError(
            f"{given.field} is a dimension, and {given.op} is for named filters.",
            suggestion="Give eq, ne or another operator for dimensions.",
            fix=_replace_operator(ask, given=given, by=_SEVERAL[op] if len(given.values) > 1 else op),
        )
    try:
        comparison = Comparison(field=given.field, op=OPERATORS[given.op], values=tuple(given.values))
    except ValueError as wrong:
        several = _SEVERAL.get(given.op) if len(given.values) > 1 else None
        raise SemanticError(
            f"{given.op} does not take {len(given.values)} values.",
            suggestion="Give one value; several for in and not_in; none for is_null and is_not_null.",
            term=given.field,
            fix=_replace_operator(ask, given=given, by=several) if several else None,
        ) from wrong
    return comparison, dimension


def _is_affirmed(given: MetricFilter) -> bool:
    """Return whether a named filter has to hold. `is true`, `eq true` and `is_not false` mean the same as `is`."""
    holds = {"is": True, "eq": True, "is_not": False, "ne": False}.get(given.op)
    try:
        values = [read_boolean(value) for value in given.values]
    except ValueError:
        holds = None
    if holds is None or len(given.values) > 1 or (given.op in {"eq", "ne"} and not given.values):
        raise SemanticError(
            f"{given.field} is a named filter: it holds, or it does not.",
            suggestion="Give is or is_not, without values.",
            term=given.field,
        )
    return holds == values[0] if values else holds


def _explain_named_filter(given: MetricFilter, *, model: SemanticModel) -> SemanticError:
    known = [*(p.id for p in model.predicates.values() if not p.hidden), *model.dimensions]
    nearest = find_nearest(given.field, candidates=known)
    instead = f"Did you mean {' or '.join(nearest)}?" if nearest else "Call list_metrics for the filters."
    if given.field in model.dimensions:
        instead, nearest = "It is a dimension: give op and values.", ()
    return SemanticError(
        f"There is no named filter {given.field!r}.",
        suggestion=instead,
        term=given.field,
        nearest=nearest,
        kind="filter",
    )


def _teach(error: SemanticError, *, ask: QueryMetricQuestion, model: SemanticModel) -> ToolError:
    """Say what is wrong with a call, with the fix if there is exactly one and the call works with it."""
    code = UNKNOWN_TERM if error.kind else UNFIT_TERM
    fix = error.fix or _find_fix(error, ask=ask)
    fix = fix if fix and _works(ask, fix=fix, model=model) else None
    suggestion = error.suggestion or "Call list_metrics for what goes together."
    details = {"term": error.term, "nearest": list(error.nearest)} if error.term else {}
    return ToolError(code, error.message, suggestion=suggestion, details=details, retry_with=fix)


def _works(ask: QueryMetricQuestion, *, fix: Mapping[str, Any], model: SemanticModel) -> bool:
    """Return whether a call compiles with a fix, which is merged into its arguments."""
    arguments = ask.model_dump(mode="json", by_alias=True, exclude_none=True)
    merged = {
        name: arguments[name] | fix[name] if isinstance(fix.get(name), dict) and name in arguments else value
        for name, value in (arguments | dict(fix)).items()
    }
    try:
        compile_query(build_query(QueryMetricQuestion.model_validate_json(encode(merged)), model=model), model=model)
    except (SemanticError, ValueError):
        return False
    return True


def _find_fix(error: SemanticError, *, ask: QueryMetricQuestion) -> dict[str, Any] | None:
    """Return the change of arguments that fixes a call. None if there are several, or none."""
    if error.term is None or error.kind is None:
        return None
    nearest = {name.lower(): name for name in error.nearest}
    sure = get_close_matches(error.term.lower(), nearest, n=2, cutoff=_SURE)
    if len(sure) != 1:
        return None
    return _replace(error.term, by=nearest[sure[0]], ask=ask)


def _replace(term: str, *, by: str, ask: QueryMetricQuestion) -> dict[str, Any] | None:
    """Return the merge patch that replaces a term wherever the arguments use it."""
    arguments = ask.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    patch = {name: changed for name, given in arguments.items() if (changed := _substitute(given, term, by)) != given}
    return patch or None


def _substitute(given: Any, term: str, by: str) -> Any:
    if isinstance(given, str):
        return by if given == term else given
    if isinstance(given, list):
        return [_substitute(item, term, by) for item in given]
    if isinstance(given, dict):
        return {name: _substitute(item, term, by) for name, item in given.items()}
    return given


async def _refuse_unknown_values(
    query: MetricQuery, *, ask: QueryMetricQuestion, model: SemanticModel, run: Run
) -> None:
    """Refuse a value that no row has: a count of nothing would look like an answer. Raises ToolError."""
    for comparison in _named_comparisons(query.where):
        dimension = model.dimensions[comparison.field]
        if dimension.type != "text" or dimension.values:
            continue
        values = [f"{value:g}" if isinstance(value, float) else str(value) for value in comparison.values]
        found = await run(write_missing_values(dimension, values=values, model=model))
        missing = [row["value"] for row in found.rows]
        if not missing:
            continue
        known = await run(write_known_values(dimension, model=model))
        nearest = find_nearest(missing[0], candidates=(str(row["value"]) for row in known.rows))
        sure = get_close_matches(missing[0].lower(), [value.lower() for value in nearest], n=2, cutoff=_SURE)
        fix = _replace(missing[0], by=nearest[0], ask=ask) if len(sure) == 1 else None
        raise ToolError(
            UNKNOWN_VALUE,
            f"No row has the {dimension.label} {missing[0]!r}.",
            suggestion=f"Did you mean {' or '.join(nearest)}?"
            if nearest
            else "Leave the filter out to see the values.",
            details={"term": missing[0], "nearest": list(nearest)},
            retry_with=fix,
        )


def _named_comparisons(condition: Condition | None) -> Iterator[Comparison]:
    """Yield comparisons with names, in which a misspelt value would silently count nothing."""
    match condition:
        case Comparison() if str(condition.op) in {"eq", "ne", "in", "not_in"}:
            yield condition
        case And() | Or():
            for part in split_conditions(condition) if isinstance(condition, And) else condition.parts:
                yield from _named_comparisons(part)
        case Not():
            yield from _named_comparisons(condition.part)
        case InPeriod():
            yield from _named_comparisons(condition.where)
