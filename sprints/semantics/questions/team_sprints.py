"""Sprints of a follow-up: the other team's of the same number, and what is not known of a sprint that is not over."""

from collections.abc import Callable, Sequence

from sprints.linking.names import Name, NameIndex, sprint_numbers
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    Not,
    Or,
    Reference,
    TimeRange,
)
from sprints.semantics.questions.terms import FATES, Unbound
from sprints.semantics.questions.units import NOT_STARTED

_EXCLUDING = frozenset({Operator.NE, Operator.NOT_IN})


def swap_sprints(
    context: MetricQuery, *, conditions: Sequence[Condition], index: NameIndex, is_more: bool
) -> MetricQuery:  # fmt: skip
    """
    Replace sprints by those of the team that a follow-up names, or leave out those of a team that it excludes.

    With `is_more` those of the team are added: points completed by ACCEL last sprint, | plus HARBOR.

    Raises Unbound where the teams' sprints of that number differ in position, because nobody said which of the two was
    meant, and where no sprint is left.
    """
    team = next((one for one in conditions if isinstance(one, Comparison) and one.field == "team"), None)
    if team is None:
        return context
    teams = {value.key for value in team.values if isinstance(value, Reference)}
    if team.op in _EXCLUDING:
        return _change_sprints(context, change=lambda old: [name for name in old if name.team_id not in teams],
                               index=index)  # fmt: skip
    return _take_counterparts(context, teams=teams, index=index, keeps_old=is_more)


def widen_sprints(context: MetricQuery, *, model: SemanticModel, index: NameIndex) -> MetricQuery:
    """
    Replace sprints by those of the same number of all teams, each for itself where they have no sum: velocity.

    Raises Unbound as `swap_sprints` does.
    """
    wider = _take_counterparts(context, teams={name.value for name in index.of_kind("team")}, index=index)
    is_apart = wider != context and not all(model.measures[one].additive for one in context.measures)
    groups = (DimensionGroup(dimension="team"),) if is_apart and not context.group_by else context.group_by
    return wider.model_copy(update={"group_by": groups})


def _take_counterparts(
    context: MetricQuery, *, teams: set[str], index: NameIndex, keeps_old: bool = False
) -> MetricQuery:  # fmt: skip
    def find_others(old: Sequence[Name]) -> list[Name]:
        found = {_find_counterpart(name, team=team, index=index) for name in old for team in teams}
        found |= {*old} if keeps_old else set()
        return sorted(found, key=lambda name: name.text)

    return _change_sprints(context, change=find_others, index=index)


def _change_sprints(
    context: MetricQuery, *, change: Callable[[Sequence[Name]], Sequence[Name]], index: NameIndex
) -> MetricQuery:  # fmt: skip
    parts = [_change_sprint(part, change=change, index=index) for part in split_conditions(context.where)]
    return context.model_copy(update={"where": join_conditions(parts)})


def _change_sprint(
    part: Condition, *, change: Callable[[Sequence[Name]], Sequence[Name]], index: NameIndex
) -> Condition:  # fmt: skip
    if isinstance(part, InPeriod):
        return part.model_copy(update={"where": _change_sprint(part.where, change=change, index=index)})
    if isinstance(part, Not):
        return Not(part=_change_sprint(part.part, change=change, index=index))
    if isinstance(part, And | Or):
        inner = tuple(_change_sprint(one, change=change, index=index) for one in part.parts)
        return part.model_copy(update={"parts": inner})
    if not isinstance(part, Comparison) or part.field != "sprint":
        return part
    named = {value.key for value in part.values if isinstance(value, Reference)}
    found = change([name for name in index.sprints if name.value in named])
    if not found:
        raise Unbound(None)
    values = tuple(Reference(key=name.value, label=name.text) for name in found)
    op = Operator.NOT_IN if part.op in _EXCLUDING else Operator.IN
    return Comparison(field="sprint", op=op, values=values)


def _find_counterpart(name: Name, *, team: str, index: NameIndex) -> Name:
    """Return the sprint of a team with the number and the position of another. Raises Unbound if there is none."""
    ours, theirs = (_list_in_order(one, state=name.state, index=index) for one in (name.team_id, team))
    place = ours.index(name)
    same = theirs[place] if place < len(theirs) else None
    if same is None or sprint_numbers(same.text) != sprint_numbers(name.text):
        raise Unbound(None, why=f"Which sprint of the other team corresponds to {name.text}?")
    return same


def _list_in_order(team: str, *, state: str, index: NameIndex) -> list[Name]:
    ours = [name for name in index.sprints if name.team_id == team and name.state == state]
    return sorted(ours, key=lambda name: (name.ended_at is None, name.ended_at, name.text), reverse=state == "closed")


def is_after(parts: Sequence[Condition], *, index: NameIndex) -> bool:
    """Return whether a time begins when all sprints that are named beside it are over."""
    starts = [one.start for one in parts if isinstance(one, TimeRange) and one.start is not None]
    named = [one.where for one in parts if isinstance(one, InPeriod) and isinstance(one.where, Comparison)]
    keys = {value.key for one in named for value in one.values if isinstance(value, Reference)}
    ends = [one.ended_at for one in index.sprints if one.value in keys]
    return bool(ends) and any(all(end is not None and end.date() < start for end in ends) for start in starts)


def refuse_fates(query: MetricQuery, *, index: NameIndex, model: SemanticModel) -> None:
    """Refuse two fates of an issue in one sprint, and what is carried over or committed of one that is not so far."""
    said = query.where.model_dump_json() if query.where else ""
    named = {one for one in FATES if f'"predicate":"{one}"' in said and '"kind":"not"' not in said}
    fates = named | (FATES & {one for name in query.measures for one in model.measures[name].where})
    keys = {
        value.key for part in split_conditions(query.where) if isinstance(part, Comparison) and part.field == "sprint"
        for value in part.values if isinstance(value, Reference)
    }  # fmt: skip
    states = {name.state for name in index.sprints if name.value in keys}
    if len(fates) > 1 or (states - {"closed"} and "carried_over" in fates):
        raise Unbound(None)
    if "future" in states and any("committed" in model.measures[one].where for one in query.measures):
        raise Unbound(None, why=NOT_STARTED, is_final=True)
