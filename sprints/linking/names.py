"""An index of the data's names, so that a question is linked without the database. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import regex
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from sprints.linking.folding import fold, is_unspaced, name_words

Kind = Literal["person", "team", "sprint", "status", "priority", "label", "type", "epic", "title"]

MIN_FUZZY_LETTERS = 4
LONG_WORD = 7
MAX_NAME_WORDS = 10
MAX_CANDIDATES = 12
_DOUBLED = regex.compile(r"(.)\1")
_YEARS = range(1990, 2101)
_SAYS_NOTHING = frozenset({"team", "squad", "project", "the", "and", "of", "de", "van", "von"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """
    A row that a question may name.

    `value` is what SQL compares with: the row's id, or the text itself. `team` tells namesakes apart and, of a
    sprint, says whose it is. `key` is that of an epic, which is an issue.
    """

    kind: Kind
    value: str
    text: str
    team: str = ""
    team_id: str = ""
    aliases: tuple[str, ...] = ()
    state: str = ""
    ended_at: datetime | None = None
    category: str = ""
    key: str = ""

    @property
    def label(self) -> str:
        """The name with its team, for a clarification."""
        return f"{self.text} ({self.team})" if self.team else self.text


@dataclass(slots=True, eq=False, weakref_slot=True)
class NameIndex:
    """
    Names by their folded words.

    `parts` are single words of names (a first name, a key), `starts` their first words, `heads` the last of statuses.
    `epics` are those that have issues, by their keys.
    """

    whole: dict[tuple[str, ...], list[Name]] = field(default_factory=lambda: defaultdict(list))
    parts: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))
    unspaced: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))
    sprints: list[Name] = field(default_factory=list)
    by_edge: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    starts: set[str] = field(default_factory=set)
    titles: dict[int, list[tuple[str, Name]]] = field(default_factory=lambda: defaultdict(list))
    statuses: dict[int, list[tuple[str, Name]]] = field(default_factory=lambda: defaultdict(list))
    heads: dict[str, list[Name]] = field(default_factory=lambda: defaultdict(list))
    epics: dict[str, Name] = field(default_factory=dict)
    everything: tuple[Name, ...] = ()

    @classmethod
    def from_names(cls, names: Iterable[Name]) -> "NameIndex":
        """Index the names."""
        index = cls(everything=tuple(names))
        for name in index.everything:
            index._add(name)
        for word in sorted(word for word in index.parts if len(word) >= MIN_FUZZY_LETTERS):
            for edge in {f"{word[0]}-", f"-{word[-1]}"}:
                index.by_edge[edge].append(word)
        return index

    def of_kind(self, kind: Kind) -> list[Name]:
        """Return the names of a kind."""
        return [name for name in self.everything if name.kind == kind]

    def alike(self, word: str) -> list[tuple[str, float]]:
        """Return the words of names that are one typing mistake away, or two in a long word. A suffix must match."""
        if len(word) < MIN_FUZZY_LETTERS or is_unspaced(word):
            return []
        most = 1 if len(word) < LONG_WORD else 2
        known = {*self.by_edge.get(f"{word[0]}-", ()), *self.by_edge.get(f"-{word[-1]}", ())}
        near = [one for one in known if abs(len(one) - len(word)) <= most]
        found = process.extract(word, near, scorer=OSA.distance, score_cutoff=most, limit=MAX_CANDIDATES)
        nearest = {alike: edits for alike, edits, _ in found if edits < len(alike) / 2.5}
        bare = _DOUBLED.sub(r"\1", word)  # another letter is doubled: ACELL
        return sorted(nearest.items()) or [(one, 1.0) for one in near if _DOUBLED.sub(r"\1", one) == bare]

    def find_title(self, words: tuple[str, ...]) -> Name | None:
        """Return the only epic whose title is one or two typing mistakes away."""
        return _find_similar(words, known=self.titles)

    def find_status(self, words: tuple[str, ...]) -> Name | None:
        """Return the only status of several words that is one or two typing mistakes away."""
        return _find_similar(words, known=self.statuses) if len(words) > 1 else None

    def find_statuses_of(self, head: str) -> list[Name]:
        """Return the statuses that end with a word, as review ends Code Review. Empty if fewer than two do."""
        found = self.heads.get(head, [])
        return found if len(found) > 1 else []

    def nearest(self, text: str, *, kinds: tuple[Kind, ...] = ("person", "team"), most: int = 3) -> list[Name]:
        """Return the names most similar to the text, for a suggestion."""
        names = [name for name in self.everything if name.kind in kinds]
        found = process.extract(fold(text), [fold(name.text) for name in names], scorer=fuzz.WRatio, limit=most)
        return [names[place] for _, _, place in found]

    def _add(self, name: Name) -> None:
        for text in (name.text, *name.aliases):
            self._add_text(text, name=name)
        if name.kind == "sprint":
            self.sprints.append(name)
        if name.key:
            self.epics[name.key] = name

    def _add_text(self, text: str, *, name: Name) -> None:
        folded = name_words(text)
        if not folded:
            return
        _put(name, into=self.whole[folded])
        self.starts.add(folded[0])
        if name.kind == "epic":
            self.titles[len(folded)].append((" ".join(folded), name))
        if name.kind == "status" and len(folded) > 1:
            self.statuses[len(folded)].append((" ".join(folded), name))
            _put(name, into=self.heads[folded[-1]])
        if is_unspaced(text) and name.kind != "epic":
            _put(name, into=self.unspaced[fold(text)])
        is_proper = name.kind in ("person", "team")
        for part in folded if is_proper or len(folded) == 1 else ():
            if part not in _SAYS_NOTHING:
                _put(name, into=self.parts[part])


def _find_similar(words: tuple[str, ...], *, known: Mapping[int, Sequence[tuple[str, Name]]]) -> Name | None:
    """Return the only name of so many words that is one or two typing mistakes away."""
    text, named = " ".join(words), known.get(len(words), ())
    found = process.extract(text, [said for said, _ in named], scorer=OSA.distance, score_cutoff=2, limit=2)
    is_near = len(found) == 1 and len(text) >= LONG_WORD
    return named[found[0][2]][1] if is_near else None


def _put(name: Name, *, into: list[Name]) -> None:
    if name not in into:
        into.append(name)


def sprint_numbers(text: str) -> set[int]:
    """Return the numbers in a sprint's name that may be its own, without years."""
    numbers = {int(found) for found in regex.findall(r"(?<![\d.-])\d{1,4}(?![\d.-])", text)}
    return {number for number in numbers if number not in _YEARS}
