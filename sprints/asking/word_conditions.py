"""What single words of a question restrict or group, whatever their order: conditions, and the groups of a query."""

from collections.abc import Sequence

from sprints.linking.names import Name
from sprints.semantics.enums import Grain
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Condition,
    DimensionGroup,
    Group,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.tokens import Token
from sprints.semantics.questions.values import is_among, to_value
from sprints.semantics.scope import reaches

_FIELDS = {"team": "team", "label": "label", "status": "status", "priority": "priority", "type": "issue_type"}
_OPPOSED = {"open": "done", "done": "open", "unassigned": "assigned", "unestimated": "estimated"}
NEGATIVE = frozenset({"not", "without", "except", "nobody", "nothing"})
MAX_WORDS_BETWEEN = 7


def make_condition(
    token: Token, *, entity_id: str, query: MetricQuery, tokens: Sequence[Token], said: Sequence[Condition],
    model: SemanticModel,
) -> Condition | None:  # fmt: skip
    """Return what a word restricts. None if it restricts nothing that such rows have."""
    is_denied = is_negated(token, tokens=tokens)
    if list_sprints(token):
        return _make_sprint_condition(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
    if token.period is not None:
        return _make_range(token, entity_id=entity_id, query=query, tokens=tokens, said=said, model=model)
    if token.kind == "type" and token.said.lower() == "epic" and any(one.kind == "epic" or one.key for one in tokens):
        return None  # the epic | Pay in the app
    if token.names:
        return _make_named(token, entity_id=entity_id, is_negated=is_denied, query=query, tokens=tokens, said=said,
                           model=model)  # fmt: skip
    if token.key:
        return _make_key(token, entity_id=entity_id, tokens=tokens, said=said, model=model)
    is_sprint = any((one.kind, one.name) == ("entity", "sprint") for one in token.senses)
    if is_sprint and entity_id == "issue" and "in_backlog" not in str(said):
        return NamedCondition(predicate="in_backlog") if find_denial(token, tokens=tokens) else None
    measure = model.measures[query.measures[0]] if query.measures else None
    if measure and {sense.name for sense in token.senses} & {*measure.where}:
        return None  # committed points say it
    if measure and measure.time == "resolved" and _says_progress(token):
        return None  # how long what is done took
    return _make_state(token, entity_id=entity_id, is_negated=is_denied, said=said, model=model)


def _make_named(
    token: Token, *, entity_id: str, is_negated: bool, query: MetricQuery, tokens: Sequence[Token],
    said: Sequence[Condition], model: SemanticModel,
) -> Condition | None:  # fmt: skip
    """Return the condition of a name. Several of a kind are one list. A negation far away is not said of the name."""
    is_negated = is_negated and bool(find_denial(token, tokens=tokens, reach=3))
    field = _field_of(token, tokens=tokens)
    same = [
        one for one in tokens
        if one.kind == token.kind and one.names
        and not make_group(one, tokens=tokens, entity_id=entity_id, model=model)
    ]  # fmt: skip
    if field and len(same) > 1 and not is_negated and query.measures and not has_field(said, field=field):
        values = tuple(dict.fromkeys(to_value(name) for one in same for name in one.names))
        return is_among(field, values=values)
    if (
        not field
        or has_field(said, field=field)
        or not reaches(model.entities[entity_id], term=model.dimensions[field], model=model)
    ):
        return None
    return is_among(field, values=[to_value(one) for one in token.names], is_negated=is_negated)


def _make_key(
    token: Token, *, entity_id: str, tokens: Sequence[Token], said: Sequence[Condition], model: SemanticModel
) -> Condition | None:
    """Return the condition of a key: an issue, the epic before it, or the parent of sub-tasks."""
    if any(name.value == "Sub-task" for one in tokens for name in one.names):
        return is_among("parent", values=[token.key])
    if any(one.said.lower() == "epic" and one.end + 1 == token.start for one in tokens):
        return is_among("epic", values=[token.key])
    is_new = not has_field(said, field="issue") and reaches(
        model.entities[entity_id], term=model.dimensions["issue"], model=model
    )
    return is_among("issue", values=[token.key]) if is_new else None


def _says_progress(token: Token) -> bool:
    return any(one.kind == "predicate" and one.name in ("open", "done", "in_progress", "to_do") for one in token.senses)


def find_denial(token: Token, *, tokens: Sequence[Token], reach: int = 6) -> list[Token]:
    """Return a negation close before a word, whatever stands between: not planned into any sprint."""
    place = list(tokens).index(token)
    return [one for one in tokens[max(place - reach, 0) : place] if one.marks & NEGATIVE]


def _make_sprint_condition(
    token: Token, *, entity_id: str, query: MetricQuery, tokens: Sequence[Token], said: Sequence[Condition],
    model: SemanticModel,
) -> Condition | None:  # fmt: skip
    """Return the sprint that issues are in. Those that are compared are one list."""
    together = [token] if "carried_over" in str(query) and any(one.said == "from" for one in tokens) else tokens
    together = together if query.measures else [token]
    sprints = dict.fromkeys(name for one in together for name in list_sprints(one))
    named = is_among("sprint", values=[to_value(one) for one in sprints])
    if has_field(said, field="sprint"):
        return None
    if entity_id == "issue":
        return InPeriod(where=named)
    return named if reaches(model.entities[entity_id], term=model.dimensions["sprint"], model=model) else None


def list_sprints(token: Token) -> tuple[Name, ...]:
    """Return the sprints that a word names."""
    return tuple(token.sprints or (token.names if token.kind == "sprint" else ()))


def _make_state(
    token: Token, *, entity_id: str, is_negated: bool, said: Sequence[Condition], model: SemanticModel
) -> Condition | None:
    known = [sense.name for sense in token.senses if sense.kind == "predicate"]
    own = [one for one in known if model.predicates[one].entity == entity_id and model.predicates[one].role is None]
    if entity_id == "membership" and not own and not has_field(said, field="sprint"):
        own = [one for one in known if model.predicates[one].entity == "sprint"]
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
    named = [role for one in tokens for sense in one.senses for role in _list_roles(sense, model=model)]
    roles = [one for one in named if reaches(model.entities[entity_id], term=model.time_roles[one], model=model)]
    time = model.measures[query.measures[0]].time if query.measures else None
    role = next(iter(roles), "created" if entity_id == "issue" and time is None else None)
    if role is None and time is None:
        return None
    start = None if span.start.year <= 1970 else span.start  # noqa: PLR2004 - the calendar's beginning
    return TimeRange(role=role if role != time or query.rows_of else None, start=start, end=span.end)


def _list_roles(sense: Sense, *, model: SemanticModel) -> list[str]:
    """Return the times that a word names: resolved, the due date."""
    if sense.kind == "time":
        return [sense.name]
    return [one for one in model.time_roles if sense.kind == "dimension" and sense.name in (f"{one}_at", f"{one}_date")]


def make_group(token: Token, *, tokens: Sequence[Token], entity_id: str, model: SemanticModel) -> Group | None:
    """Return a group by what stands behind per, each or which, before by how many, or is ranked."""
    place = list(tokens).index(token)
    before = [one for one in tokens[max(place - 5, 0) : place] if not (one.is_free or one.kind == "team")][-2:]
    after = tokens[place + 1 : place + 3]
    if token.marks & {"who", "whose"}:
        person = "reporter" if any(sense.name == "reporter" for one in tokens for sense in one.senses) else "assignee"
        return (
            DimensionGroup(dimension=person)
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
        is_group = (
            sense.form == "noun"
            and not _list_roles(sense, model=model)
            and dimension is not None
            and dimension.groupable
            and name != "issue"
        )
        if is_group and dimension and reaches(model.entities[entity_id], term=dimension, model=model):
            return DimensionGroup(dimension=name)
    return None


def list_negations(token: Token, *, tokens: Sequence[Token]) -> list[Token]:
    """Return the negation before a word, and "ever" beside it."""
    place, found = list(tokens).index(token), []
    for one in reversed(tokens[max(place - MAX_WORDS_BETWEEN, 0) : place]):
        if one.marks & (NEGATIVE | {"ever"}):
            found.append(one)
        elif any(sense.kind == "predicate" for sense in one.senses) or one.marks & {"and", "or"}:
            break
    return found


def is_negated(token: Token, *, tokens: Sequence[Token]) -> bool:
    """Return whether a word is denied."""
    return any(one.marks & NEGATIVE for one in list_negations(token, tokens=tokens))


def has_field(said: Sequence[Condition], *, field: str) -> bool:
    """Return whether one of the conditions is about a field."""
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
