"""Descriptions of a query: in words, and as removable parts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from sprints.semantics.conditions import read_boolean
from sprints.semantics.enums import Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.lookup import find_dimension, find_measure, find_measured_time, find_predicate, find_time_role
from sprints.semantics.model import Measure, SemanticModel, TimeRole
from sprints.semantics.period_text import describe_range
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    InPeriod,
    MeasureLimit,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Reference,
    Share,
    Side,
    TimeGroup,
    TimeRange,
    Value,
)

OPERATOR_WORDS = {
    Operator.EQ: "", Operator.IN: "", Operator.NE: "not ", Operator.NOT_IN: "not ", Operator.LT: "less than ",
    Operator.LE: "at most ", Operator.GT: "more than ", Operator.GE: "at least ", Operator.CONTAINS: "contains ",
}  # fmt: skip
_TIME_WORDS = OPERATOR_WORDS | {
    Operator.LT: "before ", Operator.LE: "not after ", Operator.GT: "after ", Operator.GE: "not before ",
}  # fmt: skip
_READS_LIKE_MORE = re.compile(r"[,()“”]|^\s|\s$|\s(?:and|or)\s")
_TREND = "with the change since the one before"
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A removable part of a query. `position` is the argument of remove_chip."""

    position: int
    kind: Literal["filter", "group", "having", "rank", "share", "trend"]
    text: str
    field: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The description of a query: one line, its parts, and the definitions of its terms."""

    text: str
    chips: tuple[Chip, ...]
    assumptions: tuple[str, ...]


def describe_query(query: MetricQuery, *, model: SemanticModel) -> Description:
    """Describe a query. Raises SemanticError if a term is missing."""
    return Description(
        text=_describe(query, model=model),
        chips=tuple(_list_chips(query, model=model)),
        assumptions=tuple(_list_assumptions(query, model=model)),
    )


def remove_chip(query: MetricQuery, position: int) -> MetricQuery:
    """Remove a part of a query. Raises IndexError if it has no such part."""
    return query.model_copy(update=_list_removals(query)[position])


def _list_removals(query: MetricQuery) -> list[dict[str, object]]:
    """List the change of a query that removes each of its parts, in the order of the parts."""
    conditions, groups, having = split_conditions(query.where), query.group_by, query.having
    ungrouped = {"trend": False, "order": (), "rank": None}
    removals: list[dict[str, object]] = []
    removals += [{"where": join_conditions(_leave_out(conditions, place))} for place in range(len(conditions))]
    removals += [{"group_by": _leave_out(groups, place), **ungrouped} for place in range(len(groups))]
    removals += [{"having": _leave_out(having, place)} for place in range(len(having))]
    removals += [{"rank": None}] if query.rank else []
    removals += [{"share": None}] if query.share else []
    removals += [{"trend": False}] if query.trend else []
    return removals


def _leave_out(parts: tuple[Part, ...], place: int) -> tuple[Part, ...]:
    return parts[:place] + parts[place + 1 :]


def split_conditions(condition: Condition | None) -> tuple[Condition, ...]:
    """Split a conjunction into its conditions."""
    if condition is None:
        return ()
    if isinstance(condition, And):
        return tuple(part for nested in condition.parts for part in split_conditions(nested))
    return (condition,)


def join_conditions(conditions: Sequence[Condition]) -> Condition | None:
    """Combine conditions into a conjunction without duplicates."""
    distinct = tuple(part for place, part in enumerate(conditions) if part not in conditions[:place])
    return None if not distinct else distinct[0] if len(distinct) == 1 else And(parts=distinct)


def _describe(query: MetricQuery, *, model: SemanticModel) -> str:
    conditions = split_conditions(query.where)
    own = query.rows_of or find_measure(query.measures[0], model=model).entity
    adjectives = [_adjective(condition, own=own, model=model) for condition in conditions]
    leading = [adjective for adjective in adjectives if adjective]
    subject = _subject(query, model=model)
    pieces = [" ".join([*(["list of"] if query.rows_of else []), *leading, subject])]
    pieces += [
        _period_rows(condition, own=own, model=model) or describe_condition(condition, model=model)
        for condition, adjective in zip(conditions, adjectives, strict=True)
        if not adjective
    ]
    if query.compare:
        pieces.append(" against ".join(_side_text(side, model=model) for side in query.compare))
    if query.share is not None:
        pieces.append(_share_text(query.share, model=model))
    if query.group_by:
        pieces.append("by " + " and ".join(_group_text(group, model=model) for group in query.group_by))
    if query.trend:
        pieces.append(_TREND)
    pieces += [_limit_text(limit, model=model) for limit in query.having]
    if query.rank is not None:
        pieces.append(_rank_text(query, model=model))
    if query.limit is not None:
        pieces.append(_first_text(query, model=model))
    if query.columns and query.columns != _own_columns(query, model=model):
        pieces.append(f"with {_join_words(find_dimension(name, model=model).label for name in query.columns)} alone")
    if _is_state(query, model=model):
        pieces.append("now")
    return ", ".join(pieces)


def _subject(query: MetricQuery, *, model: SemanticModel) -> str:
    if query.rows_of is not None:
        if query.rows_of not in model.entities:
            raise SemanticError(f"There is no kind of rows {query.rows_of!r}.", term=query.rows_of)
        return model.entities[query.rows_of].plural
    return _join_words(find_measure(name, model=model).label for name in query.measures)


def _period_rows(condition: Condition, *, own: str, model: SemanticModel) -> str:
    """Return the periods that a predicate tells of, as closed tells of sprints. Empty if it tells of other rows."""
    if not isinstance(condition, NamedCondition):
        return ""
    known = find_predicate(condition.predicate, model=model)
    periods = {one.membership.role for one in model.entities.values() if one.membership is not None} - {own}
    return f"in {known.label} {model.entities[known.entity].plural}" if known.entity in periods else ""


def _adjective(condition: Condition, *, own: str, model: SemanticModel) -> str | None:
    """Return the adjective of a condition on the rows, if it is one word without a preposition."""
    if _period_rows(condition, own=own, model=model):
        return None
    text = None
    if isinstance(condition, NamedCondition):
        text = find_predicate(condition.predicate, model=model).label
    elif isinstance(condition, Not) and isinstance(condition.part, NamedCondition):
        text = find_predicate(condition.part.predicate, model=model).negated
    return text if text is not None and " " not in text else None


def _is_state(query: MetricQuery, *, model: SemanticModel) -> bool:
    """Return whether the query asks for the current state, not for events in some time."""
    times = {find_measure(name, model=model).time for name in query.measures}
    if query.rows_of is not None:
        count = model.entities[query.rows_of].count
        times = {model.measures[count].time} if count else {None}
    groups = any(isinstance(group, TimeGroup) for group in query.group_by)
    conditions = (*split_conditions(query.where), *(side.where for side in query.compare))
    return times == {None} and not groups and not any(_speaks_of_time(one) for one in conditions)


def _speaks_of_time(condition: Condition) -> bool:
    match condition:
        case TimeRange() | InPeriod():
            return True
        case And() | Or():
            return any(_speaks_of_time(part) for part in condition.parts)
        case Not():
            return _speaks_of_time(condition.part)
    return False


def describe_condition(condition: Condition, *, model: SemanticModel) -> str:
    """Describe a condition in words."""
    match condition:
        case Comparison():
            return _comparison_text(condition, model=model)
        case NamedCondition():
            return find_predicate(condition.predicate, model=model).label
        case TimeRange():
            return f"{_role_text(condition, model=model)} {describe_range(condition)}".strip()
        case InPeriod():
            return _period_text(condition, model=model)
        case Has():
            return _stay_text(condition, model=model) or f"with {_related_text(condition, model=model)}"
        case And() | Or():
            glue = " and " if isinstance(condition, And) else ", or "  # the values of a comparison have no comma there
            return glue.join(_put_in_brackets(part, model=model) for part in condition.parts)
        case Not():
            if isinstance(condition.part, NamedCondition):
                return find_predicate(condition.part.predicate, model=model).negated
            if isinstance(condition.part, Has) and condition.part.at_least == 1:
                return f"without {_related_text(condition.part, model=model)}"
            text = describe_condition(condition.part, model=model)
            return f"not {text}" if text.startswith("in any ") else f"not ({text})"


def _period_text(condition: InPeriod, *, model: SemanticModel) -> str:
    where = condition.where
    if condition.role is None and isinstance(where, Comparison) and where.op is Operator.IS_NOT_NULL:
        return f"in any {find_dimension(where.field, model=model).label}"
    period = _period_rows(where, own="", model=model).removeprefix("in ") or _put_in_brackets(where, model=model)
    if condition.role is None:
        return f"{'during' if condition.how == 'during' else 'in'} {period}"
    role = find_time_role(condition.role, model=model).label.removesuffix(" during")
    if condition.how == "during":
        return f"{role} during {period}"
    return f"in {period} and {role} during it"


def _put_in_brackets(condition: Condition, *, model: SemanticModel) -> str:
    text = describe_condition(condition, model=model)
    return f"({text})" if isinstance(condition, And | Or) else text


def _stay_text(condition: Has, *, model: SemanticModel) -> str:
    """Describe what became of rows in the periods that are named: completed in ACCEL Sprint 8. Empty if it is else."""
    stay = next((one.membership for one in model.entities.values() if one.membership), None)
    parts = split_conditions(condition.where)
    places = [one for one in parts if isinstance(one, Comparison) and stay and one.field == stay.role]
    told = [one for one in parts if isinstance(one, NamedCondition)]
    is_stay = stay is not None and condition.relation == stay.relation and condition.at_least == 1
    if not stay or not is_stay or len(places) != 1 or len(told) + 1 != len(parts):
        return ""
    said = (find_predicate(one.predicate, model=model).label.removesuffix(f" in the {stay.role}") for one in told)
    return f"{_join_words(said)} in {_comparison_text(places[0], model=model)}".strip()


def _related_text(condition: Has, *, model: SemanticModel) -> str:
    labels = (one.relations[condition.relation].label for one in model.entities.values() if condition.relation in
              one.relations and condition.where)  # fmt: skip
    relation = max(labels, default="") or condition.relation.replace("_", " ")
    least = f"at least {condition.at_least} " if condition.at_least > 1 else ""
    where = f" ({describe_condition(condition.where, model=model)})" if condition.where is not None else ""
    return f"{least}{relation}{where}"


def _comparison_text(comparison: Comparison, *, model: SemanticModel) -> str:
    dimension = find_dimension(comparison.field, model=model)
    if comparison.than is not None:
        words = OPERATOR_WORDS if dimension.type == "number" else _TIME_WORDS
        other = find_dimension(comparison.than, model=model)
        return f"{dimension.label.removesuffix(' at')} {words[comparison.op]}{other.label.removesuffix(' at')}"
    values = _join_words((_value_text(value) for value in comparison.values), glue="or")
    if dimension.unit and comparison.values:
        values = f"{values} {dimension.unit.removesuffix('s') if values == '1' else dimension.unit}"
    if comparison.op in dimension.phrases:
        return dimension.phrases[comparison.op].replace("{value}", values)
    if comparison.op is Operator.IS_NULL:
        return f"{dimension.label}: {dimension.none_label or 'none'}"
    if comparison.op is Operator.IS_NOT_NULL:
        return f"with {dimension.label}"
    if dimension.type == "boolean":
        is_negative = comparison.op in (Operator.NE, Operator.NOT_IN)
        held = dict.fromkeys(read_boolean(value) != is_negative for value in comparison.values)
        glue = " and " if is_negative else " or "
        return glue.join(dimension.label if holds else f"not {dimension.label}" for holds in held)
    return f"{dimension.label} {OPERATOR_WORDS[comparison.op]}{values}"


def _value_text(value: Value) -> str:
    """Write a value; a text that reads like several words of a description is put in quotation marks."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = value.label if isinstance(value, Reference) else str(value)
    return f"“{text}”" if not text.strip() or _READS_LIKE_MORE.search(text) else text


def _join_words(words: Iterable[str], *, glue: str = "and") -> str:
    listed = list(words)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} {glue} {listed[-1]}" if listed else ""


def _role_text(time_range: TimeRange, *, model: SemanticModel) -> str:
    label = find_time_role(time_range.role, model=model).label if time_range.role else ""
    return label.removesuffix(" during") if time_range.start == time_range.end else label


def _group_text(group: DimensionGroup | TimeGroup, *, model: SemanticModel) -> str:
    if isinstance(group, DimensionGroup):
        return find_dimension(group.dimension, model=model).label
    return str(group.grain) + (f" {find_time_role(group.role, model=model).label}" if group.role else "")


def _limit_text(limit: MeasureLimit, *, model: SemanticModel) -> str:
    measure = find_measure(limit.measure, model=model)
    words = OPERATOR_WORDS[limit.op] or "exactly "
    if limit.than:
        words = {Operator.EQ: "as many ", Operator.NE: "not as many "}.get(limit.op, words.removesuffix("than "))
        other = find_measure(limit.than, model=model).label
        between = "as" if limit.op in (Operator.EQ, Operator.NE) else "than"
        words = {Operator.GE: "no fewer ", Operator.LE: "no more "}.get(limit.op, words)
        return f"{words}{measure.label} {between} {other}"
    return f"{words}{limit.value} {measure.label}"


def _own_columns(query: MetricQuery, *, model: SemanticModel) -> tuple[str, ...]:
    return model.entities[query.rows_of].columns if query.rows_of in model.entities else ()


def _side_text(side: Side, *, model: SemanticModel) -> str:
    """Describe a side of a comparison by its label, unless that says something else than its condition."""
    text = _put_in_brackets(side.where, model=model)
    return side.label if side.label in text else text


def _first_text(query: MetricQuery, *, model: SemanticModel) -> str:
    """Describe which rows a limit keeps: the first in the given order, else in their own."""
    ends = [f"{_label_of(by.by, model=model)} {'down' if by.direction == 'desc' else 'up'}" for by in query.order]
    return f"the first {query.limit}{f' by {_join_words(ends)}' if ends else ''}"


def _label_of(name: str, *, model: SemanticModel) -> str:
    """Return the label of a column of the result: a measure, a grain or a dimension."""
    if name in model.measures or name in model.dimensions:
        return (model.measures.get(name) or model.dimensions[name]).label
    return name


def _share_text(share: Share, *, model: SemanticModel) -> str:
    if share.part is None:
        return "with the share of each"
    return f"share that is {describe_condition(share.part, model=model)}"


def _rank_text(query: MetricQuery, *, model: SemanticModel) -> str:
    rank = query.rank
    if rank is None:
        return ""
    by = _label_of(rank.by, model=model)
    end = "highest" if rank.direction == "desc" else "lowest"
    count = "the" if rank.count == 1 else f"the {rank.count}"
    within = f" in each {_join_words(rank.within)}" if rank.within else ""
    return f"{count} {end} by {by}{within}"


def _list_chips(query: MetricQuery, *, model: SemanticModel) -> list[Chip]:
    chips: list[Chip] = []
    for condition in split_conditions(query.where):
        field, operator, values = _parts_of(condition)
        text = describe_condition(condition, model=model)
        chips.append(Chip(position=len(chips), kind="filter", text=text, field=field, operator=operator, values=values))
    for group in query.group_by:
        name = group.dimension if isinstance(group, DimensionGroup) else str(group.grain)
        text = f"by {_group_text(group, model=model)}"
        chips.append(Chip(position=len(chips), kind="group", text=text, field=name, operator="by"))
    for limit in query.having:
        chips.append(
            Chip(
                position=len(chips),
                kind="having",
                text=_limit_text(limit, model=model),
                field=limit.measure,
                operator=str(limit.op),
                values=(str(limit.than or limit.value),),
            )
        )
    if query.rank is not None:
        chips.append(
            Chip(
                position=len(chips),
                kind="rank",
                text=_rank_text(query, model=model),
                field=query.rank.by,
                operator=query.rank.direction,
                values=(str(query.rank.count),),
            )
        )
    if query.share is not None:
        text = _share_text(query.share, model=model)
        chips.append(Chip(position=len(chips), kind="share", text=text, field="share", operator="is"))
    if query.trend:
        chips.append(Chip(position=len(chips), kind="trend", text=_TREND, field="trend", operator="is"))
    return chips


def _parts_of(condition: Condition) -> tuple[str, str, tuple[str, ...]]:
    """Return the field, operator and values of a condition, as far as it has one of each."""
    match condition:
        case Comparison():
            return condition.field, str(condition.op), tuple(_value_text(value) for value in condition.values)
        case NamedCondition():
            return condition.predicate, "is", ()
        case TimeRange():
            bounds = (str(bound) for bound in (condition.start, condition.end) if bound is not None)
            return condition.role or "time", "between", tuple(bounds)
        case InPeriod():
            field, _, values = _parts_of(condition.where)
            return field, condition.how, values
        case Has():
            return condition.relation, "has", (str(condition.at_least),)
        case Not():
            field, operator, values = _parts_of(condition.part)
            return field, f"not {operator}", values
        case And() | Or():
            return condition.kind, condition.kind, ()


def _list_assumptions(query: MetricQuery, *, model: SemanticModel) -> list[str]:
    """Return the definitions of the terms of a query, each once."""
    measures = [find_measure(name, model=model) for name in query.measures]
    said = {f"{_capitalise(measure.label)}: {measure.description}": None for measure in measures}
    for condition in split_conditions(query.where):
        inner = condition.part if isinstance(condition, Not) else condition
        if isinstance(inner, NamedCondition):
            predicate = find_predicate(inner.predicate, model=model)
            said[f"{_capitalise(predicate.label)}: {predicate.description}"] = None
        if isinstance(inner, TimeRange) and inner.role is None:
            said.update(dict.fromkeys(_time_assumptions(measures, query=query, model=model)))
    for group in query.group_by:
        if isinstance(group, TimeGroup):
            said.update(dict.fromkeys(_grain_assumptions(group, measures=measures, query=query, model=model)))
    return list(said)


def _grain_assumptions(
    group: TimeGroup, *, measures: list[Measure], query: MetricQuery, model: SemanticModel
) -> list[str]:  # fmt: skip
    """Say of which time the months are: what has none, as a sprint that has not begun, is in no month."""
    own = [find_measured_time(one, beside=query.measures, groups=query.group_by, model=model) for one in measures]
    roles = [model.time_roles[name] for name in dict.fromkeys([group.role] if group.role else own) if name]
    return [
        f"Each {group.grain} is that in which {_subject_of(role, model=model)} {role.label}; rows without such a time "
        "are left out."
        for role in roles
    ]  # fmt: skip


def _time_assumptions(measures: list[Measure], *, query: MetricQuery, model: SemanticModel) -> list[str]:
    times = [find_measured_time(one, beside=query.measures, groups=query.group_by, model=model) for one in measures]
    roles = [model.time_roles[time] for time in times if time]
    return [f"The time is when {_subject_of(role, model=model)} {role.label}." for role in roles]


def _subject_of(role: TimeRole, *, model: SemanticModel) -> str:
    return "the" if role.label.startswith(model.entities[role.entity].label) else "it was"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
