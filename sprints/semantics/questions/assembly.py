"""
Assembly of phrases into a query about rows of one entity.

The same phrases are tried with each entity: "completed" is a predicate of an issue, of its sprint membership, or of a
sprint. An assembly fails if a phrase has no place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Grain
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    Group,
    MetricQuery,
    NamedCondition,
    Or,
    Order,
    Rank,
    Share,
    Side,
    TimeGroup,
)
from sprints.semantics.questions.actors import tells_of_reporters
from sprints.semantics.questions.alternatives import MASS
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.phrase import Phrase, is_sprints, look_at, phrase_at
from sprints.semantics.questions.scope import Scope
from sprints.semantics.questions.tense import find_number, find_verb
from sprints.semantics.questions.terms import DEFAULT_RANK, SILENT, Unbound
from sprints.semantics.questions.values import is_among, to_value


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledQuery:
    """A query, its cost, and the assumptions."""

    query: MetricQuery
    cost: float
    assumptions: tuple[str, ...] = ()


def assemble(phrases: Sequence[Phrase], *, entity: str, lexicon: Lexicon) -> AssembledQuery:
    """
    Assemble a query about rows of an entity. Raises Unbound with the phrase that has no place.

    A negation or an "ever" that changes nothing was not read: without it the query must be another one, or none.
    """
    assembly = _Assembly(phrases, entity=entity, lexicon=lexicon)
    found = assembly.build()
    for place, phrase in enumerate(phrases):
        if not (phrase.is_negated or (phrase.is_ever and phrase not in assembly.redundant)):
            continue
        bare = replace(phrase, is_negated=False, is_ever=False)
        try:
            other = _Assembly([*phrases[:place], bare, *phrases[place + 1 :]], entity=entity, lexicon=lexicon).build()
        except (Unbound, ValueError):
            continue
        if other.query == found.query:
            raise Unbound(phrase)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """The content of a follow-up question: conditions, groups and an order, and the resulting measures."""

    conditions: tuple[Condition, ...]
    measures: tuple[str, ...]
    groups: tuple[Group, ...]
    rank: Rank | None
    order: tuple[Order, ...]
    assumptions: tuple[str, ...]


def assemble_fragment(
    phrases: Sequence[Phrase], *, entity: str, lexicon: Lexicon, context: MetricQuery
) -> Fragment:  # fmt: skip
    """Assemble a question that changes a query about an entity. Raises Unbound with the phrase that has no place."""
    return _Assembly(phrases, entity=entity, lexicon=lexicon).build_fragment(context)


_SIZES, _DURATIONS = frozenset({"biggest", "largest", "smallest"}), frozenset({"longest", "shortest"})

NOW_OR_IN_ALL = "Do you mean those that are {state} now, or the days of all times that they were {state}?"


class _Assembly(Scope):
    def build(self) -> AssembledQuery:
        self._check_entity()
        self._find_states()
        self._attach_times()
        self._read_groups()
        self._read_nouns()
        self._choose_measures()
        self._read_conditions()
        rank, order = self._read_ranks()
        share = self._read_share()
        self._check_marks()
        query = self._compose(rank=rank, order=order, share=share)
        return AssembledQuery(query=query, cost=self.cost, assumptions=tuple(self.assumptions))

    def build_fragment(self, context: MetricQuery) -> Fragment:
        """Parse phrases that change a query. A time without a verb belongs to the query."""
        self.is_fragment = True
        self.mentions_entity = True
        self.measures = list(context.measures)
        self.context = context
        if unread := next((one for one in self.phrases if one.marks & {"who", "when", "share", "how_often"}), None):
            raise Unbound(unread)
        self._find_states()
        self._attach_times()
        self._read_groups()
        self._swap_measure(context)
        for place, phrase in enumerate(self.phrases):
            if phrase.kind == "term" and place not in self.used and phrase.has("entity", "measure", form="noun"):
                self._read_noun(phrase, place=place, is_first=False)
                self.used.add(place)
        self.measures = [one for one in self.measures if one not in context.measures] or self.measures
        if not self.measures and self.unit_noun == "points":
            self.measures = [self._points_measure()]
        if not self.measures and (self.groups or "how_many" in self.marks) and self.entity.count:
            self.measures = [self.entity.count]
        self._swap_unit(context)
        self._read_conditions()
        rank, order = self._read_ranks()
        self._check_marks()
        conditions = (*self.parts, *(part for _, parts in sorted(self.part_of.items()) for part in parts))
        self._check_contradiction(join_conditions(conditions))
        return Fragment(
            conditions=conditions, measures=tuple(self.measures), groups=tuple(self.groups), rank=rank, order=order,
            assumptions=tuple(self.assumptions),
        )  # fmt: skip

    def _swap_measure(self, context: MetricQuery) -> None:
        """Use the measure of another state: of points completed, "and committed?"."""
        own = [state for state in self._own_states() if not state.phrase.is_negated and not state.phrase.is_only]
        known = [self.model.measures[name] for name in context.measures]
        if self.entity.id != "membership" or len(own) != 1 or len(known) != 1 or len(known[0].where) != 1:
            return
        self.unit_noun = known[0].unit
        self.measures = [self._measure_of(own[0])]

    def _swap_unit(self, context: MetricQuery) -> None:
        """Use the same measures in another unit: "in points", "and how many issues?"."""
        if "how_many" in self.marks and not self.unit_noun and any(
            one.kind == "term" and one.has_entity(self.entity.id) for one in self.phrases
        ):  # fmt: skip
            self.unit_noun = self.model.measures[self.entity.count].unit if self.entity.count else ""
        if not self.unit_noun or tuple(self.measures) != context.measures:
            return
        known = [self.model.measures[name] for name in context.measures]
        swapped = [
            next((one.id for one in self.model.measures.values() if not one.hidden and one.additive and
                  (one.entity, one.where, one.time, one.unit) == (old.entity, old.where, old.time, self.unit_noun)), "")
            for old in known
        ]  # fmt: skip
        if not all(swapped):
            raise Unbound(None)
        self.measures = swapped

    def _read_ranks(self) -> tuple[Rank | None, tuple[Order, ...]]:
        places = [place for place, phrase in enumerate(self.phrases) if phrase.kind == "rank"]
        if not places:
            return None, ()
        if len(places) > 1:
            raise Unbound(self.phrases[places[1]])
        phrase = self.phrases[places[0]]
        self.used.add(places[0])
        by = self._find_rank_term(phrase)
        direction: Literal["asc", "desc"] = "desc" if self._is_descending(phrase, by=by) else "asc"
        count = int(phrase.number) if phrase.number is not None else 1
        if phrase.number is None and self.measures and self.subject_is_plural:
            return None, (Order(by=by, direction=direction),)
        if phrase.number is None and not self.measures and self._lists_many(places[0]):
            count = DEFAULT_RANK
            self.assumptions.append(f"Listed the first {DEFAULT_RANK}.")
        return Rank(count=count, by=by, direction=direction, within=self._rank_within(places[0])), ()

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
            return phrase.is_descending
        higher_is = self.model.measures[by].higher_is if by in self.model.measures else "neither"
        if higher_is == "neither":
            raise Unbound(phrase)
        return phrase.is_descending == (higher_is == "better")

    def _lists_many(self, place: int) -> bool:
        """Return whether a superlative without a number is of several rows, by its noun, its verb, or any noun."""
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
        own = self._dimension_of(phrase)
        if "longest" in phrase.said.lower() or "shortest" in phrase.said.lower():
            lasting = [self.settings["lasting"].get(state.predicate) for state in self.states.values()]
            known = self._find_spent() or next((one for one in lasting if one), "")
            said = {sense.name for state in self.states.values() for sense in state.phrase.senses}
            if not known and said & self.settings["lasting"].keys():
                raise Unbound(phrase)  # of such rows nobody knows how long they are so
            own = known or own
        if self.columns and self.model.dimensions[self.columns[-1]].type == "number":
            own = self.columns.pop()
        elif self.unit_noun == "points" and self.entity.id == "issue":
            own = "story_points"
        elif not own and self.context is not None and self.context.rank is not None:
            return self.context.rank.by
        if not own or self.model.dimensions[own].type not in ("number", "date", "moment"):
            raise Unbound(phrase)
        return own

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
        is_mass = is_count and any(one.said.lower() in MASS for one in self.phrases)
        is_size = is_count and self.entity.id != "issue" and "how_many" not in self.marks and bool(_SIZES & said)
        if is_mass or is_size or (_DURATIONS & said and not measure.unit.startswith(("days", "hours"))):
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
            raise Unbound(told[0].phrase)  # done by now, or completed in the sprint
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
            behind = [place for place in behind if place in self.states and self.states[place].is_own]
        part = [one for place in behind for one in self.part_of[place]]
        if not part:
            raise Unbound(self.phrases[at], why="A share of what?")
        for place in behind:
            del self.part_of[place]
        return Share(part=join_conditions(part))

    def _check_marks(self) -> None:
        """Refuse unused marks, since each changes the question."""
        self._check_scope()
        for place, phrase in enumerate(self.phrases):
            is_silent = phrase.kind == "mark" and self._is_silent(phrase, place=place)
            if not (place in self.used or is_silent or self._is_role_verb(phrase, place=place)):
                raise Unbound(phrase)

    def _is_silent(self, phrase: Phrase, *, place: int) -> bool:
        if phrase.marks & {"versus", "compare"}:
            return self._compares(has_sides="versus" in phrase.marks)
        before, _, following = look_at(self.phrases, place=place - 1, size=3)
        if phrase.said.lower() == "but" and before.kind == "related" and before.is_negated:
            return False  # nothing | but | bugs
        if "breakdown" in phrase.marks:
            return bool(self.groups)
        if "how" in phrase.marks:
            return bool(self.marks & {"versus", "compare", "trend"}) and bool(self.measures)
        if "trend" in phrase.marks:
            return bool(self.measures)
        if phrase.marks & {"more", "fewer"}:
            is_choice = any(
                one.kind == "names" and len(one.names) > 1 and one.joined_by == "or" for one in self.phrases
            )
            return bool(self.sides) or (is_choice and self._splits_names())
        if "per" in phrase.marks and phrase.said.lower().rpartition(" ")[2] in ("each", "every", "respective"):
            return bool(self.sides) or self._splits_names()
        if phrase.marks <= SILENT or (self.is_fragment and phrase.marks & {"follow", "only"}):
            return True
        is_before_span = is_sprints(following) or following.kind == "period"
        if phrase.said.lower() == "from" or (phrase.said.lower() == "by" and self.is_ranked):
            return True
        return is_before_span and phrase.said.lower() in ("over", "across", "over the", "through", "up to")

    def _is_role_verb(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether a verb links a person beside it with the issues: assigned to, reported by."""
        is_verb = phrase.kind == "term" and phrase.has("dimension", form="verb")
        kinds = {sense.name for sense in phrase.senses}
        beside = [phrase_at(self.phrases, place=other) for other in (place - 1, place + 1)]
        if is_verb and any(one.kind == "names" and one.name_kind in kinds for one in beside):
            return True
        is_about_people = (
            self._has_person() or "who" in self.marks or DimensionGroup(dimension="assignee") in self.groups
        )
        return is_verb and is_about_people and not phrase.is_negated

    def _compares(self, *, has_sides: bool) -> bool:
        """Return whether things are set side by side. Versus stands between two, which groups alone do not show."""
        is_split = len(self.measures) > 1 or bool(self.sides)
        return bool(self.measures) and (is_split or self._splits_names() or (bool(self.groups) and not has_sides))

    def _splits_names(self) -> bool:
        """Group by a kind of which the question names several: ACCEL and ORBIT, this sprint and the last."""
        if not self.measures:
            return False
        is_set_apart = bool(self.marks & {"more", "fewer", "compare", "per"})
        for phrase in self.phrases:
            if phrase.joined_by == "or" and not is_set_apart:
                continue  # to do versus assigned to Avery or Sophia
            if phrase.kind == "names" and len(phrase.names) > 1 and not phrase.is_negated:
                dimension = self._name_dimension(phrase, place=-1)
                if dimension == "assignee" and tells_of_reporters(self.phrases):
                    raise Unbound(phrase)
                if self.model.dimensions[dimension].many:
                    return self._compare_labels(phrase, dimension=dimension)
                self._group_by(dimension, phrase=phrase)
                return True
        sprints = [phrase for phrase in self.phrases if is_sprints(phrase)]
        if len(sprints) > 1 and "sprint" in self.reached:
            self._group_by("sprint", phrase=sprints[0])
            return True
        return False

    def _compare_labels(self, phrase: Phrase, *, dimension: str) -> bool:
        """Set values side by side of which a row may have several, since groups would show its other ones too."""
        self.sides += [
            Side(label=name.text, where=is_among(dimension, values=[to_value(name)])) for name in phrase.names
        ]
        self.part_of.pop(self.phrases.index(phrase), None)
        return True

    def _compose(self, *, rank: Rank | None, order: tuple[Order, ...], share: Share | None) -> MetricQuery:
        self._split_several()
        self._title_epics()
        self._assume_open(rank.by if rank else order[0].by if order else "")
        where = self._join_conditions()
        if where is None and "how_many" in self.marks and not (self.groups or self.sides or self._names_rows()):
            raise Unbound(next(one for one in self.phrases if "how_many" in one.marks))
        self._check_contradiction(where)
        if not self.measures:
            return self._rows(where, rank=rank, order=order)
        where = self._leave_out_zeros(where)
        trend = "trend" in self.marks
        if trend and not self.groups:
            per_sprint = "sprint" in self.reached and self.entity.id in ("sprint", "membership")
            self.groups.append(DimensionGroup(dimension="sprint") if per_sprint else TimeGroup(grain=Grain.MONTH))
        self._check_times(where)
        return MetricQuery(
            measures=tuple(dict.fromkeys(self.measures)), group_by=tuple(dict.fromkeys(self.groups)), where=where,
            having=tuple(self.having), compare=tuple(self.sides), share=share, trend=trend, rank=rank, order=order,
        )  # fmt: skip

    def _leave_out_zeros(self, where: Condition | None) -> Condition | None:
        """Add the condition of what owners have, so that those who have none of it are left out: who has work left."""
        conditions = {self.model.measures[one].where for one in self.measures}
        if not self.has_owners or self.is_ranked or self.having or self.sides or len(conditions) != 1:
            return where
        return join_conditions([*split_conditions(where), *(NamedCondition(predicate=one) for one in conditions.pop())])

    def _rows(self, where: Condition | None, *, rank: Rank | None, order: tuple[Order, ...]) -> MetricQuery:
        is_ranked = rank is not None or bool(order)
        is_asked = self.mentions_entity or is_ranked or (where is not None and self._says_what_rows())
        if not is_asked or (self.unit_noun and self.unit_noun != "issues" and not is_ranked):
            raise Unbound(None, why="")
        columns: list[str] = []
        is_named = self.mentions_entity or is_ranked or self._has_key() or self._is_about_types() or bool(self.states)
        is_named = is_named or (self.entity.id != "issue" and any(is_sprints(one) for one in self.phrases))
        if self.columns and not (is_named or any(one.kind == "bound" for one in self.phrases)):
            raise Unbound(next((one for one in self.phrases if one.has("dimension", form="noun")), None))
        if self.columns:
            identity = [one for one in self.entity.columns if one in ("issue", "sprint", "team", "person", "title")]
            columns = list(dict.fromkeys((*identity, *self.columns)))
        by = rank.by if rank is not None else order[0].by if order else ""
        if self.within:
            columns = list(dict.fromkeys((*self.within, *(columns or self.entity.columns))))
        if by and by not in (columns or self.entity.columns):
            columns = [*(columns or self.entity.columns), by]
        return MetricQuery(
            rows_of=self.entity.id, columns=tuple(columns), where=where, rank=rank, order=order
        )  # fmt: skip

    def _says_what_rows(self) -> bool:
        """Return whether more is said than whose they are: a name alone asks for nothing."""
        whose = ("team", "person", "sprint")
        return any(
            one.kind not in ("mark", "period") and not is_sprints(one) and one.name_kind not in whose
            for one in self.phrases
        ) or bool(self.marks & {"what", "which", "who"})

    def _title_epics(self) -> None:
        """Show the titles of epics beside their keys, since people know epics by title."""
        group, title = DimensionGroup(dimension="epic"), DimensionGroup(dimension="epic_title")
        if group in self.groups and title not in self.groups:
            self.groups.insert(self.groups.index(group) + 1, title)

    def _split_several(self) -> None:
        """Show several named teams, people or sprints separately, since one number would hide which."""
        sprints = [one for one in self.phrases if is_sprints(one) and not one.is_negated]
        is_total = any("total" in one.said.lower().split() for one in self.phrases)
        if not self.measures or self.groups or self.sides or "share" in self.marks or is_total or self._splits_names():
            return
        if self._is_sprint_of_each_team(sprints):
            self._group_by("team", phrase=sprints[0])
            return
        several = any(len(one.names) > 1 or one.edge for one in sprints)
        is_series = not any(self.model.measures[one].additive for one in self.measures)
        before = [self.phrases[self.phrases.index(one) - 1].said.lower() for one in sprints if one != self.phrases[0]]
        is_one = self._is_averaged() or any(said in ("over", "across") for said in before)
        if sprints and several and is_series and "sprint" in self.reached and not is_one:
            self._group_by("sprint", phrase=sprints[0])

    def _is_sprint_of_each_team(self, sprints: Sequence[Phrase]) -> bool:
        """Return whether the question names one sprint, as "sprint 3", that several teams have."""
        if len(sprints) != 1 or sprints[0].edge or "our" in self.marks or "team" not in self.reached:
            return False
        teams = [name.team_id for name in sprints[0].names]
        return len(teams) > 1 and len(set(teams)) == len(teams)

    def _is_averaged(self) -> bool:
        return "average" in self.marks or any("average" in phrase.said.lower() for phrase in self.phrases)

    def _assume_open(self, by: str) -> None:
        """Assume open issues for measures of unfinished work alone, unless the question says otherwise."""
        if any(state.predicate not in ("unassigned", "unestimated", "") or state.role in ("resolved", "created")
               for state in self.states.values()) or self.entity.id != "issue" or self._has_key():  # fmt: skip
            return
        if any(is_sprints(one) for one in self.phrases):
            return
        usual = self.settings["of_open_work"]
        found = [part for parts in self.part_of.values() for part in parts]
        is_usual = by in usual["dimensions"] or any(
            (isinstance(part, NamedCondition) and part.predicate in usual["predicates"])
            or (isinstance(part, Comparison) and part.field in usual["dimensions"])
            for part in found
        )
        if is_usual:
            self.parts.append(NamedCondition(predicate="open"))
            self.assumptions.append("Only issues that are not done are counted." if self.measures else
                                    "Only issues that are not done are listed.")  # fmt: skip

    def _join_conditions(self) -> Condition | None:
        merged: list[Condition] = list(self.parts)
        sprints: list[Condition] = []
        for place in sorted(self.part_of):
            is_sprint = is_sprints(self.phrases[place]) and not self.phrases[place].is_negated
            (sprints if is_sprint else merged).extend(self.part_of[place])
        if sprints and self.entity.id == "issue" and not self.measures and self._joins_sprints():
            merged += sprints
        elif sprints:
            edged = next((one for one in self.phrases if is_sprints(one) and one.edge and not one.is_negated), None)
            if edged is not None and len(sprints) > 1:
                raise Unbound(edged)  # the last three sprints before sprint 7: these of them, not one or the other
            merged.append(sprints[0] if len(sprints) == 1 else Or(parts=tuple(sprints)))
        return join_conditions(merged)
