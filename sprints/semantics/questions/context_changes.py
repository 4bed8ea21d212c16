"""Changes of a query that keep its rows: their order, their columns, the sprint or the month before or after."""

from collections.abc import Mapping, Sequence

import regex

from sprints.linking.calendar import Span, add_units, find_unit
from sprints.linking.names import Name, NameIndex, sprint_numbers
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel
from sprints.semantics.period_text import describe_range
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Rank,
    Reference,
    Side,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.merging import OWNERS, get_subject
from sprints.semantics.questions.people_asked import ASKING_WHO, THOSE, ask_who, is_pointed_at
from sprints.semantics.questions.references import is_selection
from sprints.semantics.questions.relations import list_decided
from sprints.semantics.questions.sorting import is_property, list_content, sort_query
from sprints.semantics.questions.tokens import Token, find_anaphor

_WHO_HAS = regex.compile(
    r"^(?:and |but )?(?:who|which (?P<noun>team|person)) (?:has|have|had) (?P<degree>the (?:most|fewest|least))\W*$",
    regex.IGNORECASE,
)
ALSO = "also"
AT_PRESENT = frozenset({"now", "right now", "still", "currently", "at the moment", "by now"})
_OF_PRESENT = frozenset({"is", "are", "has", "have", "has been", "have been", "already"})
_LEAD = regex.compile(r"^(?:in|on|from) ")
BEFORE = frozenset({"previous", "prior", "preceding", "before"})
AFTER = frozenset({"next", "following", "after"})
_OF_ROWS = frozenset({"they", "them", "their", "theirs"})
_OF_ONE = frozenset({"it", "its"})
_WHICH = frozenset({"what", "which"})
_ASKING = frozenset({"when", "how_many", "how_much", "how_long", "how_often"}) | ASKING_WHO | _WHICH
_OF_OTHERS = frozenset({"others", "what", "be", "and", "follow", "how_many", "which", "total"})
_OF_TOTALS = frozenset({"total", "together", "how_many", "how_much", "what", "be", "and", "follow"})
_OF_NEGATION = frozenset({"not", "how_many", "which", "be", "have", "do", "past", "and", "follow", "anaphor"})
_BELONGS = OWNERS | {"issue", "issue_type", "label", "parent", "time"}
_IMPLIED = frozenset({"sprint_closed", "sprint_future", "has_cycle_time", "has_lead_time"})
_BLOCKED = NamedCondition(predicate="blocked")
_MOST = {"most": "desc", "the most": "desc", "fewest": "asc", "least": "asc", "the fewest": "asc", "the least": "asc"}


def change_rows(
    context: MetricQuery, *, tokens: Sequence[Token], lexicon: Lexicon, index: NameIndex
) -> MetricQuery | None:  # fmt: skip
    """Return the query in another order, with other columns, or of the time beside its own. None if it is none."""
    model = lexicon.model
    changed = sort_query(context, tokens=tokens, lexicon=lexicon) or show_columns(
        context, tokens=tokens, lexicon=lexicon
    )
    changed = changed or _show_since(context, tokens=tokens, lexicon=lexicon)
    changed = changed or _oppose(context, tokens=tokens, model=model)
    changed = changed or _swap_event(context, tokens=tokens, model=model)
    changed = changed or _rank_owners(context, tokens=tokens, model=model) or _swap_number(context, tokens=tokens)
    changed = changed or _add_up(context, tokens=tokens, model=model)
    changed = changed or _step_sprint(context, tokens=tokens, index=index)
    beside = None if changed else _find_time_beside(context, tokens=tokens)
    if beside is None:
        return changed
    parts = [part if part is not beside[0] else beside[1] for part in split_conditions(context.where)]
    moved = context.model_copy(update={"where": join_conditions(parts)})
    return compare_times(context, new=beside[1:]) if tokens[0].said.lower() == ALSO else moved


def _add_up(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return the sum of what groups count: open bugs by team, | and in total? None if it says more."""
    marks = [token.marks for token in tokens if not token.is_free]
    is_total = all(one and one <= _OF_TOTALS for one in marks) and any(one & {"total", "together"} for one in marks)
    if not is_total or is_selection(context):
        return None
    is_sum = bool(context.group_by) and all(model.measures[one].additive for one in context.measures)
    return context.model_copy(update={"group_by": (), "order": (), "trend": False}) if is_sum else None


def _swap_number(context: MetricQuery, *, tokens: Sequence[Token]) -> MetricQuery | None:
    """Return the query with another number in its only limit: older than 30 days, | and 60? None if it says more."""
    said = [token for token in list_content(tokens) if token.said.lower() != "than"]
    parts = split_conditions(context.where)
    limits = [
        one for one in parts
        if isinstance(one, Comparison) and len(one.values) == 1 and isinstance(one.values[0], int | float)
    ]  # fmt: skip
    is_number = len(said) == 1 and said[0].number is not None and not (said[0].senses or said[0].names)
    if not is_number or len(limits) != 1 or is_selection(context):
        return None
    number = said[0].number or 0.0
    new = limits[0].model_copy(update={"values": (int(number) if number == int(number) else number,)})
    return context.model_copy(update={"where": join_conditions([new if one is limits[0] else one for one in parts])})


def swap_part(context: MetricQuery, *, new: Sequence[Condition], model: SemanticModel) -> MetricQuery | None:
    """Return a share with another part of the same kind: what share of bugs is p0, | and p1? None if it has none."""
    share = context.share
    if share is None or share.part is None or len(new) != 1 or Not in (type(share.part), type(new[0])):
        return None
    is_same = get_subject(new[0], model=model) == get_subject(share.part, model=model)
    return context.model_copy(update={"share": share.model_copy(update={"part": new[0]})}) if is_same else None


def compare_times(context: MetricQuery, *, new: Sequence[Condition]) -> MetricQuery | None:
    """Return a number of two times, one beside the other: in October, | versus | September. None if it has no other."""
    before = [one for one in split_conditions(context.where) if isinstance(one, TimeRange)]
    after = [one for one in new if isinstance(one, TimeRange)]
    is_plain = not (context.group_by or context.rank or context.having or context.share or context.compare)
    roles = {one.role for one in (*before, *after)}
    if not (context.measures and is_plain) or len(before) != 1 or len(after) != 1 or len(new) != 1 or len(roles) != 1:
        return None
    sides = [Side(label=_LEAD.sub("", describe_range(one)), where=one) for one in (*before, *after)]
    kept = [one for one in split_conditions(context.where) if one not in before]
    return context.model_copy(update={"where": join_conditions(kept), "compare": tuple(sides)})


def shorten_ranking(question: str, *, context: MetricQuery) -> str:
    """Return only the degree of a ranking, if the query before ranks the same: and who has | the fewest."""
    ranked = _WHO_HAS.match(question)
    if ranked is None or not (context.rank or context.order):
        return question
    owners = ("team",) if ranked["noun"] == "team" else ("assignee", "reporter")
    is_same = any(DimensionGroup(dimension=one) in context.group_by for one in owners)
    return ranked["degree"] if is_same else question


def show_columns(context: MetricQuery, *, tokens: Sequence[Token], lexicon: Lexicon) -> MetricQuery | None:
    """Return the rows with their properties: who has them, show their due dates. None if it says anything else."""
    model = lexicon.model
    said = list_content(tokens)
    if any(token.marks & ASKING_WHO for token in said):
        return ask_who(context, tokens=tokens, model=model)
    pronouns = _OF_ROWS | (_OF_ONE if _is_one_row(context) else frozenset())
    is_of_them = any(token.said.lower() in pronouns for token in tokens) or _points_to_rows(tokens)
    is_bare = not is_of_them and _is_one_issue(context) and not any(token.marks & _ASKING for token in said)
    is_bare = is_bare and not any(token.said.lower() in {"of", *_OF_ONE, "his", "her"} for token in tokens)
    is_bare = is_bare or is_noun_alone(tokens)
    is_sorted = any(token.said.lower().split()[-1] == "by" for token in tokens)  # list them by priority
    if context.rows_of not in ("issue", "membership") or not (is_of_them or is_bare) or is_sorted:
        return None
    names: list[str] = []
    forms = ("noun",) if is_bare or any(token.marks & _WHICH for token in said) else ("noun", "verb")
    for token in said:
        found = [sense for sense in token.senses if sense.kind == "dimension" and sense.form in forms]
        is_ours = bool(found) and is_property(found[0].name, context=context, model=model)
        is_order = is_of_them and token is tokens[0]  # estimate | them
        is_noun = bool(found) and found[0].form == "noun" and not is_order
        kinds = {sense.kind for sense in token.senses} - ({"time"} if is_noun else set())
        if is_ours and (kinds <= {"dimension", "measure", "predicate"} or found[0].name == "reporter"):
            names.append(found[0].name)
        elif is_of_them and (place := _find_place(token, names=lexicon.settings["of_key"])):
            names.append(place)
        elif not (token.marks and token.marks <= _WHICH | {"anaphor"}) and not is_pointed_at(token, tokens=tokens):
            return None
    if not names:
        return None
    columns = tuple(dict.fromkeys(("issue", "title", *names)))
    return context.model_copy(update={"columns": columns})


def is_noun_alone(tokens: Sequence[Token]) -> bool:
    """Return whether only a property is said whose noun is spelt like a verb: estimates. A filter is an adjective."""
    said = list_content(tokens)
    is_plain = len(said) == 1 and not any(token.marks & {"have", "not", "only"} for token in tokens)
    senses = said[0].senses if is_plain else ()
    is_noun = any((one.kind, one.form) == ("dimension", "noun") for one in senses)
    return is_noun and any((one.kind, one.form) == ("predicate", "verb") for one in senses)


def _find_place(token: Token, *, names: Mapping[str, str]) -> str:
    """Return the property of each row that the noun of other rows names: which sprint are they in. Empty if none."""
    is_one = token.reference is None and not any(one.is_plural for one in token.senses)
    return next((names[one.name] for one in token.senses if is_one and one.kind == "entity" and one.name in names), "")


def _points_to_rows(tokens: Sequence[Token]) -> bool:
    return any(one.said.lower().split()[-1] in THOSE for one in tokens) and bool(find_anaphor(tokens))


def _is_one_row(context: MetricQuery) -> bool:
    return context.limit == 1 or (context.rank is not None and context.rank.count == 1)


def _is_one_issue(context: MetricQuery) -> bool:
    """Return whether the rows are one named issue: status of ACCEL-40, | and the reporter."""
    return any(
        isinstance(part, Comparison) and part.field == "issue" and len(part.values) == 1
        for part in split_conditions(context.where)
    )  # fmt: skip


def _rank_owners(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return who, or which team, has the most of what was counted or listed. None if it says anything else."""
    said = list_content(tokens)
    kinds = {sense.name for token in said for sense in token.senses if sense.kind == "entity"}
    kind = "assignee" if said and "who" in said[0].marks else next(iter(kinds), "")
    rank = next((_MOST[token.said.lower()] for token in said if token.said.lower() in _MOST), "")
    size = 2 if kind == "assignee" else 3
    is_asked = len(said) == size and bool(rank) and any("have" in token.marks for token in tokens)
    entity = model.entities[get_entity(context, model=model)]
    [measure] = context.measures if len(context.measures) == 1 else [entity.count]
    group = DimensionGroup(dimension=kind or "issue")
    is_plain = context.group_by in ((), (group,)) and not (context.rank or context.limit or context.compare)
    if not is_asked or kind not in ("assignee", "team", "epic") or not is_plain or entity.id != "issue" or not measure:
        return None
    if not model.measures[measure].additive or context.having or context.share:
        return None
    known = Comparison(field=kind, op=Operator.IS_NOT_NULL)
    parts = [part for part in split_conditions(context.where) if part != known]
    return MetricQuery(measures=(measure,), group_by=(group,), where=join_conditions([*parts, known]),
                       rank=Rank(by=measure, direction="asc" if rank == "asc" else "desc"))  # fmt: skip


def _show_since(context: MetricQuery, *, tokens: Sequence[Token], lexicon: Lexicon) -> MetricQuery | None:
    """Return the rows with since when, how long or why they are so: of what is blocked. None if it is not asked."""
    parts = split_conditions(context.where)
    states = [one.predicate for one in parts if isinstance(one, NamedCondition)]
    said = [token for token in list_content(tokens) if not any(one.name in states for one in token.senses)]
    asked = [token for token in said if not {*token.said.lower().split()} <= _OF_ROWS | {"of", "each"}]
    if len(asked) != 1 or context.rows_of != "issue" or context.rank or context.limit:
        return None
    if asked[0].said.lower() == "why" and "blocked" in states:
        return _show_reasons(parts, model=lexicon.model)
    table = "since" if asked[0].said.lower() == "since when" else "lasting" if "how_long" in asked[0].marks else ""
    known = lexicon.settings[table] if table else {}
    statuses = [one for one in parts if isinstance(one, Comparison) and one.field == "status"]
    shown = [known[one] for one in states if one in known]
    shown += [known["in_status"] for one in statuses if known and one.op in (Operator.EQ, Operator.IN)]
    return context.model_copy(update={"columns": ("issue", "title", *shown)}) if len(shown) == 1 else None


def _show_reasons(parts: Sequence[Condition], *, model: SemanticModel) -> MetricQuery | None:
    """Return the blockages of blocked issues that last, with their reasons. None if a condition is none of these."""
    rows = model.entities["blocked_period"]
    reached = {rows.id, *rows.joins, *rows.paths}
    where = [NamedCondition(predicate="still_blocked") if part == _BLOCKED else part for part in parts]
    for part in where:
        name = part.field if isinstance(part, Comparison) else getattr(part, "predicate", "")
        term = model.dimensions.get(name) or model.predicates.get(name)
        if term is None or term.reached_as not in reached:
            return None
    return MetricQuery(rows_of=rows.id, columns=("issue", "title", "blocked_reason"), where=join_conditions(where))


def _oppose(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """Return the query of the other rows: are done, | how many aren't; | for all the others. None if not asked."""
    marks = [token.marks for token in tokens if not (token.is_free or _is_rows(token))]
    if not all(marks):
        return None  # which of them are not | bugs
    is_others = any("others" in one for one in marks) and all(one <= _OF_OTHERS for one in marks)
    is_negated = any("not" in one for one in marks) and all(one <= _OF_NEGATION for one in marks)
    is_negated = is_negated and any(one & {"how_many", "which"} for one in marks)
    state = find_state(context, model=model) if is_others or is_negated else None
    is_owned = any(get_subject(part, model=model) in OWNERS for part in split_conditions(context.where))
    if state is None or (is_others and is_owned):
        return None  # the rest: those in another state, or of others
    parts = [negate(one, model=model) if one == state else one for one in split_conditions(context.where)]
    parts += list_undecided(state, query=context, model=model)
    return context.model_copy(update={"where": join_conditions(parts)})


def _is_rows(token: Token) -> bool:
    return any((one.kind, one.name) == ("entity", "issue") for one in token.senses)


def find_state(query: MetricQuery, *, model: SemanticModel) -> Condition | None:
    """Return the one condition of what rows are, beside whose they are, their kind and their time. None if none."""
    states = [
        one for one in split_conditions(query.where)
        if not isinstance(one, InPeriod | TimeRange) and get_subject(one, model=model) not in _BELONGS
        and not (isinstance(one, NamedCondition) and one.predicate in _IMPLIED)
    ]  # fmt: skip
    is_told = {name for one in query.measures for name in model.measures[one].where} <= _IMPLIED
    return states[0] if len(states) == 1 and is_told else None


def list_undecided(state: Condition, *, query: MetricQuery, model: SemanticModel) -> list[Condition]:
    """Return what excludes rows that are not so yet: sprints that still run, of those that carried nothing over."""
    entity = get_entity(query, model=model)
    return list_decided(state.where, entity=entity, model=model) if isinstance(state, Has) else []


def negate(condition: Condition, *, model: SemanticModel) -> Condition:
    """Return the condition that holds for the other rows."""
    opposite = model.predicates[condition.predicate].opposite if isinstance(condition, NamedCondition) else None
    if opposite is not None:
        return NamedCondition(predicate=opposite)
    return condition.part if isinstance(condition, Not) else Not(part=condition)


def _swap_event(context: MetricQuery, *, tokens: Sequence[Token], model: SemanticModel) -> MetricQuery | None:
    """
    Return the query of what else happened in the same time: bugs created this week, | and closed.

    None if it says anything else, if nothing happened before, or if each was done by somebody else. What is so now is
    said of the same rows: | and closed now; | and are done. So is what is done of those that are due then.
    """
    said = list_content(tokens)
    entity = get_entity(context, model=model)
    is_joined = bool(tokens[0].marks & {"and", "follow"}) and not any(one.said.lower() == "ones" for one in tokens)
    if len(said) != 1 or not is_joined or _tells_of_now(tokens) or '"reporter"' in context.model_dump_json():
        return None
    after = {one.name for one in said[0].senses if one.kind == "time" and _is_event(one.name, of=entity, model=model)}
    states = [
        one.name for one in said[0].senses
        if one.kind == "predicate" and model.predicates[one.name].entity == entity
    ]  # fmt: skip
    parts = split_conditions(context.where)
    times = [one for one in (*parts, *context.group_by) if isinstance(one, TimeRange | TimeGroup)]
    before = {one.role or "" for one in times}
    is_certain = len(after) == len(before) == 1 and {model.predicates[one].time for one in states} <= after
    is_other = not before & {*after, ""} and all(_happens(one, of=entity, model=model) for one in before)
    if not (is_certain and is_other) or any(model.measures[one].time for one in context.measures):
        return None
    [role], [old] = after, before
    dropped = [NamedCondition(predicate=one.id) for one in model.predicates.values() if one.time == old]
    kept = [one for one in parts if one not in dropped]
    moved = [one.model_copy(update={"role": role}) if isinstance(one, TimeRange) else one for one in kept]
    moved += [NamedCondition(predicate=one) for one in states]
    groups = [one.model_copy(update={"role": role}) if isinstance(one, TimeGroup) else one for one in context.group_by]
    return context.model_copy(update={"where": join_conditions(moved), "group_by": tuple(groups)})


def _tells_of_now(tokens: Sequence[Token]) -> bool:
    """Return whether it says what rows are at present: | and | are | done; | and done | now."""
    return any(one.said.lower() in AT_PRESENT | _OF_PRESENT for one in tokens)


def _happens(name: str, *, of: str, model: SemanticModel) -> bool:
    """Return whether it is an event, and neither a state that lasts nor a day that is planned."""
    return _is_event(name, of=of, model=model) and not model.time_roles[name].lies_ahead


def _is_event(name: str, *, of: str, model: SemanticModel) -> bool:
    return model.time_roles[name].is_moment and model.time_roles[name].entity == of


def _step_sprint(context: MetricQuery, *, tokens: Sequence[Token], index: NameIndex) -> MetricQuery | None:
    """Return the query of the sprint before or after: and in the sprint before that? None if it says anything else."""
    said = list_content(tokens)
    words = {word for token in said for word in token.said.lower().split()}
    is_sprint = any(token.reference or any(sense.name == "sprint" for sense in token.senses) for token in said)
    is_one = any(token.said.lower().split()[-1] in ("one", "ones") for token in tokens)
    is_sprint |= is_one and not any(isinstance(part, TimeRange) for part in split_conditions(context.where))
    steps = [step for step, names in ((-1, BEFORE), (1, AFTER)) if words & names]
    named = [name for part in split_conditions(context.where) for name in _list_sprints(part, index=index)]
    if (
        not is_sprint
        or len(steps) != 1
        or not _is_one_each(named)
        or words - BEFORE - AFTER - {"the", "sprint", "that", "one", "ones"}
    ):
        return None
    parts = [_step(part, by=steps[0], index=index) for part in split_conditions(context.where)]
    moved = [part for part in parts if part is not None]
    is_whole = len(moved) == len(parts)
    is_undecided = _tells_of_close(context) and any(_is_open(part, index=index) for part in moved)
    return context.model_copy(update={"where": join_conditions(moved)}) if is_whole and not is_undecided else None


def _find_time_beside(context: MetricQuery, *, tokens: Sequence[Token]) -> tuple[TimeRange, TimeRange] | None:
    """Return its month, or another unit, and the one beside it: and the month before? None if it says more."""
    words = {word for token in list_content(tokens) for word in token.said.lower().split()} - {"the", "that", "in"}
    units = words & {"day", "week", "month", "quarter", "year"}
    steps = [step for step, names in ((-1, BEFORE), (1, AFTER)) if words & names]
    parts = split_conditions(context.where)
    times = [one for one in parts if isinstance(one, TimeRange)]
    is_dated = any(token.period for token in tokens)  # the previous month: before now, or before that
    if is_dated or len(units) != 1 or len(steps) != 1 or len(times) != 1 or words - units - BEFORE - AFTER:
        return None
    (unit,), (time,) = units, times
    start, end = time.start, time.end
    if start is None or end is None or Span(start, end) != find_unit(start, unit=unit):
        return None  # of more than one unit, or of a part
    moved = find_unit(add_units(start, unit=unit, by=steps[0]), unit=unit)
    return time, time.model_copy(update={"start": moved.start, "end": moved.end})


def _tells_of_close(query: MetricQuery) -> bool:
    """Return whether it counts or lists what is known at the close of a sprint: what was carried over."""
    return "carried_over" in query.model_dump_json()


def _is_open(part: Condition, *, index: NameIndex) -> bool:
    return any(name.state != "closed" for name in _list_sprints(part, index=index))


def _list_sprints(part: Condition, *, index: NameIndex) -> list[Name]:
    inner = part.where if isinstance(part, InPeriod) else part.part if isinstance(part, Not) else part
    inner = inner.where if isinstance(inner, InPeriod) else inner
    if not isinstance(inner, Comparison) or inner.field != "sprint":
        return []
    keys = {value.key for value in inner.values if isinstance(value, Reference)}
    return [name for name in index.sprints if name.value in keys]


def _is_one_each(sprints: Sequence[Name]) -> bool:
    """Return whether they are one sprint, or that of the same number of several teams."""
    numbers = {frozenset(sprint_numbers(one.text)) for one in sprints}
    keys = {one.value for one in sprints}
    return len(numbers) == 1 and len({one.team_id for one in sprints}) == len(keys)


def _step(part: Condition, *, by: int, index: NameIndex) -> Condition | None:
    """Return a condition on the neighbours of its sprints. None if a team has none of that number."""
    named = _list_sprints(part, index=index)
    if not named:
        return part
    number = min(sprint_numbers(named[0].text), default=0) + by
    teams = {one.team_id for one in named}
    found = [one for one in index.sprints if one.team_id in teams and sprint_numbers(one.text) == {number}]
    if len(found) != len(teams):
        return None
    if isinstance(part, InPeriod):
        inner = _step(part.where, by=by, index=index)
        return part.model_copy(update={"where": inner}) if inner is not None else None
    if isinstance(part, Not):
        inner = (
            _step(part.part, by=by, index=index) if _is_of_state(part.part) else None
        )  # not in it, | in the next one
        return Not(part=inner) if inner is not None else None
    values = tuple(Reference(key=one.value, label=one.text) for one in found)
    return Comparison(field="sprint", op=part.op, values=values) if isinstance(part, Comparison) else None


def _is_of_state(part: Condition) -> bool:
    """Return whether it says what rows were in a sprint, and not only that they were in it: blocked during sprint 8."""
    return isinstance(part, InPeriod) and bool(part.role)


def describe_lost_groups(context: MetricQuery, *, query: MetricQuery, model: SemanticModel) -> tuple[str, ...]:
    """Say what a query is no longer grouped by."""
    lost = [one for one in context.group_by if query.group_by and one not in query.group_by]
    said = [one.grain.value if isinstance(one, TimeGroup) else model.dimensions[one.dimension].label for one in lost]
    return (f"No longer by {' and '.join(said)}. Say 'and by …' to keep it.",) if said else ()
