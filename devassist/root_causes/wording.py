"""
Texts as weighed words, so that PostgreSQL can rank by BM25: the inner product of two sparse vectors.

A word of code counts whole and by its parts: `NoteAdapter` is also `note` and `adapter`. pgvector's sparse vectors
are numbered by a hash of the word; two words in a billion places hardly ever meet.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zlib import crc32

PLACES = 1_000_000_000
SATURATION = 1.2
LENGTH_SHARE = 0.75
USUAL_LENGTH = 80
"""Words of a usual entry. A constant, so that an entry's weights do not change with its neighbours."""
MAX_WORDS = 1_000
"""Different words kept of a text."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[^\W\d_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER = re.compile(
    r"[A-Za-z_$][\w$]*[a-z][A-Z]\w*|\w+_\w+|\b[A-Z]{2,}\d*\b|\b[A-Z]+\d+\b|\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b|\w+(?=\(\))"
)
_STOPPED = frozenset(
    [
        "a",
        "about",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "so",
        "should",
        "than",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_ENDINGS = ("ingly", "edly", "ing", "ies", "ed", "es", "ly", "s")
_LEAST_STEM = 3


def words_of(text: str) -> Counter[str]:
    """Count the words of a text, stemmed, without those that every text has."""
    counted: Counter[str] = Counter()
    for word in _WORD.findall(text.replace("\x00", " ")):
        parts = _PART.findall(word)
        for form in (word, *(parts if len(parts) > 1 else ())):
            lowered = form.lower()
            if lowered not in _STOPPED and (len(lowered) > 1 or lowered.isdigit()):
                counted[_stem(lowered)] += 1
    return Counter(dict(counted.most_common(MAX_WORDS)))


def identifiers_in(text: str) -> set[str]:
    """Give the words of identifiers, codes and dotted names, as words_of gives them."""
    return {word for found in _IDENTIFIER.findall(text.replace("\x00", " ")) for word in words_of(found)}


def place_of(word: str) -> int:
    """Give the word's place in a sparse vector, from 1."""
    return crc32(word.encode()) % (PLACES - 1) + 1


def weights_of(words: Mapping[str, int]) -> dict[int, float]:
    """Weigh an entry's words: often is more than once, but less and less so, and less in a long entry."""
    length = sum(words.values())
    shrink = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH)
    return {place_of(word): round(count / (count + shrink), 5) for word, count in words.items()}


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many entries there are, and in how many each word is."""

    entries: int
    holding: Mapping[int, int]

    def of(self, place: int) -> float:
        """Weigh a word of a query: the fewer entries have it, the more it says."""
        holding = min(self.holding.get(place, 0), self.entries)
        return math.log(1 + (self.entries - holding + 0.5) / (holding + 0.5))

    def information(self, places: Iterable[int]) -> float:
        """Give the information in words, counted in words that only one entry has."""
        unique = math.log(1 + (max(self.entries, 2) - 0.5) / 1.5)
        return sum(self.of(place) for place in places) / unique


def sparse(weights: Mapping[int, float]) -> str:
    """Write weights as pgvector reads them."""
    return "{" + ",".join(f"{place}:{weight:.5g}" for place, weight in sorted(weights.items())) + f"}}/{PLACES}"


def telling_places(places: Iterable[int], *, rarity: Rarity, most_entries: int) -> list[int]:
    """
    Choose the words to look up, the rarest first, until they are in `most_entries` entries.

    What only common words would find, meaning finds too; looking those up would read half the table.
    """
    chosen, found = [], 0
    for place in sorted(places, key=lambda one: rarity.holding.get(one, 0)):
        holding = rarity.holding.get(place, 0)
        if holding and (found := found + holding) > most_entries:
            break
        if holding:
            chosen.append(place)
    return chosen


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            word = word.removesuffix(ending) + ("y" if ending == "ies" else "")
            break
    return word.removesuffix("e") if len(word) > _LEAST_STEM + 1 else word
