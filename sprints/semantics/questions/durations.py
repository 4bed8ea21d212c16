"""Durations and repetitions of a question: how long and how often rows were so, and what was so before."""

from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.query import And, Comparison, Condition, Has, InPeriod, NamedCondition, Not, TimeRange
from sprints.semantics.questions.constructions import TAKING
from sprints.semantics.questions.phrase import Phrase, is_sprints, phrase_at
from sprints.semantics.questions.relations import Relations
from sprints.semantics.questions.tense import AS_OF_THEN, find_verb
from sprints.semantics.questions.terms import State, Unbound
from sprints.semantics.questions.tokens import YES_OR_NO
from sprints.semantics.questions.values import is_among, number_of, operator_of, to_moment

FROM_WHICH = "Is that from the creation of an issue (its lead time) or from the start of work (its cycle time)?"
LENGTH_OF_THEN = (
    "How long each was '{said}' is known up to now, or of all times together, not of one time. Ask which were "
    "'{said}' then, or which were so for that long."
)

_SAID_OF_NOW = frozenset({"in_progress", "to_do", "blocked"})  # now, or at the same time as another state


class Durations(Relations):
    """Relations with how long and how often rows were so."""

    def _list_own_times(self) -> list[str | None]:
        """Return the moment of changes, which have no other time: when the scope of a sprint was changed."""
        own = [one for one in self.model.time_roles.values() if one.entity == self.entity.id and one.role is None]
        is_change = self.entity.label.endswith("change") and self.mentions_entity and not self.states
        return [one.id for one in own if is_change and one.is_moment]

    def _count_repetitions(self, phrase: Phrase, *, place: int) -> Condition:
        for state in self._by_distance(place):
            if field_name := self._find_reached("repeated", state=state):
                if state.periods or any(is_sprints(one) for one in self.phrases):
                    raise Unbound(phrase)  # of all times, not within a period
                if state.phrase.is_negated or (self.entity.id == "membership" and not self.measures):
                    break  # its rows are stays in sprints, of which an issue has several
                state.is_counted = True
                return Comparison(field=field_name, op=operator_of(phrase), values=(number_of(phrase),))
        at, name = self._find_repeated()
        if not name or self.measures or any(is_sprints(one) or one.kind == "period" for one in self.phrases):
            raise Unbound(phrase)
        self.used.add(at)
        return Comparison(field=name, op=operator_of(phrase), values=(number_of(phrase),))

    def _find_repeated(self) -> tuple[int, str]:
        """Return where it says what issues were in sprints, and the property that counts how often they were so."""
        known = self.settings["repeated"]
        return next(
            ((at, known[sense.name]) for at, one in enumerate(self.phrases) for sense in one.senses
             if self.entity.id == "issue" and sense.kind == "predicate" and sense.name in known
             and not one.is_negated and self.model.predicates[sense.name].entity == "membership"),
            (-1, ""),
        )  # fmt: skip

    def _compare_duration(self, phrase: Phrase, *, place: int) -> Condition:
        if phrase_at(self.phrases, place=place - 1).said.lower() in TAKING:
            raise Unbound(phrase, why=FROM_WHICH)
        held = self._find_status(place)
        if held is not None and not any(abs(other - place) <= abs(held - place) for other in self.states):
            field_name = self.settings["held"]["status"]
            return Comparison(field=field_name, op=phrase.op or Operator.GE, values=(number_of(phrase),))
        for state in self._by_distance(place):
            if state.phrase.is_negated and not state.predicate and state.role in self.settings["elapsed"]:
                if phrase.op not in (None, Operator.GT, Operator.GE):
                    raise Unbound(phrase)
                state.is_counted = True
                field_name = self.settings["elapsed"][state.role]
                return Comparison(field=field_name, op=phrase.op or Operator.GT, values=(number_of(phrase),))
            field_name, spent = self._find_reached("lasting", state=state), self._find_reached("spent", state=state)
            verb = find_verb(self.phrases, place=self.phrases.index(state.phrase))
            is_past = self._is_past() or state.phrase.is_ever or verb == "had"
            is_limited = state.phrase.is_negated or bool(state.periods) or any(map(is_sprints, self.phrases))
            if spent and is_past and not is_limited:
                state.is_counted = True
                self.assumptions.append("All such times of an issue are counted together.")
                return Comparison(field=spent, op=phrase.op or Operator.GE, values=(number_of(phrase),))
            if field_name and not state.phrase.is_negated and not is_past:
                self._refuse_length_of_then(state)
                return Comparison(field=field_name, op=phrase.op or Operator.GE, values=(number_of(phrase),))
        raise Unbound(phrase)

    def _refuse_length_of_then(self, state: State) -> None:
        """Refuse how long it is now for how long it was then: blocked for 2 days | in October; | in sprint 8."""
        sprints = [one for one in self.phrases if is_sprints(one) and not one.is_negated]
        is_over = any(one.edge or any(name.state != "active" for name in one.names) for one in sprints)
        if is_over or any(one.said.lower() != "today" for one in state.periods):
            raise Unbound(state.phrase, why=LENGTH_OF_THEN.format(said=state.phrase.said), is_final=True)

    def _find_status(self, place: int) -> int | None:
        """Return the place of the one status that rows have now, so that it is known since when."""
        named = [other for other, one in enumerate(self.phrases) if (one.kind, one.name_kind) == ("names", "status")]
        if len(named) != 1 or self._is_past() or self.entity.id != "issue":
            return None
        status = self.phrases[named[0]]
        is_several = len(status.names) > 1 and status.joined_by != "or"
        is_mixed = any(one.name_kind != "status" for one in status.alternatives)
        return None if status.is_negated or is_several or is_mixed else named[0]

    def _is_of_then(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether a state is said of any time before: were blocked, have been in QA. Not how long it lasts."""
        verb = find_verb(self.phrases, place=place)
        is_past = verb in ("was", "were") or (phrase.is_perfect and verb in ("has", "have", "had"))
        is_past = is_past or phrase_at(self.phrases, place=place - 1).said.lower() == "had"
        lasts = any(
            one.kind in ("bound", "days", "rank") or is_sprints(one)
            or one.marks & {"how_long", "when", "since", "trend"} for one in self.phrases
        )  # fmt: skip
        is_past = self.is_past if self.is_related else is_past
        known = split_conditions(self.context.where) if self.context is not None and is_past else ()
        if any(isinstance(part, InPeriod) for part in known):
            raise Unbound(phrase)  # of issues in sprint 8: then, or at any time
        return is_past and not lasts and self.entity.id == "issue"

    def _find_state_of_then(self, state: State) -> str:
        """Return the predicate that says that a state which comes and goes was so at any time. Empty if none is."""
        role = self.model.time_roles.get(state.role)
        is_lasting = role is not None and role.relation is not None and role.end is not None
        if not is_lasting or state.periods or state.has_grain or state.is_measured or state.is_counted:
            return ""
        place = self.phrases.index(state.phrase)
        if not self._is_of_then(state.phrase, place=place):
            return ""
        told = Comparison(field=self.settings["repeated"][state.predicate], op=Operator.GT, values=(0,))
        return next(one.id for one in self.model.predicates.values() if one.comparison == told)

    def _was_in_status(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether issues were in a status at any time, or on a day: were | in QA | on 1 October."""
        is_in = phrase.is_apart or phrase.said.lower().startswith("in ")
        is_named = phrase.kind == "names" and phrase.name_kind == "status" and is_in
        is_plain = not (phrase.is_negated or phrase.alternatives) and place >= 0
        if is_named and phrase.is_ever and self.entity.id != "issue":
            raise Unbound(phrase)  # only issues have been in a status
        if is_named and phrase.is_ever and not phrase.alternatives and place >= 0:
            return True  # never in QA
        is_asked = self.phrases[0].said.lower() in YES_OR_NO  # has X been in QA: rows are no answer
        others = [
            one for one in self.phrases if one is not phrase and (
                one.name_kind == "status" or any(sense.name in _SAID_OF_NOW for sense in one.senses))
        ]  # fmt: skip
        return is_named and is_plain and not (is_asked or others) and self._is_of_then(phrase, place=place)

    def _find_status_of_then(self, phrase: Phrase, *, place: int) -> Condition:
        """Return that an issue has had such a period in the status. A longer time than a day finds no place."""
        where: Condition = is_among("period_status", values=[name.text for name in phrase.names])
        period = phrase_at(self.phrases, place=place + 1)
        if period.period is not None and period.period.moment and place + 1 not in self.used:
            self.used.add(place + 1)
            self.resolved_doubts.append(period.period.doubtful)
            self.assumptions.append(AS_OF_THEN)
            during: TimeRange = to_moment(period, role=self.settings["at_a_time"]["in_status"])
            where = And(parts=(where, during))
        found = Has(relation="status_periods", where=where)
        return Not(part=found) if phrase.is_negated else found

    def _happened_ever(self, state: State) -> Condition:
        """Return that it happened at least once. Of a value that may be missing only its absence now is known."""
        told = self.model.predicates[state.predicate].comparison if state.predicate else None
        is_never = state.phrase.said.lower().split()[0] in ("never", "without")
        if field_name := self._find_reached("repeated", state=state):
            return Comparison(field=field_name, op=Operator.GT, values=(0,))
        if told is None or told.op is not Operator.IS_NOT_NULL or not is_never:
            raise Unbound(state.phrase)
        self.assumptions.append(f"Took '{state.phrase.said}' as what is not so now.")
        return NamedCondition(predicate=state.predicate)

    def _refuse_lost_sides(self, state: State) -> None:
        """Refuse a time or sprint of one of two states, which the other would lose: resolved or blocked | in May."""
        sides = [one for one in state.phrase.alternatives if one.kind == "term"]
        of_stays = self.entity.id == "membership" and any(self._predicate(one)[1] != state.is_own for one in sides)
        if sides and (state.periods or state.has_grain or of_stays):
            raise Unbound(state.phrase)
