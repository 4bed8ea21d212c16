"""Measures of a question: its nouns, and the numbers that they and its states request."""

from collections.abc import Sequence
from itertools import pairwise

from sprints.semantics.enums import Operator
from sprints.semantics.query import Comparison, DimensionGroup, MeasureLimit, TimeGroup
from sprints.semantics.questions.actors import is_choice_of_teams, limits_owner
from sprints.semantics.questions.phrase import NOTHING, Phrase, is_sprints, phrase_at
from sprints.semantics.questions.terms import BOTH_OR_EACH, NAMED_BY, State, Unbound
from sprints.semantics.questions.units import Units

UNITS = ("points", "issues")
EITHER = "Do you mean one number of all that are either, or a number for each?"
ISSUES_OR_POINTS = "Do you mean points or issues?"
NO_ACT = "I can say who has no such issues, or whose issues are not so. Which do you mean?"


class Measures(Units):
    """Units with the measures or rows of the question."""

    def _read_nouns(self) -> None:
        places = [
            place for place, phrase in enumerate(self.phrases)
            if place not in self.used and phrase.kind in ("term", "group")
            and any(one.form == "noun" for one in phrase.senses)
        ]  # fmt: skip
        for number, place in enumerate(places):
            self.used.add(place)
            self._read_noun(self.phrases[place], place=place, is_first=number == 0)
        if "who" in self.marks and self.entity.id == "person":
            self.mentions_entity = True
        elif "who" in self.marks and (not self.columns or self._tells_who()) and not self._is_grouped_by_people():
            self._read_who()

    def _is_grouped_by_people(self) -> bool:
        """Return whether the people that are asked for have their noun: who are | the top 3 | reporters."""
        return any(DimensionGroup(dimension=name) in self.groups for name in NAMED_BY["person"] + ("reporter",))

    def _read_noun(self, phrase: Phrase, *, place: int, is_first: bool) -> None:
        if phrase.has("unit"):
            self._read_unit(phrase)
        else:
            self._read_rows_or_measure(phrase, place=place, is_first=is_first)

    def _read_rows_or_measure(self, phrase: Phrase, *, place: int, is_first: bool) -> None:
        measures = [one.name for one in phrase.senses if one.kind == "measure" and one.form == "noun"]
        ours = [one for one in measures if self.model.measures[one].entity == self.entity.id]
        is_counted = self.entity.count in ours or not ours or "how_much" not in self.marks
        if is_counted and phrase.has_entity(self.entity.id):
            self.mentions_entity = True
            return
        if phrase.has_entity("issue") and self.entity.id == "membership" and "how_much" not in self.marks:
            self.mentions_entity = True
            self.unit_noun = self.unit_noun or "issues"
            return
        if self._read_unit_or_whole(phrase):
            return
        is_sprints = self.entity.id == "membership" and phrase.is_plural and phrase.has_entity("sprint")
        is_place = phrase.is_apart or "to" in phrase_at(self.phrases, place=place - 1).marks  # removed from | sprints
        is_place = is_sprints and (is_place or not is_first or "share" in self.marks)
        if phrase.name_kind or is_place or (not phrase.is_plural and self._is_kind_noun(phrase, place=place)):
            return
        if "points" in measures and self._takes_points(phrase, place=place):
            return
        dimension = self._dimension_of(phrase)
        self._refuse_order(dimension, phrase=phrase, before=phrase_at(self.phrases, place=place - 1))
        is_of_listed = self._is_of_listed_rows(phrase, place=place)
        if dimension and not (ours or is_of_listed) and self._is_group_of(phrase, place=place, is_first=is_first):
            self.subject_is_plural, self.has_owners = phrase.is_plural, True
            self._refuse_negated_acts(phrase)
            self._group_by(dimension, phrase=phrase)
            self.parts.append(Comparison(field=dimension, op=Operator.IS_NOT_NULL))
            return
        self._read_measure_or_property(phrase, place=place, measures=ours, is_of_listed=is_of_listed)

    def _is_group_of(self, phrase: Phrase, *, place: int, is_first: bool) -> bool:
        """Return whether a noun is what the question is about, so that rows are grouped by it: the label with most."""
        before = next((one for one in self.phrases[:place][::-1] if one.name_kind != "team"), NOTHING)
        is_ranked = before.kind == "rank" and not before.senses
        is_subject = is_first and (is_ranked or not self.marks & {"how_many", "how_much"})
        is_subject = is_subject and (phrase.is_plural or self._is_asked_which(place))
        is_subject = is_subject and all(one.quantifier != "each" for one in self.phrases) and not self._ranks_one_row()
        return is_subject and self._is_group_subject(self._dimension_of(phrase))

    def _read_measure_or_property(
        self, phrase: Phrase, *, place: int, measures: Sequence[str], is_of_listed: bool
    ) -> None:
        """Read a noun as a number over all rows, a number of each listed row, or a property to show."""
        dimension = self._dimension_of(phrase)
        is_listed = self._has_key() or (self.is_ranked and self._lists_issues() and not self.groups)
        if measures and is_of_listed and not (is_listed or self.groups):
            is_listed = bool(dimension)
            if not dimension:
                self._group_by("" if self.entity.id == "issue" else self.entity.id, phrase=phrase)
        if measures and not (dimension and is_listed):
            self.measures.append(measures[0])
            is_of_sprints = any(self.model.measures[s.name].entity == "membership" for s in phrase.senses
                                if s.kind == "measure") and any(map(is_sprints, self.phrases))  # fmt: skip
            self.cost += 1.0 if self.entity.id == "issue" and is_of_sprints else 0.0  # what was completed in it
        elif dimension and not self.marks & {"how_many", "how_much"} and not self._is_kind_noun(phrase, place=place):
            is_of_each = phrase.is_plural and self.entity.id == "sprint"
            self.mentions_entity |= is_of_each and self.model.dimensions[dimension].entity == self.entity.id
            self.columns.append(dimension)
        elif not self._is_kind_noun(phrase, place=place):
            raise Unbound(phrase)

    def _read_unit(self, phrase: Phrase) -> None:
        """Read the unit of verbs: hours that were logged, hours estimated and spent."""
        unit = next(sense.name for sense in phrase.senses if sense.kind == "unit")
        verbs = [
            (place, measure.id) for place, one in enumerate(self.phrases) if one.kind == "term" and not one.is_negated
            for sense in one.senses if sense.kind == "measure" and sense.form == "verb"
            for measure in [self.model.measures[sense.name]]
            if measure.unit == unit and measure.entity == self.entity.id
            and not (phrase.said.lower() == "time" and one.said.lower().startswith("spen"))  # in a status, or blocked
        ]  # fmt: skip
        if not verbs:
            raise Unbound(phrase)
        for place, measure in verbs:
            self.measures.append(measure)
            self.used.add(place)
            if place in self.states:
                self.states[place].is_measured = True

    def _takes_points(self, phrase: Phrase, *, place: int) -> bool:
        """Read points as those of each row, as the unit, or as the measure of rows that have one: scope change."""
        is_of_rows = not self.groups or phrase.is_owned
        if self.entity.id == "issue" and is_of_rows and self._is_of_listed_rows(phrase, place=place):
            self.columns.append("story_points")
            return True
        if self.entity.id in ("issue", "membership", "sprint"):
            self.unit_noun = "points"
            return True
        if self.measures not in ([], [self.entity.count]) or not self.mentions_entity:
            return False
        known = self.model.measures.values()
        found = next((one.id for one in known if one.entity == self.entity.id and one.unit == "points"), "")
        self.measures = [found] if found else self.measures
        return bool(found)

    def _is_kind_noun(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether it only names the kind of the name beside it: team ACCEL, the label security."""
        kinds = {sense.name for sense in phrase.senses if sense.kind in ("dimension", "entity")}
        kinds |= {"type"} if "issue_type" in kinds else set()
        beside = [phrase_at(self.phrases, place=other) for other in (place - 1, place + 1)]
        named = [one for one in beside if one.kind == "names" and one.name_kind in kinds]
        return any(phrase.said.lower()[:-1] not in one.said.lower() for one in named)  # teams, of team ACCEL

    def _refuse_order(self, dimension: str, *, phrase: Phrase, before: Phrase) -> None:
        """Refuse to rank the values of a text, as opposed to the numbers of its rows: the highest priority."""
        is_text = bool(dimension) and not phrase.is_plural and self.model.dimensions[dimension].type == "text"
        is_rank = before.kind == "rank" and before.number is None
        is_valued = bool(before.marks & {"best", "worst"}) and any(
            one.kind in ("term", "group") and one.has("measure", form="noun") and not one.has("entity")
            for one in self.phrases
        )  # the best sprint | by velocity
        if is_text and is_rank and not (is_valued or {"most", "fewest", "least"} & {*before.said.lower().split()}):
            raise Unbound(phrase, why=f"I do not know the order of {self.model.dimensions[dimension].label}.")

    def _is_group_subject(self, dimension: str) -> bool:
        """Return whether rows are grouped by it: it names other rows, and is not only a property to list."""
        term = self.model.dimensions[dimension]
        is_other = term.reached_as != self.entity.id or dimension in ("label", "status", "issue_type", "priority")
        is_counted = any(phrase.kind in ("rank", "bound") for phrase in self.phrases)
        is_counted = is_counted or bool({"most", "fewest"} & self.marks)
        return term.groupable and is_other and (is_counted or self._says_of_what()) and not self._has_key()

    def _read_who(self) -> None:
        """Read whom the verbs of its clause ask for: who reported it, and when was it created."""
        who, clause = self._find_clause("who")
        if is_choice_of_teams(self.phrases):
            self._group_by("team", phrase=who)
            return
        verbs = [phrase for phrase in clause if phrase.has("dimension", form="verb")]
        dimension = "assignee" if "assignee" in self.reached else ""
        dimension = "reporter" if dimension and self._asks_for_reporters(clause) else dimension
        if not dimension or not (self._says_of_what() or self._has_key() or self.measures or self._has_place()):
            raise Unbound(who)
        has_it = any("have" in phrase.marks for phrase in clause) and not any(one.has("predicate") for one in clause)
        is_bare = all(one.kind == "key" or one.marks & {"who", "be"} for one in self.phrases)  # who is on ACCEL-100
        if self._has_key() and not (verbs or has_it or is_bare):
            raise Unbound(who)  # who started it: nobody says that this is the assignee
        self._refuse_negated_acts(who)
        if self._has_key() or (self._ranks_one_row() and not verbs and not any(
            one.has("predicate", form="verb") for one in clause
        )):  # fmt: skip
            self.columns.append(dimension)
            self.states = {place: one for place, one in self.states.items() if one.phrase not in verbs}
        else:
            self.has_owners = True
            self.groups.append(DimensionGroup(dimension=dimension))
            self.parts.append(Comparison(field=dimension, op=Operator.IS_NOT_NULL))

    def _tells_who(self) -> bool:
        """Return whether a verb asks for the owner of a named issue, beside its other properties."""
        return self._has_key() and any(one.has("dimension", form="verb") for one in self._find_clause("who")[1])

    def _refuse_negated_acts(self, phrase: Phrase) -> None:
        """Refuse negated acts such as who did not close anything: the rows of others are not the answer."""
        said = [state.phrase for state in self.states.values()]
        is_undone = "have" in self.marks and any(one.said.lower().startswith("not ") for one in said)
        if is_undone or any(one.is_negated and one.has("predicate", "time", form="verb") for one in said):
            raise Unbound(phrase, why=NO_ACT)

    def _choose_measures(self) -> None:
        self._measure_limits()
        asks_number = {"how_many", "how_much", "share", "trend", "average", "versus", "compare", "breakdown"}
        is_measured = bool(self.groups) or bool(self.marks & asks_number)
        is_compared = bool(self.marks & {"versus", "compare"}) or self._has_moments_joined()
        if "how_often" in self.marks:
            self._measure_repetitions()
        if self._measure_both_sides():
            return
        if is_compared:
            self._compare_with_states()
        is_compared = is_compared or self._has_verbs_joined()
        told = [state for state in self.states.values() if state.is_own or not state.predicate]
        self._compare_states(told if is_compared else [])
        if not self.measures and is_compared and len(told) > 1:
            self.measures = [self._measure_of(state) for state in told]
        elif not self.measures and self._is_unit_of_measure() and not self._is_point_list():
            self.measures = [self._points_measure()]
        elif not self.measures and is_measured:
            self.measures = [self._count_measure()]
            if "how_many" not in self.marks:
                self._add_points()
        self._group_ranked_rows()
        self._apply_aggregates()
        self._take_units_of_sprints()
        self._join_units()
        if self.columns and self.measures:
            self._columns_as_groups()

    def _compare_with_states(self) -> None:
        """Add the measures of states to that of a noun: commitment versus completed, in points and issues."""
        if self.measures and self._own_states() and self.entity.id == "membership":
            unit = self.model.measures[self.measures[0]].unit
            if self.unit_noun not in ("", unit):
                raise Unbound(next((one for one in self.phrases if self.unit_noun in one.said.lower()), None))
            said = " ".join(one.said.lower() for one in self.phrases)
            is_of_both = not (self.unit_noun or "point" in said or "issue" in said)  # commitment
            self.measures = self._measure_in_units(self._own_states(), units=UNITS if is_of_both else (unit,))

    def _compare_states(self, told: Sequence[State]) -> None:
        """Compare states in points and issues if no unit is said. Refuse what nobody counts: two sprints."""
        if self.measures or self.mentions_entity or self.unit_noun:
            return
        compared = next((one for one in self.phrases if one.marks & {"compare", "versus"}), None)
        if self.entity.id == "membership" and told and not any(one.name_kind == "type" for one in self.phrases):
            if not (self._groups_sprints() or any(map(is_sprints, self.phrases))):
                raise Unbound(None, why="Of which sprints?")
            self.measures = self._measure_in_units(told, units=UNITS)
        if compared is not None and not (told or self._says_of_what()):
            raise Unbound(compared)

    def _measure_in_units(self, told: Sequence[State], *, units: Sequence[str]) -> list[str]:
        """Return the measures of states, and those named, in each unit: in points and issues if none is said."""
        found = []
        for self.unit_noun in units:
            found += [self._measure_of(state) for state in told]
            found += [self._find_in_unit(one, unit=self.unit_noun) or one for one in self.measures]
        return found

    def _group_ranked_rows(self) -> None:
        """Group by the rows themselves if they are ranked by their related rows: the sprints with the most points."""
        dimension = self.model.dimensions.get(self.entity.id)
        is_best = any(
            one.kind == "rank" and one.marks & {"best", "worst"} and behind.has_entity(self.entity.id)
            for one, behind in pairwise(self.phrases)
        )  # the best sprint | of each team
        is_asked = self.measures and self.is_ranked and self.mentions_entity and (is_best or not self.groups)
        if is_asked and dimension is not None and dimension.groupable:
            self.groups.append(DimensionGroup(dimension=dimension.id))
            terms = [one for one in self.phrases if one.kind == "term"]
            self.subject_is_plural = any(one.is_plural and one.has("entity") for one in terms)

    def _measure_limits(self) -> None:
        """Add the measures that limit groups: sprints with more than 20 carried-over points, a velocity above 40."""
        limits = [one for one in self.phrases if one.kind == "bound"]
        named = {sense.name for one in limits for sense in one.senses if sense.kind == "measure"}
        is_own = any(self.model.measures[one].entity == "sprint" == self.entity.id for one in named)
        if is_own and self.mentions_entity and not (self.groups or self.measures):
            self.groups.append(DimensionGroup(dimension="sprint"))
        if self.measures or not self.groups:
            return
        if any(limits_owner(one, before=self.phrases[: self.phrases.index(one)]) for one in limits):
            self.unit_noun = "points"
            self.measures = [self._points_measure()]
            if self._groups_sprints():
                self._leave_out_future()
            return
        known = [
            sense.name for one in limits if not one.has("dimension") for sense in one.senses if sense.kind == "measure"
        ]  # fmt: skip
        self.measures = [one for one in known if self.model.measures[one].entity == self.entity.id][:1]

    def _measure_repetitions(self) -> None:
        states = [state for state in self._own_states() if state.predicate in self.settings["repetitions"]]
        if len(states) != 1 or states[0].phrase.is_negated:
            raise Unbound(next(one for one in self.phrases if "how_often" in one.marks))
        if timed := next((one for one in (*states[0].periods, *filter(is_sprints, self.phrases))), None):
            raise Unbound(timed)  # all its repetitions are counted, whenever they were
        self.measures, states[0].is_counted = [self.settings["repetitions"][states[0].predicate]], True

    def _measure_both_sides(self) -> bool:
        """Compare two measures: more points completed than committed."""
        at = next((place for place, one in enumerate(self.phrases) if one.kind == "than"), None)
        if at is None:
            return False
        phrase = self.phrases[at]
        if self.entity.id == "membership" and not self.unit_noun and not self.measures and not self.mentions_entity:
            raise Unbound(phrase, why=ISSUES_OR_POINTS)
        sides = [self._measures_in(range(at)), self._measures_in(range(at + 1, len(self.phrases)))]
        if any(len(side) != 1 for side in sides) or self.marks & {"how_many", "share", "trend"}:
            raise Unbound(phrase)
        (first,), (second,) = sides
        people = {DimensionGroup(dimension=one) for one in ("assignee", "reporter")}
        if people & {*self.groups} and "created_issues" in (first, second):
            raise Unbound(phrase)  # who created is the reporter, who closed the assignee
        self.measures = [first, second]
        self.used.add(at)
        if self.model.measures[first].unit != self.model.measures[second].unit:
            raise Unbound(phrase, why=ISSUES_OR_POINTS)
        if self.groups:
            self.having.append(MeasureLimit(measure=first, op=phrase.op or Operator.GT, than=second))
        return True

    def _measures_in(self, places: range) -> list[str]:
        """Return the measures of the nouns and states of a side."""
        nouns = [
            sense.name for place in places if self.phrases[place].kind == "term" for sense in self.phrases[place].senses
            if sense.kind == "measure" and sense.form == "noun" and sense.name in self.measures
        ]  # fmt: skip
        states = [self.states[place] for place in places if place in self.states and self.states[place].is_own]
        return list(dict.fromkeys(nouns)) or [self._measure_of(one) for one in states if self._has_measure(one)]

    def _has_measure(self, state: State) -> bool:
        was_measured = state.is_measured
        try:
            self._measure_of(state)
        except Unbound:
            return False
        finally:
            state.is_measured = was_measured
        return True

    def _is_counted_kind(self) -> bool:
        """Return whether issues are counted implicitly: open bugs by team, the team with most p0."""
        others = ("share", "average", "versus", "compare")
        return any(one.name_kind == "type" for one in self.phrases) or self.is_ranked or bool(self.marks & set(others))

    def _add_points(self) -> None:
        """Add points to the number of issues for "how much", which leaves the unit open, and to scope changes."""
        is_counted = any(one.has_entity("scope_change") and one.is_plural for one in self.phrases)
        if self.entity.id == "scope_change" and not (self.is_ranked or is_counted):
            self.measures = ["scope_change_points_total", *self.measures]
        is_open = "how_much" in self.marks or self.entity.id == "membership"
        if self.mentions_entity or self._is_counted_kind() or not is_open:
            return
        states = [state for state in self._own_states() if not state.phrase.is_negated]
        if self.entity.id == "issue":
            self.measures = ["points", *self.measures]
        elif self.entity.id == "membership" and len(states) == 1:
            self.unit_noun = "points"
            self.measures = [self._measure_of(states[0]), *self.measures]

    def _has_moments_joined(self) -> bool:
        """Return whether two moments are counted side by side: created and done each month; did we open and close."""
        moments = [state for state in self.states.values() if state.role]
        are_acts = "how_many" in self.marks and all(one.form == "verb" for at in moments for one in at.phrase.senses)
        is_told = any(one.name_kind == "person" or one.said.lower().endswith("ed") for one in self.phrases)
        is_each = any(isinstance(one, TimeGroup) for one in self.groups) or (are_acts and not is_told)
        return is_each and len({state.role for state in moments}) > 1  # Levi created as reporter, closed as assignee

    def _has_verbs_joined(self) -> bool:
        """Return whether two verbs with their own prepositions are counted side by side: added to and removed from."""
        places = [place for place, state in self.states.items() if state.is_own and not state.phrase.is_negated]
        if self.entity.id != "membership" or len(places) < 2 or self.measures:  # noqa: PLR2004 - the two
            return False
        is_counted = "how_many" in self.marks or self.unit_noun == "points"
        if places[2:]:
            if is_counted and "and" in self.marks:
                raise Unbound(None, why=BOTH_OR_EACH.replace("both is", "all of that is"))
            return False
        first, second = places
        links = [one for one in self.phrases[first + 1 : second] if "and" in one.marks and one.said.lower() != "but"]
        if not links or ("which" in self.marks and self.mentions_entity):
            return False
        end = self.phrases[first].start + len(self.phrases[first].said)
        has_sprint = any(is_sprints(one) for one in self.phrases[first + 1 : self.phrases.index(links[0])])
        if has_sprint and any(one.is_of_issues for one in self.phrases) and "how_many" not in self.marks:
            return False  # issues | committed in sprint 8 | and | removed
        if is_counted and (has_sprint or links[0].start <= end + 1):
            raise Unbound(None, why=BOTH_OR_EACH)
        return links[0].start > end + 1

    def _is_unit_of_measure(self) -> bool:
        return self.unit_noun == "points" or (self.unit_noun == "issues" and self.entity.id == "sprint")

    def _is_point_list(self) -> bool:
        """Return whether the points belong to a ranked list: the issues with the most points."""
        return self.mentions_entity and any(one.kind == "rank" for one in self.phrases) and not self.groups

    def _has_value(self, noun: Phrase) -> bool:
        """Return whether what follows a property is its value: status category To Do; due date: no due date."""
        value = phrase_at(self.phrases, place=self.phrases.index(noun) + 1)
        names = {sense.name for sense in noun.senses}
        is_same = value.kind == "missing" and bool(names & {sense.name for sense in value.senses})
        fields = {
            comparison.field for sense in value.senses if sense.kind == "predicate"
            if (comparison := self.model.predicates[sense.name].comparison)
        }  # fmt: skip
        is_valued = value.kind == "names" and bool(set(NAMED_BY[value.name_kind]) & names | {"reporter"} & names)
        return is_same or bool(fields & names) or is_valued

    def _columns_as_groups(self) -> None:
        """Group by the properties that the question names. One with a value has its place in a condition."""
        for column in self.columns:
            named = [one for one in self.phrases if any(sense.name == column for sense in one.senses)]
            behind = [phrase_at(self.phrases, place=self.phrases.index(one) + 1) for one in named]
            if any(one.kind == "period" for one in behind):
                raise Unbound(named[0])  # velocity, sprint ends since August
            if any(self._has_value(noun) for noun in named):
                continue
            if not self.model.dimensions[column].groupable or self.model.dimensions[column].type == "number":
                raise Unbound(None, why=f"Do you want {self.model.dimensions[column].label} listed, or a number?")
            self.groups.append(DimensionGroup(dimension=column))
        self.columns = []

    def _measure_of(self, state: State) -> str:
        """Return the measure that counts a state: created issues, completed points."""
        if state.phrase.alternatives:
            raise Unbound(state.phrase, why=EITHER)
        unit, predicate = self.unit_noun or "issues", state.predicate
        verbs = {sense.name for sense in state.phrase.senses if sense.kind == "measure" and sense.form == "verb"}
        if state.predicate == "open":
            verbs = set()  # the adjective; as a verb it has no predicate
        for measure in self.model.measures.values():
            if measure.entity != self.entity.id or measure.unit != unit or measure.ratio or not measure.additive:
                continue
            is_same_time = not state.role or measure.time == state.role
            is_same = bool(predicate) and measure.where == (predicate,) and is_same_time
            if (measure.id in verbs and unit in ("issues", "hours")) or is_same:
                state.is_measured = True
                return measure.id
        raise Unbound(state.phrase)

    def _points_measure(self) -> str:
        if self.entity.id == "issue":
            self.cost += 1.0 if any(is_sprints(phrase) for phrase in self.phrases) else 0.0
            return "points"
        if self.entity.id == "sprint":
            return self._per_sprint_measure()
        own = self._distinct_states()
        if len(own) == 1 and not own[0].phrase.is_negated:
            return self._measure_of(own[0])
        if not any(is_sprints(phrase) for phrase in self.phrases):
            raise Unbound(None, why="Do you mean the points committed, completed, or all in the sprint?")
        return "sprint_points"

    def _distinct_states(self) -> list[State]:
        """Return the states without duplicates: added after the start says the same twice."""
        return list(
            {(state.predicate, state.phrase.is_negated): state for state in reversed(self._own_states())}.values()
        )

    def _per_sprint_measure(self) -> str:
        """Return the average of a measure per sprint: "average points completed per sprint"."""
        per_sprint = DimensionGroup(dimension="sprint")
        states = [state for state in self.states.values() if state.is_measured]
        if per_sprint not in self.groups or len(states) != 1:
            raise Unbound(next((phrase for phrase in self.phrases if phrase.has("measure")), None))
        by_sprint = next((one for one in self.phrases if one.kind == "group" and one.said.lower() == "by sprint"), None)
        if by_sprint is not None:
            raise Unbound(by_sprint)  # the average of what each sprint has
        self.groups.remove(per_sprint)
        return self._find_per_sprint(states[0].phrase)

    def _count_measure(self) -> str:
        own = self._distinct_states()
        if self.entity.id == "membership":
            self.unit_noun = "issues"
            said = [one for one in own if not one.phrase.is_negated]
            if any(one.phrase.alternatives for one in said):
                return "issues_in_sprints"  # added or removed: whatever became of it besides
            is_over = not any(name.state == "active" for one in self.phrases if is_sprints(one) for name in one.names)
            if len(said) == 1 and (len(own) == 1 or (said[0].predicate == "committed" and is_over)):
                return self._measure_of(said[0])  # with those that were removed: committed, but not completed
            is_named = (
                self.mentions_entity
                or "how_many" in self.marks
                or any(one.kind == "names" and one.name_kind == "type" for one in self.phrases)
            )
            if not own and not (self._groups_sprints() and is_named):
                raise Unbound(None, why="")
            return "sprint_issues"
        if self.entity.count is None or self._counts_owners():
            raise Unbound(None, why="What is to be counted?")
        return self.entity.count
