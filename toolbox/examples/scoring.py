"""How like a question is to an example's: words and slots in common, weighed by how much they tell."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from toolbox.contract.slots import PLACEHOLDER
from toolbox.examples.cache import KnownExample
from toolbox.text.names import Word, is_near, plain, words

SLOT_WEIGHT = 1.5
IGNORED_SLOT_WEIGHT = 3.0
"""What a named thing weighs that the example would pass over: the answer would be to another question."""
_LITTLE = 0.15
_UNKNOWN = 1.6
_FUNCTION_WORDS = frozenset(
    word.plain
    for word in words(
        "a about actually again ago all also am an and any are as at be been bit but by can could did do does doing "
        "ever exactly for from get give going good got great had has have how i if in info information into is it its "
        "just kind last let like list many me much my next no not now of on only or our out over past place please "
        "really s see show so some sort take tell than thanks that the their them then there these they this to today "
        "took up us was we well were what when where which who will with would yesterday you your "
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a placeholder of a template."""

    word: str
    placeholder: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of the question where a slot is named."""

    slot: str
    first_word: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a template fits: from 0 to 1, and which word of the question each token met (None: none)."""

    score: float
    met: tuple[int | None, ...]


@lru_cache(maxsize=4_096)
def tokens(template: str) -> tuple[Token, ...]:
    """Take a question template apart."""
    found: list[Token] = []
    at = 0
    for place in PLACEHOLDER.finditer(template):
        found += [Token(stem(word.plain)) for word in words(template[at : place.start()])]
        found.append(Token("", place[1], place[2] or place[1]))
        at = place.end()
    return (*found, *(Token(stem(word.plain)) for word in words(template[at:])))


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Take the plural off a word, roughly; both sides lose it alike."""
    bare = plain(word)
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare  # noqa: PLR2004


class Weights:
    """What a word tells: more, the fewer examples use it; little, if it is a word of every sentence."""

    def __init__(self, examples: Iterable[KnownExample]) -> None:
        used: Counter[str] = Counter()
        self._of: dict[str, float] = {}
        count = 0
        for example in examples:
            count += 1
            used.update({token.word for template in example.templates for token in tokens(template) if token.word})
        self._most = _UNKNOWN * math.log(2 + count)
        for word, uses in used.items():
            self._of[word] = math.log((2 + count) / (1 + uses) + 1)

    def knows(self, word: str) -> bool:
        """Tell whether a word is one of the examples or of every sentence, and so no typing error."""
        return word in self._of or word in _FUNCTION_WORDS

    def of(self, word: str) -> float:
        """Give the weight; a word that no example uses tells that the question is about something else."""
        if word in _FUNCTION_WORDS:
            return _LITTLE
        return max(self._of.get(word, self._most), _LITTLE * 2)


def fit(
    template: Sequence[Token],
    *,
    said: Sequence[Word],
    masked: Mapping[int, Mention],
    free: Collection[str],
    weights: Weights,
) -> Fit:
    """
    Compare a template with a question: twice what they share over what both say.

    `masked` gives the mention that each word of the question belongs to; `free` are slots that take any words. What a
    free slot takes counts for neither side.
    """
    open_words = {at: stem(word.plain) for at, word in enumerate(said) if at not in masked}
    open_slots = list(dict.fromkeys(mention for _, mention in sorted(masked.items())))
    met: list[int | None] = []
    shared = theirs = 0.0
    for token in template:
        if token.slot:
            met.append(_take_slot(token.slot, open_slots))
            weight = 0.0 if token.slot in free else SLOT_WEIGHT
        else:
            met.append(_take_word(token.word, open_words, weights=weights))
            weight = weights.of(token.word)
        theirs += weight
        shared += weight if met[-1] is not None else 0.0
    ours = shared + sum(weights.of(word) for word in open_words.values()) + IGNORED_SLOT_WEIGHT * len(open_slots)
    ours -= _taken_freely(template, met=met, left=open_words, free=free, weights=weights)
    return Fit(score=2 * shared / (theirs + ours) if theirs + ours else 0.0, met=tuple(met))


def span(met: Sequence[int | None], *, at: int, left: Collection[int]) -> list[int]:
    """Give the words of the question that stand where a free token does: from its left neighbour to its right one."""
    before = [place for place in met[:at] if place is not None]
    after = [place for place in met[at + 1 :] if place is not None and (not before or place > before[-1])]
    first, last = (before[-1] + 1 if before else 0), (after[0] if after else 1_000)
    run: list[int] = []
    for place in sorted(left):
        if first <= place < last and (not run or place == run[-1] + 1):
            run.append(place)
    return run


def _taken_freely(
    template: Sequence[Token],
    *,
    met: Sequence[int | None],
    left: Mapping[int, str],
    free: Collection[str],
    weights: Weights,
) -> float:
    taken = {place for at, token in enumerate(template) if token.slot in free for place in span(met, at=at, left=left)}
    return sum(weights.of(left[place]) for place in taken)


def _take_slot(slot: str, left: list[Mention]) -> int | None:
    for entry in list(left):
        if entry.slot == slot:
            left.remove(entry)
            return entry.first_word
    return None


def _take_word(word: str, left: dict[int, str], *, weights: Weights) -> int | None:
    for at, said in left.items():
        if said == word:
            del left[at]
            return at
    for at, said in left.items():
        if not weights.knows(said) and is_near(said, known=word):
            del left[at]
            return at
    return None
