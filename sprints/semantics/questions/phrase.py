"""Phrases of a question, and their neighbours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Literal, Protocol

from sprints.linking.names import Name
from sprints.linking.periods import Period
from sprints.semantics.enums import Operator
from sprints.semantics.questions.lexicon import Sense

PhraseKind = Literal[
    "mark", "names", "period", "sprints", "key", "number", "days", "top", "term", "bound", "missing", "group", "rank",
    "having", "than", "related", "unknown", "nothing",
]  # fmt: skip
NEGATED = {
    Operator.GT: Operator.LE, Operator.GE: Operator.LT, Operator.LT: Operator.GE, Operator.LE: Operator.GT,
    Operator.EQ: Operator.NE,
}  # fmt: skip
SILENT_MARKS = frozenset({"be", "have", "do"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """
    A part of the question with one meaning. Its term depends on the entity of the question.

    `is_apart`: a preposition stands before it, so that it is no item of a list. `toward` is the end of a move that a
    status names. `quantifier` is "both", "all", "each" or "total" beside it. `is_definite`: an article or an owner
    stands before it; `is_ongoing`: "being" does; `is_perfect`: "been" does. `than` is the property that a bound is
    compared with, in place of a number.
    """

    kind: PhraseKind
    said: str
    start: int
    senses: tuple[Sense, ...] = ()
    marks: frozenset[str] = frozenset()
    names: tuple[Name, ...] = ()
    name_kind: str = ""
    period: Period | None = None
    edge: str = ""
    op: Operator | None = None
    number: float | None = None
    is_days: bool = False
    is_negated: bool = False
    is_ever: bool = False
    is_only: bool = False
    is_descending: bool = True
    joined_by: str = ""
    by: bool = False
    keys: tuple[str, ...] = ()
    is_plural: bool = False
    is_any: bool = False
    is_one: bool = False
    is_owned: bool = False
    is_definite: bool = False
    quantifier: str = ""
    is_apart: bool = False
    toward: str = ""
    is_act: bool = False
    is_ongoing: bool = False
    is_perfect: bool = False
    is_vague: bool = False
    predicate: str = ""
    than: str = ""
    alternatives: tuple["Phrase", ...] = field(default=())

    def has(self, *kinds: str, form: str | None = None) -> bool:
        """Return whether it has a sense of such a kind."""
        return any(sense.kind in kinds and (form is None or sense.form == form) for sense in self.senses)

    def __bool__(self) -> bool:
        """Return whether it is a phrase at all, not `NOTHING`."""
        return self.kind != "nothing"

    @property
    def is_of_issues(self) -> bool:
        """Return whether it names issues, or a type of them."""
        return self.has_entity("issue") or self.name_kind == "type"

    def has_entity(self, entity: str) -> bool:
        """Return whether it is a noun for rows of the entity."""
        return any(one.kind == "entity" and one.name == entity and one.form == "noun" for one in self.senses)


Found = tuple[list[Phrase], int] | None


class Rule(Protocol):
    """A rule: returns the replacement for phrases from a position on and their number, or None if it does not apply."""

    def __call__(self, phrases: list[Phrase], /, *, place: int) -> Found:
        """Apply the rule."""


def of_whole_question(read: Callable[[list[Phrase]], list[Phrase] | None]) -> Rule:
    """Make a rule of a function that replaces all phrases of a question at once, or returns None."""

    @wraps(read)
    def apply(phrases: list[Phrase], /, *, place: int) -> Found:
        found = None if place else read(phrases)
        return None if found is None else (found, len(phrases))

    return apply


NOTHING = Phrase(kind="nothing", said="", start=0)


def phrase_at(phrases: Sequence[Phrase], *, place: int) -> Phrase:
    """Return the phrase at a position, `NOTHING` before the first and after the last."""
    return phrases[place] if 0 <= place < len(phrases) else NOTHING


def look_at(phrases: Sequence[Phrase], *, place: int, size: int) -> list[Phrase]:
    """Return the phrase at a position and those behind it."""
    if place < 0:
        return [phrase_at(phrases, place=at) for at in range(place, place + size)]
    found = list(phrases[place : place + size])
    return found if len(found) == size else [*found, *[NOTHING] * (size - len(found))]


def begins_behind(group: Phrase, *, phrase: Phrase) -> bool:
    """Return whether a group begins behind a word, with its preposition: finished | in each sprint."""
    return group.kind == "group" and phrase.start < group.start


def leave_out(phrase: Phrase, *, lead: Phrase) -> Phrase:
    """Return a phrase with the one before it as one that has no place in any query."""
    return replace(phrase, kind="unknown", said=f"{lead.said} {phrase.said}", senses=(), marks=frozenset())


def is_sprints(phrase: Phrase) -> bool:
    """Return whether it names sprints."""
    return phrase.kind == "sprints" or (phrase.kind == "names" and phrase.name_kind == "sprint")


def degree_of(phrase: Phrase) -> bool | None:
    """Return whether the largest is requested (True) or the smallest (False). None if it is not a superlative."""
    if phrase.kind not in ("term", "mark"):
        return None
    superlatives = [sense for sense in phrase.senses if sense.form == "superlative"]
    if "top" in phrase.marks or "bottom" in phrase.marks:
        return "top" in phrase.marks
    return superlatives[0].is_descending if superlatives else None
