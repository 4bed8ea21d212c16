"""Conditions of a question: names, sprints, numbers, times and states."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import Relation
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    Has,
    InPeriod,
    MeasureLimit,
    NamedCondition,
    Not,
    Or,
    Side,
    TimeRange,
)
from sprints.semantics.questions.durations import Durations
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import NEGATED, Phrase, is_sprints
from sprints.semantics.questions.relations import list_decided
from sprints.semantics.questions.tense import find_verb, is_said_of_now, is_said_of_past, tells_of_past_sprints
from sprints.semantics.questions.terms import CARRIED_FROM, NAMED_BY, WHOSE_CHANGES, State, Unbound
from sprints.semantics.questions.units import PLANNED
from sprints.semantics.questions.values import (
    contains_any,
    is_among,
    number_of,
    operator_of,
    to_moment,
    to_range,
    to_range_ahead,
    to_range_beside,
    to_value,
)

_OF_ALL = frozenset({"committed", "removed"})
AHEAD = "'{said}' lies ahead. Of days ahead only what is due, and when sprints are planned to end, is known."


class Conditions(Durations):
    """Durations with the conditions on rows."""

    def _read_conditions(self) -> None:
        self._compare_spans()
        numbers_first = sorted(range(len(self.phrases)), key=lambda place: place in self.states)
        for place in numbers_first:
            found = self._conditions(self.phrases[place], place=place)
            if found:
                self.used.add(place)
                self.part_of[place] = found
        if self.is_fragment:
            return
        is_past = any("past" in one.marks or one.is_act for one in self.phrases) or self._is_past()
        is_about_all = self.entity.count in self.measures or any(one.kind == "related" for one in self.phrases)
        if is_past and self.entity.id == "sprint" and is_about_all:
            self._leave_out_future()
        if self.entity.id == "membership" and not self.measures:
            own = self._own_states()
            if not own:
                raise Unbound(None, why="")
            is_of_all = any(one.predicate in _OF_ALL and not one.phrase.is_negated for one in own)
            if any(state.phrase.is_negated for state in own) and not is_of_all:
                self.parts.append(NamedCondition(predicate="member_now"))
        is_told = any(state.predicate != "left_in_sprint" for state in self._own_states())
        is_told = is_told or any(self.model.measures[one].ratio for one in self.measures)
        is_told = is_told or NamedCondition(predicate=self.settings["running"]["sprint"]) in self.parts
        is_told = is_told or any(is_sprints(one) for one in self.phrases) or self._groups_sprints()
        is_told = is_told or (self.is_ranked and any("carried" in one.said.lower() for one in self.phrases))
        if self.entity.id == "membership" and not is_told:
            raise Unbound(None, why="Which sprint do you mean?")

    def _compare_spans(self) -> None:
        """Compare a measure of one span with that of another: cycle time | in May | versus | in June."""
        for place in range(len(self.phrases) - 2):
            first, link, second = self.phrases[place : place + 3]
            if not first.kind == second.kind == "period" or "versus" not in link.marks or self.sides:
                continue
            if {place, place + 2} & self.used or not self.measures or first.is_negated or second.is_negated:
                continue
            if all(self.model.measures[one].time for one in self.measures):
                self.sides += [Side(label=one.said, where=to_range(one, role=None)) for one in (first, second)]
                self.used |= {place, place + 2}

    def _conditions(self, phrase: Phrase, *, place: int) -> list[Condition]:
        if phrase.kind == "names" and phrase.name_kind != "sprint":
            return [self._either(phrase, self._names(phrase, place=place))]
        if is_sprints(phrase):
            return [self._either(phrase, self._sprints(phrase))]
        if phrase.kind == "key":
            return [self._keys(phrase, place=place)]
        if phrase.kind == "bound" or (phrase.kind == "days" and place not in self.used):
            return self._read_bound(phrase, place=place)
        if phrase.kind == "missing":
            return [self._either(phrase, self._require_absence(phrase))]
        if phrase.kind == "related":
            return [self._has_rows(phrase)]
        if phrase.kind == "period" and place not in self.used:
            if self._is_now(phrase):
                self.used.add(place)
                return []
            return [self._measured_period(phrase)]
        if place in self.states:
            return self._state(self.states[place], place=place)
        return []

    def _is_now(self, phrase: Phrase) -> bool:
        """Return whether "today" only says that rows are so now: which are in QA | today."""
        states = [state for state in self.states.values() if not state.role]
        is_state = states or any(one.name_kind == "status" for one in self.phrases)
        is_told = self.is_related or any(one.said.lower() in ("is", "are", "has", "have") for one in self.phrases)
        is_now = is_told and not self.is_past and self.entity.id == "issue"
        return is_now and bool(is_state) and phrase.said.lower() == "today"

    def _either(self, phrase: Phrase, first: Condition) -> Condition:
        """Combine the parts of "or"."""
        if not phrase.alternatives or phrase.joined_by != "or":
            return first
        return Or(parts=(first, *(self._alternative(one) for one in phrase.alternatives)))

    def _alternative(self, phrase: Phrase) -> Condition:
        if phrase.kind == "names":
            return self._names(phrase, place=-1)
        if phrase.kind == "missing":
            return self._require_absence(phrase)
        if phrase.kind == "term" and (predicate := self._predicate(phrase)[0]):
            return NamedCondition(predicate=predicate)
        if phrase.kind == "bound" and phrase.senses:
            return self._compare(phrase)
        raise Unbound(phrase)

    def _names(self, phrase: Phrase, *, place: int) -> Condition:
        if self._was_in_status(phrase, place=place):
            return self._find_status_of_then(phrase, place=place)
        dimension = self._name_dimension(phrase, place=place)
        if phrase.is_negated and phrase.said.lower().startswith("without"):
            self._refuse_own_rows(phrase)
        if phrase.name_kind == "title":
            return contains_any(dimension, texts=[name.text for name in phrase.names], is_negated=phrase.is_negated)
        values = [to_value(name) for name in phrase.names]
        term = self.model.dimensions[dimension]
        if term.many and phrase.joined_by == "and" and not phrase.is_negated:
            return And(parts=tuple(Comparison(field=dimension, op=Operator.EQ, values=(one,)) for one in values))
        return is_among(dimension, values=values, is_negated=phrase.is_negated)

    def _refuse_own_rows(self, phrase: Phrase) -> None:
        """Refuse issues without sub-tasks, which may have none or be none."""
        said = [name.text for name in phrase.names]
        for relation in self.entity.relations.values():
            if relation.other_is is not None and phrase.name_kind == "type" and said == list(relation.other_is.values):
                kind = phrase.said.split(maxsplit=1)[1]
                why = f"Do you mean {self.entity.plural} that have no {kind}, or that are no {kind}?"
                raise Unbound(phrase, why=why)

    def _name_dimension(self, phrase: Phrase, *, place: int) -> str:
        dimensions: Iterable[str] = NAMED_BY[phrase.name_kind]
        if self.entity.id == "status_change" and phrase.name_kind == "status":
            dimensions = (phrase.toward,) if phrase.toward else ()
        if self.entity.id == "status_stay" and phrase.name_kind == "status":
            dimensions = ("past_status",)
        if self.entity.id == "status_period" and phrase.name_kind == "status":
            dimensions = ("period_status",)
        if phrase.name_kind == "person" and "changer" in self.reached:
            raise Unbound(phrase, why=WHOSE_CHANGES)
        if phrase.name_kind == "person" and self._is_reporter(phrase, place=place):
            dimensions = ("reporter",)
        for dimension in dimensions:
            if self.model.dimensions[dimension].reached_as in self.reached:
                return dimension
        raise Unbound(phrase)

    def _is_reporter(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether the person reported the issues: created by Levi, what Levi reported; and Levi, after those."""
        others = [one for one in self.phrases if one is not phrase]
        if self.context is not None and all(one.kind == "mark" and one.marks <= {"and", "follow"} for one in others):
            known = {one.field for one in split_conditions(self.context.where) if isinstance(one, Comparison)}
            return "reporter" in known and "assignee" not in known  # a name alone takes the place of the one before
        roles = {other: state.role for other, state in self.states.items()}
        creating = [
            other for other, one in enumerate(self.phrases)
            if any(sense.name == "reporter" for sense in one.senses) or roles.get(other) == "created"
        ]  # fmt: skip
        return bool(creating) and (phrase.by or any(other == place + 1 for other in creating) or place - 1 in creating)

    def _sprints(self, phrase: Phrase) -> Condition:
        if phrase.predicate:
            told = NamedCondition(predicate=phrase.predicate)
            current = told if "sprint" in self.reached else self._in_period(told, phrase=phrase)
            return Not(part=current) if phrase.is_negated else current
        if phrase.is_vague:
            raise Unbound(phrase, why=f"How many sprints are '{phrase.said}'?")
        where = self._which_sprints(phrase)
        if "sprint" in self.reached:
            carried = any(state.predicate == "carried_over" for state in self.states.values())
            is_current = phrase.names and all(name.state == "active" for name in phrase.names) and not phrase.edge
            is_pair = phrase.said.lower().count("sprint ") > 1 and " to " in phrase.said.lower()
            if carried and (is_current or is_pair or "to" in self.marks):
                raise Unbound(phrase, why=CARRIED_FROM, is_final=True)
            states = self.states.values() if phrase.is_negated else ()
            if any(state.predicate and self.model.predicates[state.predicate].was for state in states):
                raise Unbound(phrase)  # blocked, but not in sprint 7
            self._refuse_events_of_issues()
            return Not(part=where) if phrase.is_negated else where
        if self.entity.membership is None:
            raise Unbound(phrase)
        self.cost += 0.3
        condition = self._in_period(where, phrase=phrase)
        return Not(part=condition) if phrase.is_negated else condition

    def _refuse_events_of_issues(self) -> None:
        """Refuse what happened to issues at any time beside a sprint: points | re-estimated | in sprint 8."""
        for state in self.states.values():
            role = self.model.time_roles[state.role] if state.role else None
            is_event = role is not None and role.relation is not None and role.end is None
            if is_event and not state.is_own and not self._own_states():
                raise Unbound(state.phrase)

    def _in_period(self, where: Condition, *, phrase: Phrase) -> Condition:
        is_closed = phrase.predicate == "sprint_closed" or any(name.state == "closed" for name in phrase.names)
        for place, state in self.states.items():
            is_past = is_said_of_past(self.phrases, place=place)
            is_past |= is_closed and not is_said_of_now(self.phrases, place=place)  # which are blocked: now
            is_ever = state.phrase.is_ever and phrase.start < state.phrase.start  # issues of sprint 5 ever blocked
            role = self.model.time_roles[state.role] if state.role else None
            if role is not None and role.relation and phrase.is_negated:
                raise Unbound(phrase)  # blocked, but not in sprint 7
            is_past |= role is not None and bool(role.relation) and role.end is None
            if role is not None and role.relation and is_past and not is_ever:
                state.is_counted = True
                self.redundant.append(state.phrase)
                during = InPeriod(how="during", role=role.id, where=where)
                return And(parts=(InPeriod(where=where), Not(part=during))) if state.phrase.is_negated else during
            if role is None or state.phrase.is_negated:
                continue
            if not state.predicate:
                raise Unbound(state.phrase, why=f"I cannot tell what was {state.phrase.said} while a sprint ran.")
        return InPeriod(where=where)

    def _keys(self, phrase: Phrase, *, place: int) -> Condition:
        if self.measures == ["done_rate"]:
            phrase = replace(phrase, name_kind="epic")  # the progress of | X
        if phrase.name_kind:
            return is_among(self._name_dimension(phrase, place=place), values=list(phrase.keys),
                            is_negated=phrase.is_negated)  # fmt: skip
        if self.entity.id == "link" and any(
            other < place and state.predicate == "blocking" for other, state in self.states.items()
        ):
            return is_among("linked_issue", values=list(phrase.keys), is_negated=phrase.is_negated)
        named = is_among("issue", values=list(phrase.keys), is_negated=phrase.is_negated)
        stays = next((name for name, one in self.entity.relations.items() if one.entity == "membership"), "")
        is_of_stays = bool(stays) and any(one.is_plural and one.has_entity(self.entity.id) for one in self.phrases)
        if "issue" not in self.reached and (not is_of_stays or self.measures or phrase.is_negated):
            raise Unbound(phrase)
        return named if "issue" in self.reached else Has(relation=stays, where=named)  # the sprints of an issue

    def _read_bound(self, phrase: Phrase, *, place: int) -> list[Condition]:
        if phrase.edge == "times":
            return [self._count_repetitions(phrase, place=place)]
        if phrase.edge == "within":
            raise Unbound(phrase)
        if phrase.is_days and not phrase.senses:
            return [self._compare_duration(phrase, place=place)]
        counted = self._is_limit(phrase, place=place)
        if counted:
            self.having += [
                MeasureLimit(measure=self._find_limited(phrase), op=operator_of(one), value=number_of(one))
                for one in (phrase, *phrase.alternatives)
            ]
            self.used.add(place)
            return []
        first = self._compare(phrase)
        return [first, *(self._compare(one, senses=phrase.senses) for one in phrase.alternatives)]

    def _find_limited(self, phrase: Phrase) -> str:
        """Return the measure that a limit names, the only one in its unit, or the only one."""
        named = [sense.name for sense in phrase.senses if sense.name in self.measures]
        if len(named or self.measures) > 1:
            raise Unbound(phrase)
        return (named or self.measures)[0]

    def _is_limit(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether groups are limited by their number: teams with more than 5 open bugs."""
        if not (self.groups and self.measures):
            return False
        names = {sense.name for sense in phrase.senses}
        is_unit = "points" in names and self.model.measures[self.measures[0]].unit.startswith("points")
        return not names or is_unit or bool(names & {*self.measures, self.entity.id})

    def _compare(self, phrase: Phrase, *, senses: tuple[Sense, ...] = ()) -> Comparison:
        dimension = self._find_counted(phrase) or self._dimension_of(
            phrase if phrase.senses else replace(phrase, senses=senses)
        )
        term = self.model.dimensions.get(dimension)
        if phrase.than and term is not None and not phrase.is_negated:
            is_of_hours = "share" in self.marks and dimension == "spent_hours_of_issue"
            self.parts += [NamedCondition(predicate="has_hours")] if is_of_hours else []  # of which it can be true
            return Comparison(field=dimension, op=operator_of(phrase), than=phrase.than)
        is_misfit = phrase.is_days and (phrase.op is None or term is None or term.unit != "days")
        if term is None or term.type != "number" or is_misfit:
            raise Unbound(phrase)
        op = NEGATED[operator_of(phrase)] if phrase.is_negated else operator_of(phrase)
        return Comparison(field=dimension, op=op, values=(number_of(phrase),))

    def _has_rows(self, phrase: Phrase) -> Condition:
        """Return that related rows exist or not: sprints that carried nothing over, epics with open bugs."""
        is_subject = any(one.has_entity(self.entity.id) for one in self.phrases) or self._is_about_types()
        if not is_subject and not ("who" in self.marks and self.entity.id == "person"):
            raise Unbound(phrase)
        (first, *further) = phrase.alternatives
        owner = next((one for one in self.entity.joins if first.has_entity(one)), "")
        if owner and not further and phrase.number is None:  # people in no team
            return Comparison(field=owner, op=Operator.IS_NULL if phrase.is_negated else Operator.IS_NOT_NULL)
        relations = sorted(self.entity.relations.items(), key=lambda one: (
            not any(inside.has_entity(one[1].entity) for inside in phrase.alternatives), one[1].entity != self.entity.id
        ))  # fmt: skip
        for name, relation in relations:
            related = type(self)(phrase.alternatives, entity=relation.entity, lexicon=self.lexicon)
            related.is_past = tells_of_past_sprints(self.phrases, place=self.phrases.index(phrase))
            try:
                where = related.read_related(by=relation.by)
            except (Unbound, ValueError):
                continue
            if not self._fits_relation(relation, phrase=phrase, where=where):
                continue
            if relation.entity != "status_change":  # of a change nothing else is said
                self._refuse_behind(phrase)
            where = self._limit_to_open(where, relation=relation, phrase=phrase)
            has = Has(relation=name, where=where, at_least=int(phrase.number or 1))
            if not phrase.is_negated:
                return has
            self.parts += list_decided(where, entity=self.entity.id, model=self.model)
            return Not(part=has)
        raise Unbound(phrase)

    def _fits_relation(self, relation: Relation, *, phrase: Phrase, where: Condition | None) -> bool:
        """Return whether the rows are those of the relation: the issues of an epic, what a person reported."""
        if relation.by is not None:
            acts = {sense.name for sense in phrase.alternatives[0].senses if phrase.is_act and sense.form == "verb"}
            return bool(acts & {"reporter", "created"}) == (relation.by == "reporter")
        if any(is_sprints(one) for one in phrase.alternatives) and relation.entity not in ("sprint", "issue"):
            return False
        if relation.entity != self.entity.id:
            are_issues = any(one.has_entity("issue") or one.name_kind == "type" for one in phrase.alternatives)
            return not (are_issues and self.entity.id == "issue")
        ours = [self._names(one, place=-1) for one in self.phrases if one.name_kind == "type" and not one.is_negated]
        return relation.row_is in ours or relation.other_is in split_conditions(where)

    def read_related(self, *, by: str | None) -> Condition | None:
        """Parse phrases that restrict the rows of this entity. The `by` relation is implied."""
        self.is_fragment = self.is_related = True
        self._find_states()
        self._attach_times()
        for place, phrase in enumerate(self.phrases):
            known = {self.entity.id, "issue"} if self.entity.id == "membership" else {self.entity.id}
            is_by = any((sense.name, sense.form) == (by, "verb") for sense in phrase.senses)
            if by == "assignee" and place in self.states and self.states[place].predicate == "assigned":
                is_by = bool(self.states.pop(place))  # those that they have are assigned
            is_by |= self._reads_stay(place)
            if is_by or (phrase.kind == "term" and any(phrase.has_entity(one) for one in known)):
                self.used.add(place)
        self._read_conditions()
        left = [phrase for place, phrase in enumerate(self.phrases) if place not in self.used]
        if left:
            raise Unbound(left[0])
        return join_conditions([part for place in sorted(self.part_of) for part in self.part_of[place]])

    def _require_absence(self, phrase: Phrase) -> Condition:
        membership = self.entity.membership
        if membership is not None and phrase.has_entity(membership.role) and phrase.is_ever:
            op = Operator.GT if phrase.is_negated else Operator.EQ
            return Comparison(field=self.settings["counted"][membership.role], op=op, values=(0,))
        if membership is not None and phrase.has_entity(membership.role):
            if phrase.is_ever:
                return Not(part=Has(relation=membership.relation))
            affirmed = InPeriod(where=Comparison(field=membership.role, op=Operator.IS_NOT_NULL))
            return affirmed if phrase.is_negated else Not(part=affirmed)
        dimension = self._dimension_of(phrase)
        if not dimension:
            raise Unbound(phrase)
        op = Operator.IS_NOT_NULL if phrase.is_negated else Operator.IS_NULL
        absent = Comparison(field=dimension, op=op)
        known = self.model.predicates.values()
        named = next((one.id for one in known if one.comparison == absent and one.entity == self.entity.id), "")
        return NamedCondition(predicate=named) if named else absent

    def _measured_period(self, phrase: Phrase) -> Condition:
        known = split_conditions(self.context.where) if self.context is not None else ()
        if said := next((part for part in known if isinstance(part, TimeRange)), None):
            found, assumed = to_range_beside(phrase, beside=said, ahead=self.settings["ahead"]["times"])
            self.assumptions += assumed
            return found
        times = [self.model.measures[one].time for one in self.measures] or self._list_own_times()
        if self.states and not (times and all(times)):
            raise Unbound(phrase)
        if not times or not all(times) or phrase.is_negated:
            why = f"Does '{phrase.said}' mean when issues were created, or when they were done?"
            raise Unbound(phrase, why=why if self.entity.id == "issue" else "")
        return to_range(phrase, role=None if self.measures else times[0])

    def _state(self, state: State, *, place: int) -> list[Condition]:
        phrase = state.phrase
        condition = self._holds(state)
        if condition in PLANNED and self._is_put_ahead():
            condition = NamedCondition(predicate="member_now")
        is_plain = phrase.is_negated and not state.periods and not phrase.alternatives
        if is_plain and isinstance(condition, NamedCondition) and self.model.predicates[condition.predicate].opposite:
            return [NamedCondition(predicate=str(self.model.predicates[condition.predicate].opposite))]
        if phrase.alternatives:
            self._refuse_lost_sides(state)
            condition = self._either(phrase, condition) if condition is not None else None
        parts = [condition] if condition is not None else []
        times = [self._time_of(one, state=state) for one in state.periods]
        if len(times) > 1:
            return [*parts, *self._compare_times(state, times)]
        found = [*parts, *times]
        if phrase.is_negated and found:
            return [Not(part=found[0] if len(found) == 1 else And(parts=tuple(found)))]
        return found

    def _holds(self, state: State) -> Condition | None:
        """Return the condition of a state. None if its time or the measure implies it."""
        if state.phrase.is_ever and not state.is_counted:
            return self._happened_ever(state)
        if before := self._find_state_of_then(state):
            return NamedCondition(predicate=before)
        lasts = bool(state.role) and bool(self.model.time_roles[state.role].relation)
        if state.is_measured or state.is_counted or (state.periods and lasts):
            return None
        if state.predicate and not self._happened_then(state):
            self._refuse_other_sprints(state)
            return NamedCondition(predicate=state.predicate)
        if not state.periods and not state.has_grain and not self._is_trivial(state):
            return self._has_come(state)
        return None

    def _happened_then(self, state: State) -> bool:
        """Return whether a verb says what happened in its time, not what is so now: started in October."""
        is_timed = bool(state.periods) or state.has_grain
        own = {sense.name for sense in state.phrase.senses if (sense.kind, sense.form) == ("time", "verb")}
        return is_timed and state.role in own and self.model.predicates[state.predicate].time is None

    def _has_come(self, state: State) -> Condition:
        """Return that a moment has come at all, if it may be missing: not started, not due."""
        came = self._find_moment(state.role)
        if not came or not state.phrase.is_negated:
            raise Unbound(state.phrase)
        return Comparison(field=came, op=Operator.IS_NOT_NULL)

    def _time_of(self, phrase: Phrase, *, state: State) -> TimeRange:
        if self.model.time_roles[state.role].relation and self.model.time_roles[state.role].entity != self.entity.id:
            raise Unbound(state.phrase)  # blockages that were blocked in May: began then, or of issues that were
        role = None if state.is_measured else state.role
        if role in self.settings["last_only"]["times"]:
            self.assumptions.append(f"Only the last time that each was {state.phrase.said} is known.")
        if state.role in self.settings["ahead"]["times"] and not state.phrase.said.lower().endswith("ed"):
            found, assumed = to_range_ahead(phrase, role=role, said=state.phrase.said)
            self.assumptions += assumed
            return found
        if phrase.period and phrase.period.is_ahead:
            raise Unbound(phrase, why=AHEAD.format(said=phrase.said))
        is_moment = state.role in self.settings["at_a_time"].values()
        return to_moment(phrase, role=state.role) if is_moment else to_range(phrase, role=role)

    def _compare_times(self, state: State, times: Sequence[TimeRange]) -> list[Condition]:
        link = self.phrases.index(state.periods[1]) - 1
        is_compared = bool(self.marks & {"versus", "compare", "more", "fewer"})
        is_list = not self.measures and self.model.time_roles[state.role].is_moment  # closed yesterday and today
        is_one = bool(self.phrases[link].marks & {"or", "and" if is_list else "or"}) or "together" in self.marks
        is_either = is_one and not is_compared and not times[2:]
        is_apart = bool(self.measures) and (is_compared or "and" in self.marks)
        if state.phrase.is_negated or not (is_either or is_apart):
            raise Unbound(state.periods[1])
        if is_either or (self.is_ranked and not is_compared):
            self.used |= {link} if is_either else set()
            return [Or(parts=tuple(times))]
        self.sides += [Side(label=one.said, where=time) for one, time in zip(state.periods, times, strict=True)]
        return []

    def _is_trivial(self, state: State) -> bool:
        """Return whether every row has that moment, so that the word alone filters nothing."""
        place = self.phrases.index(state.phrase)
        links = [one for one in self.phrases[max(place - 2, 0) : place + 3] if "and" in one.marks]
        others = [one for one in self.states.values() if one is not state and one.role and not one.is_measured]
        is_listed = any(" and " in one.phrase.said for one in others)  # created, | closed and reopened
        if (links or is_listed) and others and not state.is_measured:
            return False  # created issues and resolved issues: of which both is true, or both numbers
        if self.entity.id == "membership" and self._groups_sprints():
            return False  # which sprint had the most bugs | created: then, or those in it
        is_now = find_verb(self.phrases, place=place) in ("is", "are") and not state.has_grain
        if is_now and state.role == "created" and state.phrase.said.lower() == "opened":
            return False  # are opened: are open, or were created
        is_counted = any(
            sense.kind == "measure" and not self.model.measures[sense.name].where for sense in state.phrase.senses
        )
        is_known = bool(self.measures) or self._has_person() or self.is_related
        return is_counted and not state.phrase.is_negated and is_known
