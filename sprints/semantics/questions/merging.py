"""Conditions of a follow-up question put into the query before: what they replace, and what they are added to."""

from collections.abc import Sequence
from dataclasses import dataclass

from sprints.linking.names import NameIndex
from sprints.semantics.describe import describe_condition, join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import SemanticModel, TimeRole
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Or,
    Reference,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.assembly import Fragment, refuse_missing_numbers
from sprints.semantics.questions.replacements import replace_named
from sprints.semantics.questions.scope import AS_OF_NOW
from sprints.semantics.questions.team_sprints import is_after, swap_sprints, widen_sprints
from sprints.semantics.questions.terms import FATES, Unbound

_ROLES = frozenset({"assignee", "reporter"})
OWNERS = frozenset({"team", "assignee", "reporter", "person", "sprint", "epic"})
BOTH = "Do you mean those of the question before that are also {said}, or others? Say 'only', or 'instead'."
CONTRADICTION = "That contradicts the question before. Ask it with all that it should say."
_FATE = "fate"
_FURTHER_SUBJECTS = {"added_late": _FATE, "in_backlog": "sprint"}
_PLACES = frozenset({"in_backlog", "has_epic"})
_OF_SPRINT = FATES | {"left_in_sprint"}
_MANY = frozenset({"label"})
_LISTED = frozenset({"issue_type", "priority", "status"})
_OPEN_OR_DONE = (NamedCondition(predicate="open"), NamedCondition(predicate="done"))
_PAST = frozenset({"was", "were", "had", "did"})
_NOW = frozenset({"open", "in_progress", "to_do", "done"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeMode:
    """
    How a follow-up question changes the query before.

    `is_part`: it is said of its rows, so that every condition stays ("of those"). `is_swap`: something is replaced
    ("instead"). `names_replaced`: what is replaced is named ("instead of ORBIT"). `is_more`: other rows are added
    ("also"); `is_compared`: they stand beside those before ("versus"). `is_joined`: "and" or "what about" leads,
    `is_and`: "and" alone. `is_filter`: it limits its rows further ("only", "which are"). `verb` is its auxiliary.
    """

    is_part: bool = False
    is_filter: bool = False
    is_swap: bool = False
    names_replaced: bool = False
    is_more: bool = False
    is_compared: bool = False
    is_joined: bool = False
    is_and: bool = False
    verb: str = ""


def merge_fragment(
    context: MetricQuery, *, fragment: Fragment, model: SemanticModel, index: NameIndex, mode: ChangeMode
) -> MetricQuery:
    """
    Replace the conditions on the same subject, and the groups. What is negated is added.

    Raises Unbound where it contradicts what is known of all rows that it is said of, where a swap finds nothing to
    replace, and where what issues are now meets a sprint that is over.
    """
    new = [part for condition in fragment.conditions for part in split_conditions(condition)]
    if mode.names_replaced:
        context, new = replace_named(context, new=new, model=model)
    context = swap_sprints(context, conditions=new, index=index, is_more=mode.is_more)
    context = context if mode.is_part else _widen_groups(context, fragment=fragment, model=model, index=index)
    before = split_conditions(context.where)
    if mode.is_more or (mode.is_and and context.rows_of is not None):
        new = _extend_values(new, before=before, mode=mode, is_number=context.rows_of is None)
    new = _keep_roles(new, before=before)
    replacing = [part for part in new if mode.is_swap or not _is_negated(part) or _excludes_all(part, before=before)]
    list_own = _list_subjects if mode.is_filter or mode.is_part else list_related_subjects
    subjects = {one for part in replacing for one in list_own(part, model=model)}
    if mode.is_swap and subjects & _ROLES:
        subjects |= _ROLES  # reported by her, instead of assigned to her
    if subjects - OWNERS and any(_is_related(part) for part in before):
        raise Unbound(None)  # of the epics, or of the bugs that they have
    kept = [part for part in before if mode.is_part or not subjects & list_own(part, model=model)]
    if not mode.is_swap:
        kept += _keep_names(before, kept=kept, new=new, model=model, is_filter=mode.is_filter or mode.is_part)
    kept += [one for part in before if part not in kept for one in _list_required(part, subjects=subjects, model=model)]
    if mode.is_swap and len(kept) == len(before) and any(_get_state(part, model=model) for part in new):
        kept = [part for part in kept if _get_state(part, model=model) in ("", "status_category")]
    _refuse_contradictions(before, kept=kept, new=new, model=model, mode=mode)
    replaces = len(kept) < len(before) or fragment.measures != context.measures
    is_rate = any(model.measures[one].ratio for one in fragment.measures)
    if context.rows_of is not None and is_rate and not fragment.groups:
        raise Unbound(None)  # the progress of each row, or of all
    if mode.is_swap and not (replaces or fragment.groups or fragment.rank):
        raise Unbound(None)
    parts = _settle_states([*kept, *(part for part in new if part not in kept)], new=new, model=model, index=index,
                           verb=mode.verb)  # fmt: skip
    if not mode.is_filter and is_after(parts, index=index):
        raise Unbound(None)  # finished last week, | in sprint 8, which was over then
    _refuse_narrowed_number(context, new=new, parts=parts, model=model)
    changed = _change(context, fragment=fragment, where=join_conditions(parts), mode=mode)
    refuse_missing_numbers(changed, model=model)
    return _set_apart(changed, parts=new, mode=mode, model=model)


def _keep_names(
    before: Sequence[Condition], *, kept: Sequence[Condition], new: Sequence[Condition], model: SemanticModel,
    is_filter: bool,
) -> list[Condition]:  # fmt: skip
    """
    Return the names that an adjective of the same property limits further: p0, | only urgent ones.

    Raises Unbound where it may be said in their place, which would add rows. No row has a value and none.
    """
    lost = [part for part in before if part not in kept and isinstance(part, Comparison) and _is_choice(part)]
    told = [part for part in new if isinstance(part, NamedCondition)]
    for name in lost:
        for adjective in told:
            known = model.predicates[adjective.predicate].comparison
            if known is None or known.op is Operator.IS_NULL or known.field != name.field:
                continue
            if not is_filter:
                raise Unbound(None, why=BOTH.format(said=describe_condition(adjective, model=model)), is_final=True)
            return [name]
    return []


def _widen_groups(
    context: MetricQuery, *, fragment: Fragment, model: SemanticModel, index: NameIndex
) -> MetricQuery:  # fmt: skip
    """Return the query of all that it is grouped by now, and no longer of one of them: of ORBIT, | by team."""
    groups = {one.dimension for one in fragment.groups if isinstance(one, DimensionGroup)}
    single = [
        part for part in split_conditions(context.where) if isinstance(part, Comparison) and part.field in groups
        and _is_choice(part) and len(part.values) == 1
    ]  # fmt: skip
    given_up = _list_given_up(context, groups=fragment.groups)
    kept = [part for part in split_conditions(context.where) if part not in (*single, *given_up)]
    wider = context.model_copy(update={"where": join_conditions(kept)})
    is_of_teams = any(part.field == "team" for part in single)
    return widen_sprints(wider, model=model, index=index) if is_of_teams else wider


def _list_given_up(context: MetricQuery, *, groups: Sequence[Group]) -> list[Condition]:
    """Return the conditions that groups brought with them which others replace: with assignee, | by team instead."""
    lost = {one.dimension for one in context.group_by if isinstance(one, DimensionGroup) and one not in groups}
    return [
        part for part in split_conditions(context.where)
        if groups and isinstance(part, Comparison) and part.op is Operator.IS_NOT_NULL and part.field in lost
    ]  # fmt: skip


def _set_apart(
    query: MetricQuery, *, parts: Sequence[Condition], mode: ChangeMode, model: SemanticModel
) -> MetricQuery:  # fmt: skip
    """Show several values apart that are averaged or added: velocity, what about ACCEL and ORBIT; | also ACCEL."""
    several = [one.field for one in parts if isinstance(one, Comparison) and one.op is Operator.IN]
    if not mode.is_more:
        several = [one for one in several if one != "sprint"]  # the last three: their average
    is_average = any(not model.measures[one].additive for one in query.measures)
    is_owned = mode.is_more and bool({*several} & OWNERS)
    is_apart = mode.is_compared or is_owned or (is_average and not query.group_by)
    groups = [DimensionGroup(dimension=one) for one in several]
    if not (is_apart and query.measures) or len(several) != 1 or model.dimensions[several[0]].many:
        return query
    return query.model_copy(update={"group_by": tuple(dict.fromkeys((*query.group_by, *groups)))})


def _change(
    context: MetricQuery, *, fragment: Fragment, where: Condition | None, mode: ChangeMode
) -> MetricQuery:  # fmt: skip
    changes: dict[str, object] = {"where": where}
    is_counted = bool(fragment.measures or fragment.groups)
    if context.rows_of is not None and is_counted and (context.rank or context.limit):
        raise Unbound(None)  # the five oldest, | how many points: of these, or of all
    if fragment.measures != context.measures:
        changes |= dict.fromkeys(("rows_of", "limit", "rank"))
        changes |= {"measures": fragment.measures, "columns": (), "order": ()}
        if context.rank and context.rank.by in context.measures and len(fragment.measures) == 1:
            changes["rank"] = context.rank.model_copy(update={"by": fragment.measures[0]})  # the most, | in points
    if fragment.groups:
        groups = (*_keep_groups(context, fragment=fragment, mode=mode), *fragment.groups)
        changes |= {"group_by": groups, "trend": False, "order": (), "rank": None}
    if fragment.rank or fragment.order:
        changes |= {"rank": fragment.rank, "order": fragment.order, "limit": None}
    return MetricQuery.model_validate(dict(context) | changes)


def _keep_groups(context: MetricQuery, *, fragment: Fragment, mode: ChangeMode) -> list[Group]:
    """
    Return the groups that stay beside new ones: a series in time and what it is of, and those that are joined.

    A group that replaces another of its kind is told by `describe_lost_groups`.
    """
    is_other = any(map(_is_series, context.group_by)) != any(map(_is_series, fragment.groups))
    is_further = not mode.is_swap and (mode.is_and or is_other)
    return [one for one in context.group_by if is_further and one not in fragment.groups]


def _is_series(group: Group) -> bool:
    return isinstance(group, TimeGroup) or group.dimension == "sprint"


def _refuse_contradictions(
    before: Sequence[Condition], *, kept: Sequence[Condition], new: Sequence[Condition], model: SemanticModel,
    mode: ChangeMode,
) -> None:  # fmt: skip
    """Refuse conditions that contradict each other or those of all rows, and states joined with other ones."""
    positive = {get_subject(part, model=model) for part in new if not _is_negated(part)}
    if mode.is_part and any(get_subject(part, model=model) in positive and part not in new for part in kept):
        raise Unbound(None)
    if any(Not(part=part) in new or (isinstance(part, Not) and part.part in new) for part in kept):
        raise Unbound(None, why=CONTRADICTION, is_final=True)
    is_timed = any(isinstance(part, TimeRange) and part.role == "resolved" for part in kept)
    if "status_category" in positive and is_timed and not any(part in new for part in before):
        raise Unbound(None)  # closed in October, and | open
    is_bare = mode.is_joined and not (mode.is_part or mode.is_filter or mode.verb)
    if is_bare and any(_is_of_another_time(part, other, model=model) for part in new for other in kept):
        raise Unbound(None)  # created by Levi last week, and | closed: those, or others
    if mode.is_filter and any(excludes(part, other=other, model=model) for part in new for other in before):
        raise Unbound(None, why=CONTRADICTION, is_final=True)
    fates = [part for part in (*before, *new) if isinstance(part, NamedCondition) and _tells_of_fate(part, model=model)]
    is_late = NamedCondition(predicate="added_late") in fates and len({part.predicate for part in fates}) > 1
    is_plain = not (mode.is_joined or mode.is_swap or mode.is_filter or mode.is_part)
    if is_late and is_plain:
        raise Unbound(None, why=BOTH.format(said=describe_condition(fates[-1], model=model)), is_final=True)
    has_verb = mode.is_joined and bool(mode.verb)
    is_said_anew = has_verb and not any(part in _OPEN_OR_DONE for part in kept)  # and what | is late
    states = {_get_state(part, model=model) for part in kept} - ({""} if is_said_anew else {"", "status_category"})
    added = [part for part in new if _get_state(part, model=model) not in {"", *states}]
    if states and added and not (mode.is_filter or mode.is_part):
        raise Unbound(None, why=BOTH.format(said=describe_condition(added[0], model=model)), is_final=True)


def excludes(condition: Condition, *, other: Condition, model: SemanticModel) -> bool:
    """Return whether no row is both: open and done, overdue and done, two fates in a sprint."""
    if not (isinstance(condition, NamedCondition) and isinstance(other, NamedCondition)) or condition == other:
        return False
    implied, others = (
        {one.predicate, *model.predicates[one.predicate].requires} for one in (condition, other)
    )  # fmt: skip
    opposites = {model.predicates[name].opposite for name in implied}
    return bool(opposites & others) or {condition.predicate, other.predicate} <= _OF_SPRINT


def _tells_of_fate(condition: NamedCondition, *, model: SemanticModel) -> bool:
    return _FATE in list_related_subjects(condition, model=model)


def _is_of_another_time(condition: Condition, other: Condition, *, model: SemanticModel) -> bool:
    """Return whether a state came at one moment, and the time of another is known: done, created last week."""
    if not (isinstance(condition, NamedCondition) and isinstance(other, TimeRange)) or other.role is None:
        return False
    role = model.time_roles.get(model.predicates[condition.predicate].time or "")
    return role is not None and role.is_moment and role.id != other.role


def _excludes_all(condition: Condition, *, before: Sequence[Condition]) -> bool:
    """Return whether it excludes what the query was limited to, and so is said in place of that: all but ACCEL."""
    return isinstance(condition, Comparison) and condition.op in (Operator.NE, Operator.NOT_IN) and any(
        isinstance(one, Comparison) and one.field == condition.field and one.op in (Operator.EQ, Operator.IN)
        and {*one.values} <= {*condition.values} for one in before
    )  # fmt: skip


def _get_state(condition: Condition, *, model: SemanticModel) -> str:
    """Return the subject of what rows are. Empty if it is a property, an owner or a place."""
    is_state = isinstance(condition, NamedCondition) and condition.predicate not in _PLACES
    return next(iter(_list_subjects(condition, model=model)), "") if is_state else ""


def is_state(condition: Condition, *, model: SemanticModel) -> bool:
    """Return whether it is what rows are or were, or when, as opposed to a property, an owner or a place."""
    inner = condition.part if isinstance(condition, Not) else condition
    is_named = isinstance(inner, NamedCondition) and inner.predicate not in _PLACES
    return is_named or isinstance(inner, TimeRange) or get_subject(inner, model=model) in ("status", "status_category")


def _is_negated(condition: Condition) -> bool:
    is_unlike = isinstance(condition, Comparison) and condition.op in (Operator.NE, Operator.NOT_IN)
    return is_unlike or isinstance(condition, Not)


def _extend_values(
    new: Sequence[Condition], *, before: Sequence[Condition], mode: ChangeMode, is_number: bool
) -> list[Condition]:
    """
    Return conditions that allow the values of the question before too: open bugs, | also | stories.

    "And" replaces owners and times, and adds other values: and p1. Raises Unbound for what else is added to rows, and
    where both are said: and stories in ORBIT.
    """
    extended: list[Condition] = []
    if not mode.is_more and any(part in before for part in new):
        return list(new)  # blocked bugs, | and blocked stories
    for part in new:
        old = [
            one for one in before if isinstance(one, Comparison) and isinstance(part, Comparison)
            and one.field == part.field and _is_choice(one) and _is_choice(part)
        ]  # fmt: skip
        if is_number and not mode.is_more and not (isinstance(part, Comparison) and part.field in _LISTED):
            extended.append(part)  # a number of its own: and of ORBIT
        elif isinstance(part, Comparison) and len(old) == 1 and (mode.is_more or part.field in _LISTED):
            if new[1:]:
                raise Unbound(None)
            values = [value for one in (*old, part) if isinstance(one, Comparison) for value in one.values]
            extended.append(Comparison(field=part.field, op=Operator.IN, values=tuple(dict.fromkeys(values))))
        elif (mode.is_more and not _is_negated(part)) or (old and isinstance(part, Comparison) and part.field in _MANY):
            raise Unbound(None)  # other rows; two labels: both, or one of them
        else:
            extended.append(part)
    return extended


def _is_choice(condition: Comparison) -> bool:
    return condition.op in (Operator.EQ, Operator.IN)


def _keep_roles(new: Sequence[Condition], *, before: Sequence[Condition]) -> list[Condition]:
    """Keep what happened in a sprint if only the sprint is replaced: blocked last sprint, and | this sprint."""
    roles = [part for part in before if isinstance(part, InPeriod) and part.role]
    is_plain = len(new) == 1 and isinstance(new[0], InPeriod) and not new[0].role
    if not is_plain or not any('"how":"during"' in part.model_dump_json() for part in before):
        return list(new)
    if len(roles) != 1:
        raise Unbound(None)  # not blocked last sprint
    return [part.model_copy(update={"how": roles[0].how, "role": roles[0].role}) for part in new]


def _settle_states(
    parts: Sequence[Condition], *, new: Sequence[Condition], model: SemanticModel, index: NameIndex, verb: str
) -> list[Condition]:
    """
    Read what issues are beside a sprint that is over as what they were in it. Raises Unbound where that is not known.

    In the present it is meant of now: which of them are blocked. What happened to them has no present.
    """
    sprints = [part for part in parts if isinstance(part, InPeriod) and not part.role]
    timed = any(isinstance(part, TimeRange) and part.role == "resolved" for part in parts)
    states = [part for part in parts if _is_of_now(part, model=model) and not (timed and _is_done(part))]
    acts = [part for part in states if _is_act(part, model=model)]
    is_past = verb in _PAST and any(part in new and part not in acts for part in states)
    over = sprints if acts or is_past else [part for part in sprints if _is_over(part.where, index=index)]
    if is_past and not over:
        raise Unbound(None, why=AS_OF_NOW.format(said=_name_state(states[0])), is_final=True)
    found = [*over, *states]
    if not over or not states or all(part in new for part in found) or not any(part in new for part in found):
        return list(parts)
    if verb in ("is", "are") and all(part in new and not _is_act(part, model=model) for part in states):
        return list(parts)
    [state, *others] = states
    role = _find_role(state, model=model)
    if others or len(over) != 1 or role is None:
        raise Unbound(None, why=AS_OF_NOW.format(said=_name_state(state)), is_final=True)
    during = over[0].model_copy(update={"how": "during", "role": role.id})
    return [during if part is over[0] else part for part in parts if part is not state]


def _is_of_now(condition: Condition, *, model: SemanticModel) -> bool:
    inner = condition.part if isinstance(condition, Not) else condition
    if isinstance(inner, Comparison):
        return inner.field in ("status", "status_category")
    return isinstance(inner, NamedCondition) and (inner.predicate in _NOW or _find_role(inner, model=model) is not None)


def _is_act(condition: Condition, *, model: SemanticModel) -> bool:
    role = _find_role(condition, model=model)
    return role is not None and role.end is None


def _is_done(condition: Condition) -> bool:
    return condition == NamedCondition(predicate="done")


def _name_state(condition: Condition) -> str:
    inner = condition.part if isinstance(condition, Not) else condition
    if isinstance(inner, NamedCondition):
        return inner.predicate.replace("_", " ")
    return ", ".join(map(str, inner.values)) if isinstance(inner, Comparison) else ""


def _find_role(condition: Condition, *, model: SemanticModel) -> TimeRole | None:
    """Return the time role that tells when rows were so: blocked, re-estimated. None if there is none."""
    known = model.predicates.get(condition.predicate) if isinstance(condition, NamedCondition) else None
    role = model.time_roles.get(known.time or "") if known else None
    return role if role is not None and role.relation else None


def _is_over(condition: Condition, *, index: NameIndex) -> bool:
    """Return whether it names sprints that are closed."""
    if isinstance(condition, NamedCondition):
        return condition.predicate == "sprint_closed"
    if not isinstance(condition, Comparison):
        return False
    keys = {value.key for value in condition.values if isinstance(value, Reference)}
    return any(name.value in keys and name.state == "closed" for name in index.sprints)


def _refuse_narrowed_number(
    context: MetricQuery, *, new: Sequence[Condition], parts: Sequence[Condition], model: SemanticModel
) -> None:  # fmt: skip
    """
    Refuse what no row of a number has, since it is hardly meant of the same rows.

    Another part of a share, what is open of what is done, a time or the backlog beside a sprint, and how long a
    blockage of now has lasted beside a time of another.
    """
    if context.share and context.share.part is not None and any(
        get_subject(part, model=model) == get_subject(context.share.part, model=model) or is_state(part, model=model)
        for part in new
    ):  # fmt: skip
        raise Unbound(None)  # the share of bugs, | stories
    is_rate = any(model.measures[one].ratio for one in context.measures)
    if is_rate and any(is_state(part, model=model) and not isinstance(part, TimeRange) for part in new):
        raise Unbound(None)  # the progress of each epic, | blocked
    is_until_done = any(model.measures[one].time == "resolved" for one in context.measures)
    if is_until_done and NamedCondition(predicate="open") in new:
        raise Unbound(None)  # the cycle time, | of open ones
    is_of_sprint = get_entity(context, model=model) in ("membership", "sprint") and bool(context.measures)
    is_in_sprint = any(get_subject(part, model=model) == "sprint" for part in split_conditions(context.where))
    is_timed = any(isinstance(part, TimeRange) for part in new) and is_in_sprint
    is_elsewhere = NamedCondition(predicate="in_backlog") in new
    if is_of_sprint and (is_timed or is_elsewhere):
        raise Unbound(None)  # points completed in sprint 8, | last week
    lasting = [part for part in parts if isinstance(part, Comparison) and part.field == "blocked_for_days"]
    if lasting and any(isinstance(part, InPeriod | TimeRange) and part.role == "blocked" for part in parts):
        raise Unbound(None)  # blocked for 2 days, | in sprint 8


def _is_related(condition: Condition) -> bool:
    return isinstance(condition.part if isinstance(condition, Not) else condition, Has)


def get_subject(condition: Condition, *, model: SemanticModel) -> str:
    """Return the subject of a condition. Conditions on the same subject replace each other."""
    match condition:
        case Comparison(field=field):
            return "sprint" if field.startswith("sprint") else field
        case NamedCondition(predicate=name):
            known = model.predicates.get(name)
            comparison = known.comparison if known else None
            return comparison.field if comparison else _FATE if name in _OF_SPRINT else name
        case TimeRange():
            return "time"
        case InPeriod():
            return "sprint"
        case Not(part=part):
            return get_subject(part, model=model)
        case And(parts=parts) | Or(parts=parts):
            return get_subject(parts[0], model=model)
    return condition.kind


def _list_subjects(condition: Condition, *, model: SemanticModel) -> set[str]:
    """Return the subject of a condition, and that of the state in a time or sprint: blocked during sprint 8."""
    inner = condition.part if isinstance(condition, Not) else condition
    role = model.time_roles[inner.role] if isinstance(inner, InPeriod | TimeRange) and inner.role else None
    is_of_state = role is not None and (isinstance(inner, InPeriod) or bool(role.relation))
    states = [
        one for one in model.predicates.values() if is_of_state and role and one.time == role.id and one.comparison
    ]
    return {get_subject(condition, model=model), *(one.comparison.field for one in states if one.comparison)}


def list_related_subjects(condition: Condition, *, model: SemanticModel) -> set[str]:
    """Return the subjects of a condition with what it is derived from: a status has a category, overdue a due date."""
    inner = condition.part if isinstance(condition, Not) else condition
    found = _list_subjects(condition, model=model)
    if isinstance(inner, Comparison) and inner.field == "status":
        found.add("status_category")
    if isinstance(inner, TimeRange) and inner.role:
        found.add(inner.role)
    known = model.predicates.get(inner.predicate) if isinstance(inner, NamedCondition) else None
    if known is not None and known.id in _FURTHER_SUBJECTS:
        found.add(_FURTHER_SUBJECTS[known.id])
    if known is not None and known.expression:
        found |= {one.id for one in model.time_roles.values()
                  if one.entity == known.entity and known.expression.startswith(one.start)}  # fmt: skip
    return found


def _list_required(condition: Condition, *, subjects: set[str], model: SemanticModel) -> list[Condition]:
    """Return what stays of a condition of which a part was replaced: overdue, | and due this week, is still open."""
    own = list_related_subjects(condition, model=model)
    if not isinstance(condition, NamedCondition) or own & subjects & {get_subject(condition, model=model), "sprint"}:
        return []
    required = [NamedCondition(predicate=name) for name in model.predicates[condition.predicate].requires]
    return [one for one in required if get_subject(one, model=model) not in subjects]
