"""Find known names in a text, allowing for typos, missing accents and case."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from toolbox.contract.slots import Candidate

MAX_WORDS = 5
_WORD = re.compile(r"\w+(?:[.'\u2019-]\w+)*")
_LONG, _VERY_LONG = 5, 9
FUZZY_SCORE, LOWER_CODE_SCORE = 0.85, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntity:
    """Something with a name: its full spellings, and codes, which count in full only when written in capitals."""

    value: str
    label: str
    spellings: tuple[str, ...]
    codes: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its form for comparison, how it was written, and its position."""

    plain: str
    written: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Return the words of a text."""
    return [Word(plain(found[0]), found[0], found.start(), found.end()) for found in _WORD.finditer(text)]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Normalise a word for comparison: without case, accents and possessive."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(sign))
    return re.sub(r"['\u2019]s?$", "", bare).replace("\u2019", "'")


def is_near(written: str, *, known: str) -> bool:
    """Return whether a word may be a typo of another: same first letter, and one or two slips depending on length."""
    if written == known:
        return True
    if len(known) < _LONG or written[:1] != known[:1]:
        return False
    return _count_slips(written, known) <= (2 if len(known) >= _VERY_LONG else 1)


def _count_slips(written: str, known: str) -> int:
    """Count wrong, missing, added or swapped letters; 3 stands for more than 2."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - its package loads all scorers; most processes match no names

    return OSA.distance(written, known, score_cutoff=2)


def mentions(text: str, *, names: Iterable[NamedEntity]) -> list[Candidate]:
    """
    Find names in a text: exact ones before near ones, longer before shorter, without overlaps.

    A place that fits several names gives a candidate for each.
    """
    found = words(text)
    known = _spellings(names)
    taken: list[tuple[int, int]] = []
    candidates: list[Candidate] = []
    for start, end, score, fitting in sorted(_hits(found, known=known), key=_rank):
        if any(start < last and first < end for first, last in taken):
            continue
        taken.append((start, end))
        candidates += [
            Candidate(value=one.value, label=one.label, score=score, start=start, end=end, parts=one.parts)
            for one in fitting
        ]
    return sorted(candidates, key=lambda candidate: candidate.start)


_Hit = tuple[int, int, float, list[NamedEntity]]


def _rank(hit: _Hit) -> tuple[float, int]:
    start, end, score, _ = hit
    return (-score, start - end)


def _hits(found: list[Word], *, known: dict[str, list[NamedEntity]]) -> Iterator[_Hit]:
    by_letter: dict[str, list[str]] = {}
    for spelling in known:
        by_letter.setdefault(spelling[:1], []).append(spelling)
    for first in range(len(found)):
        for last in range(first, min(first + MAX_WORDS, len(found))):
            start, end = found[first].start, found[last].end
            phrase = " ".join(word.plain for word in found[first : last + 1])
            code = f"={found[first].written}" if first == last else ""
            if fitting := known.get(code) or known.get(phrase):
                yield start, end, 1.0, fitting
            elif fitting := known.get(code.upper()):
                yield start, end, LOWER_CODE_SCORE, fitting
            elif near := [spelling for spelling in by_letter.get(phrase[:1], ()) if is_near(phrase, known=spelling)]:
                best = min(near, key=lambda spelling: _count_slips(phrase, spelling))
                yield start, end, FUZZY_SCORE, known[best]


def _spellings(names: Iterable[NamedEntity]) -> dict[str, list[NamedEntity]]:
    """Return the names by plain spelling, and by code with an equals sign before it."""
    known: dict[str, list[NamedEntity]] = {}
    for one in names:
        plainly = dict.fromkeys(" ".join(word.plain for word in words(spelling)) for spelling in one.spellings)
        for key in (*plainly, *(f"={code}" for code in one.codes)):
            if key:
                known.setdefault(key, []).append(one)
    return known
