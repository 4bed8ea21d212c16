"""Related rows of a question: what they are counted by, and what is said of them."""

from sprints.semantics.describe import split_conditions
from sprints.semantics.query import Condition, NamedCondition
from sprints.semantics.questions.measures import Measures
from sprints.semantics.questions.phrase import Phrase
from sprints.semantics.questions.tense import is_said_of_past
from sprints.semantics.questions.terms import Unbound


class Relations(Measures):
    """Measures with what is known of related rows."""

    def _refuse_behind(self, phrase: Phrase) -> None:
        """Refuse an ambiguous reference to the rows or their related rows: epics with bugs that are not blocked."""
        if self.entity.id != "issue":
            return
        for place in range(self.phrases.index(phrase) + 1, len(self.phrases)):
            one = self.phrases[place]
            if place in self.states or one.kind in ("missing", "bound", "days") or one.is_negated:
                raise Unbound(one, why=f"Of what is '{one.said}' said: of '{phrase.said}', or of those that have it?")

    def _is_about_types(self) -> bool:
        return self.entity.id == "issue" and any(one.name_kind == "type" for one in self.phrases)

    def _require_decided(self, where: Condition | None) -> list[Condition]:
        """Exclude rows for which it is undecided: the carry-over of a sprint is known when it is closed."""
        named = [part.predicate for part in split_conditions(where) if isinstance(part, NamedCondition)]
        times = {self.model.predicates[one].time for one in named} - {None}
        return [
            NamedCondition(predicate=one.id) for one in self.model.predicates.values()
            if one.entity == self.entity.id and one.time in times and not one.hidden
        ]  # fmt: skip

    def _find_counted(self, phrase: Phrase) -> str:
        """Return the dimension of how many of them rows have: labels, sprints in which they have been."""
        counted = self.settings["counted"]
        names = [sense.name for sense in phrase.senses if sense.form == "noun" and sense.name in counted]
        if not names or self.entity.id != "issue" or phrase.edge:
            return ""
        place, is_of_issues = self.phrases.index(phrase), self.mentions_entity or self._is_about_types()
        is_past = names[0] != "sprint" or (is_said_of_past(self.phrases, place=place) and not self.groups)
        if not (is_of_issues and is_past):
            raise Unbound(phrase)  # teams with three sprints; issues that are in two: planned in the next one too
        return str(counted[names[0]])
