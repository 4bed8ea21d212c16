"""A query as questions that a person would ask. The grammar decides which of them it reads as that query."""

from collections.abc import Iterator, Sequence

import regex

from sprints.semantics.describe import OPERATOR_WORDS, describe_condition, describe_query, split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.errors import SemanticError
from sprints.semantics.lookup import find_measure, find_predicate
from sprints.semantics.model import Measure, SemanticModel
from sprints.semantics.query import (
    And,
    Comparison,
    Condition,
    DimensionGroup,
    Has,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Not,
    Rank,
    Reference,
    TimeRange,
)

_PERSONS = {"assignee": "assigned to", "reporter": "reported by", "person": "of"}
_LEADS = {"priority": "with priority", "label": "labelled", "status": "in status", "assignee": "assigned to"}
_OF = frozenset({"team", "epic", "epic_title"})
_PLAIN = frozenset({"issue", "membership"})
_EQUALS = (Operator.EQ, Operator.IN)
_DIFFERS = (Operator.NE, Operator.NOT_IN)
_LISTED = frozenset({"issue_type", "sprint"}) | _OF | _PERSONS.keys()
BEGUN = Not(part=NamedCondition(predicate="sprint_future"))
"""What is counted by sprint is counted of those that have begun; nobody says so."""
_STATES = frozenset({"member_now", "member_ever", "in_closed_sprint"})


def word_questions(query: MetricQuery, *, model: SemanticModel) -> Iterator[str]:
    """Yield wordings of a query, the most natural first. The last one is its description."""
    try:
        text = describe_query(query, model=model).text
        if not (query.trend or query.limit):
            yield from _QuestionWriter(query, model=model).list_questions()
    except SemanticError:
        return
    text = text.removesuffix(", now")
    yield f"Show the {text}"
    yield text[:1].upper() + text[1:]


class _QuestionWriter:
    """The parts of the questions for one query."""

    def __init__(self, query: MetricQuery, *, model: SemanticModel) -> None:
        self.query, self.model = query, model
        self.adjectives: list[str] = []
        self.participles: list[str] = []
        self.times: list[str] = []
        self.modifiers: list[str] = []
        self.places: list[str] = []
        self.kinds: list[str] = []
        self.sprint_state = ""
        self.acts = self.key = self.missing = self.each = ""
        entity = query.rows_of or find_measure(query.measures[0], model=model).entity
        self.entity = model.entities[entity]
        conditions = [one for one in split_conditions(query.where) if one != BEGUN]
        roles = {one.role for one in conditions if isinstance(one, TimeRange)}
        for condition in conditions:
            is_moment = isinstance(condition, NamedCondition) and self._find_time(condition) in roles - {None}
            if not is_moment:  # done issues resolved in October: resolved says it
                self._add(condition)
        self.participles.sort(key=lambda one: one.startswith("not "))
        named = " ".join(self.places)
        self.modifiers = [one for one in self.modifiers if not (one.startswith("of ") and f"{one[3:]} Sprint" in named)]

    def list_questions(self) -> Iterator[str]:
        """Yield the questions."""
        groups, rank = self._write_groups(), self.query.rank
        if self.query.rows_of:
            yield from self._list_rows(rank)
            return
        subject, is_count = self._write_subject()
        if self.query.having or self.query.compare:
            yield from self._ask_for_limits(subject, is_count=is_count)
            return
        if len(self.query.measures) == 2:  # noqa: PLR2004
            yield self._write_pair() + groups
        if self.each and is_count:
            yield f"How many {subject} does each {self.each} have?"
        if self.query.share is not None:
            yield from self._ask_for_share(subject + groups)
        elif rank is not None:
            yield from self._ask_for_rank(subject, is_count=is_count, rank=rank)
        elif is_count:
            yield from [f"How many {self.acts}{groups}?"] * bool(self.acts)
            yield from (f"How many {one}{groups}?" for one in self._say_state(subject))
            yield f"How many {subject} are there{groups}?"
            yield f"How many {subject}{groups}?"
        else:
            are = "are" if regex.match(r"\w*[^\Ws]s\b", subject) else "is"
            if self.query.measures == ("spent_hours",):
                yield f"How many hours were spent on {self.write_rows()}{groups}?"
            yield f"What {are} the {subject}{groups}?"
            yield f"Show the {subject}{groups}"

    def _ask_for_limits(self, subject: str, *, is_count: bool) -> Iterator[str]:
        """Yield questions for two sides, and for the groups above or below a number."""
        sides, limits = self.query.compare, self.query.having
        if sides and not (limits or self.query.group_by or self.query.rank):
            roles = {one.where.role if isinstance(one.where, TimeRange) else None for one in sides}
            role = self.model.time_roles.get(next(iter(roles)) or "") if len(roles) == 1 else None
            said = f"{subject} {role.label}" if role else subject
            yield f"{said[:1].upper()}{said[1:]}: {' against '.join(one.label for one in sides)}"
        group = "people" if self._asks_who() else self._name_group(is_plural=True)
        if group and is_count and len(limits) == 1 and limits[0].value is not None and not (sides or self.query.rank):
            words = OPERATOR_WORDS[limits[0].op] or "exactly "
            noun = subject.replace("issues", "issue", 1) if limits[0].value == 1 else subject
            yield f"Which {group} have {words}{limits[0].value:g} {noun}?"

    def _ask_for_share(self, whole: str) -> Iterator[str]:
        subject, by, groups = whole.partition(" by ")
        if self.query.share is not None and self.query.share.part is not None:
            part = describe_condition(self.query.share.part, model=self.model).removesuffix(" in the sprint")
            yield f"What share of the {subject} is {part}{by}{groups}?"
            yield f"What percentage of {subject} are {part}{by}{groups}?"
            yield f"What percentage of {subject} were {part}{by}{groups}?"

    def _ask_for_rank(self, subject: str, *, is_count: bool, rank: Rank) -> Iterator[str]:
        if self._asks_who():
            yield from self._ask_for_leaders(subject, is_count=is_count, rank=rank)
        group, count = self._name_group(is_plural=rank.count > 1), f"{rank.count} " if rank.count > 1 else ""
        if not group:
            return
        most, highest = ("most", "highest") if rank.direction == "desc" else ("fewest", "lowest")
        if is_count and self.acts:
            acts, groups = self.acts.replace(" were ", " ", 1).replace(" are ", " ", 1), group
            if self.sprint_state and group.startswith("sprint"):
                acts, groups = acts.removesuffix(f" in {self.sprint_state} sprints"), f"{self.sprint_state} {group}"
            yield f"Which {count}{groups} had the {most} {acts}?"
        end = most if is_count else highest
        if self.sprint_state and group.startswith("sprint"):
            subject, group = subject.replace(f" in {self.sprint_state} sprints", ""), f"{self.sprint_state} {group}"
        yield f"Which {count}{group} {'have' if rank.count > 1 else 'has'} the {end} {subject}?"
        yield f"Show the {count}{group} with the {end} {subject}"

    def _add(self, condition: Condition) -> None:
        match condition:
            case NamedCondition():
                self._add_predicate(condition)
            case Not(part=NamedCondition() as denied):
                self._add_state(find_predicate(denied.predicate, model=self.model).negated)
            case Comparison():
                self._add_comparison(condition)
            case InPeriod(role=None, where=Comparison(op=op, field="sprint", values=values)) if op in _EQUALS:
                self.places.append(f"{'during' if condition.how == 'during' else 'in'} {_name_sprints(values)}")
            case TimeRange(role=role) if role and role == self._own_time():
                self.places.append(describe_condition(condition.model_copy(update={"role": None}), model=self.model))
            case TimeRange(role=role) if role:
                text = describe_condition(condition, model=self.model)
                self.times.append(text.removeprefix("sprint ") if self.entity.id == "sprint" else text)
                self.participles.append(self.times[-1])
            case Not(part=Has(where=where, relation=relation, at_least=1)) if where and self.query.rows_of:
                related = self.model.entities[self.query.rows_of].relations[relation].entity
                self.missing = _QuestionWriter(MetricQuery(rows_of=related, where=where), model=self.model).write_rows()
            case _:
                self.modifiers.append(self._describe_relation(condition))

    def _describe_relation(self, condition: Condition) -> str:
        match condition:
            case Not(part=InPeriod(where=Comparison(op=Operator.IS_NOT_NULL, field="sprint"))):
                return "in no sprint"
            case Has(where=And(parts=(Comparison(field="to_status") as to, TimeRange() as at))):
                period = describe_condition(at.model_copy(update={"role": None}), model=self.model)
                return f"moved to {_text(to.values[0])} {period}"
        return describe_condition(condition, model=self.model)

    def write_rows(self) -> str:
        """Return the rows as a noun with all that is said of them."""
        return self._phrase(self._noun(), states=self.participles)

    def _find_time(self, condition: NamedCondition) -> str | None:
        return find_predicate(condition.predicate, model=self.model).time

    def _add_predicate(self, condition: NamedCondition) -> None:
        predicate = find_predicate(condition.predicate, model=self.model)
        if predicate.entity == "sprint" and not self._counts_rows("sprint"):
            self.sprint_state = predicate.label
        elif predicate.id not in _STATES:
            self._add_state(predicate.label)

    def _add_comparison(self, comparison: Comparison) -> None:
        field, op = comparison.field, comparison.op
        named = _join([_text(one) for one in comparison.values]) if comparison.values else ""
        if op in _EQUALS and (len(comparison.values) == 1 or field in _LISTED):
            self._add_value(comparison, said=named)
        elif op in _EQUALS and field in _LEADS:
            self.modifiers.append(f"{_LEADS[field]} {named}")
        elif op in OPERATOR_WORDS and field.startswith("times_"):
            self.participles.append(f"{field[6:].replace('_', ' ')} {OPERATOR_WORDS[op]}{_count_times(named)}")
        elif op in _DIFFERS and field in ("issue_type", "team"):
            nouns = [_pluralise(_text(one).lower()) for one in comparison.values]
            self.modifiers.append(f"that are not {_join(nouns)}" if field == "issue_type" else f"except {named}")
        elif op in OPERATOR_WORDS and self.model.dimensions[field].unit == "points":
            self.modifiers.append(f"with {OPERATOR_WORDS[op]}{named} points")
        elif op is Operator.IS_NULL:
            self.modifiers.append(f"without {_label(field, model=self.model)}")
        elif op is Operator.IS_NOT_NULL and DimensionGroup(dimension=field) in self.query.group_by:
            self.each = "person" if field == "assignee" else _label(field, model=self.model)
        else:
            self.modifiers.append(describe_condition(comparison, model=self.model))

    def _counts_rows(self, entity: str) -> bool:
        """Return whether the query lists or counts the rows of an entity."""
        return self.entity.id == entity and (bool(self.query.rows_of) or self.query.measures == (self.entity.count,))

    def _own_time(self) -> str | None:
        """Return the time that a measure is counted by. Of issues it is said by its name."""
        if self.query.rows_of or self.entity.id in _PLAIN:
            return None
        return find_measure(self.query.measures[0], model=self.model).time

    def _add_state(self, label: str) -> None:
        label = label.removesuffix(" in the sprint")
        (self.participles if " " in label or self.entity.id == "membership" else self.adjectives).append(label)

    def _add_value(self, comparison: Comparison, *, said: str) -> None:
        field = comparison.field
        if field == "issue_type":
            self.kinds.append(_join([_pluralise(_text(one).lower()) for one in comparison.values]))
        elif field in _PERSONS:
            self.modifiers.append(f"{_PERSONS[field]} {said}")
        elif field in _OF:
            self.modifiers.insert(0, f"of {'the epic ' if field != 'team' else ''}{said}")
        elif field == "sprint":
            self.places.append(f"in {_name_sprints(comparison.values)}")
        elif self.model.dimensions[field].unit == "points":
            self.modifiers.append(f"with {said} points")
        elif field == "parent":
            self.modifiers.append(f"of {said}")
        elif field == "issue":
            self.key = said
            self.modifiers.append(f"of {said}")
        else:
            text = describe_condition(comparison, model=self.model)
            self.modifiers.append(f"with {text}" if field == "priority" else text)

    def _noun(self) -> str:
        if self.kinds:
            return self.kinds[0]
        return "issues" if self.entity.id in _PLAIN else self.entity.plural

    def _phrase(self, noun: str, *, states: Sequence[str]) -> str:
        return " ".join([*self.adjectives, noun, *self.modifiers, *_join_states(states), *self.places])

    def _say_state(self, noun: str) -> Iterator[str]:
        """Yield the nouns with a verb behind them: bugs of ORBIT | were | created in October."""
        if self.participles:
            bare = noun
            for one in (*self.places, *_join_states(self.participles)):
                bare = bare.replace(f" {one}", "", 1)
            was = "are" if self.participles[0].startswith(("in ", "not ", "left", "with")) else "were"
            yield " ".join([bare, was, *_join_states(self.participles), *self.places])

    def _list_rows(self, rank: Rank | None) -> Iterator[str]:
        if self.missing:
            noun = " ".join([*self.adjectives, self._noun(), *self.modifiers, *self.places])
            teams = [one[3:] for one in self.modifiers if one.startswith("of ")]
            for team in teams:  # people of ORBIT without issues in Sprint 7
                self.missing = self.missing.replace(f" in {team} ", " in ")
            yield f"Which {noun} have no {self.missing}?"
            yield f"Which {noun} had no {self.missing}?"
            yield f"List the {noun} without {self.missing}"
            return
        noun = self._phrase(self._noun(), states=self.participles)
        asked = self._write_columns()
        places = self.places if self.entity.id == "sprint_day" else []
        yield from (f"Burndown {one.replace('in ', 'of ', 1)}" for one in places)
        if rank is not None:
            label = _label(rank.by, model=self.model)
            end = "highest" if rank.direction == "desc" else "lowest"
            old = {"age": "oldest" if end == "highest" else "newest"}.get(label)
            count = f"{rank.count} " if rank.count > 1 else ""
            if old:
                one = self._phrase(_singularise(self._noun()), states=self.participles)
                yield f"Which are the {count}{old} {noun}?" if rank.count > 1 else f"Which is the {old} {one}?"
            if rank.count == 1:
                noun = self._phrase(_singularise(self._noun()), states=self.participles)
                yield f"Which {noun} has the {end} {label}?"
                yield f"Show the {noun} with the {end} {label}"
                return
            yield f"Which {count}{noun} have the {end} {label}?"
            yield f"Show the {count}{noun} with the {end} {label}"
            return
        if key := next((one[3:] for one in self.modifiers if one.startswith("of ") and one[3:] == self.key), ""):
            yield f"What is the {asked} of {key}?" if asked else f"Show {key}"
        if asked:
            yield f"What is the {asked} of {noun}?"
            yield f"Show the {asked} of the {noun}"
        yield from (f"Which {one}?" for one in self._say_state(noun))
        if self.adjectives and not self.participles:
            rest = " ".join([self._noun(), *self.modifiers, *self.places])
            yield f"Which {rest} are {' and '.join(self.adjectives)}?"
        if self.places and not self.participles:
            rest = " ".join([*self.adjectives, self._noun(), *self.modifiers])
            yield f"Which {rest} are {' '.join(self.places)}?"
        yield f"List the {noun}"
        yield f"Show the {noun}"

    def _write_columns(self) -> str:
        """Return what is asked of each row, besides what names it."""
        own = ("issue", "title", "sprint", "team", "person")
        columns = [one for one in self.query.columns if one not in own]
        if not columns or len(columns) > 3 or self.query.columns == self.entity.columns:  # noqa: PLR2004
            return ""
        return _join([_label(one, model=self.model) for one in columns], glue="and")

    def _write_subject(self) -> tuple[str, bool]:
        measures = [find_measure(name, model=self.model) for name in self.query.measures]
        if len(measures) == 1 and self.entity.id == "membership" and measures[0].unit in ("issues", "points"):
            self.acts = self._write_act(measures[0].label)
        units = {one.unit for one in measures}
        if len(measures) == 1 and measures[0].id == self.entity.count:
            if self.key and self.entity.id == "issue":
                raise SemanticError("One issue is not counted.", term=self.key)
            return self._phrase(self._noun(), states=self.participles), True
        labels = _join([_say_measure(one) for one in measures], glue="and")
        is_sum = all(one.additive for one in measures)
        is_of_rows = self.kinds or (self.entity.id == "issue" and not is_sum and (self.adjectives or self.participles))
        of = ["of", *self.adjectives, self._noun()] if is_of_rows else []
        lead = [] if is_of_rows else self.adjectives
        places = [one.replace("in ", "of ", 1) for one in self.places] if self.entity.id == "sprint" else self.places
        places = [*places, *([f"in {self.sprint_state} sprints"] if self.sprint_state else [])]
        said = " ".join([*lead, labels, *of, *self.modifiers, *self.participles, *places])
        return said, bool(units <= {"issues", "points", "sprints", "people", "times"}) and len(measures) == 1

    def _write_pair(self) -> str:
        """Return two measures side by side: committed versus completed points."""
        measures = [find_measure(name, model=self.model) for name in self.query.measures]
        noun = measures[0].unit
        acts = [one.label.removesuffix(" in sprint").replace(noun, "").strip() for one in measures]
        of = self.kinds[0] if self.kinds and noun == "issues" else f"{noun} of {self.kinds[0]}" if self.kinds else noun
        places = [*self.places, *([f"in {self.sprint_state} sprints"] if self.sprint_state else [])]
        said = " ".join([*self.adjectives, of, *self.modifiers, *self.participles, *places])
        return f"{acts[0].capitalize()} versus {acts[1]} {said}"

    def _write_act(self, label: str) -> str:
        """Return what was done with issues in sprints, as a clause: points of ORBIT | were completed | in Sprint 8."""
        noun, _, act = label.removesuffix(" in sprint").partition(" ")
        if noun not in ("issues", "points"):
            noun, act = label.rpartition(" ")[2], label.rpartition(" ")[0]
        of = self.kinds[0] if self.kinds and noun == "issues" else f"{noun} of {self.kinds[0]}" if self.kinds else noun
        act = act.replace("carried-over", "carried over")
        was = "are" if act.startswith("left") or not act else "were"
        places = list(self.places)
        if self.sprint_state:
            places.append(f"in {self.sprint_state} sprints")
        elif not places and DimensionGroup(dimension="sprint") not in self.query.group_by:
            places.append("in sprints")
        states = [one for one in self.participles if one not in (act, *self.times)]
        if act and states:
            return ""  # what was completed and is open: nobody asks for two states at once
        said = [of, *self.adjectives, *self.modifiers, *self.times, was, act, *_join_states(states), *places]
        return " ".join(one for one in said if one)

    def _write_groups(self) -> str:
        parts = []
        for group in self.query.group_by:
            if isinstance(group, DimensionGroup):
                if group.dimension != "epic_title":
                    parts.append(_label(group.dimension, model=self.model))
            else:
                role = f" {self.model.time_roles[group.role].label}" if group.role else ""
                parts.append(f"{group.grain}{role}")
        by = "per" if _PERSONS.keys() & set(parts) else "by"  # by assignee may begin a name
        return f" {by} {' and '.join(parts)}" if parts else ""

    def _name_group(self, *, is_plural: bool) -> str:
        groups = [one for one in self.query.group_by if isinstance(one, DimensionGroup)]
        groups = [one for one in groups if one.dimension != "epic_title"]
        if len(groups) != 1 or len(self.query.group_by) > 2:  # noqa: PLR2004
            return ""
        dimension = self.model.dimensions[groups[0].dimension]
        return str(dimension.plural) if is_plural and dimension.plural else dimension.label

    def _asks_who(self) -> bool:
        first = self.query.group_by[0] if self.query.group_by else None
        return isinstance(first, DimensionGroup) and first.dimension in _PERSONS and len(self.query.group_by) == 1

    def _ask_for_leaders(self, subject: str, *, is_count: bool, rank: Rank | None) -> Iterator[str]:
        if rank is None or not is_count:
            return
        end = "most" if rank.direction == "desc" else "fewest"
        if rank.count == 1:
            yield f"Who has the {end} {subject}?"
        else:
            yield f"Which {rank.count} people have the {end} {subject}?"


def _text(value: object) -> str:
    if isinstance(value, Reference):
        return value.label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _name_sprints(values: Sequence[object]) -> str:
    """Return sprints by what they share: Sprint 9 of each team, ORBIT Sprint 7 and 8."""
    labels = [_text(one) for one in values]
    owners, numbers = ({one.partition(" ")[0] for one in labels}, [one.rpartition(" ")[2] for one in labels])
    rest = {one.partition(" ")[2] for one in labels}
    heads = {one.rpartition(" ")[0] for one in labels}
    if len(owners) > 1 and len(owners) * len(rest) == len(labels):
        return f"Sprint {_join(sorted(set(numbers)), glue='and')}"
    if len(labels) > 1 and len(heads) == 1:
        return f"{heads.pop()} {_join(numbers, glue='and')}"
    return _join(labels)


def _join_states(states: Sequence[str]) -> list[str]:
    """Return states as one phrase: committed and completed."""
    return [" and ".join(states)] if len(states) > 1 else list(states)


def _count_times(number: str) -> str:
    return "once" if number == "1" else f"{number} times"


def _say_measure(measure: Measure) -> str:
    """Return the name of a measure as the grammar reads it: a noun of its own, or its label."""
    if measure.unit.endswith(" per sprint") and measure.label.startswith("average "):
        state, _, noun = measure.label.removeprefix("average ").rpartition(" ")
        return f"average number of {noun} {state.replace('-', ' ')} per sprint"
    if measure.ratio and measure.words.nouns:
        return str(measure.words.nouns[0])
    return measure.label.removesuffix(" in sprint")


def _join(said: Sequence[str], *, glue: str = "or") -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} {glue} {said[-1]}"


def _label(name: str, *, model: SemanticModel) -> str:
    known = model.measures.get(name) or model.dimensions.get(name)
    return known.label if known else name


def _singularise(noun: str) -> str:
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


def _pluralise(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else f"{noun}s"
