"""Groups of a question: a number for each team or month."""

from sprints.semantics.enums import Grain, Operator
from sprints.semantics.query import Comparison, DimensionGroup, TimeGroup
from sprints.semantics.questions.phrase import NOTHING, Phrase, is_sprints, phrase_at
from sprints.semantics.questions.tense import find_ranked_noun
from sprints.semantics.questions.terms import Terms, Unbound

_ACTED = frozenset({"most", "least", "last", "first"})  # of a state or an act: the most | overdue; closed | last


class Groups(Terms):
    """Terms with the groups of the question."""

    def _read_groups(self) -> None:
        for place, phrase in enumerate(self.phrases):
            if phrase.kind != "group":
                continue
            if self._names_agent(phrase, place=place) or phrase.said.lower().endswith("thing"):
                raise Unbound(phrase)
            if self._is_averaged() and phrase.has_entity(self.entity.id) and self.entity.id == "issue":
                self.used.add(place)
                continue
            is_own_rows = phrase.is_plural and phrase.has_entity(self.entity.id)
            if self.is_ranked and phrase.has("measure", form="noun") and (is_own_rows or not phrase.has("entity")):
                continue
            self.used.add(place)
            grain = next((sense.name for sense in phrase.senses if sense.kind == "grain"), "")
            if grain:
                self._group_by_time(Grain(grain), phrase=phrase)
            elif self._ranks_rows():
                self.within.append(self._dimension_of(phrase, is_group=True))
            else:
                dimension = self._dimension_of(phrase, is_group=True)
                if dimension == "story_points" and any(one.said.lower() == "epics" for one in self.phrases):
                    raise Unbound(phrase)  # epics have no points of their own: epics | by points
                self._group_by(dimension, phrase=phrase)
                is_each = "each" in (phrase.quantifier, *phrase.said.lower().split())  # not what has none
                is_each = is_each and self.entity.id == "issue"
                if is_each or (place and "have" in self.phrases[place - 1].marks):
                    self.parts.append(Comparison(field=dimension, op=Operator.IS_NOT_NULL))

    def _names_agent(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether it says who did it, as opposed to a number for each: closed | by developers."""
        people = next((sense for sense in phrase.senses if (sense.kind, sense.name) == ("entity", "person")), None)
        is_plural = phrase.said.lower().startswith("by ") and people is not None and people.is_plural
        act = phrase_at(self.phrases, place=place - 1)
        return is_plural and act.kind == "term" and act.has("predicate", "time")

    def _is_averaged(self) -> bool:
        return "average" in self.marks or any("average" in phrase.said.lower() for phrase in self.phrases)

    def _ranks_rows(self) -> bool:
        """Return whether issues are ranked by a property of their own: the oldest bug; which issue has most points."""
        nouns = [one for one in self.phrases if one.is_of_issues or any(sense.form == "noun" for sense in one.senses)]
        is_subject = bool(nouns) and nouns[0].is_of_issues and "which" in self.phrases[0].marks
        for place, phrase in enumerate(self.phrases):
            points = phrase_at(self.phrases, place=place + 1)
            is_largest = is_subject and any(sense.name == "points" for sense in points.senses)
            if phrase.kind == "rank" and (phrase.has("dimension") or is_largest) and self._lists_issues():
                return True
        return False

    def _group_by_time(self, grain: Grain, *, phrase: Phrase) -> None:
        timed = [state for state in self.states.values() if state.role]
        at = self.phrases.index(phrase) + 1
        noun = phrase_at(self.phrases, place=at)
        if noun.kind == "term" and noun.has("dimension", form="noun") and not noun.has("entity"):
            raise Unbound(noun)  # by week | sprint ends
        roles = {state.role for state in timed if self.model.time_roles[state.role].is_moment}
        for state in timed:
            state.has_grain = True
        is_compared = self.marks & {"versus", "compare", "and"} or any(one.kind == "than" for one in self.phrases)
        if (len(roles) > 1 and not is_compared) or (timed and not roles):
            raise Unbound(phrase, why=f"By which time is '{phrase.said}' counted?")
        self.groups.append(TimeGroup(grain=grain, role=next(iter(roles)) if len(roles) == 1 else None))

    def _group_by(self, dimension: str, *, phrase: Phrase) -> None:
        if self.is_about_people and dimension == "assignee":
            self.parts.append(Comparison(field=dimension, op=Operator.IS_NOT_NULL))
        if not dimension or not self.model.dimensions[dimension].groupable:
            raise Unbound(phrase)
        group = DimensionGroup(dimension=dimension)
        if group not in self.groups:
            self.groups.append(group)

    def _is_of_listed_rows(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether it is a number of each listed row: bugs | with | their age; sprints | and | their velocity."""
        link = phrase_at(self.phrases, place=place - 1)
        rows = [
            at for at, one in enumerate(self.phrases[:place])
            if one.has_entity(self.entity.id) or (one.name_kind == "type" and self.entity.id == "issue")
        ]  # fmt: skip
        is_listed = bool(rows) and not any("what" in one.marks for one in self.phrases[: rows[0]])
        if is_listed and phrase.is_owned and self.marks & {"how_many", "how_much"}:
            raise Unbound(phrase)  # the number of bugs | and | their points
        is_number = bool(self.marks & {"how_many", "how_much", "average", "median", "total", "share", "compare"})
        return is_listed and not is_number and (phrase.is_owned or link.said.lower() in ("with", "and"))

    def _ranks_one_row(self) -> bool:
        """Return whether one row is asked for by what it is: the status of the biggest | open | story."""
        places = [
            at for at, one in enumerate(self.phrases)
            if one.kind == "rank" and one.has("dimension") and not _ACTED & {*one.said.lower().split()}
        ]  # fmt: skip
        noun = find_ranked_noun(self.phrases, place=places[0]) if places and self.entity.id == "issue" else NOTHING
        is_several = noun.is_plural or (noun.kind == "names" and noun.said.lower().endswith("s"))
        return bool(noun) and (noun.is_of_issues or noun.name_kind == "priority") and not is_several

    def _is_asked_which(self, place: int) -> bool:
        """Return whether one of several is requested: which sprint, not the sprint."""
        before = self.phrases[:place]
        if before and "what" in before[-1].marks:
            return True
        while before and before[-1].name_kind != "type" and (
            before[-1].has("predicate") or before[-1].kind == "names" or "be" in before[-1].marks
        ):  # fmt: skip
            before = before[:-1]
        return not before or bool(before[-1].marks & {"which", "per"}) or before[-1].kind in ("rank", "number")

    def _has_place(self) -> bool:
        """Return whether somebody has issues in a sprint or an epic that is named: who has work in | sprint 9."""
        is_in_place = any(is_sprints(one) or one.name_kind == "epic" for one in self.phrases if not one.is_negated)
        return is_in_place and self.entity.id == "issue" and self.mentions_entity and "have" in self.marks
