"""Linking of a question: its rows, sprints and days, assumptions, and ambiguities."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from types import MappingProxyType
from typing import TypeVar

import regex

from sprints.linking.folding import Stretch, Word, normalise, overlaps, words
from sprints.linking.names import Kind, Name, NameIndex
from sprints.linking.periods import Period, find_periods
from sprints.linking.references import (
    Amount,
    Place,
    SprintReference,
    find_amounts,
    find_issue_keys,
    find_sprint_references,
    find_story_points,
    find_unit_name,
)
from sprints.linking.spotting import Reserved, SpottedName, find_names
from sprints.linking.sprint_choice import chosen_sprints, write_assumption

Found = TypeVar("Found", bound=Stretch)

MAX_QUESTION = 2_000
MAX_LISTED = 6
MAX_CHOICES = 50
_IN_TURN = regex.compile(r"(?:ts){2,}|(?:st){2,}")
_JOINS = regex.compile(r"\s*(?:,|(?:, ?)?\b(?:and|or)\b)\s*", regex.IGNORECASE)
_EXCLUDES = regex.compile(
    r"\b(?:not|no|except|except for|without|excluding|exclude|other than|apart from|besides|minus|ignoring|leaving out"
    r"|(?:but )?not (?:counting|including)|(?<=\b(?:all|every\w*|any\w*)\b.*)but(?: for)?)"
    r"(?: (?:the|team|for|of|in|from))* ?$",
    regex.IGNORECASE,
)
"""Ends the text before a name that is left out."""
_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_WORDS: Reserved = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """
    An ambiguous part of the question: its text, and the clarifying question.

    `choices` are what it may mean, names as they are said with their team or days as ISO writes them; none where
    anything may be meant.
    """

    said: str
    question: str
    choices: tuple[str, ...] = ()
    is_name: bool = False


@dataclass(slots=True, kw_only=True)
class LinkedQuestion:
    """A question with everything found in it. Positions refer to `text`."""

    text: str
    words: list[Word]
    today: date
    spotted: list[SpottedName] = field(default_factory=list)
    sprint_references: list[SprintReference] = field(default_factory=list)
    sprints: list[Name] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    amounts: list[Amount] = field(default_factory=list)
    keys: list[Place] = field(default_factory=list)
    unit: str = ""
    assumptions: list[str] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)

    def of_kind(self, kind: Kind) -> list[Name]:
        """Return the named rows of a kind, each once; for an ambiguous name all candidates."""
        if kind == "sprint":
            return self.sprints
        named = [name for one in self.spotted if one.kind == kind for name in one.names]
        return list(dict.fromkeys(named))

    def list_asked_teams(self) -> list[Name]:
        """Return the named teams, but for those that are left out: last sprint, | not counting ORBIT."""
        named = (one for one in self.spotted if one.kind == "team" and not _EXCLUDES.search(self.text[: one.start]))
        return list(dict.fromkeys(name for one in named for name in one.names))


def link(
    question: str, *, index: NameIndex, today: date, meant: Mapping[str, str] = _NOTHING,
    reserved: Reserved = _NO_WORDS, teams: frozenset[str] = frozenset(),
) -> LinkedQuestion:  # fmt: skip
    """
    Link a question. `today` is a value, and the index holds the names of the data. Pure.

    `meant` says which of several a name means, as `Unclear` offered them. `teams` are those of the question before: a
    namesake in these is meant, if no other team is named. `reserved` are phrases that mean something of their own: a
    value of the data that is one of them is its name only where it is clearly said as a name.
    """
    text = normalise(question)[:MAX_QUESTION]
    linked = LinkedQuestion(text=text, words=words(text), today=today, keys=find_issue_keys(text))
    linked.unit = find_unit_name(text)
    linked.sprint_references = _select_outside(find_sprint_references(text), linked.keys)
    taken: list[Stretch] = [*linked.keys, *linked.sprint_references]
    linked.periods = _select_outside(find_periods(text, today=today), taken)
    taken += linked.periods
    free = [word for word in linked.words if not overlaps(word, others=[*taken, *find_story_points(text)])]
    spotted = find_names(text, words=free, index=index, reserved=reserved)
    linked.spotted = [one for one in spotted if not overlaps(one, others=taken)]
    for number in find_amounts(text):
        if not overlaps(number, others=[*taken, *linked.spotted, *linked.amounts]):
            linked.amounts.append(number)
    _narrow(linked, meant=meant, teams=teams)
    _give_teams(linked)
    _choose_sprints(linked, index=index)
    _explain(linked)
    return linked


def _narrow(linked: LinkedQuestion, *, meant: Mapping[str, str], teams: frozenset[str]) -> None:
    """Choose among namesakes by an earlier answer, or by a team that the question or the one before it names."""
    teams = frozenset(name.value for one in linked.spotted if one.kind == "team" for name in one.names) or teams
    for place, one in enumerate(linked.spotted):
        if told := [name for name in one.names if name.label == meant.get(one.said)]:
            linked.spotted[place] = replace(one, names=tuple(told))
            continue
        if one.kind != "person" or len(one.names) == 1:
            continue
        inside = [name for name in one.names if name.team_id in teams]
        if len(inside) == 1:
            linked.spotted[place] = replace(one, names=tuple(inside))


def _give_teams(linked: LinkedQuestion) -> None:
    """
    Give each of several sprints its own team, if they stand in turn: HARBOR in Sprint 8 versus ORBIT in Sprint 7.

    In a list, a team right before its sprint is part of its name: HARBOR Sprint 8 or ORBIT Sprint 7.
    """
    teams = [one for one in linked.spotted if one.kind == "team" and len(one.names) == 1]
    pairs = [*zip(teams, linked.sprint_references, strict=False)]
    order = "".join(kind for _, kind in sorted([*((one.start, "t") for one in teams),
                                                *((one.start, "s") for one in linked.sprint_references)]))  # fmt: skip
    if not _IN_TURN.fullmatch(order):
        return
    between = [linked.text[first.end : second.start] for (_, first), (second, _) in pairwise(pairs)]
    is_list = all(_JOINS.fullmatch(one) for one in between)
    for place, (team, reference) in enumerate(pairs):
        own = replace(reference, team=team.names[0].value)
        if is_list and team.end < reference.start and not linked.text[team.end : reference.start].strip():
            linked.spotted.remove(team)
            own = replace(own, said=linked.text[team.start : reference.end], start=team.start)
        linked.sprint_references[place] = own


def _choose_sprints(linked: LinkedQuestion, *, index: NameIndex) -> None:
    teams = linked.list_asked_teams()
    by_name = [one for one in linked.spotted if one.kind == "sprint"]
    named = [name for one in by_name for name in _of_teams(one.names, teams)]
    for reference in linked.sprint_references:
        chosen = chosen_sprints(reference, sprints=_of_teams(index.sprints, teams))
        if not chosen:
            whose = f" of {', '.join(team.text for team in teams)}" if teams else ""
            said = f"I found no sprint for '{reference.said}'{whose}. Which sprint do you mean, by name or number?"
            linked.unclear.append(Unclear(said=reference.said, question=said))
        else:
            linked.assumptions.append(write_assumption(reference, chosen=chosen))
        named += chosen
    linked.sprints = list(dict.fromkeys(named))


def _explain(linked: LinkedQuestion) -> None:
    """Write the assumptions, and ask about ambiguous names."""
    for one in linked.spotted:
        if one.is_hard and one.kind != "sprint" and len(one.names) > 1:
            choices = tuple(dict.fromkeys(name.label for name in one.names))[:MAX_CHOICES]
            linked.unclear.append(Unclear(said=one.said, question=_write_choice(one), choices=choices, is_name=True))
        elif (one.is_hard or not one.is_exact) and (said := _write_assumption(one)):
            linked.assumptions.append(said)
    for period in linked.periods:
        if period.doubt:
            linked.unclear.append(
                Unclear(said=period.doubtful, question=period.doubt.question, choices=period.doubt.choices)
            )
        else:
            linked.assumptions.append(period.assumption)


def _write_choice(one: SpottedName) -> str:
    listed = [name.label for name in one.names[:MAX_LISTED]]
    more = f" and {len(one.names) - MAX_LISTED} more" if len(one.names) > MAX_LISTED else ""
    choices = f"{', '.join(listed[:-1])} or {listed[-1]}" if not more else f"{', '.join(listed)}{more}"
    asks = {"person": ("users", "Please give the full name."), "epic": ("epics", "Please give its key.")}
    noun, ask = asks.get(one.kind, ("teams", "Please give its key."))
    return f"Which {one.said} are you referring to? There are {len(one.names)} {noun} of that name: {choices}. {ask}"


def _write_assumption(one: SpottedName) -> str:
    """Write which row a partial or misspelt name was taken for. Empty for a complete name."""
    name = one.names[0]
    if one.is_exact and one.said.casefold() in (name.text.casefold(), *(alias.casefold() for alias in name.aliases)):
        return ""
    if len(one.names) > 1:
        nouns = "statuses" if one.kind == "status" else f"{one.kind}s"
        return f"Took '{one.said}' as the {nouns} {', '.join(name.label for name in one.names)}."
    noun = {"person": "user"}.get(one.kind, one.kind)
    return f"Took '{one.said}' as the {noun} {name.label}."


def _of_teams(names: Iterable[Name], teams: Sequence[Name]) -> list[Name]:
    ids = {team.value for team in teams}
    return [name for name in names if not ids or name.team_id in ids]


def _select_outside(found: Iterable[Found], taken: Sequence[Stretch]) -> list[Found]:
    return [one for one in found if not overlaps(one, others=taken)]
