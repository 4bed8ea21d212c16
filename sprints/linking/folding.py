"""Folding of words for comparison: case, accents and width, in any script."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import regex

_WORD = regex.compile(r"[^\W_]+(?:['\u2019.][^\W_]+)*[+#]*")
_APOSTROPHES = str.maketrans("", "", "'\u2019")
_LETTERS = str.maketrans({"\u0131": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_ACCENTS = range(200, 256)
_POINTS = range(10, 36)
"""Combining classes of vowel points in Hebrew and Arabic, which are usually omitted."""


class Stretch(Protocol):
    """A range in a text, from a position to before another."""

    @property
    def start(self) -> int:
        """The start position."""
        ...

    @property
    def end(self) -> int:
        """The end position."""
        ...


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: its folded form, and its range in the normalised text."""

    folded: str
    start: int
    end: int


def overlaps(one: Stretch, *, others: Iterable[Stretch]) -> bool:
    """Return whether it overlaps any of the others."""
    return any(one.start < other.end and other.start < one.end for other in others)


def normalise(text: str) -> str:
    """Return the text in composed form. Positions of words refer to it."""
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """Fold case, width and accents. Marks that make another letter (Devanagari vowels, Japanese voicing) stay."""
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    kept = (letter for letter in unicodedata.normalize("NFKD", apart) if not _is_accent(letter))
    return unicodedata.normalize("NFKC", "".join(kept))


def words(text: str) -> list[Word]:
    """Split a normalised text into folded words. A possessive loses its ending."""
    return [_word(found) for found in _WORD.finditer(text)]


def name_words(name: str) -> tuple[str, ...]:
    """Return the folded words of a name."""
    return tuple(word.folded for word in words(normalise(name)))


def is_unspaced(text: str) -> bool:
    """Return whether the text is in a script without spaces between words."""
    return bool(_UNSPACED.search(text))


def _word(found: regex.Match[str]) -> Word:
    text = found[0]
    for ending in ("'s", "\u2019s"):
        if len(text) > len(ending) and text.lower().endswith(ending):
            text = text[: -len(ending)]
    return Word(_fold_word(text), found.start(), found.end())


@lru_cache(maxsize=8192)
def _fold_word(word: str) -> str:
    return fold(word).translate(_APOSTROPHES)


def _is_accent(letter: str) -> bool:
    place = unicodedata.combining(letter)
    return place in _ACCENTS or place in _POINTS
