"""What a question asks of open work alone, unless it says of which: unassigned, due, what somebody has."""

from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.query import Comparison, Condition, NamedCondition, TimeGroup
from sprints.semantics.questions.actors import tells_of_reporters
from sprints.semantics.questions.phrase import Phrase, is_sprints, phrase_at
from sprints.semantics.questions.ranks import UNTIL_DONE, Ranks

_HAVE = frozenset({"has", "have", "hold", "holds", "own", "owns"})


class OpenWork(Ranks):
    """A question with the condition that it takes for granted."""

    def _assume_open(self, by: str) -> None:
        """
        Add the condition that issues are open, or blockages last, if the question takes it for granted, and say so.

        `by` is what rows are ranked by. A sprint, a named issue, or another state or time says of which it is asked.
        """
        outside = [one for one in self.phrases if _is_outside_running(one)]
        if self._has_key() or any(is_sprints(one) and one not in outside for one in self.phrases):
            return
        if self.entity.id == "sprint_day" and not (self.measures or self.groups or self._names_time()):
            self.parts.append(NamedCondition(predicate=self.settings["running"]["sprint"]))
            self.assumptions.append("Only sprints that run now are meant.")
        elif self.entity.id == "blocked_period" and self._lists_present():
            self.parts.append(NamedCondition(predicate="still_blocked"))
            self.assumptions.append("Only blockages that last are meant.")
        elif self.entity.id == "issue" and by not in UNTIL_DONE and not self._says_of_which() and (
            outside or self._is_of_open(by) or self._is_owned() or self._asks_for_any()
        ):  # fmt: skip
            self.parts.append(NamedCondition(predicate="open"))
            verb = "counted" if self.measures else "listed"
            self.assumptions.append(f"Only issues that are not done are {verb}.")

    def _tell_breadth(self, where: Condition | None) -> None:
        """Say what is included because nothing leaves it out: all sprints, or epics, which are in no epic."""
        parts = split_conditions(where)
        is_limited = self._names_time() or self._groups_sprints() or any(map(is_sprints, self.phrases))
        is_limited = is_limited or self._has_key() or any(isinstance(one, TimeGroup) for one in self.groups)
        if self.entity.id == "membership" and not (is_limited or self.is_ranked or any(map(_is_of_sprints, parts))):
            self.assumptions.append("All sprints are meant.")
        named = {one.field: one.op for one in parts if isinstance(one, Comparison)}
        if self.entity.id == "issue" and named.get("epic") is Operator.IS_NULL and "issue_type" not in named:
            self.assumptions.append("Epics are among them, since an epic belongs to none.")

    def _says_of_which(self) -> bool:
        """Return whether a state, a status or a time tells of which issues it is asked."""
        implied = (*self.settings["of_open_work"]["predicates"], "")
        trouble = {*self.settings["trouble"]["predicates"]} - {"open"}
        if any(self.model.measures[one].time == "resolved" for one in self.measures):
            return True  # the cycle time of those without points: what is open has none
        return any(
            state.predicate not in implied or state.role in ("resolved", "created")
            for state in self.states.values()
            if not (state.phrase.is_negated and state.predicate in trouble)  # not blocked, which what is done is too
        ) or any(one.name_kind == "status" and not one.is_negated for one in self.phrases)

    def _is_of_open(self, by: str) -> bool:
        """Return whether what is asked, or a condition, is usual for open work: the oldest, unassigned, due."""
        usual = self.settings["of_open_work"]
        found = [part for parts in self.part_of.values() for part in parts]
        is_condition = any(
            (isinstance(part, NamedCondition) and part.predicate in usual["predicates"])
            or (isinstance(part, Comparison) and part.field in usual["dimensions"])
            or (isinstance(part, Comparison) and part.op is Operator.IS_NULL and part.field in usual["missing"])
            for part in found
        )
        is_condition = is_condition or any(one in usual["dimensions"] for one in self.columns)  # how old are they
        is_said = any(one.said.lower() in usual["nouns"] for one in self.phrases)
        is_due = any(
            state.role in usual["times"] and any(_is_ahead(one) for one in state.periods)
            for state in self.states.values()
        )
        is_elsewhere = any(one.name_kind == "status" and not one.is_ever for one in self.phrases)  # not in QA
        return "still" in self.marks or by in usual["dimensions"] or is_condition or is_said or is_due or is_elsewhere

    def _asks_for_any(self) -> bool:
        """Return whether it asks if there are any rows, without saying when: any bugs; are there any p0s."""
        first = next((one for one in self.phrases if one.marks != {"be"}), None)
        is_any = first is not None and first.is_any and first.said.lower() not in ("anything", "anybody")
        return is_any and not (self.measures or self._names_time() or self.marks & {"past", "ever", "have"})

    def _names_time(self) -> bool:
        return any(one.kind == "period" for one in self.phrases)

    def _is_owned(self) -> bool:
        """Return whether it asks what people or teams have: who has p0 bugs; how many bugs does Levi have."""
        plain = {self.entity.count, "points"}
        if not {*self.measures} <= plain or tells_of_reporters(self.phrases):
            return False
        is_of_all = any(one.quantifier in ("all", "total") for one in self.phrases)
        if is_of_all or self._names_time() or self.marks & {"past", "ever"}:
            return False
        if self.having and "who" in self.marks:
            return True  # has anybody | more than three bugs
        return any(
            one.said.lower() in _HAVE and any(map(_is_owner, self._list_owners(place)))
            for place, one in enumerate(self.phrases)
        )

    def _list_owners(self, place: int) -> list[Phrase]:
        """Return what may own what a verb says: the phrase before it, or that behind it: which bugs | has | Levi."""
        before, behind = (phrase_at(self.phrases, place=at) for at in (place - 1, place + 1))
        is_asked = bool(self.phrases[0].marks & {"what", "which", "how_many", "how_much"})
        is_noun = before.is_of_issues or before.has("measure", form="noun") or "what" in before.marks
        is_turned = is_asked and behind.kind == "names" and is_noun
        return [before, behind] if is_turned or not place else [before]

    def _lists_present(self) -> bool:
        """Return whether blockages are listed or counted as they are now, without a time or a group."""
        is_plain = all(
            one.name_kind in ("team", "person") or one.has_entity("blocked_period")
            or (one.kind == "mark" and one.marks & {"what", "which", "how_many", "be", "have", "our"})
            for one in self.phrases
        )  # fmt: skip
        is_now = not self._is_past() and "past" not in self.marks and not self.groups
        return is_plain and is_now and not any(one.quantifier == "all" for one in self.phrases)


def _is_of_sprints(condition: Condition) -> bool:
    return isinstance(condition, NamedCondition) and condition.predicate.startswith("sprint_")


def _is_ahead(phrase: Phrase) -> bool:
    """Return whether not all days of a period are over: what was due in October is not open by that."""
    return phrase.period is not None and (not phrase.period.is_over or phrase.period.nearest is not None)


def _is_outside_running(phrase: Phrase) -> bool:
    """Return whether a phrase leaves out the sprints that run: what is not in the sprint."""
    return is_sprints(phrase) and phrase.is_negated and all(name.state == "active" for name in phrase.names)


def _is_owner(phrase: Phrase) -> bool:
    """Return whether a phrase before "have" says who has it: a person, a team, all, or the one that is asked for."""
    is_noun = phrase.kind in ("term", "group") and (phrase.has_entity("person") or phrase.has_entity("team"))
    return is_noun or phrase.name_kind in ("person", "team") or bool(phrase.marks & {"who", "our"})
