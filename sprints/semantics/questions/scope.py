"""Checks of the scope of words: what the question says must be what the query says, or it is asked back."""

from collections.abc import Sequence
from itertools import pairwise

from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    InPeriod,
    NamedCondition,
    Not,
    TimeGroup,
    TimeRange,
)
from sprints.semantics.questions.actors import tells_of_reporters
from sprints.semantics.questions.alternatives import MASS, SIZES
from sprints.semantics.questions.lexicon import ASKING
from sprints.semantics.questions.measured_times import MeasuredTimes
from sprints.semantics.questions.measures import UNITS
from sprints.semantics.questions.phrase import NOTHING, SILENT_MARKS, Phrase, is_sprints, look_at, phrase_at
from sprints.semantics.questions.restatements import find_result_words
from sprints.semantics.questions.tense import find_verb, is_said_of_now, is_said_of_past
from sprints.semantics.questions.terms import BOTH_OR_EACH, FATES, NAMED_BY, State, Unbound

_LASTING = frozenset({"priority", "epic", "team", "issue_type", "label"})  # which hardly change
_ACTS = frozenset({"worked on", "worked", "started", "begun", "picked up"})
HOURS = (
    "Of each issue I know the hours logged in all, not when or by whom they were logged. Ask for those of issues that "
    "were done in that time, or of the issues of a sprint."
)
DONE_OF_SPRINT = "Do you mean what is done by now, or the completion rate of the sprint?"
AS_OF_NOW = "What issues are is known as of now, and what became of them in a sprint. Which of both is '{said}'?"


class Scope(MeasuredTimes):
    """A question with the checks of what it leaves out."""

    def _read_conditions(self) -> None:
        if self.measures == ["spent_hours"]:
            self._refuse_times_of_hours()
        super()._read_conditions()

    def _refuse_times_of_hours(self) -> None:
        """Refuse when hours were logged, of which only the sum is known, and say whose and which they are."""
        free = [one for place, one in enumerate(self.phrases) if one.kind == "period" and place not in self.used]
        if self.context is not None and any(isinstance(p, TimeRange) for p in split_conditions(self.context.where)):
            free = []
        sprints = [one for one in self.phrases if is_sprints(one)]
        is_of_issues = any(one.is_of_issues or one.kind == "key" for one in self.phrases)
        is_series = any(isinstance(one, TimeGroup) and one.role is None for one in self.groups)
        if free or is_series or (sprints and not is_of_issues):
            raise Unbound(None, why=HOURS, is_final=True)
        if sprints:
            self.assumptions.append("All hours of these issues are counted, whenever they were logged.")
        if self._has_person() or DimensionGroup(dimension="assignee") in self.groups:
            self.assumptions.append("Hours are counted for who has the issue; who logged them is not known.")

    def _check_scope(self) -> None:
        """Refuse words whose scope the query cannot say: ever blocked for 3 days; but for June; points of issues."""
        is_about_people = self.has_owners or any(one.has_entity("person") for one in self.phrases)
        is_bounded = any(one.kind in ("bound", "days") for one in self.phrases)
        self._refuse_second_rows()
        self._refuse_lost_relation()
        self._refuse_other_actor()
        self._refuse_property_of_others()
        self._refuse_averages_of_now()
        self._refuse_average_of_owners()
        self._refuse_lost_stays()
        self._refuse_asked_sprints()
        self._refuse_lost_scope()
        self._refuse_other_contrast()
        self._refuse_second_question()
        self._refuse_other_count()
        self._refuse_filtered_key()
        self._refuse_unsaid_both()
        self._refuse_any_sprint()
        self._refuse_intention()
        self._refuse_each_row()
        self._refuse_days_left()
        if said := find_result_words(self.phrases):
            better = " More of them is taken as better." if said == "better" else ""
            self.assumptions.append(f"Compared by the points and the issues completed in each.{better}")
        for place, phrase in enumerate(self.phrases):
            self._refuse_all_rows(phrase, before=self.phrases[place - 1] if place else phrase)
            senses = {(sense.kind, sense.form) for sense in phrase.senses}
            is_column = phrase.kind == "term" and senses == {("dimension", "noun")}
            is_left_out = phrase.is_negated and (phrase.kind == "period" or is_column)
            is_lost = phrase.quantifier == "total" and not self._is_summed()
            is_lost |= phrase.is_ever and is_bounded and not (place in self.states and self.states[place].is_counted)
            if is_lost or is_left_out or (phrase.is_only and is_about_people):
                raise Unbound(phrase)
        units = {self.model.measures[one].unit for one in self.measures}
        if self.unit_noun == "points" and units and not any(unit.startswith("points") for unit in units):
            raise Unbound(next((one for one in self.phrases if "point" in one.said.lower()), None))

    def _measure_changes_of_scope(self) -> None:
        """Measure what came into a scope, or left it, and not what of it is in there still: the scope | added."""
        own = self._distinct_states()
        is_said = any(sense.name == "sprint_issues" for one in self.phrases for sense in one.senses)
        is_changed = bool(own) and not any(one.phrase.is_negated for one in own)
        if not (is_said and is_changed) or self.measures != ["sprint_issues"]:
            return
        self.measures = []
        self.measures = self._measure_in_units(own, units=(self.unit_noun,) if self.unit_noun else UNITS)
        self._take_units_of_sprints()
        self.assumptions += ["Ranked by points."] if self.is_ranked and self.measures[1:] else []

    def _is_summed(self) -> bool:
        """Return whether each number is a sum, so that a total is no other one: the total | velocity."""
        return bool(self.measures) and all(self.model.measures[one].additive for one in self.measures)

    def _refuse_unsaid_both(self) -> None:
        """Refuse several values of which a row may have each, before its noun: ux and customer | tickets."""
        is_set_apart = bool(self.sides or self.marks & {"compare", "versus", "more", "fewer"})
        for phrase, noun in pairwise(() if is_set_apart else self.phrases):
            is_list = phrase.kind == "names" and phrase.joined_by == "and" and phrase.quantifier != "both"
            is_list = is_list and not (phrase.is_apart or phrase.is_negated) and noun.is_of_issues
            if is_list and self.model.dimensions[NAMED_BY[phrase.name_kind][0]].many:
                said = " and ".join(name.text for name in phrase.names)
                raise Unbound(phrase, why=f"Do you mean rows with both of '{said}', or with either?", is_final=True)

    def _refuse_any_sprint(self) -> None:
        """Refuse to list all sprints where one is meant that nothing names: show me | the sprint."""
        nouns = [one for one in self.phrases if one.kind == "term" and one.has_entity("sprint")]
        is_asked = (
            len(self.phrases) > 1 and nouns[:1] == list(self.phrases[1:2]) and bool(self.marks & {"what", "which"})
        )
        is_one = len(nouns) == 1 and (nouns[0].is_definite or is_asked) and not nouns[0].is_plural
        is_told = self.part_of or self.states or self.measures or self.groups or self.is_fragment
        if (
            self.entity.id == "sprint"
            and is_one
            and not is_told
            and not any(one.kind == "rank" for one in self.phrases)
        ):
            raise Unbound(None, why="Which sprint do you mean?")
        names_sprint = any(is_sprints(one) or one.has_entity("sprint") for one in self.phrases)
        is_list = self.entity.id == "membership" and not (self.measures or self.groups or self.is_fragment)
        told = [place for place, one in self.states.items() if one.predicate == "committed"]
        if is_list and told and not names_sprint and find_verb(self.phrases, place=told[0]) in ("is", "are"):
            raise Unbound(None, why="Which sprint do you mean?", is_final=True)  # what | is | committed

    def _refuse_asked_sprints(self) -> None:
        """Refuse rows of others where sprints are asked for: which active sprints have blocked issues."""
        for place, phrase in enumerate(self.phrases):
            before = phrase_at(self.phrases, place=place - 1)
            lead = phrase_at(self.phrases, place=place - 2) if before.name_kind == "team" else before
            verb = phrase_at(self.phrases, place=place + 1).marks & SILENT_MARKS
            whose = before if before.name_kind == "team" else phrase
            is_content = whose.is_apart and "what" in self.marks and not (self.columns or self.measures)
            if is_content and is_sprints(phrase) and self.entity.id == "sprint":
                raise Unbound(phrase)  # what is in sprint 7: its issues
            is_first = is_sprints(phrase) and lead is self.phrases[0] and lead.said.lower() in ("is", "was")
            if is_first and self.entity.id != "sprint" and not self.mentions_entity:
                raise Unbound(phrase)  # is sprint 9 | done: the sprint, or its issues
            is_asked = "which" in lead.marks and is_sprints(phrase) and verb
            if is_asked and self.entity.id != "sprint" and not self._groups_sprints():
                raise Unbound(phrase, is_final=True)

    def _refuse_states_of_then(self) -> None:
        """Refuse what issues are now for what they were in a sprint that is over, or before: was in QA, worked on."""
        if self.entity.id not in ("issue", "membership"):
            return
        sprints = [one for one in self.phrases if is_sprints(one)]
        is_over = any(one.edge or any(name.state == "closed" for name in one.names) for one in sprints)
        is_over |= "past" in self.marks and self._groups_sprints()  # which sprint | had | the most open bugs
        is_perfect = phrase_at(self.phrases, place=0).said.lower() in ("has", "have", "had")
        for place, phrase in enumerate(self.phrases):
            is_now = is_said_of_now(self.phrases, place=place)
            state = self.states.get(place, State(phrase=phrase))
            is_timed = bool(state.periods) or state.has_grain
            is_act = phrase.said.lower() in _ACTS and bool(state.predicate) and not (is_timed or phrase.is_negated)
            is_status = phrase.name_kind == "status" and not self._was_in_status(phrase, place=place)
            is_of_issue = self.entity.id == "issue" or not state.is_own
            is_present = state.predicate in ("open", "in_progress", "to_do", "done") and is_of_issue
            is_present = is_status or (is_present and not (state.periods or state.is_counted))
            is_unknown = self._has_no_history(state, place=place)
            is_present |= is_unknown
            is_asked = "when" in self.marks and bool(state.role) and self._has_key()  # when was X | started
            is_past = is_perfect or is_said_of_past(self.phrases, place=place)
            is_of_then = is_over or is_unknown or (is_status and is_past)
            if not (is_now or is_asked) and (is_act or (is_present and is_of_then)):
                raise Unbound(phrase, why=AS_OF_NOW.format(said=phrase.said), is_final=True)

    def _has_no_history(self, state: State, *, place: int) -> bool:
        """Return whether a state is said of the past of which only the present is known: was overdue, unassigned."""
        known = self.model.predicates.get(state.predicate)
        is_lasting = known is not None and known.comparison is not None and known.comparison.field in _LASTING
        if known is None or known.entity != "issue" or known.time or is_lasting or state.role or state.is_counted:
            return False
        is_act = any((sense.name, sense.form) == (known.id, "verb") for sense in state.phrase.senses)
        opposite = self.model.predicates.get(known.opposite or "")
        is_act |= state.phrase.said.lower().startswith("not ") and bool(opposite and opposite.words.verbs)
        return not is_act and find_verb(self.phrases, place=place) in ("was", "were")

    def _refuse_lost_stays(self) -> None:
        """Refuse stays in sprints for issues: those in no such sprint, those in two, and those that were dropped."""
        if self.entity.id != "membership":
            return
        states = list(self.states.values())
        sprints = [one for one in self.phrases if is_sprints(one)]
        outside = next((one for one in sprints if one.is_negated), None)
        if outside is not None and (sprints[1:] or (self.measures and not self._own_states())):
            raise Unbound(outside)  # in sprint 7 | but not | in sprint 8; points | not in sprint 9
        for place, state in self.states.items():
            is_of_then = bool(sprints) or is_said_of_past(self.phrases, place=place) or state.predicate != "completed"
            if state.phrase.is_negated and self._own_states()[1:] and not is_of_then:
                raise Unbound(state.phrase, why=AS_OF_NOW.format(said=state.phrase.said), is_final=True)
        is_dropped = any(state.phrase.is_negated for state in self._own_states())
        is_of_rest = any("member_now" in self.model.measures[name].where for name in self.measures)
        is_backlog = any(state.predicate == "in_backlog" for state in states)
        for state in states:
            is_gone = state.predicate == "removed" or (state.predicate == "committed" and is_dropped)
            is_undated = state.role == "created" and bool(sprints) and not (state.periods or state.is_measured)
            is_added = state.predicate == "added_late" and is_backlog  # to the backlog, not to a sprint
            if (is_gone and is_of_rest and not state.phrase.is_negated) or is_undated or is_added:
                raise Unbound(state.phrase)

    def _refuse_other_actor(self) -> None:
        """Refuse what a person does for what a row is: epics Levi works on; who reported the bugs Levi works on."""
        work = next((one for one in self.phrases if one.said.lower().startswith("work") and one.has("predicate")), None)
        said_of_nobody = (one for one in self.phrases if one.said.lower().startswith(("nobody", "no one", "noone")))
        work = work or next((one for one in said_of_nobody if " work" in one.said.lower()), None)
        if work is not None and self._is_about_epics() and self.entity.id == "issue":
            raise Unbound(work, is_final=True)
        is_reported = tells_of_reporters(self.phrases) and "who" in self.marks
        if is_reported and self._has_person() and DimensionGroup(dimension="assignee") in self.groups:
            raise Unbound(next(one for one in self.phrases if one.name_kind == "person"), is_final=True)

    def _refuse_property_of_others(self) -> None:
        """Refuse what belongs to other rows: issues whose | blocker | is done; epics | with their | points."""
        places = (place for place, one in enumerate(self.phrases) if "whose" in one.marks)
        behind = phrase_at(self.phrases, place=next(places, len(self.phrases)) + 1)
        owned = next((one for one in self.phrases if one.is_owned), NOTHING)
        if behind.has_entity(self.entity.id) or (owned and self._is_about_epics() and self.measures):
            raise Unbound(behind or owned, is_final=True)

    def _is_about_epics(self) -> bool:
        return any(one.name_kind == "type" and one.names[0].text == "Epic" for one in self.phrases)

    def _limit_to_completed(self, verb: str) -> None:
        """Limit what is ranked or measured to what was completed in the sprints that are named."""
        stays = next((name for name, one in self.entity.relations.items() if one.entity == "membership"), "")
        for place, parts in self.part_of.items() if stays else ():
            for at, part in enumerate(parts):
                if isinstance(part, InPeriod) and not part.role and is_sprints(self.phrases[place]):
                    done = join_conditions([NamedCondition(predicate="completed"), part.where])
                    self.part_of[place][at] = Has(relation=stays, where=done)
                    self.assumptions.append(f"Only those completed in the sprint are {verb}.")

    def _refuse_averages_of_now(self) -> None:
        """Refuse the average, or the share, of what is done now for what was completed in a closed sprint."""
        is_closed = any(name.state == "closed" for one in self.phrases if is_sprints(one) for name in one.names)
        if is_closed and "done_rate" in self.measures:
            raise Unbound(None, why=DONE_OF_SPRINT, is_final=True)
        if self.entity.id == "issue" and any(self._measures_duration(one) for one in self.measures):
            self._limit_to_completed("measured")
            return
        if self.entity.id != "issue" or not is_closed or not self.marks & {"average", "median"}:
            return
        for state in self.states.values():
            if state.predicate == "done" and self._tells_of_membership(state.phrase):
                raise Unbound(state.phrase)

    def _measures_duration(self, measure: str) -> bool:
        """Return whether it is known of what is done alone, as cycle time is."""
        known = self.model.measures[measure]
        return known.time == "resolved" and known.unit == "days" and not known.additive

    def _refuse_lost_scope(self) -> None:
        """Refuse an absence with exceptions (no label other than x), not until, and two sprints with a state each."""
        named = {NAMED_BY[one.name_kind][0] for one in self.phrases if one.kind == "names"}
        places = [place for place, one in enumerate(self.phrases) if is_sprints(one)]
        for first, second in pairwise(places if self.entity.id == "membership" else []):
            if any(place in self.states for place in range(first, second)) and len(self._own_states()) > 1:
                raise Unbound(self.phrases[second])
        self._refuse_two_times_of_sprints()
        both = next((self.phrases[n] for n in places if "and" in self.phrases[n].said.lower().split()), NOTHING)
        both = NOTHING if "sprints" in both.said.lower() or both.quantifier else both
        if self.entity.id in ("issue", "membership") and both and not (self.measures or self.groups or both.is_negated):
            raise Unbound(None, why=f"Do you mean what was in both of '{both.said}', or in either?", is_final=True)
        for place, phrase in enumerate(self.phrases):
            is_until = place in self.states and phrase.is_negated and any(
                one.said.lower().startswith(("until", "till")) for one in self.states[place].periods
            )  # fmt: skip
            is_until = is_until or (place in self.states and self._lasts_since(self.states[place]))
            is_no_sprint = phrase.kind == "missing" and phrase.has_entity("sprint") and bool(places)
            is_absent = phrase.kind == "missing" and not phrase.is_negated and self._dimension_of(phrase) in named
            if is_until or is_no_sprint or is_absent:
                raise Unbound(phrase)

    def _refuse_two_times_of_sprints(self) -> None:
        """Refuse a state of now beside what became of issues in a closed sprint, and a bare list of what became."""
        is_closed = any(name.state == "closed" for one in self.phrases if is_sprints(one) for name in one.names)
        if self.entity.id != "membership" or not is_closed:
            return
        own = {state.predicate for state in self._own_states()}
        asks = self.mentions_entity or bool(self.measures or self.marks & ASKING)
        if len(own) > 1 and not asks and "and" not in self.marks:
            raise Unbound(None, why=BOTH_OR_EACH)
        for place, state in self.states.items():
            is_of_now = state.is_own or is_said_of_now(self.phrases, place=place)
            if own and state.predicate in ("open", "done") and not is_of_now:
                raise Unbound(state.phrase)

    def _refuse_other_contrast(self) -> None:
        """Refuse to compare by a number what is said to be faster or better: that takes days, or a good and a bad."""
        for phrase in self.phrases if self.measures else ():
            word = phrase.said.lower().partition(" ")[0]
            known = [self.model.measures[one] for one in self.measures]
            lasts = all(one.unit.startswith(("days", "hours")) for one in known)
            is_speed = word in ("faster", "slower", "quicker", "longer", "shorter") and not lasts
            is_speed = is_speed or (phrase.said.lower() in SIZES and self._counts_named_rows())
            is_value = word in ("better", "worse") and any(one.higher_is == "neither" for one in known)
            if phrase.kind in ("mark", "than") and (is_speed or is_value):
                raise Unbound(phrase)

    def _counts_named_rows(self) -> bool:
        """Return whether rows are counted that may be large themselves, as opposed to a number or a backlog of them."""
        is_quantity = "how_many" in self.marks or any(one.has("predicate", form="noun") for one in self.phrases)
        return self.entity.count in self.measures and not is_quantity

    def _lasts_since(self, state: State) -> bool:
        """Return whether a state may last since then, or have begun since then: blocked since Monday."""
        is_since = any(one.period and one.period.edge == "since" for one in state.periods)
        role = self.model.time_roles[state.role] if state.role else None
        return is_since and role is not None and role.relation is not None and role.end is not None

    def _refuse_second_rows(self) -> None:
        """Refuse rows beside rows of the same kind: created issues and resolved issues, in one list or number."""
        nouns = [
            place for place, one in enumerate(self.phrases) if one.kind == "term" and one.has_entity(self.entity.id)
        ]
        units = [place for place in nouns if self.phrases[place].said.lower() not in MASS]
        if units and nouns[1:] and "how_much" in self.marks and self.entity.count not in self.measures:
            raise Unbound(self.phrases[units[0]])  # how much work, counted in issues
        links = {place for place, one in enumerate(self.phrases) if "and" in one.marks}
        if nouns[1:] and links & set(range(*nouns[:2])) and not (self.measures[1:] or self.sides):
            raise Unbound(self.phrases[nouns[1]])

    def _refuse_lost_relation(self) -> None:
        """Refuse a noun for other rows than those of the first, as if both were one: tickets | in epics of HARBOR."""
        if self.entity.id not in ("issue", "membership") or self.sides or self.marks & {"share", "compare", "versus"}:
            return
        nouns = [
            place for place, one in enumerate(self.phrases)
            if one.kind in ("names", "term") and one.is_of_issues and one.said.lower() not in MASS
        ]  # fmt: skip
        for first, second in pairwise(nouns):
            noun, lead = self.phrases[second], self.phrases[second - 1]
            is_part = second == first + 1 and not noun.is_apart
            is_told = noun.is_negated or noun.is_only or bool(lead.marks & {"be", "not", "or"})
            is_joined = "and" in lead.marks and (second == first + 2 or bool(self.measures[1:]))
            if not (is_part or is_told or is_joined):
                raise Unbound(noun, is_final=True)

    def _refuse_second_question(self) -> None:
        """Refuse a number or rows beside those of another question: how many bugs are open and who has them."""
        asking = [place for place, one in enumerate(self.phrases) if one.kind == "mark" and one.marks & ASKING]
        last = len(self.phrases) - 1  # who works on what
        second = next((place for place in asking[1:] if "and" in self.phrases[place - 1].marks or place == last), None)
        is_told = len(self.columns) >= len(asking) if self._has_key() else bool(self.measures[1:])
        if second is not None and second not in self.used and not is_told:
            raise Unbound(self.phrases[second])

    def _refuse_filtered_key(self) -> None:
        """Refuse to rank one named issue, and what else it must be where not that is asked: which bugs does X have."""
        keys = [place for place, one in enumerate(self.phrases) if one.kind == "key" and not one.name_kind]
        if len(keys) != 1 or len(self.phrases[keys[0]].keys) != 1:
            return
        rank = next((one for one in self.phrases if one.kind == "rank"), None)
        if rank is not None and self.entity.id == "issue":
            raise Unbound(rank)  # is X | the oldest bug
        if self.entity.id == "issue" and self.measures == [self.entity.count] and not self.groups:
            raise Unbound(self.phrases[keys[0]], is_final=True)  # how many issues does | X | have: it is one itself
        is_asked = bool(self.phrases[0].marks & {"what", "which", "who", "whose"})
        is_issue = self.entity.id == "issue" or (self.entity.id == "link" and "assignee" in self.columns)
        if not (is_asked and is_issue):
            return
        other = next((place for place in self.part_of if place not in keys), None)
        if other is not None:
            raise Unbound(self.phrases[other])

    def _refuse_other_count(self) -> None:
        """Refuse to count other rows than those of the noun behind "how many": how many closed | sprints."""
        for place, phrase in enumerate(self.phrases if self.measures else ()):
            if "how_many" not in phrase.marks:
                continue
            noun = next((one for one in self.phrases[place + 1 :] if not _is_adjective(one)), NOTHING)
            is_counted = noun.has_entity(self.entity.id) or noun.has_entity("issue") or noun.name_kind == "type"
            is_counted = is_counted or any(one.name in self.measures or one.kind == "unit" for one in noun.senses)
            is_noun = noun.kind == "term" and noun.has("entity", form="noun") and not is_counted
            is_sprints_noun = is_sprints(noun) and noun.said.lower().endswith("sprints") and not noun.is_apart
            if is_noun or (is_sprints_noun and self.entity.id != "sprint"):
                raise Unbound(noun)

    def _refuse_all_rows(self, phrase: Phrase, *, before: Phrase) -> None:
        """
        Refuse what is said of all rows of an owner: who has only bugs; teams that have neither bugs nor stories.

        So are "both" and "all" of them, "both" of sprints, and "only" of what a row has several of: only the label x.
        """
        is_of_several = self.has_owners or (is_sprints(phrase) and not self._groups_sprints())
        is_both = phrase.quantifier == "both" and is_of_several
        if is_both or (phrase.quantifier == "all" and self.has_owners):
            raise Unbound(phrase)
        is_name = phrase.kind == "names"
        is_without = phrase.said.lower().startswith(("no ", "without ")) and phrase.name_kind != "team"
        is_lacking = "have" in before.marks or is_without
        is_of_owners = phrase.is_negated and is_name and self.has_owners and is_lacking
        is_of_owners = is_of_owners or (self.has_owners and not self.is_ranked and self._names_several(phrase))
        if is_of_owners or (phrase.is_only and is_name and self.model.dimensions[NAMED_BY[phrase.name_kind][0]].many):
            raise Unbound(phrase)

    def _names_several(self, phrase: Phrase) -> bool:
        """Return whether several values are joined of which one row has one: to have bugs and stories."""
        is_joined = phrase.joined_by == "and" and not phrase.is_negated
        return is_joined and phrase.name_kind in ("type", "priority", "status")

    def _joins_sprints(self) -> bool:
        """Return whether issues were in each of two sprints: in sprint 5 and in sprint 6."""
        for place in range(len(self.phrases)):
            link, lead, phrase = look_at(self.phrases, place=place - 2, size=3)
            link, lead = (link, lead) if lead.name_kind == "team" else (lead, phrase)
            if is_sprints(phrase) and lead.is_apart and "and" in link.marks:
                return True
        return False

    def _names_rows(self) -> bool:
        """Return whether it names what is counted: of "how many?" alone nobody knows."""
        return self.mentions_entity or any(one.senses for one in self.phrases if one.kind in ("term", "bound"))

    def _check_contradiction(self, where: Condition | None) -> None:
        """Refuse two values of a single-valued dimension, since no row has both."""
        teams = [one for one in self.phrases if one.is_negated and one.name_kind == "team"]
        excluded = {name.value for one in teams for name in one.names}
        sprints = [one for one in self.phrases if is_sprints(one) and one.names and not one.is_negated]
        if any({name.team_id for name in one.names} <= excluded for one in sprints):
            raise Unbound(sprints[0], why=f"Of which team is '{sprints[0].said}'?")
        parts = split_conditions(where)
        named = [part.predicate for part in parts if isinstance(part, NamedCondition)]
        for measure in self.measures or [""]:
            implied = [*named, *(self.model.measures[measure].where if measure else ())]
            implied += [other for one in implied for other in self.model.predicates[one].requires]
            if own := next((one for one in implied if Not(part=NamedCondition(predicate=one)) in parts), None):
                raise Unbound(None, why=f"Nothing can be {self.model.predicates[own].label} and not.", is_final=True)
            both = next((one for one in implied if self.model.predicates[one].opposite in implied), None)
            if both:
                other = self.model.predicates[str(self.model.predicates[both].opposite)].label
                raise Unbound(
                    None, why=f"Nothing can be {self.model.predicates[both].label} and {other}.", is_final=True
                )
        is_completed = "completed" in named or any("completed" in self.model.measures[m].where for m in self.measures)
        for other in named if is_completed else ():
            if other in ("in_progress", "overdue"):
                why = f"No issue is completed and {self.model.predicates[other].label}."
                raise Unbound(None, why=why, is_final=True)
        if len(fates := [one for one in named if one in FATES]) > 1:
            both_fates = " and ".join(self.model.predicates[one].label for one in fates)
            raise Unbound(None, why=f"No issue is {both_fates}.", is_final=True)
        self._refuse_two_values([*parts, *(self.model.predicates[one].comparison for one in named)])

    def _refuse_two_values(self, parts: Sequence[Condition | None]) -> None:
        """Refuse two values of a single-valued dimension, and a value that is left out as well."""
        said: dict[str, set[str]] = {}
        left_out: dict[str, set[str]] = {}
        compared = [part for part in parts if isinstance(part, Comparison)]
        for part in compared:
            if part.op in (Operator.NE, Operator.NOT_IN):
                left_out.setdefault(part.field, set()).update(map(str, part.values))
        for part in compared:
            values = {str(value) for value in part.values}
            if part.op not in (Operator.EQ, Operator.IN):
                continue
            is_none = not (self.model.dimensions[part.field].many or said.setdefault(part.field, values) & values)
            if is_none or values <= left_out.get(part.field, set()):
                why = f"No row can have two values of {self.model.dimensions[part.field].label}."
                raise Unbound(None, why=why, is_final=True)


def _is_adjective(phrase: Phrase) -> bool:
    """Return whether it may stand between "how many" and the noun: open, p0, ORBIT's, and what a noun took in."""
    is_name = phrase.kind == "names" and phrase.name_kind != "type"
    return (
        is_name
        or phrase.marks == {"be"}
        or (phrase.kind == "term" and not any(one.form == "noun" for one in phrase.senses))
    )
