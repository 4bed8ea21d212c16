"""Wordings reduced to what they are about: words of the trade that mean the same become one concept. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import regex

from sprints.linking.folding import Word, fold, words

_SLOT = regex.compile(r"\{(\w+)(?:\.\w+)?\}")
MAX_PHRASE = 5
SLOT = "#"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """
    What words and phrases of the trade mean.

    A concept that is empty says nothing; `light` concepts tell questions apart less, `ignorable` ones change no answer.
    """

    concepts: dict[tuple[str, ...], str]
    light: frozenset[str]
    ignorable: frozenset[str]

    def concept(self, run: Sequence[str]) -> str | None:
        """Give the concept of a word or phrase; None where it is not known."""
        found = self.concepts.get(tuple(run))
        if found is None and len(run) == 1:
            found = next((self.concepts[(stem,)] for stem in _stems(run[0]) if (stem,) in self.concepts), None)
        return found


@dataclass(slots=True)
class Gist:
    """What a wording is about: concepts and slots; `unknown` are words that the lexicon does not know."""

    concepts: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)

    @property
    def slots(self) -> set[str]:
        """The kinds of names in it."""
        return {one.removeprefix(SLOT) for one in self.concepts if one.startswith(SLOT)}


@cache
def lexicon() -> Lexicon:
    """Read the shipped lexicon."""
    raw = json.loads((files("sprints.verified") / "lexicon.json").read_text(encoding="utf-8"))
    concepts = {
        tuple(fold(word).translate(_NO_QUOTES) for word in phrase.split()): name
        for name, phrases in raw["concepts"].items()
        for phrase in phrases
    }
    return Lexicon(concepts={(phrase): ("" if name == "nothing" else name) for phrase, name in concepts.items()},
                   light=frozenset(raw["light"]), ignorable=frozenset(raw["ignorable"]))  # fmt: skip


def gist_of(found: Iterable[Word], *, slots: Iterable[str] = ()) -> Gist:
    """Reduce words, taken in order and the longest phrases first, to their gist."""
    known, gist = lexicon(), Gist(concepts={f"{SLOT}{slot}" for slot in slots})
    run = [word.folded for word in found]
    place = 0
    while place < len(run):
        size, concept = _longest(run, place=place, known=known)
        if concept is None:
            gist.unknown.append(run[place])
            gist.concepts.add(_stemmed(run[place]))
        elif concept:
            gist.concepts |= {f"{SLOT}unit" if concept.startswith("unit") else concept}
        place += size
    return gist


def gist_of_phrasing(phrasing: str) -> Gist:
    """Reduce a phrasing with slots in braces."""
    slots = _SLOT.findall(phrasing)
    return gist_of(words(_SLOT.sub(" ; ", phrasing)), slots=slots)


def _longest(run: Sequence[str], *, place: int, known: Lexicon) -> tuple[int, str | None]:
    for size in range(min(MAX_PHRASE, len(run) - place), 0, -1):
        concept = known.concept(run[place : place + size])
        if concept is not None:
            return size, concept
    return 1, None


def _stems(word: str) -> list[str]:
    """Give what an inflected word may come from."""
    stems = []
    for ending, others in (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ied", ("y",)), ("ed", ("", "e")),
                           ("ing", ("", "e")), ("ly", ("",))):  # fmt: skip
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending)
            stems += [stem + other for other in others]
            if len(stem) > 3 and stem[-1] == stem[-2]:  # noqa: PLR2004
                stems.append(stem[:-1])
    return stems


def _stemmed(word: str) -> str:
    """Bring the forms of a word that the lexicon does not know together, roughly."""
    return min([stem for stem in _stems(word) if len(stem) > 3] or [word], key=len)  # noqa: PLR2004


_NO_QUOTES = str.maketrans("", "", "'\u2019")
