"""What a question leaves unsaid, because the question before named it: the epic, the sprint, the team, the person."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.describe import describe_condition, join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.assembly import Fragment
from sprints.semantics.questions.merging import OWNERS, get_subject
from sprints.semantics.questions.phrase import Phrase, is_sprints
from sprints.semantics.questions.terms import Unbound
from sprints.semantics.questions.tokens import Token

OF_WHOM = "Is it whose they are, or who reported them? Say 'assigned to', or 'reported by'."
_PEOPLE = frozenset({"assignee", "reporter"})
_SCOPES = OWNERS | {"label", "parent", "time", "issue"}


def names_no_subject(phrases: Sequence[Phrase]) -> bool:
    """Return whether a question names neither rows nor anything that they belong to: what is left; anything overdue."""
    return not any(is_noun(one) or _is_owner(one) or one.kind == "group" for one in phrases)


def asks_for_bare_rows(phrases: Sequence[Phrase]) -> bool:
    """Return whether rows are requested by their noun alone: which tickets, the issues."""
    nouns = [one for one in phrases if one.kind != "mark"]
    is_lead = all(one.marks <= {"which", "what", "be", "follow", "and"} for one in phrases if one.kind == "mark")
    return is_lead and len(nouns) == 1 and nouns[0].kind == "term" and nouns[0].has_entity("issue")


def is_elliptic(phrases: Sequence[Phrase]) -> bool:
    """Return whether the noun is missing, or only a unit is said: which is oldest, how many are p0, how many points."""
    marks = [phrase.marks for phrase in phrases[:2]]
    is_of_rows = bool(marks) and "which" in marks[0] and not any(is_noun(one) for one in phrases)
    if is_of_rows or (marks[1:] and "which" in marks[0] and "be" in marks[1]):
        return True  # which | belong to ORBIT
    if not marks or "how_many" not in marks[0]:
        return False
    is_counted = len(phrases) == 2 and (phrases[1].is_of_issues or phrases[1].has("entity", form="noun"))  # noqa: PLR2004 - how many, and a noun
    return len(phrases) == 1 or "be" in marks[1] or is_counted or is_unit(phrases[1:])


def is_unit(phrases: Sequence[Phrase]) -> bool:
    """Return whether only a unit is said: "in points"."""
    return len(phrases) == 1 and phrases[0].has("measure", form="noun") and phrases[0].is_plural


def says_all(tokens: Sequence[Token]) -> bool:
    """Return whether a question says that nothing limits it: in all teams, of the whole company."""
    owners = {sense.name for one in tokens for sense in one.senses if sense.kind == "entity" and sense.is_plural}
    is_of_all = any(one.said.lower().split()[-1] in ("all", "every", "each") for one in tokens)
    return any(one.marks & {"our", "whole"} for one in tokens) or (is_of_all and bool(owners & OWNERS))


def is_noun(phrase: Phrase) -> bool:
    """Return whether it names rows or a number: stories, velocity."""
    if phrase.said.lower().endswith("thing"):
        return False
    return phrase.name_kind == "type" or (phrase.kind == "term" and phrase.has("entity", "measure", form="noun"))


def _is_owner(phrase: Phrase) -> bool:
    return phrase.kind == "key" or is_sprints(phrase) or bool(phrase.marks & {"our", "whole"}) or bool(
        phrase.kind == "names" and phrase.name_kind not in ("status", "priority")
    )  # fmt: skip


def list_scope(query: MetricQuery, *, model: SemanticModel) -> list[Condition]:
    """Return the conditions on what rows belong to, and on their time."""
    return [part for part in split_conditions(query.where) if get_subject(part, model=model) in _SCOPES]


def has_own_scope(
    query: MetricQuery, *, scope: Sequence[Condition], tokens: Sequence[Token], model: SemanticModel
) -> bool:  # fmt: skip
    """Return whether a query names what its rows belong to, or says that it is of each of those before."""
    kinds = {get_subject(part, model=model) for part in split_conditions(drop_groups(query).where)}
    limited = {get_subject(part, model=model) for part in scope}
    groups = {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    groups &= {sense.name for one in tokens for sense in one.senses} | {"assignee", "epic_title"}
    of_each = limited & {*groups, query.rows_of}
    return bool(kinds & (OWNERS | {"issue", "label"})) or (bool(of_each) and limited <= {*of_each, *kinds, "time"})


def write_scope(parts: Sequence[Condition], *, model: SemanticModel) -> str:
    """Return conditions in the words that the grammar reads."""
    return "".join(f", {describe_condition(part, model=model)}" for part in parts)


def keeps_conditions(query: MetricQuery, *, parts: Sequence[Condition]) -> bool:
    """Return whether a query has all of these conditions, whether a sprint is that of its rows or of their stay."""
    kept = {_unwrap(part).model_dump_json() for part in split_conditions(query.where)}
    return all(_unwrap(part).model_dump_json() in kept for part in parts)


def _unwrap(part: Condition) -> Condition:
    inner = part.where if isinstance(part, InPeriod) and not part.role else part
    if isinstance(inner, Comparison) and inner.op in (Operator.EQ, Operator.IN):
        return Comparison(field=inner.field, op=Operator.IN, values=inner.values)
    return inner


def list_shared_rows(query: MetricQuery, *, model: SemanticModel) -> MetricQuery | None:
    """Return the list of rows of which a measure is a share: issues, of the progress of an epic. None if of none."""
    measure = model.measures[query.measures[0]] if len(query.measures) == 1 else None
    is_plain = not (query.group_by or query.rank or query.having or query.share or query.compare)
    if measure is None or not measure.ratio or not is_plain or not model.entities[measure.entity].columns:
        return None
    return MetricQuery(rows_of=measure.entity, where=query.where)


def decides_share(query: MetricQuery, *, parts: Sequence[Condition], model: SemanticModel) -> bool:
    """Return whether conditions decide a share, which is all or nothing with them: the progress of open bugs."""
    shares = [model.measures[name].ratio for name in query.measures]
    decided = {
        get_subject(NamedCondition(predicate=name), model=model)
        for share in shares if share for name in {*model.measures[share[0]].where} - {*model.measures[share[1]].where}
    }  # fmt: skip
    return any(get_subject(part, model=model) in decided for part in parts)


def drop_groups(query: MetricQuery) -> MetricQuery:
    """Return a number without its groups, and without the conditions that these have names: issues with an assignee."""
    names = {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    parts = [
        part for part in split_conditions(query.where)
        if not (isinstance(part, Comparison) and part.op == Operator.IS_NOT_NULL and part.field in names)
    ]  # fmt: skip
    return query.model_copy(update={"where": join_conditions(parts), "group_by": (), "trend": False})


def refuse_count_of_rate(
    context: MetricQuery, *, fragment: Fragment, tokens: Sequence[Token], model: SemanticModel
) -> None:  # fmt: skip
    """Refuse how many there are, or a unit, of what is no count: the share of done bugs, | how many stories."""
    known = [model.measures[one] for one in context.measures]
    is_rate = bool(context.share) or any(not one.additive for one in known)
    is_asked = any(one.marks & {"how_many"} for one in tokens)
    units = {one.unit for one in known} | {model.measures[one].unit for one in fragment.measures}
    is_other = any(one.ratio for one in known) and len(units) > 1 and not fragment.groups
    if is_rate and ((is_asked and fragment.measures == context.measures) or is_other):
        raise Unbound(None)


def read_agent(
    fragment: Fragment, *, context: MetricQuery, phrases: Sequence[Phrase], model: SemanticModel
) -> Fragment:  # fmt: skip
    """
    Read who did what was asked before: bugs created in October, | by Zoë. Raises Unbound where that is not known.

    So it is of a person, where another one is shown of each row: who reported them, | only Sophia's.
    """
    shown = _PEOPLE & {*context.columns}
    others = _PEOPLE - shown if shown else shown
    is_of_other = any(isinstance(one, Comparison) and one.field in others for one in fragment.conditions)
    if is_of_other and not any(one.has("dimension") for one in phrases):
        raise Unbound(None, why=OF_WHOM, is_final=True)
    times = (*split_conditions(context.where), *context.group_by)
    roles = {one.role for one in times if isinstance(one, TimeRange | TimeGroup)}
    roles |= {model.measures[one].time for one in context.measures}
    actors = {model.time_roles[one].actor for one in roles if one and model.time_roles[one].is_moment}
    if not actors or not any(one.by and one.name_kind == "person" for one in phrases):
        return fragment
    if len(actors) > 1 or None in actors:
        raise Unbound(None)
    [actor] = actors
    parts = [
        one.model_copy(update={"field": actor}) if isinstance(one, Comparison) and one.field == "assignee" else one
        for one in fragment.conditions
    ]  # fmt: skip
    return replace(fragment, conditions=tuple(parts))


def drop_people(query: MetricQuery, *, model: SemanticModel) -> MetricQuery:
    """Return a query of everyone: without whose its rows are, or who reported them."""
    people = ("assignee", "reporter", "person")
    parts = [part for part in split_conditions(query.where) if get_subject(part, model=model) not in people]
    return query.model_copy(update={"where": join_conditions(parts)})
