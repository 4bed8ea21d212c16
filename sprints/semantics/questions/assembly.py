"""
Assembly of phrases into a query about rows of one entity.

The same phrases are tried with each entity: "completed" is a predicate of an issue, of its sprint membership, or of a
sprint. An assembly fails if a phrase has no place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
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
)
from sprints.semantics.questions.actors import tells_of_reporters
from sprints.semantics.questions.alternatives import list_shortened
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.open_work import OpenWork
from sprints.semantics.questions.phrase import Phrase, is_sprints, look_at, phrase_at
from sprints.semantics.questions.terms import SILENT, Unbound
from sprints.semantics.questions.values import is_among, to_value
from sprints.semantics.zero_groups import lists_only_empty

_NUMBERS = frozenset({
    "how_many", "how_much", "how_often", "how_long", "share", "average", "median", "percentile_85", "compare", "versus",
    "trend", "breakdown", "total", "together", "more", "fewer", "best", "worst",
})  # fmt: skip
_EACH = frozenset({"each", "every", "respective"})
NONE = "Those who have none are not counted. Ask who has none: 'which people have no open bugs?'"
PART = "Do you mean how many of them, or which share? Ask 'how many of the …', or 'what share of the …'."
MISSING = "What is without {label} has none to add up. Do you mean how many there are?"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledQuery:
    """
    A query, its cost, the assumptions, and the doubts about times that its meaning resolves.

    `is_unasked`: it is a number, where a list or a moment is requested: what | was removed; when | was scope added.
    """

    query: MetricQuery
    cost: float
    assumptions: tuple[str, ...] = ()
    resolved_doubts: tuple[str, ...] = ()
    is_unasked: bool = False


def assemble(phrases: Sequence[Phrase], *, entity: str, lexicon: Lexicon) -> AssembledQuery:
    """
    Assemble a query about rows of an entity. Raises Unbound with the phrase that has no place.

    What changes nothing was not read: without a negation, an "ever" or an item of what "and" and "or" join, the query
    must be another one, or none.
    """
    assembly = _Assembly(phrases, entity=entity, lexicon=lexicon)
    found = assembly.build()
    said = found.query.model_dump_json()
    joined = [(lost, rest) for lost, rest in list_shortened(phrases) if not _names_state(lost, said=said)]
    for lost, rest in (*_list_affirmed(phrases, redundant=assembly.redundant), *joined):
        try:
            other = _Assembly(rest, entity=entity, lexicon=lexicon).build()
        except (Unbound, ValueError):
            continue
        if other.query == found.query:
            raise Unbound(lost)
    return found


def _names_state(phrase: Phrase, *, said: str) -> bool:
    """Return whether a query names the state of a phrase, so that it may be said twice: reopened and open again."""
    return any(one.kind == "predicate" and f'"{one.name}"' in said for one in phrase.senses)


def _says_each(phrase: Phrase) -> bool:
    return bool(_EACH & {phrase.quantifier, *phrase.said.lower().split()})


def _list_affirmed(phrases: Sequence[Phrase], *, redundant: Sequence[Phrase]) -> Iterator[tuple[Phrase, list[Phrase]]]:
    """Yield each phrase that is negated or says "ever", and the phrases with it affirmed."""
    for place, phrase in enumerate(phrases):
        if phrase.is_negated or (phrase.is_ever and phrase not in redundant):
            bare = replace(phrase, is_negated=False, is_ever=False)
            yield phrase, [*phrases[:place], bare, *phrases[place + 1 :]]


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
    phrases: Sequence[Phrase], *, entity: str, lexicon: Lexicon, context: MetricQuery, is_part: bool
) -> Fragment:  # fmt: skip
    """
    Assemble a question that changes a query about an entity. Raises Unbound with the phrase that has no place.

    `is_part`: it is said of the rows that the query counts, so that another state is no other number.
    """
    return _Assembly(phrases, entity=entity, lexicon=lexicon).build_fragment(context, is_part=is_part)


def refuse_missing_numbers(query: MetricQuery, *, model: SemanticModel) -> None:
    """Raise Unbound if a query adds up what its rows are said to lack: how many points are unestimated."""
    said = [
        model.predicates[one.predicate].comparison if isinstance(one, NamedCondition) else one
        for one in split_conditions(query.where)
    ]
    lacking = [one.field for one in said if isinstance(one, Comparison) and one.op is Operator.IS_NULL]
    for dimension in (model.dimensions[field] for field in lacking):
        if any(dimension.expression in (model.measures[one].expression or "") for one in query.measures):
            raise Unbound(None, why=MISSING.format(label=dimension.label), is_final=True)


class _Assembly(OpenWork):
    def build(self) -> AssembledQuery:
        self._check_entity()
        self._find_states()
        self._attach_times()
        self._read_groups()
        self._read_nouns()
        by_owner = self._list_of_each()
        self._choose_measures()
        self._measure_changes_of_scope()
        self._read_conditions()
        self._show_time_in_status()
        rank, order = self._read_ranks()
        order = order or tuple(Order(by=one) for one in by_owner)
        share = self._read_share()
        self._check_marks()
        query = self._compose(rank=rank, order=order, share=share)
        refuse_missing_numbers(query, model=self.model)
        if lists_only_empty(query, model=self.model):
            raise Unbound(None, why=NONE, is_final=True)
        self._refuse_states_of_then()
        self._refuse_part(query)
        return AssembledQuery(
            query=query, cost=self.cost, assumptions=tuple(self.assumptions),
            resolved_doubts=tuple(self.resolved_doubts), is_unasked=not self._asks_number(),
        )  # fmt: skip

    def build_fragment(self, context: MetricQuery, *, is_part: bool) -> Fragment:
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
        if not is_part:
            self._swap_measure(context)
        for place, phrase in enumerate(self.phrases):
            if phrase.kind == "term" and place not in self.used and phrase.has("entity", "measure", form="noun"):
                self._read_noun(phrase, place=place, is_first=False)
                self.used.add(place)
        self.measures = [one for one in self.measures if one not in context.measures] or list(context.measures)
        if not self.measures and self.unit_noun == "points":
            self.measures = [self._find_points_of(context) or self._points_measure()]
        if not self.measures and (self.groups or "how_many" in self.marks) and self.entity.count:
            self.measures = [self.entity.count]
        self._swap_unit(context)
        self._keep_aggregate(context)
        self._read_conditions()
        rank, order = self._read_ranks()
        self._check_marks()
        self._refuse_states_of_then()
        conditions = (*self.parts, *(part for _, parts in sorted(self.part_of.items()) for part in parts))
        self._check_contradiction(join_conditions(conditions))
        return Fragment(
            conditions=conditions, measures=tuple(self.measures), groups=tuple(self.groups), rank=rank, order=order,
            assumptions=tuple(self.assumptions),
        )  # fmt: skip

    def _list_of_each(self) -> list[str]:
        """
        Show rows sorted by their owner where no number is asked for, and return by what: what did | each team | do.

        A noun of issues behind the owner is the unit of a number: what did each team do, in | tickets.
        """
        each = [place for place, one in enumerate(self.phrases) if one.kind == "group" and _says_each(one)]
        if not each or not phrase_at(self.phrases, place=0).marks & {"what", "which"} or self.measures:
            return []
        is_counted = any(one.is_of_issues for one in self.phrases[each[0] :]) or self.unit_noun == "points"
        is_list = self.entity.id in ("issue", "membership") and len(self.groups) == len(each)
        if is_counted or not is_list or self.is_ranked or any(one.marks & _NUMBERS for one in self.phrases):
            return []
        self._title_epics()
        owners = [one.dimension for one in self.groups if isinstance(one, DimensionGroup)]
        if len(owners) == len(self.groups):
            self.groups, self.within = [], owners
        return self.within

    def _refuse_part(self, query: MetricQuery) -> None:
        """Refuse a number of what is a state itself, in a further state: how much of the commitment was completed."""
        at = next((place for place, one in enumerate(self.phrases) if "how_much" in one.marks), len(self.phrases))
        noun = phrase_at(self.phrases, place=at + 1)
        stated = {one.name for one in noun.senses if one.form == "noun" and one.name in query.measures}
        states = [one for one in split_conditions(query.where) if isinstance(one, NamedCondition)]
        if states and any(self.model.measures[name].where for name in stated):
            raise Unbound(None, why=PART, is_final=True)

    def _find_points_of(self, context: MetricQuery) -> str:
        """Return the measure of the points of listed rows: of what was carried over. Empty if there is none."""
        told = {one.predicate for one in split_conditions(context.where) if isinstance(one, NamedCondition)}
        known = (one for one in self.model.measures.values() if one.entity == self.entity.id and one.unit == "points")
        return next((one.id for one in known if one.where and {*one.where} <= told and context.rows_of), "")

    def _swap_measure(self, context: MetricQuery) -> None:
        """Use the measures of another state: of points completed, "and committed?"; of scope added, "and removed?"."""
        own = [state for state in self._own_states() if not state.phrase.is_negated and not state.phrase.is_only]
        known = [self.model.measures[name] for name in context.measures]
        told = {one.where for one in known}
        if self.entity.id != "membership" or len(own) != 1 or len(told) != 1 or len(known[0].where) != 1:
            return
        self.measures = []
        for one in known:
            self.unit_noun = one.unit
            self.measures.append(self._measure_of(own[0]))

    def _swap_unit(self, context: MetricQuery) -> None:
        """Use the same measures in another unit: "in points", "and how many issues?"."""
        if "how_many" in self.marks and not self.unit_noun and any(
            one.kind == "term" and one.has_entity(self.entity.id) for one in self.phrases
        ):  # fmt: skip
            self.unit_noun = self.model.measures[self.entity.count].unit if self.entity.count else ""
        if not self.unit_noun or tuple(self.measures) != context.measures:
            return
        swapped = [self._find_in_unit(one, unit=self.unit_noun) for one in context.measures]
        if not all(swapped):
            raise Unbound(None)
        self.measures = swapped

    def _check_marks(self) -> None:
        """Refuse unused marks, since each changes the question."""
        self._check_scope()
        for place, phrase in enumerate(self.phrases):
            is_silent = phrase.kind == "mark" and self._is_silent(phrase, place=place)
            if phrase.said.lower() == "since when" and not (self.columns or self.states or self.groups):
                is_silent = False  # since when is it in QA
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
        if phrase.marks & {"in_percent", "together", "still", "trend", "ever"}:
            return self._is_true_of_numbers(phrase)
        if phrase.marks & {"more", "fewer"}:
            is_choice = any(
                one.kind == "names" and len(one.names) > 1 and one.joined_by == "or" for one in self.phrases
            )
            return bool(self.sides) or (is_choice and self._splits_names())
        if "per" in phrase.marks and _says_each(phrase):
            return bool(self.sides) or self._splits_names()
        if phrase.marks <= SILENT or (self.is_fragment and phrase.marks & {"follow", "only"}):
            return True
        is_before_span = is_sprints(following) or following.kind == "period"
        is_by_all = phrase.said.lower() == "by" and "our" in following.marks
        is_from = phrase.said.lower() == "from" and following.name_kind != "status"  # reopened | from | QA
        if is_from or (phrase.said.lower() == "by" and self.is_ranked) or is_by_all:
            return True
        return is_before_span and phrase.said.lower() in ("over", "across", "over the", "through", "up to")

    def _is_true_of_numbers(self, phrase: Phrase) -> bool:
        """Return whether the numbers are percent, are summed over several names or times, or of what is still open."""
        known = [self.model.measures[one] for one in self.measures]
        if "trend" in phrase.marks:
            return bool(known)
        if "ever" in phrase.marks:
            return self.is_ranked and self._groups_sprints() and not self.states  # of all sprints, as it is without
        if "in_percent" in phrase.marks:
            return bool(known) and all(one.unit == "percent" for one in known)
        if "still" in phrase.marks:
            return bool(self.states) or (self.entity.id == "issue" and not any(map(is_sprints, self.phrases)))
        several = any(len(one.names) > 1 for one in self.phrases) or self.joins_owners
        several = several or any(len(one.periods) > 1 for one in self.states.values())
        return several and bool(known) and all(one.additive for one in known)

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
        if not self.measures or "together" in self.marks:
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
                    is_both = phrase.quantifier == "both" or not (is_set_apart or "versus" in self.marks)
                    return not is_both and self._compare_labels(phrase, dimension=dimension)
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
        lacking = next((one for one in self.phrases if one.kind == "related" and one.is_negated), None)
        if lacking is not None and self.has_owners:
            raise Unbound(lacking)  # who has open work but | nothing in progress
        self._refuse_state_of_epic()
        self._split_several()
        self._title_epics()
        self._assume_open(rank.by if rank else order[0].by if order else "")
        where = self._join_conditions()
        if where is None and "how_many" in self.marks and not (self.groups or self.sides or self._names_rows()):
            raise Unbound(next(one for one in self.phrases if "how_many" in one.marks))
        self._check_contradiction(where)
        self._tell_breadth(where)
        if not self.measures:
            return self._rows(where, rank=rank, order=order)
        where = self._leave_out_zeros(where)
        trend = "trend" in self.marks and not self.sides  # two sides show the change between them
        if trend:
            self._group_trend()
        self._check_times(where)
        return MetricQuery(
            measures=tuple(dict.fromkeys(self.measures)), group_by=tuple(dict.fromkeys(self.groups)), where=where,
            having=tuple(self.having), compare=tuple(self.sides), share=share, trend=trend, rank=rank, order=order,
        )  # fmt: skip

    def _asks_number(self) -> bool:
        """Return whether anything says that the number is requested, if it is one."""
        asked = phrase_at(self.phrases, place=0).marks & {"what", "when"}
        if not self.measures or not asked:
            return True
        return "when" not in asked and any(
            one.kind in ("group", "rank", "than", "bound") or one.marks & _NUMBERS
            or (one.has("measure", form="noun") and not one.has("entity"))
            for one in self.phrases
        )  # fmt: skip

    def _leave_out_zeros(self, where: Condition | None) -> Condition | None:
        """Add the condition of what owners have, so that those who have none of it are left out: who has work left."""
        conditions = {self.model.measures[one].where for one in self.measures}
        if not self.has_owners or self.is_ranked or self.having or self.sides or len(conditions) != 1:
            return where
        return join_conditions([*split_conditions(where), *(NamedCondition(predicate=one) for one in conditions.pop())])

    def _rows(self, where: Condition | None, *, rank: Rank | None, order: tuple[Order, ...]) -> MetricQuery:
        where = self._answer_yes_or_no(where)
        self._show_whether_at_work()
        said = next(
            (one for one in self.phrases if one.has("predicate", "time") or one.has("dimension", form="verb")), None
        )
        if where is None and self.entity.id == "person" and said is not None and not self.columns:
            raise Unbound(said)  # who is | assigned
        self._refuse_other_rows()
        is_ranked = rank is not None or bool(order)
        is_asked = self.mentions_entity or is_ranked or (where is not None and self._says_what_rows())
        if not is_asked or (self.unit_noun and self.unit_noun != "issues" and not is_ranked):
            raise Unbound(None, why="")
        columns: list[str] = []
        is_named = self.mentions_entity or is_ranked or self._has_key() or self._is_about_types() or bool(self.states)
        is_named = is_named or (self.entity.id != "issue" and any(is_sprints(one) for one in self.phrases))
        if self.columns and not (is_named or any(one.kind == "bound" for one in self.phrases)):
            raise Unbound(next((one for one in self.phrases if one.has("dimension", form="noun")), None))
        if "status" in self.columns and any(is_sprints(one) for one in self.phrases):
            self.assumptions.append("The status is that of now.")
        if self.columns:
            identity = [one for one in self.entity.columns if one in ("issue", "sprint", "team", "person", "title")]
            columns = list(dict.fromkeys((*identity, *self.columns)))
        by = rank.by if rank is not None else order[0].by if order else ""
        if self.within:
            columns = list(dict.fromkeys((*self.within, *(columns or self.entity.columns))))
        if by and by not in (columns or self.entity.columns):
            columns = [*(columns or self.entity.columns), by]
        if self.entity.id == "status_change" and any("history" in one.said.lower() for one in self.phrases):
            order = order or (Order(by="status_changed_at"),)  # from the first on
        if self.events and not (columns or rank or order):
            return MetricQuery(rows_of=self.events, where=where)
        return MetricQuery(
            rows_of=self.entity.id, columns=tuple(columns), where=where, rank=rank, order=order
        )  # fmt: skip

    def _refuse_other_rows(self) -> None:
        """Refuse people where something of theirs is requested: what | did people who left work on."""
        first, noun = look_at(self.phrases, place=0, size=2)
        is_beside = noun.has_entity("person") and noun.start == first.start + len(first.said) + 1
        if self.entity.id == "person" and "what" in first.marks and not (is_beside or self.columns):
            raise Unbound(first)

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
        is_total = "together" in self.marks or any("total" in one.said.lower().split() for one in self.phrases)
        if not self.measures or self.groups or self.sides or "share" in self.marks or is_total or self._splits_names():
            return
        if self._is_sprint_of_each_team(sprints):
            self._group_by("team", phrase=sprints[0])
            return
        several = any(len(one.names) > 1 or one.edge for one in sprints)
        is_series = not any(self.model.measures[one].additive for one in self.measures) or bool(self.measures[1:])
        before = [self.phrases[self.phrases.index(one) - 1].said.lower() for one in sprints if one != self.phrases[0]]
        is_one = self._is_averaged() or any(said in ("over", "across") for said in before)
        if sprints and several and is_series and "sprint" in self.reached and not is_one:
            self._group_by("sprint", phrase=sprints[0])

    def _is_sprint_of_each_team(self, sprints: Sequence[Phrase]) -> bool:
        """Return whether the question names one sprint, as "sprint 3", that several teams have."""
        if len(sprints) != 1 or sprints[0].edge or "our" in self.marks or self._has_person():
            return False
        if "team" not in self.reached:
            return False
        teams = [name.team_id for name in sprints[0].names]
        return len(teams) > 1 and len(set(teams)) == len(teams)

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
