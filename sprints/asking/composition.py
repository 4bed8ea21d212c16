"""
Queries composed of the words of a question, whatever their order: a measure or rows, and each condition that fits.

The grammar reads a question from its sentence. Here only its words count: each name, time, state and group becomes a
part of the query if the terms of the model allow it. What comes of it is suggested and never answered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sprints.asking.word_conditions import (
    NEGATIVE,
    find_denial,
    is_negated,
    list_negations,
    list_sprints,
    make_condition,
    make_group,
)
from sprints.linking.names import Name
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    Has,
    InPeriod,
    MeasureLimit,
    MetricQuery,
    NamedCondition,
    Not,
    Rank,
    Reference,
    TimeRange,
)
from sprints.semantics.questions.tokens import Token
from sprints.semantics.questions.values import is_among

IN_SPRINT = {"open": "carried_over", "done": "completed"}
"""What issues are, and what became of them in a sprint."""
_LIMITS = {"gt": Operator.GT, "ge": Operator.GE, "lt": Operator.LT, "le": Operator.LE}
_BY_EPIC = DimensionGroup(dimension="epic")
_OWNED = {"person": "assigned_issues", "team": "issues", "sprint": "memberships"}
_DEFINITE = frozenset({"the", "this", "our", "current", "running"})
_COMPARING = frozenset({"more", "fewer", "versus", "compare", "than", "differs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedQuery:
    """A query, and the tokens that it was composed of."""

    query: MetricQuery
    used: tuple[Token, ...]


def compose(tokens: Sequence[Token], *, model: SemanticModel) -> Iterator[ComposedQuery]:
    """Yield queries made of all words: about each measure that is named, else issues, counted or listed."""
    seen: set[str] = set()
    for root, used in _list_roots(tokens, model=model):
        composed = complete(root, tokens=tokens, spare=[one for one in tokens if one not in used], model=model)
        composed = replace(composed, used=(*used, *composed.used))
        if str(composed.query) not in seen:
            seen.add(str(composed.query))
            yield composed
    yield from _list_absences(tokens, model=model)


def prepare(tokens: Sequence[Token], *, sprints: Sequence[Name], model: SemanticModel) -> list[Token]:
    """
    Return the tokens with what they may also mean where only words count.

    A number of rows in a state also says the state; one sprint of a team is the current one; two days are one time.
    """
    prepared: list[Token] = []
    is_named = any(one.reference or one.kind == "sprint" for one in tokens)
    teams = {name.value for one in tokens if one.kind == "team" for name in one.names}
    active = tuple(one for one in sprints if one.state == "active" and one.team_id in teams)
    for token in tokens:
        measures = [one for one in token.senses if one.kind == "measure" and one.form == "noun"]
        known = [(one, name) for one in measures for name in model.measures[one.name].where]
        states = [
            replace(one, kind="predicate", name=name) for one, name in known
            if model.predicates[name].entity == "membership" and name != "member_now"
        ]  # fmt: skip
        nouns = [one for one in token.senses if one.kind == "entity" and one.name == "sprint" and not one.is_plural]
        is_definite = bool(prepared) and (prepared[-1].kind == "team" or prepared[-1].said.lower() in _DEFINITE)
        is_current = nouns and active and not is_named and is_definite
        own = replace(token, senses=(*token.senses, *states)) if states else token
        own = replace(token, senses=(), sprints=active) if is_current else own
        before = prepared[-2].period if len(prepared) > 1 and "and" in prepared[-1].marks else None
        if before and own.period and own.period.span.start == before.span.end:
            both = replace(before, span=replace(before.span, end=own.period.span.end))
            prepared[-2:] = [replace(prepared[-2], end=own.end, period=both)]
        else:
            prepared.append(own)
    return prepared


def change_context(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> ComposedQuery:
    """
    Return the query of the question before with what the words say in place of what it said of the same.

    Sprints and names that are compared with those before stand beside them.
    """
    teams = {value.key for one in split_conditions(context.where) if isinstance(one, Comparison) and one.field == "team"
             for value in one.values if isinstance(value, Reference)}  # fmt: skip
    owned = [
        replace(one, sprints=tuple(sprint for sprint in one.sprints if sprint.team_id in teams) or one.sprints)
        for one in tokens
    ]
    fresh = complete(context.model_copy(update={"where": None}), tokens=owned, spare=owned, model=model)
    used = tuple(one for one, own in zip(tokens, owned, strict=True) if own in fresh.used)
    said = {get_subject(one): one for one in split_conditions(fresh.query.where)}
    before = {get_subject(one): one for one in split_conditions(context.where)}
    query, compared = fresh.query, [one for one in tokens if one.marks & _COMPARING]
    sprints, others = said.get("sprint"), before.get("sprint")
    if compared and isinstance(sprints, Comparison) and isinstance(others, Comparison):
        said["sprint"] = is_among("sprint", values=tuple(dict.fromkeys((*others.values, *sprints.values))))
        query = query.model_copy(update={"group_by": (DimensionGroup(dimension="sprint"),)})
        used = (*used, *compared)
    changed = query.model_copy(update={"where": join_conditions(list((before | said).values()))})
    return ComposedQuery(query=changed, used=used)


def get_subject(condition: Condition) -> str:
    """Return what a condition is about: a field, the sprint that issues were in, the time."""
    match condition:
        case Comparison():
            return condition.field
        case InPeriod(where=Comparison() as inner):
            return inner.field
        case TimeRange():
            return "time"
    return str(condition)


def _list_absences(tokens: Sequence[Token], *, model: SemanticModel) -> Iterator[ComposedQuery]:
    """Yield the people, teams or sprints without such issues: who has nothing in progress."""
    negative = [one for one in tokens if one.marks & NEGATIVE]
    if not negative:
        return
    for token in tokens:
        nouns = {sense.name for sense in token.senses if sense.kind == "entity"} | (
            {"person"} if "who" in token.marks else set()
        )
        for entity, relation in _OWNED.items():
            if entity not in nouns:
                continue
            inner = MetricQuery(rows_of=model.entities[entity].relations[relation].entity)
            spare = [one for one in tokens if one is not token and one not in negative]
            without = [one for one in tokens if one not in negative]
            made = complete(inner, tokens=without, spare=spare, model=model)
            parts = split_conditions(made.query.where)
            outer: list[Condition] = [
                one for one in parts if isinstance(one, Comparison) and one.field in ("team", "sprint")
            ]
            where = join_conditions([one for one in parts if one not in outer])
            if where is not None:
                none = Not(part=Has(relation=relation, where=where))
                outer += [NamedCondition(predicate="sprint_closed")] if entity == "sprint" and not outer else []
                found = MetricQuery(rows_of=entity, where=join_conditions([*outer, none]))
                nouns_used = [one for one in tokens if any(sense.name == "issue" for sense in one.senses)]
                yield ComposedQuery(query=found, used=(token, *negative[:1], *made.used, *nouns_used))


def _list_roots(tokens: Sequence[Token], *, model: SemanticModel) -> Iterator[tuple[MetricQuery, tuple[Token, ...]]]:
    """Yield measures without conditions, and the words that name them."""
    marks = {mark for one in tokens for mark in one.marks}
    named = [(one, sense) for one in tokens for sense in one.senses if sense.form == "noun"]
    has_sprint = any(one.reference or list_sprints(one) for one in tokens)
    units = [
        (one, {"points", *(f"{name}_points" for name in IN_SPRINT.values()), "committed_points"}) for one in tokens
    ]
    unit = next((one for one, names in units if any(sense.name in names for sense in one.senses)), None)
    states = [(one, sense.name) for one in tokens for sense in one.senses if sense.kind == "predicate"]
    if has_sprint or "sprint" in {sense.name for _, sense in named}:
        yield from _list_memberships(states, unit=unit, is_count=bool(marks & {"how_many", "how_much"}), model=model)
    yield from _list_pairs(tokens, states=states, has_unit=unit is not None, model=model)
    for token, sense in named:
        if sense.kind == "measure" and sense.name not in ("sprints", "people", "teams"):
            yield MetricQuery(measures=(sense.name,)), (token,)
    for token, entity in _list_entities(tokens, model=model):
        if count := model.entities[entity].count:
            yield MetricQuery(measures=(count,)), (token,)
        if model.entities[entity].columns and not marks & {"how_many", "how_much"}:
            yield MetricQuery(rows_of=entity), (token,)
    yield from _list_by_unit(tokens, has_sprint=has_sprint, model=model)
    days = tuple(one for one in tokens if any((sense.kind, sense.name) == ("grain", "day") for sense in one.senses))
    if has_sprint and days:
        yield MetricQuery(rows_of="sprint_day"), days
    if has_sprint and marks & _COMPARING and not states:
        yield MetricQuery(measures=("completed_points",)), ()
    nouns = tuple(one for one, sense in named if sense.kind == "entity" and sense.name == "issue")[:1]
    is_grouped = any(make_group(one, tokens=tokens, entity_id="issue", model=model) for one in tokens)
    yield MetricQuery(measures=("issues",)), nouns
    if not marks & {"how_many", "how_much"} and not is_grouped:
        yield MetricQuery(rows_of="issue"), nouns


def _list_by_unit(
    tokens: Sequence[Token], *, has_sprint: bool, model: SemanticModel
) -> Iterator[tuple[MetricQuery, tuple[Token, ...]]]:
    """Yield the measures in a unit that is named, or of a property that is compared: hours, how many days, faster."""
    named = {"issue", *(entity for _, entity in _list_entities(tokens, model=model))}
    for token in tokens:
        units = {sense.name for sense in token.senses if sense.kind == "unit"}
        compared = {sense.name for sense in token.senses if sense.form in ("comparative", "superlative")}
        is_long = "how_long" in token.marks or token.said.lower().startswith(("faster", "slower", "quicker"))
        compared |= {"cycle_time_days"} if is_long else set()
        for measure in model.measures.values():
            of_unit = measure.unit in units and not measure.hidden and not measure.where
            of_unit = of_unit or (is_long and measure.unit == "days" and measure.entity != "issue")
            if measure.entity in named and (of_unit or f"{measure.id.removeprefix('average_')}_days" in compared):
                needs = [one for one in tokens if one.said.lower().startswith("need")] if is_long else []
                yield MetricQuery(measures=(measure.id,)), (token, *needs)
        known = [model.measures[sense.name] for sense in token.senses if sense.kind == "measure"]
        for measure in known if not has_sprint else ():  # unfinished points, of no sprint
            state = next((now for now, then in IN_SPRINT.items() if measure.where == (then,)), None)
            if state and measure.entity == "membership":
                yield MetricQuery(measures=(measure.unit,), where=NamedCondition(predicate=state)), (token,)


def _list_measures(entity: str, *, unit: str, model: SemanticModel) -> dict[str, str]:
    """Return the measure of rows in each single state."""
    return {
        one.where[0]: one.id for one in model.measures.values()
        if not one.hidden and one.entity == entity and len(one.where) == 1 and one.unit == unit
    }  # fmt: skip


def _list_memberships(
    states: Sequence[tuple[Token, str]], *, unit: Token | None, is_count: bool, model: SemanticModel
) -> Iterator[tuple[MetricQuery, tuple[Token, ...]]]:
    """Yield the measure of each state of issues in sprints, in points if these are named, else the issues too."""
    held = _list_measures("membership", unit="points" if unit else "issues", model=model)
    for token, state in states:
        if state in held:
            yield MetricQuery(measures=(held[state],)), (token, *((unit,) if unit else ()))
            if not unit and not is_count:
                yield MetricQuery(rows_of="membership", where=NamedCondition(predicate=state)), (token,)


def _list_pairs(
    tokens: Sequence[Token], *, states: Sequence[tuple[Token, str]], has_unit: bool, model: SemanticModel
) -> Iterator[tuple[MetricQuery, tuple[Token, ...]]]:
    """Yield two measures of the same rows: committed and completed, created or resolved."""
    held = _list_measures("membership", unit="points" if has_unit else "issues", model=model)
    of_sprints = {held[state]: token for token, state in states if state in held}
    of_issues = {
        sense.name: one for one in tokens for sense in one.senses if sense.kind == "measure" and sense.form == "verb"
        and model.measures[sense.name].entity == "issue"
    }  # fmt: skip
    stated = {
        str(model.predicates[state].opposite) if is_negated(one, tokens=tokens) else state: one
        for one, state in states if model.predicates[state].entity == "issue"
    }  # fmt: skip
    for state, one in list(stated.items()):  # how many are done, and how many are not
        behind = list(tokens)[list(tokens).index(one) + 1 :]
        denied = next((other for other in behind if other.marks & NEGATIVE), None)
        if len(stated) == 1 and denied and model.predicates[state].opposite:
            stated[str(model.predicates[state].opposite)] = denied
    if not has_unit:
        counts = _list_measures("issue", unit="issues", model=model)
        of_issues |= {counts[state]: one for state, one in stated.items() if state in counts}
    for known in (of_sprints, of_issues):
        if len(known) == 2 and len(set(known.values())) == 2:  # noqa: PLR2004
            comparing = [one for one in tokens if one.marks & _COMPARING or one.marks & {"or", "and"}]
            yield MetricQuery(measures=tuple(known)), (*known.values(), *comparing)


def _list_entities(tokens: Sequence[Token], *, model: SemanticModel) -> Iterator[tuple[Token, str]]:
    """Yield the rows, other than issues and sprints, that a word is about: moves, blockages, people."""
    terms = {"predicate": model.predicates, "time": model.time_roles}
    for token in tokens:
        for sense in token.senses:
            known = terms.get(sense.kind)
            entity = known[sense.name].entity if known else sense.name if sense.kind == "entity" else ""  # type: ignore[index]
            if entity and entity not in ("issue", "membership", "sprint") and sense.form in ("noun", "verb"):
                yield token, entity


def complete(
    query: MetricQuery, *, tokens: Sequence[Token], spare: Sequence[Token], model: SemanticModel
) -> ComposedQuery:
    """Add what spare words say to a query: conditions, groups and a rank."""
    said, used = _add_conditions(query, tokens=tokens, spare=spare, model=model)
    groups = list(query.group_by)
    if query.measures:
        used += _add_groups(query, groups=groups, said=said, tokens=tokens, spare=spare, model=model)
    changed = query.model_copy(update={"where": join_conditions(said), "group_by": tuple(groups)})
    if changed.group_by and not changed.having:
        changed, limits = _add_limit(changed, spare=spare)
        used += limits
    if changed.rank is None:
        changed, ranking = _add_rank(changed, spare=spare)
        used += ranking
    return ComposedQuery(query=_narrow(changed, model=model), used=tuple(used))


def _narrow(query: MetricQuery, *, model: SemanticModel) -> MetricQuery:
    """Return issues in sprints in one state as the measure of that state."""
    measure = model.measures[query.measures[0]] if len(query.measures) == 1 else None
    if measure is None or measure.where != ("member_now",) or query.share:
        return query
    held, said = _list_measures("membership", unit=measure.unit, model=model), split_conditions(query.where)
    states = [one for one in said if isinstance(one, NamedCondition) and one.predicate in held]
    if len(states) != 1:
        return query
    rest = join_conditions([one for one in said if one != states[0]])
    name = held[states[0].predicate]
    rank = query.rank and query.rank.model_copy(update={"by": name})
    return query.model_copy(update={"measures": (name,), "where": rest, "rank": rank})


def _add_conditions(
    query: MetricQuery, *, tokens: Sequence[Token], spare: Sequence[Token], model: SemanticModel
) -> tuple[list[Condition], list[Token]]:
    """Return the conditions with those of spare words, and the words that were used."""
    entity_id, used = get_entity(query, model=model), []
    said = list(split_conditions(query.where))
    for token in spare:
        is_group = query.measures and not token.reference and make_group(
            token, tokens=tokens, entity_id=entity_id, model=model
        )  # fmt: skip
        if is_group:
            continue
        condition = make_condition(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
        if condition is not None:
            said.append(condition)
            used += [token, *list_negations(token, tokens=tokens)]
            used += find_denial(token, tokens=tokens) if "in_backlog" in str(condition) else []
            if isinstance(condition, Comparison) and len(condition.values) > len(token.names) > 0:
                used += [one for one in spare if one.kind == token.kind and one not in used]
            if list_sprints(token) and (query.measures or query.rows_of == "membership"):
                used += [one for one in spare if list_sprints(one) and one not in used]
    return said, used


def _add_groups(
    query: MetricQuery, *, groups: list[Group], said: list[Condition], tokens: Sequence[Token], spare: Sequence[Token],
    model: SemanticModel,
) -> list[Token]:  # fmt: skip
    """Add the groups of spare words, or the sides of a comparison as groups. Returns the words that were used."""
    entity_id, used = get_entity(query, model=model), []
    comparing = [one for one in tokens if one.marks & _COMPARING]
    if not groups and comparing:
        sides = [one.field for one in said if isinstance(one, Comparison) and len(one.values) > 1]
        groups += [DimensionGroup(dimension=one) for one in sides[:1]]
        used += comparing if sides else []
    for token in spare:
        group = make_group(token, tokens=tokens, entity_id=entity_id, model=model)
        if group is not None and group not in groups:
            groups.append(group)
            leads = [one for one in tokens if one.marks & {"per", "rank"}]
            used += [token, *leads]
            if group == _BY_EPIC and entity_id == "issue" and leads:
                said.append(Comparison(field="epic", op=Operator.IS_NOT_NULL))
    return used


def _add_limit(query: MetricQuery, *, spare: Sequence[Token]) -> tuple[MetricQuery, list[Token]]:
    """Keep the groups above or below a number: more than 115."""
    for sign, number in pairwise(spare):
        op = next((_LIMITS[mark] for mark in sign.marks if mark in _LIMITS), None)
        if op and number.number is not None:
            limit = MeasureLimit(measure=query.measures[0], op=op, value=_as_whole(number.number))
            return query.model_copy(update={"having": (limit,)}), [sign, number]
    return query, []


def _as_whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _add_rank(query: MetricQuery, *, spare: Sequence[Token]) -> tuple[MetricQuery, list[Token]]:
    """Rank a query by a superlative among spare words, or by a number beside its order."""
    ranking = next(
        (
            one
            for one in spare
            if one.top
            or one.said.lower().startswith(("most ", "fewest "))
            or (one.marks & {"top", "bottom"} and one.said.lower() != "first")
        ),
        None,
    )
    if query.having:
        return query, []
    number = next(
        (one for one in spare if one.number is not None and one.number >= 1 and one.number.is_integer()), None
    )
    count = int(number.number) if number is not None and number.number else ranking.top or 1 if ranking else 1
    if query.order and query.measures and number is not None:
        rank = Rank(count=count, by=query.order[0].by, direction=query.order[0].direction)
        return query.model_copy(update={"rank": rank, "order": ()}), [number]
    if ranking is not None and query.group_by and len(query.measures) == 1:
        rank = Rank(
            count=count,
            by=query.measures[0],
            direction="asc" if "bottom" in ranking.marks or "few" in ranking.said else "desc",
        )
        return query.model_copy(update={"rank": rank}), [ranking, *([number] if number else [])]
    return query, []
