"""Conditions of a follow-up that cannot hold beside those of the question before, or that nobody would join."""

from collections.abc import Sequence
from itertools import combinations

from sprints.linking.names import NameIndex
from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Reference,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.merging import excludes
from sprints.semantics.questions.tokens import PERSONAL, Token

_EQUAL = frozenset({Operator.EQ, Operator.IN})
_UNEQUAL = frozenset({Operator.LT, Operator.LE, Operator.GT, Operator.GE})
_PEOPLE = ("assignee", "reporter")
_OF_ISSUES = frozenset({"epic", "parent", "linked_issue"})
_UNLIKE = frozenset({Operator.NE, Operator.NOT_IN})
_SPRINT_STATES = {"sprint_active": "active", "sprint_closed": "closed", "sprint_future": "future"}


def contradicts_context(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], index: NameIndex, model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether what is said now meets what was said before as nobody would mean it."""
    return (
        _lacks_sprint(query, index=index)
        or _changes_actor(query, context=context, tokens=tokens, model=model)
        or _moves_role(query, context=context, tokens=tokens, model=model)
        or _limits_time_twice(query, context=context, tokens=tokens)
        or _names_other_issue(query, context=context, model=model)
        or _groups_by_other_time(query, context=context, model=model)
        or _limits_groups(query, context=context, tokens=tokens, model=model)
        or _counts_unit(query, context=context, tokens=tokens, model=model)
        or _joins_rows(query, tokens=tokens)
    )


def list_named(query: MetricQuery, *, field: str) -> set[str]:
    """List the keys that a query is limited to, as of its teams or sprints."""
    parts = [one.where if isinstance(one, InPeriod) else one for one in split_conditions(query.where)]
    chosen = [one for one in parts if isinstance(one, Comparison) and one.field == field and one.op in _EQUAL]
    return {value.key for one in chosen for value in one.values if isinstance(value, Reference)}


def _lacks_sprint(query: MetricQuery, *, index: NameIndex) -> bool:
    """Return whether a team is named beside sprints, all of other teams."""
    teams, sprints = list_named(query, field="team"), list_named(query, field="sprint")
    owners = {name.team_id for name in index.sprints if name.value in sprints}
    return bool(sprints) and not teams <= owners


def _list_roles(query: MetricQuery, *, model: SemanticModel) -> set[str]:
    """List the times that a query is limited to, or counts by."""
    roles = {one.role for one in split_conditions(query.where) if isinstance(one, TimeRange) and one.role}
    return roles | {time for one in query.measures if (time := model.measures[one].time)}


def _changes_actor(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether another act is asked of somebody who is still named by the first: closed by Priya, | created."""
    kept = [one for one in split_conditions(query.where) if one in split_conditions(context.where)]
    fields = {one.field for one in kept if isinstance(one, Comparison) and one.field in _PEOPLE}
    new = _list_roles(query, model=model) - _list_roles(context, model=model)
    actors = {model.time_roles[name].actor for name in new}
    is_act = any(sense.form == "verb" for one in tokens for sense in one.senses) and not any(
        "be" in one.marks for one in tokens
    )
    if is_act or any(one.said.lower() in PERSONAL for one in tokens):
        acts = [one.predicate for one in list_new(query, context=context) if isinstance(one, NamedCondition)]
        actors |= {model.predicates[name].actor for name in acts}
    return bool(fields) and bool(actors - {None} - fields)


def _moves_role(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether the time of another act replaces one of rows or of a state: done in May, | created in April."""
    before, now = (
        {one.role for one in split_conditions(each.where) if isinstance(one, TimeRange)} for each in (context, query)
    )  # fmt: skip
    states = [one.predicate for one in split_conditions(query.where) if isinstance(one, NamedCondition)]
    is_list = query.rows_of is not None and bool(before - now - {None}) and any(one.period for one in tokens)
    return bool(now) and (is_list or bool({model.predicates[name].time for name in states} & (before - now)))


def _limits_time_twice(query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token]) -> bool:
    """Return whether a sprint stands beside a time of before: resolved in October, | this sprint."""
    kept = [one for one in split_conditions(query.where) if one in split_conditions(context.where)]
    is_timed = any(isinstance(one, TimeRange) for one in kept)
    is_of_sprint = any(isinstance(one, InPeriod) for one in list_new(query, context=context))
    return is_timed and is_of_sprint and not any(one.marks & {"which", "anaphor", "how_many"} for one in tokens)


def _names_other_issue(query: MetricQuery, *, context: MetricQuery, model: SemanticModel) -> bool:
    """Return whether one issue is named where another says whose rows are meant: of epic ACCEL-1, | and ACCEL-2."""
    is_issue = any(isinstance(one, Comparison) and one.field == "issue" for one in list_new(query, context=context))
    kept = [one for one in split_conditions(query.where) if one in split_conditions(context.where)]
    return is_issue and any(_names_issue(one, model=model) for one in kept)


def _names_issue(condition: Condition, *, model: SemanticModel) -> bool:
    match condition:
        case Comparison():
            return model.dimensions[condition.field].id in _OF_ISSUES and bool(condition.values)
        case Has(where=Comparison() as where):
            return _names_issue(where, model=model)
    return False


def _groups_by_other_time(query: MetricQuery, *, context: MetricQuery, model: SemanticModel) -> bool:
    """Return whether groups of one act are kept beside the state of another: created per month, | resolved."""
    kept = {one.role for one in query.group_by if isinstance(one, TimeGroup) and one in context.group_by}
    new = [one.predicate for one in list_new(query, context=context) if isinstance(one, NamedCondition)]
    times = {model.time_roles[time] for name in new if (time := model.predicates[name].time)}
    moments = {one.id for one in times if one.relation is None}
    return bool(kept - {None}) and bool(moments - kept)


def _limits_groups(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether a number limits rows where it may limit groups: open issues per person, | over 20 points."""
    new = [one for one in list_new(query, context=context) if isinstance(one, Comparison)]
    sums = {one.expression for one in model.measures.values() if one.additive}
    is_number = any(
        one.op in _UNEQUAL and f"sum({model.dimensions[one.field].expression.strip()})" in sums for one in new
    )
    names_rows = any(sense.kind == "entity" for one in tokens for sense in one.senses)
    return bool(context.group_by) and is_number and not names_rows


def _counts_unit(
    query: MetricQuery, *, context: MetricQuery, tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether rows are asked for by number and another unit is given: points completed, | how many bugs."""
    units = {model.measures[one].unit for one in query.measures}
    types = any(name.kind == "type" for one in tokens for name in one.names)
    asks = any("how_many" in one.marks for one in tokens)
    says_unit = any(sense.name in units for one in tokens for sense in one.senses)
    is_of_rows = any("anaphor" in one.marks for one in tokens)
    return asks and types and query.measures == context.measures and "issues" not in units and not (
        says_unit or is_of_rows
    )  # fmt: skip


def _joins_rows(query: MetricQuery, *, tokens: Sequence[Token]) -> bool:
    """Return whether rows may be added or limited: in sprint 8, | which were also in sprint 7."""
    is_which = any("which" in one.marks for one in tokens)
    is_also = any(one.said.lower() == "also" for one in tokens)
    is_of_sprint = any(one.reference for one in tokens)
    labels = [one for one in split_conditions(query.where) if isinstance(one, Comparison) and one.field == "label"]
    is_either = any(len(one.values) > 1 for one in labels) and any(
        name.kind == "label" for t in tokens for name in t.names
    )
    return is_also and ((is_which and is_of_sprint) or is_either)


def contradicts_itself(query: MetricQuery, *, index: NameIndex, model: SemanticModel) -> bool:
    """Return whether two conditions of a query cannot both hold: no due date and due this month, done and overdue."""
    parts = [*split_conditions(query.where)]
    parts += [NamedCondition(predicate=name) for one in query.measures for name in model.measures[one].where]
    return any(_exclude(one, other, index=index, model=model) for one, other in combinations(parts, 2))


def _exclude(one: Condition, other: Condition, *, index: NameIndex, model: SemanticModel) -> bool:
    names = {each.predicate for each in (one, other) if isinstance(each, NamedCondition)}
    is_unfinished = any("open" in (name, *model.predicates[name].requires) for name in names)
    if is_unfinished and "completed" in names:
        return True
    if excludes(one, other=other, model=model) or _denies(one, other, model=model) or _denies(other, one, model=model):
        return True
    if _denies_time(one, other, model=model) or _denies_time(other, one, model=model):
        return True
    if any(_is_in_none(each) for each in (one, other)) and any(isinstance(each, InPeriod) for each in (one, other)):
        return True
    match one, other:
        case TimeRange(), TimeRange() if one.role == other.role:
            return _ends_before(one, other) or _ends_before(other, one)
        case Comparison(), Comparison() if one.field == other.field:
            return _shares_no_value(one, other, model=model)
        case (NamedCondition() as state, Comparison() as sprint) | (Comparison() as sprint, NamedCondition() as state):
            return _is_of_other_sprints(state, sprint=sprint, index=index)
    return False


def _is_in_none(condition: Condition) -> bool:
    """Return whether it says that rows are in no sprint."""
    inner = condition.part if isinstance(condition, Not) else None
    is_any = isinstance(inner, InPeriod) and isinstance(inner.where, Comparison)
    return is_any and isinstance(inner, InPeriod) and '"is_not_null"' in inner.where.model_dump_json()


def _denies_time(one: Condition, other: Condition, *, model: SemanticModel) -> bool:
    """Return whether a state cannot hold of what has a time of its opposite: open, and resolved last week."""
    if not isinstance(one, NamedCondition) or not isinstance(other, TimeRange):
        return False
    states = {one.predicate, *model.predicates[one.predicate].requires}
    opposites = {model.predicates[name].opposite for name in states} - {None}
    times = {model.predicates[name].time for name in opposites if name}
    role = model.time_roles.get(other.role or "")
    return role is not None and role.is_moment and role.relation is None and role.id in times


def _denies(one: Condition, other: Condition, *, model: SemanticModel) -> bool:
    """Return whether a condition is the negation of another, or says that a property is missing that the other has."""
    expanded = [_expand(condition, model=model) for condition in (one, other)]
    if isinstance(expanded[0], Not):
        return _expand(expanded[0].part, model=model) == expanded[1]
    missing, known = expanded
    if not isinstance(missing, Comparison) or missing.op is not Operator.IS_NULL:
        return False
    if isinstance(known, TimeRange):
        start = model.time_roles[known.role].start if known.role in model.time_roles else ""
        return model.dimensions[missing.field].expression == start
    return isinstance(known, Comparison) and known.field == missing.field and known.op is not Operator.IS_NULL


def _expand(condition: Condition, *, model: SemanticModel) -> Condition:
    """Return the comparison that a name stands for."""
    known = model.predicates.get(condition.predicate) if isinstance(condition, NamedCondition) else None
    return known.comparison if known is not None and known.comparison is not None else condition


def _ends_before(one: TimeRange, other: TimeRange) -> bool:
    return one.end is not None and other.start is not None and str(one.end) <= str(other.start)


def _shares_no_value(one: Comparison, other: Comparison, *, model: SemanticModel) -> bool:
    if model.dimensions[one.field].many or one.op not in _EQUAL:
        return False
    shared = {*map(str, one.values)} & {*map(str, other.values)}
    return not shared if other.op in _EQUAL else other.op in _UNLIKE and len(shared) in (0, len(one.values))


def _is_of_other_sprints(state: NamedCondition, *, sprint: Comparison, index: NameIndex) -> bool:
    """Return whether the sprints that are named are all in another state: in active sprints, ACCEL Sprint 8."""
    wanted = _SPRINT_STATES.get(state.predicate)
    if wanted is None or sprint.field != "sprint" or sprint.op not in _EQUAL:
        return False
    keys = {value.key for value in sprint.values if isinstance(value, Reference)}
    return wanted not in {name.state for name in index.sprints if name.value in keys}


def list_new(query: MetricQuery, *, context: MetricQuery) -> list[Condition]:
    """List the conditions that a query has gained."""
    before = split_conditions(context.where)
    return [one for one in split_conditions(query.where) if one not in before]
