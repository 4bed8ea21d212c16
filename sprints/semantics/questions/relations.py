"""Related rows of a question: what they are counted by, and what is said of them."""

from dataclasses import replace

from sprints.linking.names import sprint_numbers
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import Relation, SemanticModel
from sprints.semantics.query import Comparison, Condition, Has, InPeriod, NamedCondition, Not
from sprints.semantics.questions.measures import Measures
from sprints.semantics.questions.phrase import Phrase, is_sprints
from sprints.semantics.questions.tense import is_said_of_past
from sprints.semantics.questions.terms import CARRIED_FROM, MAX_LISTED_SPRINTS, Unbound
from sprints.semantics.questions.values import is_among, to_value

_HOLDERS = frozenset({"person", "team"})
_OF_STATE = frozenset({"status", "status_category", "sprint"})


class Relations(Measures):
    """Measures with what is known of related rows."""

    def _read_noun(self, phrase: Phrase, *, place: int, is_first: bool) -> None:
        if self._is_one_sprint(phrase, place=place):
            self._take_sprint(phrase)
        elif self._is_own_sprint(phrase, place=place):
            if self._is_past():
                raise Unbound(None, why="Which sprint do you mean?")
            self.mentions_entity = True
            self._take_sprint(phrase)
        else:
            super()._read_noun(phrase, place=place, is_first=is_first)

    def _is_one_sprint(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether it refers to one sprint without a name: removed from the sprint."""
        is_noun = self.entity.id in ("issue", "membership", "sprint_blockage", "sprint_day") and phrase.kind == "term"
        is_one = is_noun and phrase.has_entity("sprint") and not phrase.is_plural and place > 0
        return is_one and not self._is_asked_which(place) and not self._is_kind_noun(phrase, place=place)

    def _is_own_sprint(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether a property is asked of a team's sprint: the goal of | the | HARBOR | sprint."""
        nouns = [one for one in self.phrases if one.kind == "term" and one is not phrase]
        is_property = any(one.has("dimension", form="noun") for one in nouns) or "how_long" in self.marks
        is_plain = not any(one.has("measure", form="noun") or one.kind in ("rank", "group") for one in nouns)
        is_one = self.entity.id == "sprint" and phrase.is_definite and not phrase.is_plural and not self.states
        is_one = is_one and phrase.kind == "term" and phrase.has_entity("sprint") and is_property and is_plain
        return is_one and not self._is_asked_which(place)

    def _take_sprint(self, phrase: Phrase) -> None:
        """Take any sprint that is not over, or the one that runs: open issues in a sprint; left in ACCEL's sprint."""
        running = self.settings["running"]
        is_open = any(one.predicate == "open" and not one.phrase.is_negated for one in self.states.values())
        if phrase.is_any and is_open and self.entity.id == "issue":
            self.parts.append(InPeriod(where=Not(part=NamedCondition(predicate=running["over"]))))
            self.assumptions.append(f"Took '{phrase.said}' as one that is not over.")
            return
        teams = [name for one in self.phrases if one.name_kind == "team" and not one.is_negated for name in one.names]
        if any(sense.name == "carried_over" for one in self.phrases for sense in one.senses):
            raise Unbound(phrase, why=CARRIED_FROM, is_final=True)
        is_of_teams = len(teams) == 1 or (self.entity.id == "sprint" and not teams)
        if not (phrase.is_definite and is_of_teams) or any(map(is_sprints, self.phrases)):
            raise Unbound(None, why="Which sprint do you mean?")
        active = NamedCondition(predicate=running["sprint"])
        self.parts.append(active if "sprint" in self.reached else InPeriod(where=active))
        self.assumptions.append(f"Took '{phrase.said}' as the one that runs now.")

    def _refuse_behind(self, phrase: Phrase) -> None:
        """Refuse an ambiguous reference to the rows or their related rows: epics with bugs that are not blocked."""
        if self.entity.id != "issue":
            return
        for place in range(self.phrases.index(phrase) + 1, len(self.phrases)):
            one = self.phrases[place]
            is_told = place in self.states or one.kind in ("missing", "bound", "days") or is_sprints(one)
            if is_told or one.is_negated or one.name_kind == "person":
                raise Unbound(one, why=f"Of what is '{one.said}' said: of '{phrase.said}', or of those that have it?")

    def _is_about_types(self) -> bool:
        return self.entity.id == "issue" and any(one.name_kind == "type" for one in self.phrases)

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

    def _which_sprints(self, phrase: Phrase) -> Condition:
        numbers = sorted({number for name in phrase.names for number in sprint_numbers(name.text)})
        if phrase.edge:
            if len(numbers) != 1:
                raise Unbound(phrase)
            op = {"since": Operator.GE, "after": Operator.GT, "before": Operator.LT, "until": Operator.LE}[phrase.edge]
            return Comparison(field="sprint_number", op=op, values=(numbers[0],))
        if not phrase.names or len(phrase.names) > MAX_LISTED_SPRINTS:
            raise Unbound(phrase, why=f"Which sprint is '{phrase.said}'?")
        return is_among("sprint", values=[to_value(name) for name in phrase.names])

    def _reads_stay(self, place: int) -> bool:
        """Read what became of issues in named sprints as a stay in them, and return whether it is: closed in | 8."""
        sprints = [at for at, one in enumerate(self.phrases) if is_sprints(one)]
        fate = self._find_fate(self.said[place]) if self.entity.membership else ""
        if not fate or len(sprints) != 1:
            return False
        told = [at for at, one in enumerate(self.said) if at >= place and self._find_fate(one) == fate]
        if any(self.phrases[at].is_negated or (at in self.states and self.states[at].periods) for at in told):
            return False
        named = self.phrases[sprints[0]]
        if fate == "carried_over" and any(name.state != "closed" for name in named.names):
            raise Unbound(named, why=CARRIED_FROM, is_final=True)
        stays = next(name for name, one in self.entity.relations.items() if one.entity == "membership")
        where = join_conditions([NamedCondition(predicate=fate), self._which_sprints(named)])
        self.part_of[place] = [Has(relation=stays, where=where)]
        self.used |= {*told, *sprints}
        for at in told:
            self.states.pop(at, None)
        self.phrases[sprints[0]] = replace(named, kind="mark", names=(), name_kind="", senses=())
        return True

    def _limit_to_open(self, where: Condition | None, *, relation: Relation, phrase: Phrase) -> Condition | None:
        """Return what people and teams lack now as open work, as what they have is: who has no bugs. Else as it is."""
        parts = split_conditions(where)
        implied = self.settings["of_open_work"]["predicates"]
        is_plain = all(
            (isinstance(one, Comparison) and one.field not in _OF_STATE)
            or (isinstance(one, NamedCondition) and one.predicate in implied) for one in parts
        )  # fmt: skip
        is_held = self.entity.id in _HOLDERS and relation.entity == "issue" and relation.by != "reporter"
        is_past = bool(self.marks & {"past", "ever"}) or is_said_of_past(self.phrases, place=self.phrases.index(phrase))
        if not (phrase.is_negated and is_held and is_plain) or is_past or phrase.is_ever:
            return where
        self.assumptions.append("Only issues that are not done are counted.")
        return join_conditions([NamedCondition(predicate="open"), *parts])

    def _find_fate(self, phrase: Phrase) -> str:
        """Return what a phrase says became of issues in a sprint. Empty if it says no such thing."""
        senses = phrase.senses if phrase.kind == "term" else ()
        return next((one.name for one in senses if one.kind == "predicate"
                     and self.model.predicates[one.name].entity == "membership"), "")  # fmt: skip


def list_decided(where: Condition | None, *, entity: str, model: SemanticModel) -> list[Condition]:
    """Return what excludes rows for which it is undecided: the carry-over of a sprint is known when it is closed."""
    named = [part.predicate for part in split_conditions(where) if isinstance(part, NamedCondition)]
    times = {model.predicates[one].time for one in named if model.predicates[one].entity != entity} - {None}
    return [
        NamedCondition(predicate=one.id) for one in model.predicates.values()
        if one.entity == entity and one.time in times and not one.hidden
    ]  # fmt: skip
