"""What a word that the grammar does not know was probably meant to say: a spelling, a name, or a likely term."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from tomllib import loads

from rapidfuzz import process
from rapidfuzz.distance import OSA

from sprints.linking.folding import fold, words
from sprints.linking.link import link
from sprints.linking.names import NameIndex
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.spelling import correct_words
from sprints.semantics.questions.tokens import Token, cut

SHORT_WORD_LETTERS, MEDIUM_WORD_LETTERS = 4, 6
_ENDINGS = ("ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "ed", "es", "s", "ly", "e")


def respell(text: str, *, index: NameIndex, today: date, lexicon: Lexicon) -> Iterator[tuple[str, float]]:
    """Yield the text with unknown words as they were probably meant, and what that costs."""
    text, _ = correct_words(text, found=words(text), lexicon=lexicon, index=index)
    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
    unknown = [one for one in cut(linked, lexicon=lexicon, index=index) if not one.is_known]
    spelt = text
    options: list[tuple[int, int, str]] = []
    for first, last in _list_runs(unknown, text=text):
        if likely := list_likely(text[first.start : last.end]):
            options.append((first.start, last.end, likely[0]))
    for token in reversed(unknown):
        likely = list_likely(token.said)[:2]
        is_name = token.said[:1].isupper() and token.start > 0
        if is_name and (known := _spell_name(token.said, index=index)):
            spelt = spelt[: token.start] + known + spelt[token.end :]
        elif likely or is_name or (fold(token.said),) in lexicon.frames:
            options += [(token.start, token.end, one) for one in likely]
        elif near := _spell(fold(token.said), lexicon=lexicon):
            spelt = spelt[: token.start] + near + spelt[token.end :]
    if spelt != text:
        yield spelt, 0.4
        text = spelt if not options else text
    else:
        yield text, 0.0
    for start, end, likely in options[:4]:
        yield text[:start] + likely + text[end:], 0.8


def _spell_name(said: str, *, index: NameIndex) -> str:
    """Return the name that is spelt most like a capitalised word. Empty if none is near."""
    near = [name.text for name in index.nearest(said)[:3]]
    return next((one for one in near if OSA.distance(fold(one), fold(said), score_cutoff=2) <= 2), "")  # noqa: PLR2004


def _list_runs(unknown: Sequence[Token], *, text: str) -> Iterator[tuple[Token, Token]]:
    """Yield the first and last of unknown words that stand together: how far along."""
    for place, first in enumerate(unknown):
        for last in unknown[place + 1 : place + 3]:
            if all(
                not text[one.end : other.start].strip()
                for one, other in pairwise(unknown[place : unknown.index(last) + 1])
            ):
                yield first, last


def _spell(word: str, *, lexicon: Lexicon) -> str:
    """Return the one word of the vocabulary that is spelt most like an unknown one. Empty if none is near."""
    if len(word) < SHORT_WORD_LETTERS - 1 or not word.isalpha():
        return ""
    limit = 1 if len(word) <= MEDIUM_WORD_LETTERS else 2
    known = _list_words(lexicon.vocabulary)
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=limit, limit=6)
    same = [one for one, _, _ in near if sorted(one) == sorted(word)]
    if same:
        return str(same[0])
    stem = _stem(word)
    if len(stem) >= SHORT_WORD_LETTERS and (alike := [one for one in known if _stem(one) == stem]):
        return alike[0]
    first = [one for one in near if one[0][0] == word[0]]
    best = min((edits for _, edits, _ in first), default=None)
    closest = [one for one, edits, _ in first if edits == best]
    return str(closest[0]) if len(closest) == 1 else ""


@lru_cache(maxsize=4)
def _list_words(vocabulary: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(one for one in vocabulary if len(one) >= SHORT_WORD_LETTERS - 1))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """Return a word without its endings, and with a doubled last letter once."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORT_WORD_LETTERS - 1:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > SHORT_WORD_LETTERS and word[-1] == word[-2] else word


@lru_cache(maxsize=1)
def _likely_words() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return the terms that a word may stand for, by the stems of its words."""
    text = (files("sprints.asking") / "likely_words.toml").read_text(encoding="utf-8")
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for term, listed in loads(text).items():
        for said in listed:
            key = _stems(said)
            found[key] = (*found.get(key, ()), term)
    return found


def _stems(said: str) -> tuple[str, ...]:
    return tuple(_stem(word.folded) for word in words(fold(said)))


def list_likely(said: str) -> Sequence[str]:
    """Return the terms that words probably stand for, the likeliest first."""
    return _likely_words().get(_stems(said), ())
