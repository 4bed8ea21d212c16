"""Who has, did or reported the rows of the question before: who is assigned; by whom; who's on them."""

from collections.abc import Sequence

from sprints.semantics.describe import split_conditions
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import Comparison, DimensionGroup, MetricQuery, NamedCondition, TimeRange
from sprints.semantics.questions.sorting import list_content
from sprints.semantics.questions.tokens import PERSONAL, Token
from sprints.semantics.scope import reaches

ASKING_WHO = frozenset({"who", "whose"})
THOSE = frozenset({"those", "these"})
_PEOPLE = frozenset({"assignee", "reporter"})


def ask_who(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """
    Return the rows with the people that a question asks for, or a sum for each of them behind "by whom".

    None if it says anything else, or names nobody: who. Without a verb it is who has them, and behind "by" or "did" who
    did what they were selected by.
    """
    said, words = list_content(tokens), {word for one in tokens for word in one.said.lower().split()}
    asking = [one for one in said if one.marks & ASKING_WHO]
    others = [one for one in said if one not in asking and not is_pointed_at(one, tokens=tokens)]
    is_bare = not others and all(one in asking or one.marks & {"and", "follow"} for one in tokens)
    if not asking or is_bare or words & PERSONAL:
        return None
    is_by = any("per" in one.marks and one.said.lower() == "by" for one in tokens)
    acts = [_find_act(one, context=context, model=model) for one in others]
    if not others:
        acts = [_find_doer(context, model=model) if is_by or "did" in words else "assignee"]
    if "" in acts:
        return None
    parts = split_conditions(context.where)
    named = {one.field for one in parts if isinstance(one, Comparison)}
    if (is_by and named & _PEOPLE) or ("issue" in named and parts[1:]):
        return None  # reported by Levi, | by whom; is ACCEL-4 blocked, | who is assigned
    return _show_people(context, people=tuple(dict.fromkeys(acts)), is_by=is_by, model=model)


def is_pointed_at(token: Token, *, tokens: Sequence[Token]) -> bool:
    """Return whether it is the noun of rows that a demonstrative points to: the status of those | tickets."""
    before = next((one.said.lower() for one in reversed(tokens) if one.end <= token.start), "")
    is_noun = token.kind == "type" or any((one.kind, one.name) == ("entity", "issue") for one in token.senses)
    return is_noun and before in THOSE


def _show_people(
    context: MetricQuery, *, people: Sequence[str], is_by: bool, model: SemanticModel
) -> MetricQuery | None:  # fmt: skip
    if context.rows_of in ("issue", "membership"):
        return context.model_copy(update={"columns": ("issue", "title", *people)})
    entity = model.entities[get_entity(context, model=model)]
    is_sum = bool(context.measures) and all(model.measures[one].additive for one in context.measures)
    is_plain = not (context.group_by or context.rank or context.having or context.share or context.compare)
    is_known = all(reaches(entity, term=model.dimensions[one], model=model) for one in people)
    if not (is_by and is_sum and is_plain and is_known):
        return None
    return context.model_copy(update={"group_by": tuple(DimensionGroup(dimension=one) for one in people)})


def _find_act(token: Token, *, context: MetricQuery, model: SemanticModel) -> str:
    """Return whom a word asks for: who is | assigned; who | fixed | what was closed. Empty if it says anything else."""
    named = [sense.name for sense in token.senses if sense.kind == "dimension" and sense.name in _PEOPLE]
    if named:
        return named[0]
    selected = _list_acts(context, model=model)
    acts = [sense.name for sense in token.senses if sense.kind in ("predicate", "time") and sense.name in selected]
    return next((actor for name in acts if (actor := _get_actor(name, model=model))), "")


def _get_actor(name: str, *, model: SemanticModel) -> str:
    """Return who brought a state about, or did what has a time. Empty if that is not known."""
    known = model.predicates.get(name) or model.time_roles[name]
    return known.actor or ""


def _is_of_nobody(name: str, *, model: SemanticModel) -> bool:
    """Return whether it is an event of which nobody knows who brought it about: was removed, is blocked."""
    known = model.predicates.get(name)
    return known is not None and known.time is not None and known.actor is None


def _find_doer(context: MetricQuery, *, model: SemanticModel) -> str:
    """Return who did what the rows were selected by, or has them if nothing was done. Empty if that is not known."""
    acts = _list_acts(context, model=model)
    if any(_is_of_nobody(name, model=model) for name in acts):
        return ""
    actors = {_get_actor(name, model=model) for name in acts} - {""}
    return next(iter(actors or {"assignee"})) if len(actors) < 2 else ""  # noqa: PLR2004 - closed and reported


def _list_acts(context: MetricQuery, *, model: SemanticModel) -> set[str]:
    """List the states and times that the rows were selected by, or of which they are the last."""
    parts = split_conditions(context.where)
    times = {one.role for one in parts if isinstance(one, TimeRange) and one.role}
    ranked = model.dimensions.get(context.rank.by) if context.rank else None
    times |= {one.id for one in model.time_roles.values() if ranked and one.start == ranked.expression}
    return times | {one.predicate for one in parts if isinstance(one, NamedCondition)}
