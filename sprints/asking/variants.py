"""Queries beside one that was found: the same rows counted or listed, another time or state, with or without groups."""

from collections.abc import Iterator, Sequence

from sprints.asking.composition import IN_SPRINT
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    TimeRange,
)
from sprints.semantics.questions.follow_up import list_counted_rows
from sprints.semantics.questions.terms import DEFAULT_RANK
from sprints.semantics.questions.tokens import Token

STATE_COST = 1.5
_USUAL = {"issue": "open", "person": "person_active", "sprint": "sprint_closed"}


def list_variants(
    query: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel
) -> Iterator[tuple[MetricQuery, float]]:
    """Yield the same rows counted or listed as the question asks, and one in place of many; with what that costs."""
    marks = {mark for one in tokens for mark in one.marks}
    asks_number = bool(marks & {"how_many", "how_much"})
    if query.rows_of and asks_number and not query.rank and model.entities[query.rows_of].count:
        yield (
            query.model_copy(
                update={"rows_of": None, "measures": (model.entities[query.rows_of].count,), "columns": (), "order": ()}
            ),
            -0.2,
        )
    elif query.measures and not asks_number and not query.group_by and marks & {"which", "what", "who"}:
        rows = list_counted_rows(query, model=model)
        if rows is not None and model.measures[query.measures[0]].unit != "days":
            yield rows, 0.2
    if query.rank and query.rank.count == DEFAULT_RANK and not any(one.number for one in tokens):
        is_one = any(one.name == "issue" and not one.is_plural for token in tokens for one in token.senses)
        yield query.model_copy(update={"rank": query.rank.model_copy(update={"count": 1})}), -0.3 if is_one else 0.1
    yield from _list_other_measures(query, tokens=tokens, model=model)
    yield from _list_other_conditions(query, tokens=tokens, model=model)
    if (state := _find_state(query, model=model)) and not query.rank:
        parts = (*split_conditions(query.where), NamedCondition(predicate=state))
        yield query.model_copy(update={"where": join_conditions(parts)}), STATE_COST


def _find_state(query: MetricQuery, *, model: SemanticModel) -> str:
    """Return the state that rows usually have where none is said: open issues, active people, closed sprints."""
    entity = get_entity(query, model=model)
    state = _USUAL.get(entity, "")
    said = str(query.where)
    is_said = "NamedCondition" in repr(query.where) or "TimeRange" in repr(query.where)
    is_count = not query.measures or query.measures[0] in (model.entities[entity].count, "points")
    return state if state and not is_said and is_count and "field='issue'" not in said else ""


def _list_other_measures(
    query: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel
) -> Iterator[tuple[MetricQuery, float]]:
    """Yield the mean in place of the median and the reverse, the numbers without changes, and those of each sprint."""
    if query.trend:
        yield query.model_copy(update={"trend": False}), 0.3
    if not query.measures:
        return
    name = query.measures[0]
    other = name.removeprefix("average_") if name.startswith("average_") else f"average_{name}"
    is_mean = any("average" in one.marks for one in tokens)
    is_time = model.measures[name].unit == "days"
    if other in model.measures and (is_time or (is_mean and other.startswith("average_"))):
        yield query.model_copy(update={"measures": (other,)}), -0.3 if is_mean and other.startswith("average_") else 0.3
    senses = [sense for one in tokens for sense in one.senses]
    nouns = {one.is_plural for one in senses if one.kind == "entity" and one.name == "sprint"}
    is_of_sprints = model.measures[name].entity == "membership" and nouns and "field='sprint'" not in str(query.where)
    if is_of_sprints and not (query.group_by or query.rank or query.share):
        closed = [one for one in split_conditions(query.where) if "sprint_" not in str(one)]
        where = join_conditions([*closed, NamedCondition(predicate="sprint_closed")])
        grouped = query.model_copy(update={"where": where, "group_by": (DimensionGroup(dimension="sprint"),)})
        yield grouped, -2.2 if True in nouns else 0.4


def _list_other_conditions(
    query: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel
) -> Iterator[tuple[MetricQuery, float]]:
    """Yield the rows with one state less, another time, or what became of them in the sprint that they are in."""
    said = split_conditions(query.where)
    states = [one for one in said if isinstance(one, NamedCondition)]
    for state in states if len(states) > 1 else ():
        yield query.model_copy(update={"where": join_conditions([one for one in said if one != state])}), 1.2
    rest_of = {"completed": "carried_over", "done": "open"}
    for state in states if any(one.said.lower() in ("all", "everything", "every") for one in tokens) else ():
        if state.predicate in rest_of:  # did they finish everything
            other = NamedCondition(predicate=rest_of[state.predicate])
            rest = [one if one != state else other for one in said]
            yield query.model_copy(update={"where": join_conditions(rest)}), 0.1
    for at in said:
        if isinstance(at, TimeRange) and at.role == "created":
            resolved = [one if one != at else at.model_copy(update={"role": "resolved"}) for one in said]
            yield query.model_copy(update={"where": join_conditions(resolved)}), 0.5
    sprints = [one.where for one in said if isinstance(one, InPeriod) and isinstance(one.where, Comparison)]
    if not (sprints and len(states) == 1 and states[0].predicate in IN_SPRINT) or query.group_by or query.rank:
        return
    became = IN_SPRINT[states[0].predicate]
    kept: list[Condition] = [one for one in said if one != states[0] and not isinstance(one, InPeriod)]
    if query.rows_of == "issue":
        where = join_conditions([*kept, *sprints, NamedCondition(predicate=became)])
        yield MetricQuery(rows_of="membership", where=where), 0.3
    elif f"{became}_{query.measures[0]}" in model.measures:
        yield MetricQuery(measures=(f"{became}_{query.measures[0]}",), where=join_conditions([*kept, *sprints])), 0.3
