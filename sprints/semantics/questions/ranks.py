"""Ranks and shares of a question: by what rows or groups are ranked, and a share of which whole."""

from typing import Literal

from sprints.linking.folding import name_words
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import Predicate
from sprints.semantics.query import Comparison, DimensionGroup, InPeriod, NamedCondition, Order, Rank, Share
from sprints.semantics.questions.alternatives import MASS
from sprints.semantics.questions.constructions import TAKING
from sprints.semantics.questions.durations import LENGTH_OF_THEN
from sprints.semantics.questions.phrase import Phrase, is_sprints, look_at, phrase_at
from sprints.semantics.questions.scope import Scope
from sprints.semantics.questions.sorting import find_moment
from sprints.semantics.questions.tense import find_number, find_ranked_noun, find_verb
from sprints.semantics.questions.terms import DEFAULT_RANK, Unbound

MASS_OF_WORK = "Is that by the number of issues, or by their points?"
_ISSUES = frozenset({"issue", "membership"})
_OWN_ROWS = _ISSUES | {"sprint", "team", "person"}
UNTIL_DONE = frozenset({"cycle_time_days", "lead_time_days"})
_SIZES, _DURATIONS = frozenset({"biggest", "largest", "smallest"}), frozenset({"longest", "shortest"})

RATIO = "I do not divide by what '{said}' says. Ask for the number alone, or for a list of the numbers {said}."
WHOSE_ROWS = "Do you mean one person, by all their {plural}, or who has the {said} one?"
SIZE_OF_EPICS = "An epic has no points of its own. Do you mean the number of its issues, or their points?"
SHARE_OF_SPRINT = (
    "Of which issues: of those committed, or of all in the sprint? Ask for the completion rate, which is of the "
    "committed ones, or for both numbers."
)
START_OF_EPICS = (
    "When an epic began is not known. Do you mean when it was created, or when its first issue was started?"
)
HOW_LONG_SO = (
    "How long each has been so is not known. Ask for the oldest of them, or which have been open, in progress, blocked "
    "or in a status the longest."
)
NOT_DONE_YET = "What is not done has no cycle time or lead time yet. Ask for the oldest of them instead."
SINCE_CREATED = "How long each has been {label} is not known: ranked by how long ago it was created."
NOW_OR_IN_ALL = "Do you mean those that are {state} now, or the days of all times that they were {state}?"


class Ranks(Scope):
    """A question with its ranks and shares."""

    def _read_ranks(self) -> tuple[Rank | None, tuple[Order, ...]]:
        places = [place for place, phrase in enumerate(self.phrases) if phrase.kind == "rank"]
        self._refuse_ratio()
        if not places:
            return None, ()
        if len(places) > 1:
            raise Unbound(self.phrases[places[1]])
        phrase = self.phrases[places[0]]
        self.used.add(places[0])
        by = self._find_rank_term(phrase)
        if phrase.said.lower() in _SIZES and by == "story_points" and self._is_about_epics():
            raise Unbound(phrase, why=SIZE_OF_EPICS)
        if by == "started_at" and self._is_about_epics() and not self.measures:
            raise Unbound(phrase, why=START_OF_EPICS, is_final=True)
        self._refuse_lost_rows(phrase, by=by)
        self._refuse_unknown_length(phrase, by=by)
        is_plural = any(one.is_plural or one.said.lower().endswith("s") for one in self.phrases if one.is_of_issues)
        if not self.measures and is_plural and "whose" in self.phrases[0].marks:
            raise Unbound(phrase, why=WHOSE_ROWS.format(plural=self.entity.plural, said=phrase.said), is_final=True)
        is_of_issues = self.entity.id == "issue" and not self.measures
        if by in UNTIL_DONE or (is_of_issues and by == "resolved_at"):
            self._limit_to_completed("ranked")
        if is_of_issues and by == "started_at" and any(is_sprints(one) for one in self.phrases):
            raise Unbound(phrase, is_final=True)  # started first | in sprint 9, or of its issues
        direction: Literal["asc", "desc"] = "desc" if self._is_descending(phrase, by=by) else "asc"
        count = int(phrase.number) if phrase.number is not None else 1
        is_of_several = self.subject_is_plural and find_verb(self.phrases, place=places[0]) not in ("has", "is", "was")
        if phrase.number is None and self.measures and is_of_several:
            return None, (Order(by=by, direction=direction),)
        if phrase.number is None and not self.measures and self._lists_many(places[0]):
            count = DEFAULT_RANK
            self.assumptions.append(f"Listed the first {DEFAULT_RANK}.")
        return Rank(count=count, by=by, direction=direction, within=self._rank_within(places[0])), ()

    def _refuse_ratio(self) -> None:
        """Refuse to rank or limit what is asked for inside its own parts: which team has most bugs | per person."""
        if not (self.measures and (self.is_ranked or self.having)):
            return
        parts = {self._dimension_of(one, is_group=True): one for one in self.phrases if one.kind == "group"}
        asked = {one.dimension for one in self.groups if isinstance(one, DimensionGroup)} - parts.keys()
        for part, phrase in parts.items():
            if (part == "issue" and asked) or (part in ("assignee", "reporter") and "team" in asked):
                raise Unbound(phrase, why=RATIO.format(said=phrase.said), is_final=True)

    def _refuse_lost_rows(self, rank: Phrase, *, by: str) -> None:
        """Refuse to rank others than the rows that are asked for, or these by what is another row's."""
        of_other = by in self.model.dimensions and self.model.dimensions[by].reached_as != self.entity.id
        if of_other and self.entity.id not in _OWN_ROWS:
            raise Unbound(rank)  # the biggest change, by the points of its issue
        nouns = [one for one in self.phrases if one.kind == "term" and one.has("entity", form="noun")]
        sprint = next((one for one in nouns[:1] if one.has_entity("sprint")), None)
        if sprint is not None and self.measures and self.groups and not self._groups_sprints():
            raise Unbound(sprint, is_final=True)  # which sprint of each team
        is_single = any(one.is_one and one.is_of_issues for one in self.phrases)
        is_extreme = rank.said.lower() in ("max", "maximum", "min", "minimum") and bool(self.groups)
        if self.measures and self.groups and (is_single or is_extreme):
            raise Unbound(rank, is_final=True)  # the most points in a single issue | per team; max points | by team
        noun = phrase_at(self.phrases, place=self.phrases.index(rank) + 1)
        has_order = rank.said.lower() == "top" and any(sense.name == "priority" for sense in noun.senses)
        is_of_list = rank.said.lower() == "top" and bool(self.groups) and noun.has("predicate", form="noun")
        ranked = find_ranked_noun(self.phrases, place=self.phrases.index(rank))
        is_of_rows = ranked.is_of_issues or ranked.name_kind == "priority"
        if has_order or is_of_list or (self.measures and is_of_rows and rank.said.lower() in _SIZES):
            raise Unbound(rank, is_final=True)  # top | priorities; top of the | backlog by priority; biggest | story
        is_least = not rank.is_descending or "best" in rank.marks
        is_least = is_least and self._groups_sprints() and "sprint" in self.reached
        if is_least and self.measures and not any(is_sprints(one) for one in self.phrases):
            self.parts.append(NamedCondition(predicate="sprint_closed"))
            self.assumptions.append("Only closed sprints are ranked.")

    def _refuse_unknown_length(self, rank: Phrase, *, by: str) -> None:
        """Refuse cycle times of what is not done, or as how long it has been so: has been in the sprint | longest."""
        if self.measures or self.entity.id != "issue" or not _DURATIONS & {*rank.said.lower().split()}:
            return
        if by == self.settings["lasting"]["open"] and (known := self._find_part_of_open()):
            self.assumptions.append(SINCE_CREATED.format(label=known.label))
        if by not in UNTIL_DONE:
            self._refuse_length_in_sprint(rank, by=by)
            return
        behind = look_at(self.phrases, place=self.phrases.index(rank) + 1, size=2)
        if is_sprints(behind[0]) and not (behind[0].is_apart or any(one.is_of_issues for one in self.phrases)):
            raise Unbound(rank, is_final=True)  # the longest | running sprint
        if any(one.has("dimension", form="noun") and self._is_text(one) for one in behind):
            raise Unbound(rank, is_final=True)  # the longest | title
        is_taken = any(one.said.lower() in TAKING for one in self.phrases)
        is_kept = find_verb(self.phrases, place=self.phrases.index(rank)) in ("has", "have") and not is_taken
        is_of_span = is_taken or self._names_span()
        told = [one.predicate for one in self.states.values() if one.predicate and not one.phrase.is_negated]
        if any(self._is_undone(self.model.predicates[one]) for one in told):
            raise Unbound(None, why=NOT_DONE_YET if is_of_span else HOW_LONG_SO, is_final=True)
        is_said = any(one in self.settings["of_open_work"]["predicates"] for one in told)
        if (is_said or is_kept) and not is_of_span:
            raise Unbound(None, why=HOW_LONG_SO, is_final=True)

    def _refuse_length_in_sprint(self, rank: Phrase, *, by: str) -> None:
        """Refuse how long it is so now for how long it was so in a sprint that does not run: blocked | longest."""
        sprints = [one for one in self.phrases if is_sprints(one) and not one.is_negated and one.names]
        is_over = any(name.state != "active" for one in sprints for name in one.names)
        if is_over and by in self.settings["lasting"].values() and by != self.settings["lasting"]["open"]:
            said = rank.said.rpartition(" ")[2] if " " in rank.said else "so"
            raise Unbound(None, why=LENGTH_OF_THEN.format(said=said), is_final=True)

    def _is_text(self, phrase: Phrase) -> bool:
        """Return whether it names a text of the rows, of which the letters might be counted."""
        found = (self.model.dimensions[one.name] for one in phrase.senses if one.kind == "dimension")
        return any(one.id == "title" for one in found)

    def _names_span(self) -> bool:
        """Return whether the span itself is named, so that "has" is its verb: has the | longest | cycle time."""
        return any(sense.name in UNTIL_DONE and sense.form == "noun" for one in self.phrases for sense in one.senses)

    @staticmethod
    def _is_undone(known: Predicate) -> bool:
        """Return whether what a predicate is true of is not done."""
        told = known.comparison
        is_status = told is not None and told.field == "status_category"
        is_done = told is not None and (told.op is Operator.EQ) == ("Done" in told.values)
        return (is_status and not is_done) or "open" in known.requires

    def _find_part_of_open(self) -> Predicate | None:
        """Return the state of open issues for which nobody knows since when they are in it: in the backlog."""
        told = (self.model.predicates[one.predicate] for one in self.states.values() if one.predicate)
        lasting = self.settings["lasting"]
        return next((one for one in told if "open" in one.requires and one.id not in lasting), None)

    def _rank_within(self, place: int) -> tuple[str, ...]:
        """Return the groups inside which is ranked: the top 3 people per team; the oldest bug of each team."""
        if not self.measures:
            return tuple(self.within)
        said = [self._dimension_of(one, is_group=True) for one in self.phrases if one.kind == "group"]
        inner = [one.dimension for one in self.groups if isinstance(one, DimensionGroup) and one.dimension in said]
        is_of_rows = phrase_at(self.phrases, place=place + 1).is_of_issues
        if is_of_rows and self.phrases[place].number is not None and len(inner) == len(self.groups):
            raise Unbound(self.phrases[place])  # the top 3 bugs per team: by what?
        return tuple(inner) if len(inner) < len(self.groups) else ()

    def _is_descending(self, phrase: Phrase, *, by: str) -> bool:
        """Return whether the largest come first: the best by what the measure calls better."""
        if phrase.said.lower().startswith("first") and by in self.model.measures:
            raise Unbound(phrase, is_final=True)  # the first three sprints: the earliest, not the largest
        if not phrase.marks & {"best", "worst"}:
            is_turned = by in self.model.dimensions and self.model.dimensions[by].type in ("date", "moment")
            said = [self.model.dimensions[one.name].type for one in phrase.senses if one.kind == "dimension"]
            return phrase.is_descending != (is_turned and {*said} == {"number"})  # the oldest are the first
        higher_is = self.model.measures[by].higher_is if by in self.model.measures else "neither"
        if higher_is == "neither" and phrase.is_plural and any(
            one.predicate in self.settings["trouble"]["predicates"] and not one.phrase.is_negated
            for one in self.states.values()
        ):  # fmt: skip
            higher_is = "worse"
        if higher_is == "neither":
            raise Unbound(phrase)
        return phrase.is_descending == (higher_is == "better")

    def _lists_many(self, place: int) -> bool:
        """Return whether a superlative without a number is of several rows, by its noun, its verb, or any noun."""
        asked, verb, noun = look_at(self.phrases, place=0, size=3)
        is_single = noun.name_kind == "type" and not noun.said.lower().endswith("s")
        is_single = is_single and verb.said.lower() in ("is", "was")
        if asked.marks & {"what", "which"} and is_single:
            return False  # what is | the bug | that we have left open for the longest time
        is_plural = find_number(self.phrases, place=place)
        if is_plural is not None and not self.subject_is_plural:
            return is_plural
        is_plural = any(one.is_plural and one.has("entity") for one in self.phrases)
        return self.subject_is_plural or is_plural or not self.mentions_entity

    def _find_rank_term(self, phrase: Phrase) -> str:
        if self.measures:
            self._refuse_other_size(phrase)
            is_grouped = bool(self.groups) or (self.context is not None and bool(self.context.group_by))
            is_speed = phrase.has("dimension") and self.model.measures[self.measures[0]].unit == "days"
            is_speed = is_speed and any(sense.name == "cycle_time_days" for sense in phrase.senses)
            if not is_grouped or (phrase.has("dimension") and not phrase.marks and not is_speed):
                raise Unbound(phrase)
            return self.measures[0]
        own = self._find_lasting(phrase, own=self._dimension_of(phrase))
        own = self._find_own_moment(phrase, own=own) or self._find_most_repeated(phrase)
        if self.columns and self.model.dimensions[self.columns[-1]].type == "number":
            own = self.columns.pop()
        elif self.unit_noun == "points" and self.entity.id == "issue":
            own = "story_points"
        elif not own and self.context is not None and self.context.rank is not None:
            return self.context.rank.by
        if not own or self.model.dimensions[own].type not in ("number", "date", "moment"):
            raise Unbound(phrase)
        return own

    def _find_lasting(self, phrase: Phrase, *, own: str) -> str:
        """Return how long rows are in the state that is nearest to a superlative: blocked | longest. Else `own`."""
        is_own = bool(own) and self.entity.id not in _ISSUES and self.model.dimensions[own].reached_as == self.entity.id
        if is_own or not ("longest" in phrase.said.lower() or "shortest" in phrase.said.lower()):
            return own
        nearest = self._by_distance(self.phrases.index(phrase))
        lasting = [self.settings["lasting"].get(state.predicate) for state in nearest]
        if any(one.name_kind == "status" and not one.is_negated for one in self.phrases):
            lasting.insert(0, self.settings["lasting"]["in_status"])
        known = self._find_spent() or next((one for one in lasting if one), "")
        said = {sense.name for state in self.states.values() for sense in state.phrase.senses}
        is_taken = known == self.settings["lasting"]["open"] and any(
            one.said.lower() in TAKING for one in self.phrases
        )  # which open ones | took the longest
        if is_taken or (not known and said & self.settings["lasting"].keys()):
            raise Unbound(phrase)  # of such rows nobody knows how long they are so
        if not known and own and self._find_part_of_open() is not None:
            return str(self.settings["lasting"]["open"])
        return known or own

    def _find_own_moment(self, rank: Phrase, *, own: str) -> str:
        """Return the moment by which rows are the newest: when they were closed, of what was closed last week."""
        is_named = name_words(rank.said) not in self.lexicon.phrases  # most recently created
        if is_named or (own == "age_days" and self.entity.id in _ISSUES):
            return own
        parts = [*self.parts, *(one for found in self.part_of.values() for one in found)]
        parts += split_conditions(self.context.where) if self.context is not None else ()
        moment = find_moment(own, said=rank.said, entity=self.entity, parts=parts, lexicon=self.lexicon)
        if own and not moment:
            raise Unbound(rank, is_final=True)
        return moment

    def _find_most_repeated(self, rank: Phrase) -> str:
        """Return how often rows were as the word beside "most" says: the most | reopened; carried over | most often."""
        place = self.phrases.index(rank)
        beside = [at for at in (place - 1, place + 1) if at in self.states]
        at, name = next(((at, self._find_reached("repeated", state=self.states[at])) for at in beside), (-1, ""))
        at, name = (at, name) if name else self._find_repeated()
        if rank.said.lower().split()[0] not in ("most", "least", "fewest") or abs(at - place) != 1 or not name:
            return ""
        is_limited = any(one.kind == "period" or is_sprints(one) for one in self.phrases)
        if self.phrases[at].is_negated or is_limited or "who" in self.marks:
            raise Unbound(rank)  # of all times, not within a period; who reported | most reopened bugs
        self.used.add(at)
        if rank.is_descending:
            self.part_of[at] = [Comparison(field=name, op=Operator.GE, values=(1,))]
        else:
            self.part_of.pop(at, None)
        return name

    def _find_spent(self) -> str:
        """Return how long the only state was so in all, if it is past: was blocked the longest. Else empty."""
        told = [place for place, state in self.states.items() if state.predicate in self.settings["spent"]]
        verb = find_verb(self.phrases, place=told[0]) if len(told) == 1 else ""
        if verb in ("has", "have"):
            raise Unbound(None, why=NOW_OR_IN_ALL.format(state=self.states[told[0]].phrase.said))
        if verb not in ("was", "were"):
            return ""
        if any(one.kind == "period" or is_sprints(one) for one in self.phrases):
            raise Unbound(self.states[told[0]].phrase)  # in all, not within a period
        self.part_of.pop(told[0], None)
        return str(self.settings["spent"][self.states[told[0]].predicate])

    def _refuse_other_size(self, phrase: Phrase) -> None:
        """Refuse a superlative of another size: the biggest scope change, the longest number."""
        said, measure = {*phrase.said.lower().split()}, self.model.measures[self.measures[0]]
        is_count = measure.id == self.entity.count
        if "share" in self.marks and self._find_copula() is not None:
            raise Unbound(phrase)  # the smallest share: groups are ranked by the whole, not by the part
        if "often" in said and measure.unit.startswith("issues"):
            raise Unbound(phrase, is_final=True)  # blocked most often: how many times, or how many issues
        is_mass = is_count and any(one.said.lower() in MASS for one in self.phrases)
        is_size = is_count and self.entity.id != "issue" and "how_many" not in self.marks and bool(_SIZES & said)
        if is_mass:
            raise Unbound(phrase, why=MASS_OF_WORK)
        if is_size or (_DURATIONS & said and not measure.unit.startswith(("days", "hours"))):
            raise Unbound(phrase)

    def _read_share(self) -> Share | None:
        if "share" not in self.marks:
            return None
        is_summed = all(self.model.measures[one].additive for one in self.measures)
        if not self.measures or not is_summed or self.entity.id not in ("issue", "membership"):
            raise Unbound(next(one for one in self.phrases if "share" in one.marks))
        at = next(place for place, one in enumerate(self.phrases) if "share" in one.marks)
        self.used.add(at)
        copula = self._find_copula()
        is_closed = any(name.state == "closed" for one in self.phrases if is_sprints(one) for name in one.names)
        told = [state for state in self.states.values() if self._tells_of_membership(state.phrase)]
        if self.entity.id == "issue" and is_closed and told:
            is_completed = any(state.predicate == "done" for state in told)  # by now, or in the sprint
            raise Unbound(told[0].phrase, why=SHARE_OF_SPRINT if is_completed else "")
        is_whole_named = bool(self._own_states()) or any(
            sense.kind == "measure" and sense.form == "noun" and sense.name in self.measures
            for one in self.phrases for sense in one.senses
        )  # fmt: skip
        if self.entity.id == "membership" and not is_whole_named:
            raise Unbound(self.phrases[at], why="A share of what?")
        if copula is None:
            is_part = bool(self._own_states()) or any(one.name_kind == "type" for one in self.phrases)
            if self.groups and not (self.is_ranked or is_part or self.entity.id == "membership"):
                return Share()
            raise Unbound(self.phrases[at], why="A share of what?")
        behind = [place for place in self.part_of if place > copula]
        if self.entity.id == "membership":
            own = [place for place in behind if place in self.states and self.states[place].is_own]
            is_verb = "be" in phrase_at(self.phrases, place=int(copula)).marks
            behind = own or (behind if is_verb else [])  # completed issues | were | bugs
        part = [one for place in behind for one in self.part_of[place]]
        is_of_others = any(
            (isinstance(one, InPeriod) and one.role)
            or (isinstance(one, Comparison) and one.than and one.field != "spent_hours_of_issue") for one in part
        )  # fmt: skip
        is_implied = any(
            isinstance(one, NamedCondition)
            and any(one.predicate in self.model.measures[m].where for m in self.measures)
            for one in part
        )  # the share of added points | that were added
        if not part or is_of_others or is_implied:  # blocked in sprint 7, of all that there are
            raise Unbound(self.phrases[at], why="A share of what?")
        for place in behind:
            del self.part_of[place]
        return Share(part=join_conditions(part))
