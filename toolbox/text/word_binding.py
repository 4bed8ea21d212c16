"""Bind each word of a question to a mention of the data or to a term of a vocabulary; what is left is unbound."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolbox.contract.slots import Candidate, Slot
from toolbox.text.names import Word, is_near, words

FILLER = "filler"
NUMBER = "number"
MAX_PHRASE_WORDS = 4
MAX_NUMBER_DIGITS = 4
_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10",
}  # fmt: skip

Vocabulary = Mapping[tuple[str, ...], tuple[str, str]]
"""By the words of a phrase: the kind of its term, and the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A bound part of a question: a mention with its readings, or a term of the vocabulary with its value."""

    kind: str
    value: str
    written: str
    start: int
    end: int
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundQuestion:
    """A question's terms in order, without fillers, and its words that are bound to nothing, as they were written."""

    text: str
    terms: tuple[Term, ...]
    unbound: tuple[Word, ...]

    def list_terms(self, kind: str) -> list[Term]:
        """Return the terms of a kind, in order."""
        return [term for term in self.terms if term.kind == kind]


def make_vocabulary(phrases: Mapping[tuple[str, str], str]) -> Vocabulary:
    """Return a vocabulary from its phrases by kind and value, written with commas between them."""
    return {
        tuple(word.plain for word in words(phrase)): term
        for term, listed in phrases.items()
        for phrase in listed.split(",")
    }


async def bind_words(text: str, *, slots: Sequence[Slot], vocabulary: Vocabulary) -> BoundQuestion:
    """
    Bind the words of a question.

    A mention found exactly goes before a phrase, a phrase before a mention with a slip, and a longer one before a
    shorter one. A word of five letters and more is read as the one word of the vocabulary that it nearly is. Queries:
    those of the slots' resolvers.
    """
    found = words(text)
    mentions = [
        term for slot in slots if slot.resolve for term in _group(slot.name, await slot.resolve(text), text=text)
    ]
    exact = [term for term in mentions if all(one.score >= 1 for one in term.candidates)]
    near = [term for term in mentions if term not in exact]
    terms: list[Term] = []
    for offered in (
        exact,
        _find_phrases(found, vocabulary=vocabulary),
        near,
        _find_near_words(found, vocabulary=vocabulary),
    ):
        for term in sorted(offered, key=lambda one: one.start - one.end):
            if all(term.end <= kept.start or kept.end <= term.start for kept in terms):
                terms.append(term)
    unbound = tuple(word for word in found if all(word.end <= one.start or one.end <= word.start for one in terms))
    kept = sorted((term for term in terms if term.kind != FILLER), key=lambda term: term.start)
    return BoundQuestion(text=text, terms=tuple(kept), unbound=unbound)


def _group(kind: str, candidates: Iterable[Candidate], *, text: str) -> list[Term]:
    """Return a term for each place, with the likeliest of its readings."""
    places: dict[tuple[int, int], list[Candidate]] = {}
    for one in candidates:
        places.setdefault((one.start, one.end), []).append(one)
    terms = []
    for (start, end), readings in places.items():
        best = max(one.score for one in readings)
        likeliest = tuple(one for one in readings if one.score == best)
        terms.append(
            Term(
                kind=kind, value=likeliest[0].value, written=text[start:end], start=start, end=end, candidates=likeliest
            )
        )
    return terms


def _find_phrases(found: Sequence[Word], *, vocabulary: Vocabulary) -> list[Term]:
    terms = []
    for first in range(len(found)):
        for size in range(1, min(MAX_PHRASE_WORDS, len(found) - first) + 1):
            said = found[first : first + size]
            meant = vocabulary.get(tuple(word.plain for word in said)) or (_read_number(said[0]) if size == 1 else None)
            if meant:
                terms.append(_make_term(said, meant=meant))
    return terms


def _find_near_words(found: Sequence[Word], *, vocabulary: Vocabulary) -> list[Term]:
    single = {phrase[0]: meant for phrase, meant in vocabulary.items() if len(phrase) == 1}
    terms = []
    for word in found:
        meant = {term for known, term in single.items() if is_near(word.plain, known=known)}
        if len(meant) == 1:
            terms.append(_make_term([word], meant=meant.pop()))
    return terms


def _make_term(said: Sequence[Word], *, meant: tuple[str, str]) -> Term:
    written = " ".join(word.written for word in said)
    return Term(kind=meant[0], value=meant[1], written=written, start=said[0].start, end=said[-1].end)


def _read_number(word: Word) -> tuple[str, str] | None:
    if word.plain in _NUMBERS:
        return NUMBER, _NUMBERS[word.plain]
    is_number = word.plain.isascii() and word.plain.isdigit() and len(word.plain) <= MAX_NUMBER_DIGITS
    return (NUMBER, str(int(word.plain))) if is_number else None
