"""
Queries composed of the words of a question, whatever their order: a measure or rows, and each condition that fits.

The grammar reads a question from its sentence. Here only its words count: each name, time, state and group becomes a
part of the query if the terms of the model allow it. What comes of it is suggested and never answered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sprints.linking.folding import fold, words
from sprints.linking.names import Name
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Grain, Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Rank,
    Reference,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.follow_up import list_counted_rows
from sprints.semantics.questions.terms import DEFAULT_RANK
from sprints.semantics.questions.tokens import Token
from sprints.semantics.questions.values import is_among, to_value
from sprints.semantics.scope import reaches

_FIELDS = {"team": "team", "label": "label", "status": "status", "priority": "priority", "type": "issue_type"}
_OPPOSED = {"open": "done", "done": "open", "unassigned": "assigned", "unestimated": "estimated"}
_NEGATIVE = frozenset({"not", "without", "except", "nobody", "nothing"})
_USUAL = {"issue": "open", "person": "person_active", "sprint": "sprint_closed"}
STATE_COST, MAX_WORDS_BETWEEN = 1.5, 5
_BY_EPIC = DimensionGroup(dimension="epic")
_OWNED = {"person": "assigned_issues", "team": "issues", "sprint": "memberships"}
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
    negative = [one for one in tokens if one.marks & _NEGATIVE]
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
    has_sprint = any(one.reference or one.kind == "sprint" for one in tokens)
    unit = next((one for one in tokens if any(sense.name == "points" for sense in one.senses)), None)
    states = [(one, sense.name) for one in tokens for sense in one.senses if sense.kind == "predicate"]
    if has_sprint or "sprint" in {sense.name for _, sense in named}:
        yield from _list_memberships(states, unit=unit, is_count=bool(marks & {"how_many", "how_much"}), model=model)
    yield from _list_pairs(tokens, states=states, has_unit=unit is not None, model=model)
    for token, sense in named:
        if sense.kind == "measure" and sense.name not in ("sprints", "people", "teams"):
            yield MetricQuery(measures=(sense.name,)), (token,)
    yield from ((MetricQuery(measures=(name,)), used) for name, used in _match_labels(tokens, model=model))
    for token, entity in _list_entities(tokens, model=model):
        if count := model.entities[entity].count:
            yield MetricQuery(measures=(count,)), (token,)
        if model.entities[entity].columns and not marks & {"how_many", "how_much"}:
            yield MetricQuery(rows_of=entity), (token,)
    if has_sprint and marks & _COMPARING and not states:
        yield MetricQuery(measures=("completed_points",)), ()
    nouns = tuple(one for one, sense in named if sense.kind == "entity" and sense.name == "issue")[:1]
    is_grouped = "per" in marks
    yield MetricQuery(measures=("issues",)), nouns
    if not marks & {"how_many", "how_much"} and not is_grouped:
        yield MetricQuery(rows_of="issue"), nouns


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
        str(model.predicates[state].opposite) if _is_negated(one, tokens=tokens) else state: one
        for one, state in states if model.predicates[state].entity == "issue"
    }  # fmt: skip
    for state, one in list(stated.items()):  # how many are done, and how many are not
        behind = list(tokens)[list(tokens).index(one) + 1 :]
        denied = next((other for other in behind if other.marks & _NEGATIVE), None)
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


def _match_labels(tokens: Sequence[Token], *, model: SemanticModel) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """Yield the measures of which each word is said, in any order: for how many days was it blocked."""
    said = {word.folded: one for one in tokens for word in words(fold(one.said))}
    for measure in model.measures.values():
        label = [word.folded for word in words(measure.label) if word.folded not in ("in", "the", "of")]
        if not measure.hidden and len(label) > 1 and all(one in said for one in label):
            yield measure.id, tuple(said[one] for one in label)


def complete(
    query: MetricQuery, *, tokens: Sequence[Token], spare: Sequence[Token], model: SemanticModel
) -> ComposedQuery:
    """Add what spare words say to a query: conditions, groups and a rank."""
    said, used = _add_conditions(query, tokens=tokens, spare=spare, model=model)
    groups = list(query.group_by)
    if query.measures:
        used += _add_groups(query, groups=groups, said=said, tokens=tokens, spare=spare, model=model)
    changed = query.model_copy(update={"where": join_conditions(said), "group_by": tuple(groups)})
    if changed.rank is None:
        changed, ranking = _add_rank(changed, spare=spare)
        used += ranking
    return ComposedQuery(query=changed, used=tuple(used))


def _entity_of(query: MetricQuery, *, model: SemanticModel) -> str:
    return query.rows_of or model.measures[query.measures[0]].entity


def _add_conditions(
    query: MetricQuery, *, tokens: Sequence[Token], spare: Sequence[Token], model: SemanticModel
) -> tuple[list[Condition], list[Token]]:
    """Return the conditions with those of spare words, and the words that were used."""
    entity_id, used = _entity_of(query, model=model), []
    said = list(split_conditions(query.where))
    for token in spare:
        is_group = query.measures and not token.reference and _make_group(
            token, tokens=tokens, entity_id=entity_id, model=model
        )  # fmt: skip
        if is_group:
            continue
        condition = _make_condition(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
        if condition is not None:
            said.append(condition)
            used += [token, *_list_negations(token, tokens=tokens)]
            if isinstance(condition, Comparison) and len(condition.values) > len(token.names) > 0:
                used += [one for one in spare if one.kind == token.kind and one not in used]
            if _list_sprints(token) and query.measures:
                used += [one for one in spare if _list_sprints(one) and one not in used]
    return said, used


def _add_groups(
    query: MetricQuery, *, groups: list[Group], said: list[Condition], tokens: Sequence[Token], spare: Sequence[Token],
    model: SemanticModel,
) -> list[Token]:  # fmt: skip
    """Add the groups of spare words, or the sides of a comparison as groups. Returns the words that were used."""
    entity_id, used = _entity_of(query, model=model), []
    comparing = [one for one in tokens if one.marks & _COMPARING]
    if not groups and comparing:
        sides = [one.field for one in said if isinstance(one, Comparison) and len(one.values) > 1]
        groups += [DimensionGroup(dimension=one) for one in sides[:1]]
        used += comparing if sides else []
    for token in spare:
        group = _make_group(token, tokens=tokens, entity_id=entity_id, model=model)
        if group is not None and group not in groups:
            groups.append(group)
            leads = [one for one in tokens if one.marks & {"per", "rank"}]
            used += [token, *leads]
            if group == _BY_EPIC and entity_id == "issue" and leads:
                said.append(Comparison(field="epic", op=Operator.IS_NOT_NULL))
    return used


def _add_rank(query: MetricQuery, *, spare: Sequence[Token]) -> tuple[MetricQuery, list[Token]]:
    """Rank a query by a superlative among spare words, or by a number beside its order."""
    ranking = next(
        (one for one in spare if one.top or (one.marks & {"top", "bottom"} and one.said.lower() != "first")), None
    )
    number = next(
        (one for one in spare if one.number is not None and one.number >= 1 and one.number.is_integer()), None
    )
    count = int(number.number) if number is not None and number.number else ranking.top or 1 if ranking else 1
    if query.order and query.measures and number is not None:
        rank = Rank(count=count, by=query.order[0].by, direction=query.order[0].direction)
        return query.model_copy(update={"rank": rank, "order": ()}), [number]
    if ranking is not None and query.group_by and len(query.measures) == 1:
        rank = Rank(count=count, by=query.measures[0], direction="asc" if "bottom" in ranking.marks else "desc")
        return query.model_copy(update={"rank": rank}), [ranking, *([number] if number else [])]
    return query, []


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
        if rows is not None:
            yield rows, 0.2
    if query.rank and query.rank.count == DEFAULT_RANK and not any(one.number for one in tokens):
        is_one = any(one.name == "issue" and not one.is_plural for token in tokens for one in token.senses)
        yield query.model_copy(update={"rank": query.rank.model_copy(update={"count": 1})}), -0.3 if is_one else 0.1
    if (state := _find_state(query, model=model)) and not query.rank:
        parts = (*split_conditions(query.where), NamedCondition(predicate=state))
        yield query.model_copy(update={"where": join_conditions(parts)}), STATE_COST


def _find_state(query: MetricQuery, *, model: SemanticModel) -> str:
    """Return the state that rows usually have where none is said: open issues, active people, closed sprints."""
    entity = query.rows_of or model.measures[query.measures[0]].entity
    state = _USUAL.get(entity, "")
    said = str(query.where)
    is_said = "NamedCondition" in repr(query.where) or "TimeRange" in repr(query.where)
    is_count = not query.measures or query.measures[0] in (model.entities[entity].count, "points")
    return state if state and not is_said and is_count and "field='issue'" not in said else ""


def _make_condition(
    token: Token, *, entity_id: str, query: MetricQuery, tokens: Sequence[Token], said: Sequence[Condition],
    model: SemanticModel,
) -> Condition | None:  # fmt: skip
    entity, is_negated = model.entities[entity_id], _is_negated(token, tokens=tokens)
    if _list_sprints(token):
        return _make_sprint_condition(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
    if token.period is not None:
        return _make_range(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
    if token.kind == "type" and any(one.kind == "epic" for one in tokens) and token.said.lower() == "epic":
        return None  # the epic | Pay in the app
    if token.names:
        field = _field_of(token, tokens=tokens)
        same = [
            one for one in tokens
            if one.kind == token.kind and one.names
            and not _make_group(one, tokens=tokens, entity_id=entity_id, model=model)
        ]  # fmt: skip
        if field and len(same) > 1 and not is_negated and query.measures and not _has_field(said, field):
            values = tuple(dict.fromkeys(to_value(name) for one in same for name in one.names))
            return is_among(field, values=values)
        if not field or _has_field(said, field) or not reaches(entity, term=model.dimensions[field], model=model):
            return None
        return is_among(field, values=[to_value(one) for one in token.names], is_negated=is_negated)
    if token.key and not _has_field(said, "issue") and reaches(entity, term=model.dimensions["issue"], model=model):
        return is_among("issue", values=[token.key])
    if query.measures and {sense.name for sense in token.senses} & {*model.measures[query.measures[0]].where}:
        return None  # committed points say it
    return _make_state(token, entity_id=entity_id, is_negated=is_negated, said=said, model=model)


def _make_sprint_condition(
    token: Token, *, entity_id: str, query: MetricQuery, tokens: Sequence[Token], said: Sequence[Condition],
    model: SemanticModel,
) -> Condition | None:  # fmt: skip
    """Return the sprint that issues are in. Those that are compared are one list."""
    together = tokens if query.measures else [token]
    sprints = dict.fromkeys(name for one in together for name in _list_sprints(one))
    named = is_among("sprint", values=[to_value(one) for one in sprints])
    if _has_field(said, "sprint"):
        return None
    if entity_id == "issue":
        return InPeriod(where=named)
    return named if reaches(model.entities[entity_id], term=model.dimensions["sprint"], model=model) else None


def _list_sprints(token: Token) -> tuple[Name, ...]:
    return tuple(token.sprints or (token.names if token.kind == "sprint" else ()))


def _make_state(
    token: Token, *, entity_id: str, is_negated: bool, said: Sequence[Condition], model: SemanticModel
) -> Condition | None:
    known = [sense.name for sense in token.senses if sense.kind == "predicate"]
    own = [one for one in known if model.predicates[one].entity == entity_id and model.predicates[one].role is None]
    if not own:
        return None
    state = NamedCondition(predicate=own[0])
    told = str(said)
    if f"predicate='{own[0]}'" in told or (own[0] in _OPPOSED and f"predicate='{_OPPOSED[own[0]]}'" in told):
        return None
    opposite = model.predicates[own[0]].opposite
    if is_negated and opposite:
        return NamedCondition(predicate=opposite)
    return Not(part=state) if is_negated else state


def _make_range(
    token: Token, *, entity_id: str, query: MetricQuery, tokens: Sequence[Token], said: Sequence[Condition],
    model: SemanticModel,
) -> TimeRange | None:  # fmt: skip
    if token.period is None or any(isinstance(one, TimeRange) for one in said):
        return None
    span = token.period.span
    roles = [
        sense.name for one in tokens for sense in one.senses
        if sense.kind == "time" and reaches(model.entities[entity_id], term=model.time_roles[sense.name], model=model)
    ]  # fmt: skip
    role = next(iter(roles), None)
    time = model.measures[query.measures[0]].time if query.measures else None
    if role is None and time is None:
        return None
    start = None if span.start.year <= 1970 else span.start  # noqa: PLR2004 - the calendar's beginning
    return TimeRange(role=role if role != time or query.rows_of else None, start=start, end=span.end)


def _make_group(token: Token, *, tokens: Sequence[Token], entity_id: str, model: SemanticModel) -> Group | None:
    """Return a group by what stands behind per, each or which, before by how many, or is ranked."""
    place = list(tokens).index(token)
    before = [one for one in tokens[max(place - 5, 0) : place] if not (one.is_free or one.kind == "team")][-2:]
    after = tokens[place + 1 : place + 3]
    if "who" in token.marks:
        return (
            DimensionGroup(dimension="assignee")
            if any(one.top or one.marks & {"top", "bottom"} for one in tokens)
            else None
        )
    if token.reference is not None and any("per" in one.marks for one in before):
        return DimensionGroup(dimension="sprint")
    is_ranked = any("rank" in one.marks for one in tokens) and any(one.is_plural for one in token.senses)
    is_ranked = is_ranked or (len(after) > 1 and "per" in after[0].marks and "how_many" in after[1].marks)
    if not is_ranked and not any(one.marks & {"per", "which", "who"} for one in before):
        return None
    for sense in token.senses:
        if sense.kind == "grain":
            return TimeGroup(grain=Grain(sense.name))
        name = "assignee" if sense.name == "person" else sense.name
        dimension = model.dimensions.get(name)
        is_group = sense.form == "noun" and dimension is not None and dimension.groupable and name != "issue"
        if is_group and dimension and reaches(model.entities[entity_id], term=dimension, model=model):
            return DimensionGroup(dimension=name)
    return None


def _list_negations(token: Token, *, tokens: Sequence[Token]) -> list[Token]:
    """Return the negation before a word, and "ever" beside it."""
    place, found = list(tokens).index(token), []
    for one in reversed(tokens[max(place - MAX_WORDS_BETWEEN, 0) : place]):
        if one.marks & (_NEGATIVE | {"ever"}):
            found.append(one)
        elif any(sense.kind == "predicate" for sense in one.senses) or one.marks & {"and", "or"}:
            break
    return found


def _is_negated(token: Token, *, tokens: Sequence[Token]) -> bool:
    return any(one.marks & _NEGATIVE for one in _list_negations(token, tokens=tokens))


def _has_field(said: Sequence[Condition], field: str) -> bool:
    return any(f"field='{field}'" in repr(one) for one in said)


def _field_of(token: Token, *, tokens: Sequence[Token]) -> str:
    if token.kind == "person":
        verbs = {
            sense.name for one in tokens for sense in one.senses if sense.kind == "dimension" and sense.form == "verb"
        }
        return "reporter" if "reporter" in verbs and "assignee" not in verbs else "assignee"
    if token.kind == "epic":
        return "epic"
    return _FIELDS.get(str(token.kind), "")
