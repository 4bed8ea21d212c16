"""What a measure is counted in: points or issues, what is planned, and averages."""

from sprints.semantics.query import DimensionGroup, MetricQuery, NamedCondition, Not
from sprints.semantics.questions.groups import Groups
from sprints.semantics.questions.phrase import Phrase, is_sprints, look_at, phrase_at
from sprints.semantics.questions.speeds import TAKEN_AS, find_speed_word
from sprints.semantics.questions.terms import Unbound

OF_OWNERS = "Do you mean the average of an issue, '{each}', or the average of what they have in all? I know the first."
AVERAGE_OF_EACH = "I know the numbers '{each}', not the average of them. Ask for these numbers without the average."
OF_TYPE = "Do you mean the points of the {said}, or of all issues? Ask for each number on its own."
NOT_STARTED = "What a sprint is committed to is known when it starts. Ask for each sprint on its own."
_STATISTICS = {"average": "average", "mean": "average", "median": "median"}
PLANNED = (NamedCondition(predicate="committed"), NamedCondition(predicate="added_late"))  # of a sprint ahead: in it
_ROWS = frozenset({"issue", "membership", "sprint", "team", "person"})  # of other rows issues are only the owners
_OWNERS = frozenset({"team", "assignee", "reporter", "person", "epic", "sprint"})


class Units(Groups):
    """Groups with the measure that stands for another one."""

    def _leave_out_future(self) -> None:
        """Leave out sprints that have not begun, in which nothing can have happened yet."""
        self.parts.append(Not(part=NamedCondition(predicate="sprint_future")))
        self.assumptions.append("Only sprints that have begun are meant.")

    def _counts_owners(self) -> bool:
        """Return whether only people or teams are named, so that it is not issues that are counted: people by team."""
        nouns = [one for one in self.phrases if one.kind in ("term", "group")]
        missing = [self._dimension_of(one) for one in self.phrases if one.kind == "missing"]
        is_missing = any(name and self.model.dimensions[name].entity == "issue" for name in missing)
        is_told = self.mentions_entity or bool(self.states) or is_missing or any(
            one.kind in ("bound", "days", "related", "key") or is_sprints(one)
            or (one.has("measure") and not one.has("entity"))
            or one.name_kind in ("status", "priority", "label", "type", "epic") for one in self.phrases
        )  # fmt: skip
        return not is_told and any(one.has_entity("person") or one.has_entity("team") for one in nouns)

    def _take_units_of_sprints(self) -> None:
        """Count what is planned for sprints that are named and in the future, and leave out others of these."""
        if self._has_sprint_ahead():
            self.measures = [self._find_planned(one) for one in self.measures]
        is_result = all("member_now" not in self.model.measures[one].where for one in self.measures)
        is_series = DimensionGroup(dimension="sprint") in self.groups or ("trend" in self.marks and not self.groups)
        is_series = is_series and self.entity.id == "membership" and not any(map(is_sprints, self.phrases))
        if not (self.measures and is_result and is_series):
            return
        if all(self.model.measures[one].time == "sprint_closed" for one in self.measures):
            self.parts.append(NamedCondition(predicate="sprint_closed"))
            self.assumptions.append("Only closed sprints are counted.")
        else:
            self._leave_out_future()

    def _read_unit_or_whole(self, phrase: Phrase) -> bool:
        """
        Note and return whether a noun only says of what a number is, not what is counted or grouped.

        So are what is averaged per sprint, whose is summed (the teams together), and issues behind a number of what
        happened to them: days blocked of open | issues.
        """
        is_per_sprint = self.entity.id == "sprint" and any(one.is_measured for one in self.states.values())
        if is_per_sprint and phrase.has_entity("issue"):
            self.unit_noun = "issues"
            return True
        if phrase.kind == "term" and phrase.has_entity("issue") and self.entity.id not in _ROWS and self.measures:
            return True
        if phrase.is_apart and phrase.is_plural and phrase.has_entity("sprint") and self.entity.id == "sprint_blockage":
            return True  # blockages | in sprints
        is_of_all = phrase.is_definite and phrase.is_plural and phrase.has_entity("team")
        self.joins_owners |= is_of_all and "together" in self.marks
        return is_of_all and self.joins_owners

    def _find_in_unit(self, measure: str, *, unit: str) -> str:
        """Return the measure of the same rows in a unit. Empty if there is none."""
        old = self.model.measures[measure]
        known = (one for one in self.model.measures.values() if not one.hidden and one.additive)
        return next((one.id for one in known if (one.entity, one.where, one.time, one.unit)
                     == (old.entity, old.where, old.time, unit)), "")  # fmt: skip

    def _join_units(self) -> None:
        """Count in points and in issues where the nouns of both are joined: how many issues | and | points."""
        for place, link in enumerate(self.phrases[:-1] if self.measures else ()):
            behind = self.phrases[place + 1 :]
            second = behind["how_many" in behind[0].marks :][:1]
            nouns = [phrase_at(self.phrases, place=place - 1), *second]
            units = [self._find_unit(one) for one in nouns]
            if "and" not in link.marks or {*units} != {"points", "issues"}:
                continue
            is_first_own, is_second_own = (self._names_own_measure(one) for one in nouns)
            if is_second_own and not is_first_own:
                raise Unbound(second[0])  # committed issues | and | completed points
            if is_second_own:
                continue
            if named := next((one.said for one in nouns if one.name_kind == "type"), ""):
                raise Unbound(None, why=OF_TYPE.format(said=named), is_final=True)
            self.measures = [self._find_in_unit(one, unit=unit) for unit in units for one in self.measures]
            if self.is_ranked or not all(self.measures):
                raise Unbound(second[0])

    def _names_own_measure(self, phrase: Phrase) -> bool:
        """Return whether a noun says which rows it counts: completed points, as opposed to points."""
        return any(one.name in self.measures and bool(self.model.measures[one.name].where) for one in phrase.senses)

    def _find_unit(self, phrase: Phrase) -> str:
        """Return what a noun of a number is counted in: points, issues. Empty if it is none."""
        if phrase.is_of_issues:
            return "issues"
        known = [self.model.measures[one.name] for one in phrase.senses if (one.kind, one.form) == ("measure", "noun")]
        return next((one.unit for one in known if one.additive), "")

    def _is_about_the_future(self) -> bool:
        """Return whether the sprints are in the future: their planned work is what is in them."""
        sprints = [one for one in self.phrases if is_sprints(one)]
        is_ahead = all(name.state == "future" for one in sprints for name in one.names)
        return bool(sprints) and is_ahead and not any(one.predicate not in ("", "sprint_future") for one in sprints)

    def _has_sprint_ahead(self) -> bool:
        return any(name.state == "future" for one in self.phrases if is_sprints(one) for name in one.names)

    def _is_put_ahead(self) -> bool:
        """Return whether something was put into a sprint in the future, and not after the start that it has not had."""
        late = ("added_late", "adjective")
        return self._is_about_the_future() and not any(
            (sense.name, sense.form) == late for one in self.phrases for sense in one.senses
        )

    def _find_planned(self, measure: str) -> str:
        """Return the measure of what is in a sprint, in place of what was when it was started."""
        known = self.model.measures[measure]
        planned = [one.id for one in self.model.measures.values()
                   if (one.entity, one.unit, one.where) == (known.entity, known.unit, ("member_now",))]  # fmt: skip
        if "committed" in known.where and not self._is_about_the_future():
            raise Unbound(None, why=NOT_STARTED, is_final=True)
        is_put = any(known.where == (one.predicate,) for one in PLANNED) and self._is_put_ahead()
        return planned[0] if is_put and planned else measure

    def _take_average_of_sprints(self) -> None:
        """Read "per sprint" beside the average of sprints as part of it: highest average carry-over | per sprint."""
        is_average = bool(self.measures) and all(
            one.startswith("average_") and self.model.measures[one].unit.endswith(" per sprint")
            for one in self.measures
        )
        said = [one.said.lower() for one in self.phrases if one.kind == "group" and one.has_entity("sprint")]
        if is_average and said == ["per sprint"] and self.groups[1:]:
            self.groups.remove(DimensionGroup(dimension="sprint"))

    def _apply_aggregates(self) -> None:
        self._take_average_of_sprints()
        for mark in ("average", "median", "percentile_85"):
            if mark not in self.marks:
                continue
            said = {"percentile_85": "85th percentile of"}.get(mark, mark)
            self._refuse_average_of_sum(mark)
            self.measures = [self._find_aggregate(one, said=said) for one in self.measures]
            for place, phrase in enumerate(self.phrases):
                if mark in phrase.marks:
                    self.used.add(place)
        if (said := find_speed_word(self.phrases)) and self.measures:
            label = self.model.measures[self.measures[0]].label
            self.assumptions.append(TAKEN_AS.format(said=said, measure=label))
        self._share_aggregate()

    def _share_aggregate(self) -> None:
        """Give both of two measures the statistic that is said once: average lead time | and | cycle time."""
        for place, phrase in enumerate(self.phrases):
            link, other = look_at(self.phrases, place=place + 1, size=2)
            said = _STATISTICS.get(phrase.said.lower().partition(" ")[0], "")
            is_told = other.said.lower().partition(" ")[0] in _STATISTICS
            if said and phrase.has("measure") and link.marks & {"and", "versus"} and not is_told:
                named = {sense.name for sense in other.senses if sense.kind == "measure"}
                self.measures = [
                    self._find_aggregate(one, said=said) if one in named and said not in self.model.measures[one].label
                    else one for one in self.measures
                ]  # fmt: skip

    def _keep_aggregate(self, context: MetricQuery) -> None:
        """Give a further measure the statistic of the question before: average lead time, | and cycle time."""
        labels = [self.model.measures[one].label for one in context.measures]
        before = {one.partition(" ")[0] for one in labels} & {*_STATISTICS.values()}
        said = any(phrase.said.lower().partition(" ")[0] in _STATISTICS for phrase in self.phrases)
        units = {self.model.measures[one].unit for one in context.measures}
        if len(before) == 1 and not said and not {*self.measures} & {*context.measures}:
            [statistic] = before
            self.measures = [
                self._find_aggregate(one, said=statistic) if self.model.measures[one].unit in units else one
                for one in self.measures
            ]

    def _refuse_average_of_sum(self, mark: str) -> None:
        """
        Refuse the average of a sum if it does not stand before the sum: points completed on average.

        Nor if it is of what somebody does each time: points that ORBIT usually completes.
        """
        is_habit = any(
            one.has("predicate", form="verb") and not one.said.lower().endswith(("ed", "done")) for one in self.phrases
        )
        for place, phrase in enumerate(self.phrases):
            is_of_noun = not is_habit and phrase_at(self.phrases, place=place + 1).has("measure", "predicate", "time")
            if mark in phrase.marks and not is_of_noun and any(self.model.measures[m].additive for m in self.measures):
                each = next((one.said for one in self.phrases if one.kind == "group"), "")
                asked = f"Of what is it '{phrase.said}': of an issue, a sprint, a month?"
                raise Unbound(phrase, why=AVERAGE_OF_EACH.format(each=each) if each else asked)

    def _refuse_average_of_owners(self) -> None:
        """Refuse the mean of an issue for that of what each owner has in all: average points | per team."""
        units = {self.model.measures[one].unit for one in self.measures}
        is_size = any(one.endswith(" per issue") for one in units) and not any(one.is_of_issues for one in self.phrases)
        said = [one for one in self.phrases if any(word.startswith("point") for word in one.said.lower().split())]
        for phrase in self.phrases if is_size and said else ():
            is_each = phrase.kind == "group" and not phrase.said.lower().startswith("by ")
            if is_each and self._dimension_of(phrase) in _OWNERS:
                raise Unbound(phrase, why=OF_OWNERS.format(each=phrase.said), is_final=True)

    def _find_aggregate(self, measure: str, *, said: str) -> str:
        """Return the average, median or percentile measure of this one."""
        known = self.model.measures[measure]
        if said == "average" and known.unit.endswith(" per sprint"):
            return measure
        wanted = {f"{said} {noun}" for noun in known.words.nouns} | {f"{said} {known.id.replace('_', ' ')}"}
        for other in self.model.measures.values():
            if other.entity == known.entity and wanted & set(other.words.nouns):
                return other.id
        raise Unbound(next((one for one in self.phrases if said.split(maxsplit=1)[0] in one.said.lower()), None))
