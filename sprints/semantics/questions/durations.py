"""Durations and repetitions of a question: how long and how often rows were so."""

from sprints.semantics.enums import Operator
from sprints.semantics.query import Comparison, Condition
from sprints.semantics.questions.constructions import TAKING
from sprints.semantics.questions.phrase import Phrase, is_sprints, phrase_at
from sprints.semantics.questions.relations import Relations
from sprints.semantics.questions.terms import Unbound
from sprints.semantics.questions.values import number_of, operator_of

FROM_WHICH = "Is that from the creation of an issue (its lead time) or from the start of work (its cycle time)?"


class Durations(Relations):
    """Relations with how long and how often rows were so."""

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
            field_name = self._find_reached("lasting", state=state)
            if field_name and not state.phrase.is_negated and not self._is_past():
                return Comparison(field=field_name, op=phrase.op or Operator.GE, values=(number_of(phrase),))
        raise Unbound(phrase)

    def _find_status(self, place: int) -> int | None:
        """Return the place of the one status that rows have now, so that it is known since when."""
        named = [other for other, one in enumerate(self.phrases) if (one.kind, one.name_kind) == ("names", "status")]
        if len(named) != 1 or self._is_past() or self.entity.id != "issue":
            return None
        status = self.phrases[named[0]]
        is_several = len(status.names) > 1 and status.joined_by != "or"
        is_mixed = any(one.name_kind != "status" for one in status.alternatives)
        return None if status.is_negated or is_several or is_mixed else named[0]
