"""Times that numbers are counted by: moments, whole sprints, and the change from one time to another."""

from itertools import combinations

from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Grain
from sprints.semantics.lookup import find_measured_time
from sprints.semantics.query import Condition, DimensionGroup, TimeGroup, TimeRange
from sprints.semantics.questions.lookups import Lookups
from sprints.semantics.questions.phrase import is_sprints, look_at
from sprints.semantics.questions.terms import BY_DAY, Unbound

IN_SPRINTS = "Do you mean what was so in those days, or in whole sprints that were closed then?"
STATUS_OF_THEN = (
    "Without the time in '{said}', or without what is so now? For the first say 'excluding the {said} status'."
)
TREND_OF_ONE = "One sprint has no trend. Ask for several sprints, or what was added to it and removed from it."
_CATEGORY = "status_category"
MAX_DAYS_IN_SPRINT = 7
_LONG = frozenset(map(str, Grain)) - {Grain.DAY}


class MeasuredTimes(Lookups):
    """Looked-up properties with the times of numbers."""

    def _group_trend(self) -> None:
        """Group what is followed over time: from one month to another by these, else by sprint, or by month."""
        self._refuse_trend_of_one()
        if rank := next((one for one in self.phrases if one.kind == "rank"), None):
            raise Unbound(rank, is_final=True)  # which team | improved its cycle time the | most: by the change
        if any(isinstance(one, TimeGroup) for one in self.groups) or self._groups_sprints():
            return
        between = [one.period for one in self.phrases if one.period and one.period.is_between]
        if len(between) == 1 and between[0].unit in _LONG:
            if self.entity.id == "membership":
                raise Unbound(None, why="")  # of all that was so then, in a sprint or not
            timed = {state.role for state in self.states.values() if state.periods and state.role}
            is_own = all(self.model.measures[one].time for one in self.measures)
            role = None if is_own or len(timed) != 1 else timed.pop()
            self.groups.append(TimeGroup(grain=Grain(between[0].unit), role=role))
            return
        per_sprint = "sprint" in self.reached and self.entity.id in ("sprint", "membership")
        self.groups.append(DimensionGroup(dimension="sprint") if per_sprint else TimeGroup(grain=Grain.MONTH))

    def _refuse_trend_of_one(self) -> None:
        """Refuse a change from one sprint to the next where one of each team is named, and whose change is largest."""
        named = [name.team_id for one in self.phrases if is_sprints(one) and not one.edge for name in one.names]
        if named and len({*named}) == len(named) and not any(isinstance(one, TimeGroup) for one in self.groups):
            is_burndown = any(one.startswith("remaining_") for one in self.measures)  # which a verified query shows
            raise Unbound(None, why=TREND_OF_ONE, is_final=not is_burndown)
        first, noun = look_at(self.phrases, place=0, size=2)
        if "which" in first.marks and noun.has("measure", form="noun") and not noun.has("entity"):
            raise Unbound(noun, is_final=True)  # which | team's velocity | went up

    def _refuse_status_of_now(self) -> None:
        """Refuse to leave out what issues are now beside their time in statuses, one of which may be meant: | to do."""
        for place, state in self.states.items() if self.entity.id == "status_stay" else ():
            known = self.model.predicates[state.predicate] if state.predicate else None
            before, _, behind = look_at(self.phrases, place=place - 1, size=3)
            is_of_issues = "be" in before.marks or behind.is_of_issues  # that are | not done; without | open | issues
            is_status = known is not None and known.comparison is not None and known.comparison.field == _CATEGORY
            if known is not None and is_status and state.phrase.is_negated and not is_of_issues:
                raise Unbound(state.phrase, why=STATUS_OF_THEN.format(said=known.label), is_final=True)

    def _check_times(self, where: Condition | None) -> None:
        self._say_what_is_not_closed()
        self._refuse_status_of_now()
        own = self.model.dimensions.get(self.entity.id)
        if own is not None and own.reached_as == self.entity.id and self.measures == [self.entity.count] and (
            DimensionGroup(dimension=own.id) in self.groups
        ):  # fmt: skip
            raise Unbound(None, why=f"What is to be counted of each {self.entity.label}?")
        moments = [one for one in split_conditions(where) if isinstance(one, TimeRange) and self._is_moment(one)]
        if any(
            first.role == second.role and not (_begins_in(first, second) or _begins_in(second, first))
            for first, second in combinations(moments, 2)
        ):
            raise Unbound(None, why="No moment is in both times.", is_final=True)
        times = [self.model.measures[one].time for one in self.measures]
        if any(self.model.time_roles[one].entity == "sprint" for one in times if one):
            self._refuse_days_of_sprints(where)
        else:
            self._refuse_weeks_of_sprints(where)
        for group in self.groups:
            if isinstance(group, TimeGroup) and group.role is None and not all(times):
                why = "By which time: when issues were created, or when they were done?"
                raise Unbound(None, why=why if self.entity.id == "issue" else "By which time is it counted?")

    def _say_what_is_not_closed(self) -> None:
        """Say which of the named sprints have no such number yet: velocity of | this sprint | and the last."""
        sprints = [one for one in self.phrases if is_sprints(one) and not (one.is_negated or one.edge)]
        others = list(dict.fromkeys(name.text for one in sprints for name in one.names if name.state != "closed"))
        for measure in dict.fromkeys(self.measures):
            known = self.model.measures[measure]
            if others and any("sprint_closed" in self.model.measures[one].where for one in known.ratio or (measure,)):
                said = f"{', '.join(others[:-1])} and {others[-1]} have" if others[1:] else f"{others[0]} has"
                self.assumptions.append(f"{said} no {known.label} yet: only closed sprints have one.")

    def _is_moment(self, span: TimeRange) -> bool:
        """Return whether it is about a moment, and not about what lasts, which may be in two times."""
        return span.role is None or self.model.time_roles[span.role].is_moment

    def _refuse_days_of_sprints(self, where: Condition | None) -> None:
        """Refuse days inside a sprint for what is counted once a sprint, by when it started."""
        spans = [part for part in split_conditions(where) if isinstance(part, TimeRange) and part.role is None]
        is_day = any(one.start and one.end and (one.end - one.start).days == 1 for one in spans)
        is_day = is_day or TimeGroup(grain=Grain.DAY) in self.groups
        if is_day or (spans and any(is_sprints(one) for one in self.phrases)):
            raise Unbound(None, why=BY_DAY)

    def _refuse_weeks_of_sprints(self, where: Condition | None) -> None:
        """Refuse a time that may be shorter than a sprint beside numbers of whole sprints: per sprint | this week."""
        known = [self.model.measures[one] for one in self.measures]
        spans = [part for part in split_conditions(where) if isinstance(part, TimeRange) and part.role is None]
        is_short = any(one.start and one.end and (one.end - one.start).days <= MAX_DAYS_IN_SPRINT for one in spans)
        if is_short and any(
            find_measured_time(one, beside=self.measures, groups=self.groups, model=self.model) != one.time
            for one in known
        ):
            raise Unbound(None, why=IN_SPRINTS)


def _begins_in(span: TimeRange, other: TimeRange) -> bool:
    """Return whether a time begins inside another."""
    start, (first, last) = str(span.start or ""), (str(other.start or ""), str(other.end or "~"))
    return first <= start < last
