"""Properties that a question looks up: of one issue how long and how often, of a person the team."""

from sprints.linking.names import Name
from sprints.semantics.describe import join_conditions, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import TimeRole
from sprints.semantics.query import Comparison, Condition, NamedCondition
from sprints.semantics.questions.conditions import Conditions
from sprints.semantics.questions.phrase import Phrase, is_sprints, look_at
from sprints.semantics.questions.terms import WHOSE_CHANGES, State, Unbound

_ASKS = frozenset({"which", "what", "who", "when"})
_ASKS_MUCH = frozenset({"how_many", "how_much"})
_SIZE = frozenset({"how large", "how big", "how full", "how deep", "size"})
_ACT = ("time", "verb")
MAX_TOLD = 3
_SINCE_WHEN = "since when"
_DAYS_LEFT = "sprint_days_left"
_LENGTH = "sprint_length"
IN_WHICH_SPRINT = "In which sprint? Ask for what was committed, or is planned, in a sprint by its number."
NO_DAYS_LEFT = "{said}. Only a sprint that runs has days left."
EPIC_OR_ISSUES = "Is that asked of the epic or of its issues? Ask for the progress of {said}, or for its issues."


class Lookups(Conditions):
    """Conditions with the properties of named rows."""

    def _check_entity(self) -> None:
        if (self.entity.id == "person" and self._asks_team_of_person()) or self._asks_who_changed():
            self.mentions_entity = True
            return
        super()._check_entity()

    def _asks_team_of_person(self) -> bool:
        """Return whether only a team and a person are said: which team is Avery on."""
        said = [one for one in self.phrases if one.kind != "mark"]
        is_noun = any(one.kind == "term" and one.has_entity("team") and not one.is_plural for one in said)
        others = [one for one in said if not (one.name_kind == "person" or one.has_entity("team"))]
        return is_noun and self._has_person() and not (others or self.marks & {"how_many", "how_much", "who"})

    def _asks_who_changed(self) -> bool:
        """Return whether a change of a named issue is told by its verb: who moved it, who changed its estimate."""
        verbs = {sense.name for one in self.phrases for sense in one.senses if (sense.kind, sense.form) == _ACT}
        ours = {one.id for one in self.model.time_roles.values() if one.entity == self.entity.id}
        return "changer" in self.reached and "who" in self.marks and self._has_key() and bool(verbs & ours)

    def _refuse_intention(self) -> None:
        """Refuse what somebody means to do without a sprint, as it is known of sprints alone: what does Levi want."""
        is_meant = any(state.predicate == "committed" and " to " in state.phrase.said for state in self.states.values())
        is_of_sprint = any(is_sprints(one) or one.has_entity("sprint") or one.period for one in self.phrases)
        if is_meant and not is_of_sprint and self.context is None:
            raise Unbound(None, why=IN_WHICH_SPRINT, is_final=True)

    def _refuse_each_row(self) -> None:
        """Refuse to group by each issue what is to be ranked by how many there are: people | by tickets."""
        said = (one for one in self.phrases if one.kind == "group" and one.has_entity("issue") and one.is_plural)
        if len(self.groups) > 1 and (phrase := next(said, None)) is not None:
            raise Unbound(phrase)

    def _refuse_days_left(self) -> None:
        """Refuse the days that are left if a sprint does not run, and say when it was closed."""
        named = [name for one in self.phrases if is_sprints(one) and not one.edge for name in one.names]
        is_left, is_length = _DAYS_LEFT in self.columns, _LENGTH in self.measures
        if is_left:
            named = [one for one in named if one.state != "active"]
        is_refused = is_left or (is_length and not {one.state for one in named} - {"future"})
        if not named or not is_refused:
            return
        said = ", ".join(f"{one.text} {self._tell_state(one)}" for one in named[:MAX_TOLD])
        raise Unbound(None, why=NO_DAYS_LEFT.format(said=said) if is_left else f"{said}.", is_final=True)

    @staticmethod
    def _tell_state(sprint: Name) -> str:
        if sprint.state != "closed":
            return "has not been started"
        return f"was closed on {sprint.ended_at:%-d %B %Y}" if sprint.ended_at else "is closed"

    def _read_who(self) -> None:
        if not self._asks_who_changed():
            if "changer" in self.reached:
                raise Unbound(self._find_clause("who")[0], why=WHOSE_CHANGES)
            super()._read_who()
            return
        self.columns += [one for one in (*self.entity.columns, "changed_by") if one not in self.columns]
        for state in self.states.values():
            state.is_counted = not state.predicate

    def _read_noun(self, phrase: Phrase, *, place: int, is_first: bool) -> None:
        name = self._find_looked_up(phrase) if self.entity.id == "issue" and self._has_key() else ""
        if name:
            self.columns.append(name)
        else:
            super()._read_noun(phrase, place=place, is_first=is_first)

    def _find_looked_up(self, phrase: Phrase) -> str:
        """Return the property of an issue that a noun names beside its key: its sprint, and how many points it has."""
        names = self.settings["of_key"]
        known = next((names[one.name] for one in phrase.senses if one.kind == "entity" and one.name in names), "")
        if known:
            return "" if self._is_past() or phrase.is_plural else str(known)
        is_one_of_several = "how_many" in self.marks and bool(self.marks & _ASKS)
        return self._dimension_of(phrase) if is_one_of_several and phrase.has("measure", form="noun") else ""

    def _state(self, state: State, *, place: int) -> list[Condition]:
        if self._shows_since(state):
            return super()._state(state, place=place)
        if "when" in self.marks and not state.periods and not self.measures:
            return self._show_moment(state)
        return super()._state(state, place=place)

    def _shows_since(self, state: State) -> bool:
        """Show since when each row has been so: which issues are | blocked | and | since when."""
        asked = [at for at, one in enumerate(self.phrases) if one.said.lower() == _SINCE_WHEN]
        since = str(self.settings["since"].get(state.predicate, ""))
        if not (asked and since) or self.entity.id != "issue" or self._has_key():
            return False
        if state.phrase.is_negated or state.periods or self.measures:
            raise Unbound(self.phrases[asked[0]])
        self.columns.append(since)
        self.used.add(asked[0])
        return True

    def _show_time_in_status(self) -> None:
        """Show since when rows are in a status. Refuse to list issues without the time that is asked for."""
        asked = next((one for one in self.phrases if "when" in one.marks), None)
        is_list = self.entity.id == "issue" and not (self.measures or self.columns or self.events)
        if asked is not None and is_list and not self.is_ranked:
            if asked.said.lower() != _SINCE_WHEN or self.states or self._find_status(0) is None:
                raise Unbound(asked)
            self.columns.append(self.settings["since"]["in_status"])
            self.mentions_entity = True

    def _show_moment(self, state: State) -> list[Condition]:
        """Show the moment as a column of the named rows, or as the rows of what happened to them several times."""
        role = self.model.time_roles.get(state.role)
        is_named = self._has_key() or any(is_sprints(one) for one in self.phrases)
        when, clause = self._find_clause("when")
        if role is None or role.reached_as != self.entity.id or not is_named or state.phrase not in clause:
            raise Unbound(state.phrase)
        if self.entity.id == "membership" and not self.mentions_entity:
            raise Unbound(state.phrase)  # when the sprint itself was so
        if role.relation:
            return self._show_events(role, is_since=when.said.lower().startswith("since"), state=state)
        same = [
            one.id for one in self.model.dimensions.values()
            if (one.expression, one.entity, one.role) == (role.start, role.entity, None)
        ]  # fmt: skip
        is_shown = self.entity.id == "sprint"  # by the dates that each sprint is listed with
        if not (same or is_shown) or "since" in when.said.lower():
            raise Unbound(state.phrase)
        self.columns += same
        return []

    def _show_events(self, role: TimeRole, *, is_since: bool, state: State) -> list[Condition]:
        """List when an issue was so; since when it is, those that have not ended."""
        events = self.model.entities[self.entity.relations[str(role.relation)].entity]
        others = [one for one in self.phrases if one.kind not in ("mark", "key") and one is not state.phrase]
        lasting = [
            one.id for one in self.model.predicates.values()
            if one.entity == events.id and one.comparison and one.comparison.op == Operator.IS_NULL
            and self.model.dimensions[one.comparison.field].expression == role.end
        ]  # fmt: skip
        if others or not (events.columns and self._has_key()) or (is_since and not lasting) or state.phrase.is_negated:
            raise Unbound(state.phrase)
        self.events = events.id
        return [NamedCondition(predicate=one) for one in lasting if is_since]

    def _choose_measures(self) -> None:
        at = next((place for place, one in enumerate(self.phrases) if "how_long" in one.marks), None)
        if self._asks_how_large():
            self.measures, self.columns = (["points"] if self.unit_noun == "points" else ["points", "issues"]), []
        elif at is not None:
            self._read_duration(self.phrases[at])
            self.used.add(at)
        elif "how_often" in self.marks and self._has_key() and self._find_amount("repeated"):
            self._show_amount("repeated")
        elif not (self._has_key() and self.columns and "how_many" in self.marks):
            super()._choose_measures()
        elif grouped := next((one for one in self.phrases if one.kind == "group"), None):
            raise Unbound(grouped)  # a property of one issue, per month

    def _asks_how_large(self) -> bool:
        """Return whether the size of a whole is requested, as opposed to that of each row: how large is the backlog."""
        is_size = self.columns == ["story_points"] and any(one.said.lower() in _SIZE for one in self.phrases)
        is_whole = any(one.has("predicate", form="noun") for one in self.phrases)
        return is_size and is_whole and not (self._has_key() or self._lists_issues())

    def _read_duration(self, phrase: Phrase) -> None:
        """Read how long rows have been in a state, how long sprints are, and how long they still run."""
        if self.entity.id == "sprint":
            self._read_days_of_sprint(phrase)
        elif self._is_past() and self._has_key() and self._find_amount("spent"):
            self._show_amount("spent")
        elif self.entity.id != "issue" or self._is_past() or self.measures or self.groups or self.marks & _ASKS_MUCH:
            raise Unbound(phrase)
        elif any(is_sprints(one) or one.has_entity("sprint") or one.said.lower() == "take" for one in self.phrases):
            raise Unbound(phrase)  # how long in a sprint, or as a rule
        elif "have" not in self.marks and not self._is_asked_last(phrase):
            raise Unbound(phrase)  # how long are they open as a rule
        elif self._find_amount("lasting"):
            self._show_amount("lasting")
        elif not self.states and self._find_status(0) is not None:
            self.columns.append(self.settings["held"]["status"])
            self.mentions_entity = True
        else:
            raise Unbound(phrase)

    def _is_asked_last(self, phrase: Phrase) -> bool:
        """Note and return whether how long is what else is asked: which issues are blocked, and for | how long."""
        before = self.phrases[-2] if len(self.phrases) > 1 else phrase
        is_last = phrase is self.phrases[-1] and before.said.lower() in ("and", "and for")
        self.used |= {len(self.phrases) - 2} if is_last else set()
        return is_last

    def _find_amount(self, table: str) -> tuple[int, str] | None:
        """Return the place of the one state of which a table names the amount, and the property that it is."""
        known = self.settings[table]
        found = [
            (place, known[sense.name]) for place, one in enumerate(self.phrases) for sense in one.senses
            if sense.kind == "predicate" and sense.name in known
        ]  # fmt: skip
        own = {place for place, _ in found}
        others = [state for place, state in self.states.items() if state.periods or place not in own]
        is_plain = self.entity.id == "issue" and len(found) == 1 and not others
        return found[0] if is_plain and not self.phrases[found[0][0]].is_negated else None

    def _show_amount(self, table: str) -> None:
        """Show the amount beside the rows. Of a named issue the state itself is no condition: it may have none."""
        found = self._find_amount(table)
        assert found is not None  # noqa: S101 - for mypy
        self.columns.append(found[1])
        self.mentions_entity = True
        self.used.add(found[0])
        if found[0] in self.states:
            self.states[found[0]].is_counted = self._has_key() and table != "lasting"

    def _read_days_of_sprint(self, phrase: Phrase) -> None:
        """Read how long sprints are. How many days are left of one may be days of work: that has no place."""
        is_told = any(
            is_sprints(one) or (one.has_entity("sprint") and (one.is_plural or one.is_any or one.is_definite))
            for one in self.phrases
        )
        if self.states or not is_told or any(one.edge for one in self.phrases):
            raise Unbound(phrase)
        self.mentions_entity = True
        self.measures = ["sprint_length"]
        self.used |= {place for place, one in enumerate(self.phrases) if "average" in one.marks}  # it is one

    def _answer_yes_or_no(self, where: Condition | None) -> Condition | None:
        """Show what is asked of a named row in place of a condition that it may fail: is ORBIT-1 | blocked."""
        parts = split_conditions(where)
        named = [one for one in parts if isinstance(one, Comparison) and one.field == self.entity.id]
        first = self.phrases[0].said.lower() if self.phrases else ""
        fields = [
            self._find_decisive_property(one, is_past=first in ("was", "were")) for one in parts if one not in named
        ]
        is_asked = first in ("is", "are", "was", "were") and self.entity.id in ("issue", "person")
        if not (is_asked and named and fields and all(fields)):
            return where
        self.columns += [one for one in dict.fromkeys(fields) if one not in self.columns]
        return join_conditions(named)

    def _show_whether_at_work(self) -> None:
        """Show the status of a named issue beside who works on it, if anybody still does."""
        is_work = any(sense.name == "in_progress" for one in self.phrases for sense in one.senses)
        if is_work and "assignee" in self.columns and self._has_key():
            self.columns.append("status")

    def _refuse_state_of_epic(self) -> None:
        """Refuse to list the issues of an epic of which a state is asked: is the epic Pay | done."""
        said = [one for one in self.phrases if not (one.kind == "term" and one.said.lower() == "epic")]
        verb, epic, state = look_at(said, place=0, size=3)
        if verb.said.lower() in ("is", "was") and epic.name_kind == "epic" and state.has("predicate"):
            raise Unbound(epic, why=EPIC_OR_ISSUES.format(said=epic.said), is_final=True)

    def _find_decisive_property(self, condition: Condition, *, is_past: bool) -> str:
        """Return the property that decides a condition; of the past, how often it was so. Empty if there is none."""
        if isinstance(condition, NamedCondition):
            decided = self.model.predicates[condition.predicate].comparison
            now = decided.field if decided else ""
            return str(self.settings["repeated"].get(condition.predicate, "")) if is_past else now
        return condition.field if isinstance(condition, Comparison) and not is_past else ""
