"""The order of rows that a clause asks for: sorted by points, largest first; oldest first; in order."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from sprints.semantics.describe import split_conditions
from sprints.semantics.model import Entity, SemanticModel
from sprints.semantics.query import Comparison, Condition, MetricQuery, NamedCondition, Order, TimeRange
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.tokens import Token

_FILLS = frozenset({"follow", "and", "be", "have", "do", "to", "this", "per"})
_LATEST = "latest"
_CREATED, _AGE = "created_at", "age_days"
_ISSUES = frozenset({"issue", "membership"})
_OF_NUMBERS = frozenset({"how_many", "how_much", "average", "median", "share", "per", "total", "compare", "versus"})
_OF_COUNTS = frozenset({"most", "fewest", "least"})
Direction = Literal["asc", "desc"]


def list_content(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that say something."""
    return [token for token in tokens if not (token.is_free or (token.marks and token.marks <= _FILLS))]


def is_property(name: str, *, context: MetricQuery, model: SemanticModel) -> bool:
    """Return whether it is a property of the listed rows themselves, or of who or what they belong to."""
    entity = model.entities[str(context.rows_of)]
    known = model.dimensions.get(name)
    return known is not None and known.reached_as in {entity.id, *entity.joins, *entity.paths}


def find_sort_clause(tokens: Sequence[Token]) -> int:
    """Return where a clause about the order begins, behind the question. The number of tokens if there is none."""
    ranked = [place for place, token in enumerate(tokens) if place and "rank" in token.marks]
    is_first = len(tokens) > 2 and _is_first(tokens[-1]) and _find_degree(tokens[-2]) in ("asc", "desc")  # noqa: PLR2004 - and a question
    return ranked[-1] if ranked else len(tokens) - 2 if is_first else len(tokens)


def is_sorted(tokens: Sequence[Token]) -> bool:
    """Return whether all rows are requested in an order, not the first of them: open bugs | sorted by | age."""
    return any(
        place and "rank" in token.marks and token.said.lower().endswith(" by") for place, token in enumerate(tokens)
    )


def rewrite_as_ranking(text: str, *, tokens: Sequence[Token]) -> str:
    """Return a list in an order as a ranking: list the epics | by | open points, highest first. Empty if it is none."""
    by = next((one for one in tokens[1:] if "rank" in one.marks and one.said.lower().endswith(" by")), None)
    if by is None:
        is_asked = any(one.marks & {"which", "what", "who", "be"} for one in tokens)
        by = next((one for one, behind in pairwise(tokens[1:]) if one.said.lower() == "by"
                   and (_is_first(tokens[-1]) or (_is_measure(behind) and not is_asked))), None)  # fmt: skip
        by = by or (None if is_asked else _find_number_of_groups(tokens))
    if by is None or "rank" in tokens[0].marks:
        return ""
    nouns = [sense for one in tokens if one.start < by.start for sense in one.senses if sense.form == "noun"]
    if not any(one.kind in ("entity", "dimension") and one.name != "issue" for one in nouns):
        return ""  # issues in an order are no groups
    first = next(one for one in tokens if not any(sense.name == "asking" for sense in one.senses))
    following = next((one for one in tokens if one.start >= by.end), by)
    is_of_rows = any((one.kind, one.name) == ("entity", "issue") for one in following.senses)
    return f"rank {text[first.start : by.start]} by {'number of' if is_of_rows else ''}{text[by.end :]}"


def rewrite_as_sorting(text: str, *, tokens: Sequence[Token], model: SemanticModel) -> str:
    """Return a list by a number or time of each row as one in that order: open bugs | by | age. Empty if it is none."""
    at = next((place for place, one in enumerate(tokens) if place and one.said.lower() == "by"), len(tokens))
    before, behind = tokens[:at], tokens[at + 1 :]
    nouns = [one.name for token in behind for one in token.senses if (one.kind, one.form) == ("dimension", "noun")]
    known = [model.dimensions[name] for name in nouns]
    is_ordered = bool(known) and all(one.type in ("number", "date", "moment") and not one.groupable for one in known)
    is_number = any(one.marks & _OF_NUMBERS for one in before)
    if len(behind) != 1 or not is_ordered or is_number or not any(map(_is_counted, before)):
        return ""
    return f"{text[: tokens[at].start]}sorted {text[tokens[at].start :]}"


def sort_query(context: MetricQuery, *, tokens: Sequence[Token], lexicon: Lexicon) -> MetricQuery | None:
    """
    Return the query in the order of a clause. None if it says anything else.

    Groups have the order of their measure, largest first if nothing is said; a ranking keeps its own. Rows are sorted
    by a property that is named, or that a superlative implies: numbers largest first, others smallest first. The
    worst of those in a state are the longest in it.
    """
    model = lexicon.model
    said = list_content(tokens)
    degrees = [_find_degree(token) for token in said]
    is_listed = context.rows_of is not None and any(sense.name == "asking" for sense in tokens[0].senses)
    is_listed = is_listed and any(token.said.lower() == "by" for token in tokens)  # list them | by | priority
    is_by = any(token.said.lower().split()[-1] == "by" for token in tokens)
    if is_by and not any(token.senses for token in (said if is_listed else said[1:])):
        return None  # sorted by name
    if not said or not (is_listed or "rank" in said[0].marks or _is_first(said[-1])):
        return None
    directions = {one for one in degrees if one in ("asc", "desc")}
    named = [token for token, degree in zip(said, degrees, strict=True) if degree is None and "rank" not in token.marks]
    nouns = [{sense.name for sense in token.senses if sense.form == "noun"} for token in named]
    implied = {name for name in _find_implied(said, context=context, lexicon=lexicon) if name}
    direction: Direction | None = None
    if directions:
        direction = "asc" if directions == {"asc"} else "desc"
    is_bare = not (named or directions or implied or "rank" in said[0].marks)  # first
    if len(directions) > 1 or is_bare:
        return None
    if context.measures and any("worst" in token.marks for token in said):
        return None
    if context.measures:
        is_count = any(context.measures == (entity.count,) for entity in model.entities.values())
        if is_count and directions and not any(token.said.lower() in _OF_COUNTS for token in said):
            return None  # by priority, highest first: the priority or the number
        return _sort_groups(context, nouns=nouns, direction=direction, is_implied=bool(implied))
    if context.rows_of is None or context.rank is not None:
        return None
    by = [{name for name in names if is_property(name, context=context, model=model)} for names in nouns or [implied]]
    is_unordered = bool(directions) and any(model.dimensions[name].type == "text" for names in by for name in names)
    if len(by) != 1 or len(by[0]) != 1 or is_unordered:
        return None  # highest priority first: p0, or the last in the alphabet
    [name] = by[0]
    direction = _find_direction(name, direction=direction, said=said, model=model)
    columns = context.columns or model.entities[context.rows_of].columns
    columns = columns if name in columns else (*columns, name)
    return context.model_copy(update={"order": (Order(by=name, direction=direction),), "columns": columns})


def _find_implied(said: Sequence[Token], *, context: MetricQuery, lexicon: Lexicon) -> set[str]:
    """Return the property that a superlative is of: the newest; the worst of the overdue ones."""
    if any("worst" in token.marks for token in said):
        told = {one.predicate for one in split_conditions(context.where) if isinstance(one, NamedCondition)}
        return {name for predicate, name in lexicon.settings["extent"].items() if predicate in told}
    if any(token.said.lower() in ("longest", "shortest") for token in said):
        told = {one.predicate for one in split_conditions(context.where) if isinstance(one, NamedCondition)}
        is_in_status = any(
            isinstance(one, Comparison) and one.field == "status" for one in split_conditions(context.where)
        )
        known = {name for predicate, name in lexicon.settings["lasting"].items() if predicate in told}
        known |= {one for one in _list_degrees(said) if lexicon.model.dimensions[one].entity == context.rows_of}
        return {lexicon.settings["lasting"]["in_status"]} if is_in_status else known
    superlatives = _list_degrees(said)
    superlatives += [_CREATED for token in said if token.said.lower() == _LATEST]
    if context.rows_of is None or not superlatives:
        return {*superlatives[:1]}
    word = next((token.said for token in said if _find_degree(token) in ("asc", "desc")), "")
    entity, parts = lexicon.model.entities[context.rows_of], split_conditions(context.where)
    return {find_moment(superlatives[0], said=word, entity=entity, parts=parts, lexicon=lexicon)}


def _list_degrees(said: Sequence[Token]) -> list[str]:
    """Return the properties of which a superlative is."""
    return [one.name for token in said for one in token.senses if one.form == "superlative"]


def find_moment(name: str, *, said: str, entity: Entity, parts: Sequence[Condition], lexicon: Lexicon) -> str:
    """
    Return the property by which rows are the newest or oldest. Empty if that is unclear, other properties as they are.

    Issues to which something happened are so by when it did: closed last week, most recent first. "Newest closed bugs"
    may be the bugs that are newest. What happened to issues has a moment of its own, if it has any.
    """
    model = lexicon.model
    if name not in (_CREATED, _AGE):
        return name
    timed = {part.role for part in parts if isinstance(part, TimeRange)} - {None}
    acts = {model.predicates[part.predicate].time for part in parts if isinstance(part, NamedCondition)} - {None}
    lasting = {role for role in acts if role and model.time_roles[role].relation is not None}
    roles = (timed or acts - lasting) - {*lexicon.settings["ahead"]["times"]}
    is_newest = said.lower() == "newest"
    if entity.id not in _ISSUES:
        first = model.dimensions.get(entity.order[0].removeprefix("-")) if entity.order else None
        is_own = first is not None and first.reached_as == entity.id and first.type in ("date", "moment")
        return first.id if first is not None and is_own else ""
    if not roles - {"created"}:
        return "" if lasting and not (is_newest or name == _AGE) else name
    starts = {model.time_roles[role].start for role in roles if role and model.time_roles[role].entity == entity.id}
    own = [
        one.id for one in model.dimensions.values()
        if one.reached_as == entity.id and one.expression in starts and one.role is None
    ]  # fmt: skip
    is_clear = name == _CREATED and not (is_newest and (not timed or roles & {*lexicon.settings["last_only"]["times"]}))
    return own[0] if len(own) == len(roles) == 1 and is_clear else ""


def _sort_groups(
    context: MetricQuery, *, nouns: Sequence[set[str]], direction: Direction | None, is_implied: bool
) -> MetricQuery | None:  # fmt: skip
    """Return groups in the order of their only measure."""
    is_named = all(names & {*context.measures} for names in nouns)
    if not context.group_by or len(context.measures) != 1 or is_implied or not is_named:
        return None
    if context.rank is not None:
        return context if direction in (None, context.rank.direction) else None
    return context.model_copy(update={"order": (Order(by=context.measures[0], direction=direction or "desc"),)})


def _find_number_of_groups(tokens: Sequence[Token]) -> Token | None:
    """Return "by" between the noun of groups and a number of each: epics | by | open issues."""
    at = next((place for place, one in enumerate(tokens) if place and one.said.lower() == "by"), len(tokens))
    before, behind = tokens[:at], tokens[at + 1 :]
    is_of_rows = any(_is_counted(one) and one.said.lower() != "epics" for one in before)
    is_number = any(_is_counted(one) or any(sense.kind == "measure" for sense in one.senses) for one in behind)
    is_grouped = any("per" in one.marks for one in behind) or any(
        sense.kind == "entity" and sense.name != "issue" for one in behind for sense in one.senses
    )
    return tokens[at] if is_number and not (is_of_rows or is_grouped) else None


def _is_counted(token: Token) -> bool:
    """Return whether it names the rows that are counted: issues, or a type of them."""
    return token.kind == "type" or any((one.kind, one.name) == ("entity", "issue") for one in token.senses)


def _is_measure(token: Token) -> bool:
    """Return whether it can only be a number of groups: epics by | progress."""
    return bool(token.senses) and {one.kind for one in token.senses} == {"measure"}


def _find_direction(
    name: str, *, direction: Direction | None, said: Sequence[Token], model: SemanticModel
) -> Direction:  # fmt: skip
    """Return the direction of a property that is named. The oldest date is the first, as the highest age is."""
    kind = model.dimensions[name].type
    ages = [one for token in said for one in token.senses if one.form == "superlative" and one.is_descending]
    named = [model.dimensions[one.name] for one in ages if one.name in model.dimensions]
    if kind in ("date", "moment") and any(one.type == "number" for one in named):
        return "asc"
    return direction or ("desc" if kind == "number" else "asc")


def _is_first(token: Token) -> bool:
    return token.said.lower() == "first" or token.top == 1


def _find_degree(token: Token) -> str | None:
    """Return what comes first: largest first, ascending. None if it says something else."""
    marks = token.marks
    for direction, names in (("desc", {"descending", "top", "worst"}), ("asc", {"ascending", "bottom"})):
        if marks & names and not _is_first(token):
            return direction
    superlatives = [sense for sense in token.senses if sense.form == "superlative"]
    if superlatives:
        return "desc" if superlatives[0].is_descending else "asc"
    if token.said.lower() == _LATEST:
        return "desc"
    return "first" if _is_first(token) else None
