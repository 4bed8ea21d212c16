"""
Whether a follow-up explains each change of the query before it, and whether what it says is found in the new query.

What the query gains must be said by a word of the follow-up. What it loses must be replaced by something of its kind,
shown for each, or taken away in words. Names, times, numbers and superlatives that are said must be in the query.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sprints.semantics.describe import describe_condition, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.lookup import get_entity
from sprints.semantics.model import Measure, SemanticModel
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
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.context_changes import AFTER, BEFORE
from sprints.semantics.questions.inherited_scope import says_all
from sprints.semantics.questions.merging import OWNERS, excludes, list_related_subjects
from sprints.semantics.questions.tokens import PRONOUNS, Token
from sprints.semantics.scope import reaches

_PARTS = {"rank": "rank", "share": "share", "compare": "comparison", "having": "limit of the groups", "trend": "change"}
_POINTING = PRONOUNS | {"those", "these", "ones"}
_TIME = "the time"
_DIMENSIONS = {"type": "issue_type"}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A query, the one before it, and the words that changed that."""

    query: MetricQuery
    context: MetricQuery
    tokens: Sequence[Token]
    model: SemanticModel

    def find_unsaid_measure(self) -> str:
        """Return a sentence about a measure that the query gains and nothing says. Empty if there is none."""
        return next(self._list_new_measures(), "")

    def find_unexplained(self) -> str:
        """Return a sentence about a part of the change that is not said, or a word without effect. Empty if none."""
        return next(iter([*self._list_gained(), *self._list_lost(), *self._list_unused()]), "")

    @cached_property
    def _evidence(self) -> set[str]:
        """Return the terms, kinds and values that words may mean."""
        senses = {sense.name for one in self.tokens for sense in one.senses if sense.kind not in ("mark", "free")}
        names = [name for one in self.tokens for name in (*one.names, *one.sprints)]
        said = senses | {value for name in names for value in (name.kind, name.value, name.text)}
        said |= {one.key for one in self.tokens if one.key}
        words = {one.said.lower() for one in self.tokens}
        has_time = any(one.period or one.reference for one in self.tokens) or bool(words & {"before", "after"})
        said |= {_TIME} if has_time else set()
        said |= {"open"} if "have" in self._marks else set()  # how many bugs do they have
        said |= {"assignee", "reporter", "person"} if "who" in self._marks else set()
        owners = {dimension.entity for dimension in self.model.dimensions.values() if dimension.id in said}
        return said | owners - {"issue"}

    @cached_property
    def _marks(self) -> set[str]:
        return {mark for one in self.tokens for mark in one.marks}

    @cached_property
    def _says_beside(self) -> bool:
        """Return whether words stand for the sprint or time before or after: the next one."""
        return any({*one.said.lower().split()} & (BEFORE | AFTER) for one in self.tokens)

    @cached_property
    def _has_number(self) -> bool:
        return any(value is not None for one in self.tokens for value in (one.number, one.days, one.top))

    @cached_property
    def _groups(self) -> set[str]:
        """Return what the query is grouped by now and was not before."""
        return {_get_name(one) for one in self.query.group_by if one not in self.context.group_by}

    @cached_property
    def _is_of_all(self) -> bool:
        plural = any(sense.kind == "entity" and sense.is_plural for one in self.tokens for sense in one.senses)
        is_every = any(one.said.lower().split()[-1] in ("every", "each", "all", "everyone") for one in self.tokens)
        return says_all(self.tokens) or plural or is_every

    @cached_property
    def _says_everyone(self) -> bool:
        return any(one.said.lower().split()[-1] in ("all", "everyone", "everybody") for one in self.tokens)

    # What it gains

    def _list_new_measures(self) -> Iterator[str]:
        for name in self.query.measures:
            if name not in self.context.measures and not self._says_measure(self.model.measures[name]):
                yield f"It does not say '{self.model.measures[name].label}'."

    def _list_gained(self) -> Iterator[str]:
        yield from self._list_new_measures()
        if self.query.rows_of and self.query.rows_of != self.context.rows_of and not self._says_rows():
            yield f"It does not say '{self.model.entities[self.query.rows_of].plural}'."
        before = split_conditions(self.context.where)
        for condition in split_conditions(self.query.where):
            if condition not in before and not self._says_condition(condition):
                yield f"It does not say '{describe_condition(condition, model=self.model)}'."
        for group in self.query.group_by:
            if group not in self.context.group_by and not self._says_group(group):
                name = _get_name(group)
                known = self.model.dimensions.get(name)
                yield f"It does not say 'by {known.label if known else name}'."

    def _says_measure(self, measure: Measure) -> bool:
        is_count = self.model.entities[measure.entity].count == measure.id
        is_counted = is_count and measure.entity == get_entity(self.context, model=self.model)
        if is_counted and ("how_many" in self._marks or self._groups):
            return True  # which are blocked, | by team
        alike = [
            one.id for one in self.model.measures.values()
            if measure.where and (one.entity, one.where, one.unit) == (measure.entity, measure.where, measure.unit)
        ]  # fmt: skip
        return bool({*alike, *_relate_measure(measure, model=self.model)} & self._evidence)

    def _says_rows(self) -> bool:
        rows = self.query.rows_of
        terms = (self.model.dimensions, self.model.predicates, self.model.time_roles)
        entities = {known[name].entity for known in terms for name in self._evidence if name in known}
        return rows == get_entity(self.context, model=self.model) or rows in self._evidence | entities

    def _says_condition(self, condition: Condition) -> bool:
        if _relate_condition(condition, model=self.model) & self._evidence:
            return True
        subjects = list_related_subjects(condition, model=self.model)
        if subjects & self._groups or (self._has_number and isinstance(condition, Comparison)):
            return True
        before = split_conditions(self.context.where)
        was_limited = any(subjects & list_related_subjects(one, model=self.model) for one in before)
        if (
            "sprint" in subjects
            and was_limited
            and ("team" in self._evidence or self._is_of_all or "team" in self._groups or self._says_beside)
        ):
            return True  # of ACCEL in sprint 8, | and HARBOR; | and the next one
        named = {name for one in self.context.measures for name in self.model.measures[one].where}
        stays = [one.membership for one in self.model.entities.values() if one.membership is not None]
        named |= {name for one in stays for name in (one.now, one.ever)}
        told = {one.predicate for one in before if isinstance(one, NamedCondition)} | named
        implied = [self.model.predicates[one] for one in told]
        named |= {name for one in implied for name in (*one.requires, one.opposite or "")}  # and how many are not
        if isinstance(condition, TimeRange):
            bounds = [(one.start, one.end) for one in before if isinstance(one, TimeRange)]
            return (condition.start, condition.end) in bounds
        return isinstance(condition, NamedCondition) and condition.predicate in named

    def _says_group(self, group: Group) -> bool:
        if isinstance(group, TimeGroup):
            is_same = any(isinstance(one, TimeGroup) and one.grain == group.grain for one in self.context.group_by)
            return is_same or bool({str(group.grain), _TIME} & self._evidence)
        dimension = self.model.dimensions[group.dimension]
        known = {dimension.id, dimension.entity, dimension.role or ""} - {"", "issue"}
        is_apart = any(
            isinstance(one, Comparison) and one.field == dimension.id for one in split_conditions(self.query.where)
        )
        return bool(known & self._evidence) or is_apart or (self._is_of_all and dimension.id in OWNERS)

    # What it loses

    def _list_lost(self) -> Iterator[str]:
        kept = (*split_conditions(self.query.where), *(side.where for side in self.query.compare))
        for condition in split_conditions(self.context.where):
            if condition not in kept and not self._replaces(condition):
                yield f"It does not say whether '{describe_condition(condition, model=self.model)}' still holds."
        for part, noun in _PARTS.items():
            if getattr(self.context, part) and not getattr(self.query, part) and not self._says_everyone:
                yield f"It does not say whether the {noun} is still meant."
        is_total = bool(self._marks & {"total", "together"})
        if self.context.group_by and not self.query.group_by and not (is_total or self._points_back):
            yield "It does not say whether the groups are still meant."
        ranks = [one.rank.count for one in (self.context, self.query) if one.rank]
        if len({*ranks}) > 1 and not self._has_number:
            yield "It does not say how many are meant."

    def _replaces(self, condition: Condition) -> bool:
        """Return whether something takes the place of a condition, or no row of the query could meet it."""
        own = list_related_subjects(condition, model=self.model)
        kept = split_conditions(self.query.where)
        subjects = {one for part in kept for one in list_related_subjects(part, model=self.model)}
        is_swapped = "swap" in self._marks or any(one.said.lower() == "instead" for one in self.tokens)
        if own & (subjects | self._groups) or self._is_of_all or is_swapped:
            return True
        match condition:
            case Comparison(op=Operator.IS_NOT_NULL):
                return True
            case Comparison() if any(
                isinstance(one, Comparison) and {*condition.values} <= {*one.values} for one in kept
            ):  # fmt: skip
                return True  # of ACCEL-1, | its sub-tasks; assigned to her, | no, reported by her
            case Comparison():
                term = self.model.dimensions[condition.field]
                return not reaches(self.model.entities[get_entity(self.query, model=self.model)], term=term,
                                   model=self.model)  # fmt: skip
            case NamedCondition():
                measured = {name for one in self.query.measures for name in self.model.measures[one].where}
                is_excluded = any(excludes(condition, other=one, model=self.model) for one in kept)
                return condition.predicate in measured or is_excluded or self._tells_time_of(condition.predicate)
        return False

    def _tells_time_of(self, predicate: str) -> bool:
        """Return whether the query is of another time than that of a state, or of its periods: blocked, | why."""
        role = self.model.time_roles.get(self.model.predicates[predicate].time or "")
        if role is None:
            return False
        if role.relation:
            related = self.model.entities[role.entity].relations[role.relation]
            return related.entity == self.query.rows_of
        times = [
            [one.role for one in split_conditions(query.where) if isinstance(one, TimeRange)]
            for query in (self.context, self.query)
        ]
        return role.id in times[0] and bool(times[1]) and role.id not in times[1]

    @property
    def _points_back(self) -> bool:
        """Return whether a pronoun stands for the rows of the question before."""
        words = {word for one in self.tokens for word in one.said.lower().split()}
        asks = "anaphor" in self._marks or (bool({"which", "what"} & self._marks) and not self.query.rank)
        return bool(words & _POINTING) or asks

    # What it says

    def _list_unused(self) -> Iterator[str]:
        if "who" in self._marks and self.query.rows_of in ("sprint", "team", "sprint_day"):
            yield "It asks for people."
        text = self.query.model_dump_json()
        is_timed = any(isinstance(one, TimeGroup) for one in self.query.group_by) or any(
            mark in text for mark in ('"kind":"time"', '"kind":"in_period"', '"field":"sprint')
        )
        for place, token in enumerate(self.tokens):
            values = {value for name in token.names for value in (name.value, name.text)}
            values |= {sense.name for sense in token.senses} if token.names else set()
            values |= {_DIMENSIONS.get(name.kind, name.kind) for name in token.names} & {*self.query.columns}
            is_replaced = place > 0 and "swap" in self.tokens[place - 1].marks
            is_lost = bool(values) and not is_replaced and not any(f'"{value}"' in text for value in values)
            is_top = token.top is not None and token.top not in (
                self.query.limit, self.query.rank.count if self.query.rank else None
            )  # fmt: skip
            is_ranked = any(sense.form == "superlative" for sense in token.senses) or bool(
                token.marks & {"top", "bottom"}
            )
            is_unranked = is_ranked and not (self.query.rank or self.query.order)
            is_untimed = token.period is not None and not is_timed
            if is_lost or is_top or is_unranked or is_untimed or (token.key and token.key not in text):
                yield f"I cannot tell what '{token.said}' changes there."


def _get_name(group: Group) -> str:
    return group.dimension if isinstance(group, DimensionGroup) else str(group.grain)


def _relate_measure(measure: Measure, *, model: SemanticModel) -> set[str]:
    """Return the terms that may say a measure: its own, those that it is made of, and the noun of what it counts."""
    related = {measure.id, measure.unit, *measure.where, *((measure.time,) if measure.time else ())}
    is_count = model.entities[measure.entity].count == measure.id
    related |= {measure.entity, "type"} if is_count else set()
    return related.union(*(_relate_measure(model.measures[name], model=model) for name in measure.ratio or ()))


def _relate_condition(condition: Condition, *, model: SemanticModel) -> set[str]:
    """Return the terms and values that may say a condition."""
    match condition:
        case NamedCondition():
            known = model.predicates[condition.predicate]
            named = {known.id, known.opposite, known.time, known.was, *known.requires}
            named |= {one.id for one in model.predicates.values() if known.id == one.was}
            role = model.time_roles.get(known.time or "")
            if role is not None and role.relation:
                times = {one.id for one in model.time_roles.values() if one.relation == role.relation}
                named |= {one.id for one in model.predicates.values() if one.time in times}
            return {one for one in named if one}.union(
                _relate_condition(known.comparison, model=model) if known.comparison else ()
            )
        case Comparison():
            dimension = model.dimensions[condition.field]
            values = {str(getattr(value, part, value)) for value in condition.values for part in ("key", "label")}
            times = {one.id for one in model.time_roles.values() if one.start == dimension.expression.strip()}
            return {dimension.id, dimension.entity, dimension.role or "", *values, *times} - {"", "issue"}
        case TimeRange():
            return {_TIME, *((condition.role,) if condition.role else ())}
        case InPeriod():
            return {_TIME, "sprint", condition.role or "", *_relate_condition(condition.where, model=model)} - {""}
        case Has():
            inner = _relate_condition(condition.where, model=model) if condition.where else set()
            return {condition.relation, *inner}
        case And() | Or():
            return {one for part in condition.parts for one in _relate_condition(part, model=model)}
        case Not():
            return _relate_condition(condition.part, model=model)
