"""Terms of phrases for rows of one entity: states and moments with their times, groups, dimensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sprints.semantics.model import Entity, SemanticModel
from sprints.semantics.query import (
    Condition,
    DimensionGroup,
    Group,
    MeasureLimit,
    MetricQuery,
    Side,
)
from sprints.semantics.questions.lexicon import ASKING, Lexicon, Sense
from sprints.semantics.questions.phrase import Phrase, begins_behind, is_sprints, phrase_at
from sprints.semantics.questions.tense import AS_OF_THEN, find_copula, find_verb, is_said_of_now, tells_of_past_sprints

CARRIED_FROM = "Carried over from which sprint? One that runs has carried nothing over yet."
FATES = frozenset({"completed", "carried_over", "removed"})  # what becomes of an issue in a sprint, one of them
WHOSE_CHANGES = "Do you mean who made the changes, or whose issues they are of?"
BOTH_OR_EACH = "Do you mean issues of which both is true, or a number for each?"
BY_DAY = "I count this once a sprint, not once a day. Ask for the burndown, or for the number per sprint."
DEFAULT_RANK = 10
MAX_LISTED_SPRINTS = 200
NAMED_BY = {
    "team": ("team",), "person": ("assignee", "person"), "sprint": ("sprint",), "status": ("status",),
    "priority": ("priority",), "type": ("issue_type",), "label": ("label",), "epic": ("epic",), "parent": ("parent",),
    "title": ("title", "sprint_goal"),
}  # fmt: skip
_COSTS = {"issue": 0.0, "membership": 0.4, "sprint": 0.4, "team": 0.8, "person": 0.8, "sprint_blockage": 2.0}
SILENT = frozenset({
    "what", "which", "be", "have", "and", "do", "to", "our", "who", "whose", "when", "how_many", "how_much",
    "how_often", "compare", "past",
})  # fmt: skip
_STATES = ("adjective", "verb", "noun")


class Unbound(Exception):
    """
    A phrase without a place in a question about this entity. `why` is the clarification, if not its name.

    `is_final`: every word is known, and the data has no answer, so that no verified query has it either.
    """

    def __init__(self, phrase: Phrase | None, *, why: str = "", is_final: bool = False) -> None:
        super().__init__(phrase.said if phrase else why)
        self.phrase = phrase
        self.why = why
        self.is_final = is_final


@dataclass(slots=True, kw_only=True)
class State:
    """A predicate or a moment in the question, with the time and number beside it."""

    phrase: Phrase
    predicate: str = ""
    role: str = ""
    is_own: bool = True
    periods: list[Phrase] = field(default_factory=list)
    has_grain: bool = False
    is_measured: bool = False
    is_counted: bool = False


class Terms:
    """Phrases with their terms of one entity."""

    def __init__(self, phrases: Sequence[Phrase], *, entity: str, lexicon: Lexicon) -> None:
        self.model: SemanticModel = lexicon.model
        self.lexicon = lexicon
        self.settings = lexicon.settings
        self.entity: Entity = self.model.entities[entity]
        self.reached = {entity, *self.entity.joins, *self.entity.paths}
        self.cost = _COSTS.get(entity, 1.5)
        self.said = phrases
        self.phrases = self._bind_attributes(phrases)
        self.marks = {mark for phrase in phrases if phrase.kind == "mark" for mark in phrase.marks}
        self.used: set[int] = set()
        self.states: dict[int, State] = {}
        self.parts: list[Condition] = []
        self.part_of: dict[int, list[Condition]] = {}
        self.measures: list[str] = []
        self.columns: list[str] = []
        self.is_ranked = any(phrase.kind == "rank" for phrase in phrases)
        self.groups: list[Group] = []
        self.within: list[str] = []
        self.events = ""  # the entity whose rows tell when it was
        self.having: list[MeasureLimit] = []
        self.sides: list[Side] = []
        self.is_fragment = self.is_related = False
        self.context: MetricQuery | None = None
        self.is_past = False
        self.redundant: list[Phrase] = []
        self.resolved_doubts: list[str] = []  # what was doubtful of a time, and is not in this meaning
        self.is_about_people = False
        self.has_owners = self.joins_owners = False
        self.unit_noun = ""
        self.subject_is_plural = False
        self.mentions_entity = False
        self.assumptions: list[str] = []

    def _bind_attributes(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """Resolve an adjective by the rows of its noun: closed sprints, the running sprint."""
        phrases = [self._as_subject(phrase, place=place, phrases=phrases) for place, phrase in enumerate(phrases)]
        phrases = [self._as_sum(phrase) if phrase.quantifier == "total" else phrase for phrase in phrases]
        bound = list(phrases)
        for place, phrase in enumerate(phrases):
            at = self._noun_after(phrases, place=place)
            if at is None or phrase.kind != "term" or not phrase.has("predicate"):
                continue
            noun = next((one.name for one in phrases[at].senses if one.kind == "entity" and one.form == "noun"), "")
            senses = tuple(
                one for one in phrase.senses
                if one.kind == "predicate" and self.model.predicates[one.name].entity == noun
            )  # fmt: skip
            if not senses or noun in ("issue", self.entity.id, ""):
                bound[place] = replace(phrase, senses=senses) if senses and noun == self.entity.id else bound[place]
                continue
            bound[place] = replace(phrase, senses=senses)
            if self._is_period_of_rows(noun) and phrases[at].kind == "term" and not (
                place and "which" in phrases[place - 1].marks
            ):  # fmt: skip
                self.cost += 0.0 if self._speaks_of_issues(phrases) else 1.5
                bound[at] = replace(
                    phrases[at], kind="sprints", senses=(), predicate=senses[0].name, is_negated=phrase.is_negated,
                    said=f"{phrase.said} {phrases[at].said}",
                )  # fmt: skip
                bound[place] = replace(phrase, kind="mark", senses=(), marks=frozenset({"be"}))
        return bound

    def _as_sum(self, phrase: Phrase) -> Phrase:
        """Read a property of which the total is requested as the measure that sums it: the total | estimate."""
        nouns = [one.name for one in phrase.senses if (one.kind, one.form) == ("dimension", "noun")]
        summed = [f"sum({self.model.dimensions[name].expression.strip()})" for name in nouns]
        senses = tuple(
            Sense("measure", one.id, "noun") for one in self.model.measures.values()
            if not one.where and (one.expression or "").strip() in summed
        )  # fmt: skip
        is_measure = phrase.has("entity", "measure", form="noun")
        return phrase if is_measure or not senses else replace(phrase, senses=senses, kind="term")

    def _as_subject(self, phrase: Phrase, *, place: int, phrases: Sequence[Phrase]) -> Phrase:
        """Read a name that is also a property's noun as the property, if it is requested: which epic has most."""
        is_both = phrase.kind == "names" and phrase.has("dimension", form="noun")
        before = phrase_at(phrases, place=place - 1)
        is_head = not place and "have" in phrase_at(phrases, place=1).marks  # epic | with | the most bugs
        if not is_both or not (is_head or before.marks & {"which", "what", "rank", "per"} or before.kind == "rank"):
            return phrase
        counted = any(one.is_of_issues or one.has("measure", form="noun") for one in phrases[place + 1 :])
        ranked = any(one.kind in ("rank", "bound") for one in phrases)
        is_plural = phrase.said.lower().endswith("s")
        subject = replace(phrase, kind="term", names=(), name_kind="", is_plural=is_plural)
        is_of_key = not is_plural and any(one.kind == "key" for one in phrases)
        return subject if (counted and ranked) or is_of_key else phrase

    def _noun_after(self, phrases: Sequence[Phrase], *, place: int) -> int | None:
        """Return the noun that an adjective precedes, with nothing between but a team."""
        end, at = phrases[place].start + len(phrases[place].said), place + 1
        team = phrase_at(phrases, place=at)
        if team.name_kind == "team" and team.start <= end + 1:
            end, at = team.start + len(team.said) + len("'s"), at + 1
        noun = phrase_at(phrases, place=at)
        is_noun = noun.kind in ("term", "group") and noun.has("entity", form="noun")
        is_noun = is_noun and not begins_behind(noun, phrase=phrases[place])
        return at if is_noun and noun.start <= end + 1 else None

    def _is_period_of_rows(self, noun: str) -> bool:
        """Return whether rows belong to such periods, as issues to sprints."""
        membership = self.entity.membership
        return membership is not None and noun == membership.role

    def _speaks_of_issues(self, phrases: Sequence[Phrase]) -> bool:
        measured = [one for one in phrases if one.has("measure", form="noun") and not one.has_entity("sprint")]
        return bool(measured) or any(one.is_of_issues for one in phrases)

    def _check_entity(self) -> None:
        """Refuse rows that the question does not name. Issues and their sprint memberships are implied."""
        if self.entity.id in ("issue", "membership", "sprint"):
            return
        terms: dict[str, Mapping[str, object]] = {
            "entity": self.model.entities,
            "measure": self.model.measures,
            "dimension": self.model.dimensions,
        }
        for phrase in self.phrases:
            for sense in phrase.senses:
                known = terms.get(sense.kind, {})
                owner = getattr(known.get(sense.name), "entity", sense.name)
                if sense.kind in terms and sense.form == "noun" and owner == self.entity.id:
                    return
                if sense.kind == "predicate" and self.entity.id == "person" and self._tells_of_person(sense.name):
                    self.mentions_entity = True
                    return
                is_verb = sense.kind == "predicate" and sense.form == "verb" and self.entity.id == "link"
                if is_verb and self.model.predicates[sense.name].entity == "link" and self._has_key():
                    self.mentions_entity = True
                    return
        if self.entity.id != "person" or "who" not in self.marks:
            raise Unbound(None, why="")

    def _tells_of_person(self, predicate: str) -> bool:
        """Return whether a predicate is said of a named person, and nothing else is named: is | Levi | active."""
        is_own = self.model.predicates[predicate].entity == "person" and self._has_person()
        return is_own and not any(
            one.is_of_issues or is_sprints(one) or one.has("entity", "measure", form="noun") for one in self.phrases
        )

    def _find_states(self) -> None:
        for place, phrase in enumerate(self.phrases):
            if phrase.kind != "term" or phrase.has("dimension", form="superlative"):
                continue
            if self._is_assignment(phrase, place=place):
                continue
            self._refuse_noun(phrase, before=phrase_at(self.phrases, place=place - 1))
            predicate, is_own = self._predicate(phrase)
            role = self._role(phrase, predicate=predicate)
            predicate = "" if self._is_undone_act(phrase, role=role, predicate=predicate) else predicate
            is_what = place and not (self.phrases[1].has_entity("sprint") and "what" in self.phrases[0].marks)
            if self.entity.id == "sprint" and "what" in self.marks and is_what and self._tells_of_membership(phrase):
                self.cost += 0.5
            if self.entity.id == "sprint" and self._find_per_sprint(phrase):
                self.states[place] = State(phrase=phrase, is_measured=True)
                self.used.add(place)
                continue
            is_noun = phrase.has("entity", "measure", "dimension", form="noun") and not phrase.has("predicate")
            self._refuse_sprints_time(phrase, role=role, place=place)
            if (predicate or role) and not is_noun:
                self.states[place] = State(phrase=phrase, predicate=predicate, role=role, is_own=is_own)
                self.used.add(place)
        if self.entity.id == "membership":
            told = [self.model.predicates[one.predicate] for one in self.states.values() if one.predicate]
            self.cost += 0.5 if any(one.was for one in told) else 0.0
            self._refuse_now()
            self._read_after_start()
            return
        if any(is_sprints(one) for one in self.phrases):
            for state in self.states.values():
                has_closer = self._tells_of_membership(state.phrase)
                self.cost += 2.0 if has_closer and self.entity.id != "sprint" else 0.0

    def _refuse_sprints_time(self, phrase: Phrase, *, role: str, place: int) -> None:
        """Refuse a time of sprints for a time of these rows: points of sprints | that started | in October."""
        of_sprints = any(
            sense.kind == "time" and self.model.time_roles[sense.name].entity == "sprint" for sense in phrase.senses
        )
        at = next((n for n in range(place - 1, -1, -1) if not self.phrases[n].marks & {"be", "have"}), place)
        is_other = role and self.model.time_roles[role].entity != "sprint"
        if is_other and of_sprints and self.phrases[at].has_entity("sprint"):
            raise Unbound(phrase)

    def _refuse_now(self) -> None:
        """Refuse the present for what was completed when a sprint was closed: which are not finished."""
        is_closed = any(name.state == "closed" for one in self.phrases if is_sprints(one) for name in one.names)
        for place, state in self.states.items():
            if state.predicate == "completed" and is_closed and is_said_of_now(self.phrases, place=place):
                raise Unbound(state.phrase)

    def _read_after_start(self) -> None:
        """Read "after the start" beside a verb: what was removed was removed then; of anything else it is unclear."""
        late = [place for place, state in self.states.items() if state.predicate == "added_late"]
        said = {place: self.states[place].phrase.said.lower() for place in late}
        after = [place for place in late if said[place].startswith(("after", "mid", "once", "when", "following"))]
        others = [one for place, one in self.states.items() if place not in late and (one.is_own or place + 1 in after)]
        if not after or len(late) > len(after) or not others:
            return
        if any(state.predicate != "removed" for state in others):
            raise Unbound(self.states[after[0]].phrase)
        for place in after:
            del self.states[place]

    def _refuse_noun(self, phrase: Phrase, *, before: Phrase) -> None:
        """Refuse a noun that is spelt like a verb: which estimates changed."""
        is_verb = phrase.said.lower().endswith("s") and phrase.has("predicate", form="verb")
        if is_verb and phrase.has("dimension", form="noun") and "which" in before.marks:
            raise Unbound(phrase)

    def _refuse_other_sprints(self, state: State) -> None:
        """Refuse a state that the named sprints do not have: the current and the previous sprint."""
        told = self.model.predicates[state.predicate].comparison
        named = {name.state for one in self.phrases if is_sprints(one) for name in one.names}
        if told is not None and told.field == "sprint_state" and named and not named & {str(v) for v in told.values}:
            raise Unbound(state.phrase)

    def _tells_of_membership(self, phrase: Phrase) -> bool:
        """Return whether it also says what happened to issues in a sprint: planned, completed."""
        return any(
            sense.kind == "predicate" and self.model.predicates[sense.name].entity == "membership"
            for sense in phrase.senses
        )

    def _is_assignment(self, phrase: Phrase, *, place: int) -> bool:
        """Return whether it only says who has the issues. In open bugs that Zoë works on, open says their state."""
        if not phrase.has("dimension", form="verb") or not phrase.has("predicate"):
            return False
        if not (self._has_person() or "who" in self.marks):
            return False
        return self._has_key() or any(
            sense.kind == "predicate" and sense.name in ("open", "done", "to_do")
            for other, one in enumerate(self.phrases) if other != place for sense in one.senses
        )  # fmt: skip

    def _find_per_sprint(self, phrase: Phrase) -> str:
        """Return the measure of what a sprint has of it on average. Empty if no average is requested."""
        known = self.settings["per_sprint"][self.unit_noun or "points"]
        found = [known.get(one.name) for one in phrase.senses if one.kind == "predicate"]
        return str(next((one for one in found if one), "")) if "average" in self.marks else ""

    def _predicate(self, phrase: Phrase) -> tuple[str, bool]:
        """Return the predicate of the phrase for this entity: its own, else the one that it reaches."""
        known = [self.model.predicates[sense.name] for sense in phrase.senses if sense.kind == "predicate"]
        own = [one.id for one in known if one.entity == self.entity.id and one.role is None]
        self._refuse_two_rows(phrase, said_of={one.entity for one in known if one.reached_as in self.reached})
        reached = [one.id for one in known if one.reached_as in self.reached]
        own = own or [one for name in reached[:1] for one in self._in_its_time(name, phrase=phrase)]
        found = own or reached
        if phrase.said.lower() == "open" and found and self._is_asked_with_did(phrase):
            return "", True
        return (found[0], bool(own)) if found else ("", True)

    def _in_its_time(self, name: str, *, phrase: Phrase) -> list[str]:
        """Return the predicate of these rows that says of their time what one of others says of now: was blocked."""
        place = max((at for at, one in enumerate(self.phrases) if one.start <= phrase.start), default=0)
        if phrase.is_negated and not (self.is_related or find_verb(self.phrases, place=place)):
            return []
        is_past = self.is_past if self.is_related else tells_of_past_sprints(self.phrases, place=place)
        known = self.model.predicates.values() if is_past else ()
        return [one.id for one in known if one.was == name and one.entity == self.entity.id]

    def _refuse_two_rows(self, phrase: Phrase, *, said_of: set[str]) -> None:
        """Refuse a word that is said of two other rows, as closed is of the sprint and the issue of a scope change."""
        is_direct = self.entity.id in ("issue", "membership", "sprint") or self.entity.id in said_of
        is_of_links = self.entity.id == "link" and "issue" in said_of and not self._has_key()
        if len(said_of) > 1 and (is_of_links or not is_direct):
            raise Unbound(phrase)

    def _is_undone_act(self, phrase: Phrase, *, role: str, predicate: str) -> bool:
        """Return whether a verb says what did not happen: what was not started is not all that is not in progress."""
        if not phrase.is_negated or not predicate or not role:
            return False
        is_verb = any((sense.kind, sense.name, sense.form) == ("time", role, "verb") for sense in phrase.senses)
        return is_verb and self.model.predicates[predicate].time is None and bool(self._find_moment(role))

    def _find_moment(self, role: str) -> str:
        """Return the dimension of a moment that rows may lack: when work began. Empty if each row has it."""
        start = self.model.time_roles[role].start
        known = (one for one in self.model.dimensions.values() if one.nullable and one.role is None)
        return next((one.id for one in known if one.expression == start and one.reached_as in self.reached), "")

    def _is_asked_with_did(self, phrase: Phrase) -> bool:
        return any("do" in one.marks and one.start < phrase.start for one in self.phrases)

    def _role(self, phrase: Phrase, *, predicate: str) -> str:
        known = [self.model.time_roles[sense.name] for sense in phrase.senses if sense.kind == "time"]
        found = [one.id for one in known if one.entity == self.entity.id]
        self._refuse_two_rows(phrase, said_of={one.entity for one in known if one.reached_as in self.reached})
        found += [one.id for one in known if one.reached_as in self.reached and one.id not in found and (
            one.relation is None)]  # fmt: skip
        if predicate:
            time = self.model.predicates[predicate].time
            if time:
                return time
            if phrase.said.lower().split()[-1] == "open":
                return ""
        return found[0] if found else ""

    def _attach_times(self) -> None:
        """Attach each period to the nearest state before it with a time, else to the nearest after it."""
        for place, phrase in enumerate(self.phrases):
            if phrase.kind != "period":
                continue
            state = self._same_state(place) or self._timed_state(place)
            if state is not None:
                state.periods.append(phrase)
            if state is not None or self._read_past_state(phrase, place=place):
                self.used.add(place)

    def _read_past_state(self, phrase: Phrase, *, place: int) -> bool:
        """
        Read a day beside a state as the day on which rows were so: how many were open on 1 October.

        Who had them, in which sprint they were, and their status then, are not part of it.
        """
        at = max((other for other, one in self.states.items() if other < place and one.predicate), default=-1)
        role = self.settings["at_a_time"].get(self.states[at].predicate) if at >= 0 else None
        said = {word for one in self.phrases[:place] for word in one.said.lower().split()}
        if not (role and phrase.period and phrase.period.moment and self.entity.id == "issue"):
            return False
        is_act = at >= 0 and self.states[at].phrase.said.lower().startswith("work")  # at any time of the day
        if is_act or self.states[at].role or self.is_fragment or not said & {"was", "were", "did", "had", "have"}:
            return False
        for other, one in enumerate(self.phrases):
            is_plain = one.kind in ("mark", "period", "group", "rank", "top") or one.has("entity")
            is_lasting = one.name_kind in ("team", "type", "priority", "label", "epic") and not one.alternatives
            is_of_now = other > place and other in self.states and is_said_of_now(self.phrases, place=other)
            if one.is_negated or not (other == at or is_plain or is_lasting or is_of_now):
                raise Unbound(one)
        self.states[at].role = role
        self.states[at].periods.append(phrase)
        self.resolved_doubts.append(phrase.period.doubtful)
        self.assumptions.append(AS_OF_THEN)
        return True

    def _timed_state(self, place: int) -> State | None:
        """Return the nearest state that has a time: before the place, else after it, first without one said yet."""
        timed = [other for other in sorted(self.states) if self.states[other].role]
        before = [self.states[other] for other in timed if other < place][::-1]
        is_told = place - 1 in self.states or self.phrases[place - 1].name_kind == "status"  # in QA | on 1 October |
        behind = [self.states[other] for other in timed if other > place and (before or not is_told)]
        near = (*before, *(state for state in behind if not state.phrase.is_negated))  # before May | that are not done
        return next((state for state in near if not state.periods), before[0] if before else None)

    def _same_state(self, place: int) -> State | None:
        """Return the state of the period that this one is compared with: closed last month | and | this month."""
        links = {"versus", "and", "or"}
        links |= {"have"} if "compare" in self.marks else set()  # compare August with October
        if place < 2 or not self.phrases[place - 1].marks & links:  # noqa: PLR2004
            return None
        other = self.phrases[place - 2]
        return next((state for state in self.states.values() if other in state.periods), None)

    def _dimension_of(self, phrase: Phrase, *, is_group: bool = False) -> str:
        """Return the dimension of a noun for this entity."""
        nouns = [sense for sense in phrase.senses if sense.form in ("noun", "comparative", "superlative")]
        if any(sense.kind == "entity" and sense.name == "person" for sense in nouns):
            self.is_about_people = self.is_about_people or is_group
            role = "reporter" if self._asks_for_reporters(self.phrases) else "assignee"
            if "changer" in self.reached and not phrase.said.lower().endswith(("assignee", "assignees")):
                return "changed_by"  # who made the change, not who has the issue
            return next((one for one in (role, "person") if one in self.reached), "")
        ids = [sense.name for sense in nouns if sense.kind == "dimension"]
        ids += [sense.name for sense in nouns if sense.kind == "entity" and sense.name in self.model.dimensions]
        own = [one for one in ids if self.model.dimensions[one].reached_as == self.entity.id]
        reached = own or [one for one in ids if self.model.dimensions[one].reached_as in self.reached]
        if is_group:
            reached = [one for one in reached if self.model.dimensions[one].groupable]
        return reached[0] if reached else ""

    def _asks_for_reporters(self, phrases: Sequence[Phrase]) -> bool:
        """Return whether the verbs say what the reporter did, and none of them what the assignee did."""
        verbs = [one for one in phrases if one.has("dimension", form="verb")]
        names = {sense.name for one in verbs for sense in one.senses if sense.form == "verb"}
        return "reporter" in names and "assignee" not in names and not all(one.has("predicate") for one in verbs)

    def _lists_issues(self) -> bool:
        """Return whether issues themselves are requested, as in "the bugs with the longest cycle time"."""
        if self.entity.id != "issue" or self.marks & {"how_many", "how_much", "who", "average", "median"}:
            return False
        return any(phrase.is_of_issues or phrase.name_kind == "priority" for phrase in self.phrases)

    def _is_past(self) -> bool:
        return any(one.kind == "mark" and one.said.lower() in ("was", "were") for one in self.phrases)

    def _by_distance(self, place: int) -> list[State]:
        return [self.states[other] for other in sorted(self.states, key=lambda other: abs(other - place))]

    def _find_reached(self, table: str, *, state: State) -> str:
        """Return the dimension that says how long or how often a state is. Empty if these rows have none."""
        field_name = str(self.settings[table].get(state.predicate, ""))
        return field_name if field_name and self.model.dimensions[field_name].reached_as in self.reached else ""

    def _find_clause(self, mark: str) -> tuple[Phrase, list[Phrase]]:
        """Return the phrase with a mark that asks, and the phrases behind it up to the next one that asks."""
        at = next(place for place, phrase in enumerate(self.phrases) if mark in phrase.marks)
        behind = self.phrases[at + 1 :]
        end = next((place for place, one in enumerate(behind) if one.kind == "mark" and one.marks & ASKING), None)
        return self.phrases[at], behind[:end]

    def _has_key(self) -> bool:
        return any(phrase.kind == "key" and not phrase.name_kind for phrase in self.phrases)

    def _has_person(self) -> bool:
        return any(phrase.kind == "names" and phrase.name_kind == "person" for phrase in self.phrases)

    def _own_states(self) -> list[State]:
        """Return the states of the rows themselves. Of a share, those of the whole, which precede the verb."""
        end = self._find_copula() if "share" in self.marks and self.entity.id == "membership" else None
        return [
            state for place, state in self.states.items()
            if state.predicate and state.is_own and (end is None or place < end)
        ]  # fmt: skip

    def _find_copula(self) -> float | None:
        """Return what ends the whole of a share: the verb before its part."""
        own = [place for place, state in self.states.items() if state.predicate and state.is_own]
        return find_copula(self.phrases, own=own, is_membership=self.entity.id == "membership")

    def _groups_sprints(self) -> bool:
        return DimensionGroup(dimension="sprint") in self.groups

    def _says_of_what(self) -> bool:
        """Return whether a property of the rows is named, besides their owner."""
        kinds = ("status", "priority", "label", "type", "title")
        return bool(self.states) or any(
            phrase.kind in ("bound", "rank", "missing", "days")
            or phrase.name_kind in kinds
            or (phrase.has("measure") and not phrase.has("entity"))
            for phrase in self.phrases
        )
