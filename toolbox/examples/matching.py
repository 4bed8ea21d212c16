"""Match a question to an example and find what it names, or say why that is not possible."""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from toolbox.contract.slots import PLACEHOLDER, Candidate, Placeholder, Slot
from toolbox.examples.cache import KnownExample, find_slots
from toolbox.text.names import Word, is_near, plain, words
from toolbox.text.scope_words import is_scope_word

SLOT_WEIGHT = 1.5
IGNORED_SLOT_WEIGHT = 3.0
"""Weight of a named thing that the example ignores: its answer would be to another question."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SEPARATE_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LITTLE = 0.15
_UNKNOWN = 1.6
_FUNCTION_WORDS = frozenset(
    word.plain
    for word in words(
        "a about actually again ago all also am an and any are as at be been bit but by can could did do does doing "
        "ever exactly for from get give going good got great had has have how i if in info information into is it its "
        "just kind last let like list many me much my no not now of on only or our out over past place please "
        "really s see show so some sort take tell than thanks that the their them then there these they this to "
        "took up us was we well were what when where which who will with would you your "
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
    """A place in the question where a slot is named."""

    slot: str
    first_word: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a template fits: a score from 0 to 1, and the question's word that each token met (None: none)."""

    score: float
    met: tuple[int | None, ...]


@lru_cache(maxsize=4_096)
def tokenize(template: str) -> tuple[Token, ...]:
    """Split a question template into words and placeholders."""
    found: list[Token] = []
    at = 0
    for place in PLACEHOLDER.finditer(template):
        found += [Token(stem(word.plain)) for word in words(template[at : place.start()])]
        found.append(Token("", place[1], place[2] or place[1]))
        at = place.end()
    return (*found, *(Token(stem(word.plain)) for word in words(template[at:])))


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Remove a word's plural s, roughly."""
    bare = plain(word)
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare  # noqa: PLR2004


class Weights:
    """How much words tell: more, the fewer examples use them; little, if any sentence may have them."""

    def __init__(self, examples: Iterable[KnownExample]) -> None:
        used: Counter[str] = Counter()
        self._of: dict[str, float] = {}
        count = 0
        for example in examples:
            count += 1
            used.update({token.word for template in example.templates for token in tokenize(template) if token.word})
        self._most = _UNKNOWN * math.log(2 + count)
        for word, uses in used.items():
            self._of[word] = math.log((2 + count) / (1 + uses) + 1)

    def knows(self, word: str) -> bool:
        """Return whether examples use a word or it is a function word, and so is not a typing error."""
        return word in self._of or word in _FUNCTION_WORDS

    def get(self, word: str) -> float:
        """Return a word's weight; a word that no example uses has the highest: the question is about something else."""
        if word in _FUNCTION_WORDS:
            return _LITTLE
        return max(self._of.get(word, self._most), _LITTLE * 2)


def score_fit(
    template: Sequence[Token],
    *,
    said: Sequence[Word],
    masked: Mapping[int, Mention],
    free: Collection[str],
    weights: Weights,
) -> Fit:
    """
    Score a template against a question: twice the shared weight over the weight of both.

    `masked` holds the mention that each word of the question belongs to; `free` are slots that take any words. The
    words in a free slot count for neither side.
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
            weight = weights.get(token.word)
        theirs += weight
        shared += weight if met[-1] is not None else 0.0
    ours = shared + sum(weights.get(word) for word in open_words.values()) + IGNORED_SLOT_WEIGHT * len(open_slots)
    ours -= _sum_free_slot_weight(template, met=met, left=open_words, free=free, weights=weights)
    return Fit(score=2 * shared / (theirs + ours) if theirs + ours else 0.0, met=tuple(met))


def find_span(met: Sequence[int | None], *, at: int, left: Collection[int]) -> list[int]:
    """Return the question's words in the place of a free token, between its left and right neighbours."""
    before = [place for place in met[:at] if place is not None]
    after = [place for place in met[at + 1 :] if place is not None and (not before or place > before[-1])]
    first, last = (before[-1] + 1 if before else 0), (after[0] if after else 1_000)
    run: list[int] = []
    for place in sorted(left):
        if first <= place < last and (not run or place == run[-1] + 1):
            run.append(place)
    return run


def _sum_free_slot_weight(
    template: Sequence[Token],
    *,
    met: Sequence[int | None],
    left: Mapping[int, str],
    free: Collection[str],
    weights: Weights,
) -> float:
    taken = {
        place for at, token in enumerate(template) if token.slot in free for place in find_span(met, at=at, left=left)
    }
    return sum(weights.get(left[place]) for place in taken)


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


MIN_SCORE = 0.6
"""Below this a question is about something else; set by tests/toolbox/examples/test_matching.py."""
MIN_MARGIN = 0.04
"""How much better an example must fit than others of its tool, whose answers would differ."""
MAX_QUESTION_CHARACTERS = 600
NEAREST_COUNT = 3

Values = Mapping[str, Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleMatch:
    """The question is this example, and everything that it names is known."""

    example: KnownExample
    values: Values
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """
    The question is this example, but something that it names is ambiguous or missing.

    `values` are those of the other placeholders that are known; `placeholder` is the unclear one.
    """

    example: KnownExample
    slot: Slot
    candidates: Sequence[Candidate] = ()
    placeholder: str = ""
    values: Values = field(default_factory=dict)
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCovered:
    """
    No example is like the question; `nearest` are the most similar ones.

    `dropped` is a word of the question that would change the nearest example's meaning and has no place in it.
    """

    nearest: Sequence[KnownExample]
    score: float = 0.0
    dropped: str = ""


Outcome = ExampleMatch | Unclear | NotCovered


@dataclass(slots=True)
class SlotMention:
    """A mention of a slot: its likeliest readings, and where it stands."""

    candidates: list[Candidate]
    places: list[tuple[int, int]]

    @property
    def values(self) -> set[str]:
        """Return the values of the readings."""
        return {candidate.value for candidate in self.candidates}


@dataclass(slots=True)
class ParsedQuestion:
    """A question with its mentions of each domain's slots."""

    text: str
    words: list[Word]
    found: dict[tuple[str, str], list[SlotMention]] = field(default_factory=dict)

    async def find_mentions(self, domain: str, *, slot: Slot) -> list[SlotMention]:
        """Return the mentions of a slot in order; resolved once."""
        key = domain, slot.name
        if key not in self.found:
            self.found[key] = _group_mentions(await slot.resolve(self.text) if slot.resolve else ())
        return self.found[key]


def parse_question(text: str) -> ParsedQuestion:
    """Split a question into words, after shortening it to MAX_QUESTION_CHARACTERS."""
    text = text[:MAX_QUESTION_CHARACTERS]
    return ParsedQuestion(text, words(text))


async def match(question: str, *, examples: Sequence[KnownExample], weights: Weights | None = None) -> Outcome:
    """
    Find the example that a question is; `weights` may come from more examples than these.

    Queries: those of the slots' resolvers, each once.
    """
    about = parse_question(question)
    weights = weights or Weights(examples)
    ranked = sorted([await _compare(about, example, weights=weights) for example in examples], key=_sort_key)
    is_like = bool(ranked) and ranked[0].fit.score >= MIN_SCORE
    dropped = _find_dropped_word(about, ranked[0]) if is_like else ""
    if not is_like or dropped or _is_ambiguous(ranked):
        score = ranked[0].fit.score if ranked else 0.0
        return NotCovered(nearest=[one.example for one in ranked[:NEAREST_COUNT]], score=score, dropped=dropped)
    return await _fill_values(about, ranked[0])


async def find_nearest(
    question: str, *, examples: Sequence[KnownExample], count: int = NEAREST_COUNT
) -> list[KnownExample]:
    """Return the examples most similar to a question, best first."""
    about, weights = parse_question(question), Weights(examples)
    ranked = sorted([await _compare(about, example, weights=weights) for example in examples], key=_sort_key)
    return [one.example for one in ranked[:count]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RankedExample:
    example: KnownExample
    template: list[Token]
    fit: Fit
    masked: Mapping[int, Mention]


def _sort_key(one: _RankedExample) -> tuple[float, int]:
    return (-round(one.fit.score, 3), one.example.id)


def _is_ambiguous(ranked: Sequence[_RankedExample]) -> bool:
    """Return whether another example of the same tool fits about as well."""
    best = ranked[0]
    rivals = [one for one in ranked[1:] if one.example.tool == best.example.tool]
    return bool(rivals) and best.fit.score - rivals[0].fit.score < MIN_MARGIN


def _find_dropped_word(about: ParsedQuestion, best: _RankedExample) -> str:
    """Return a year or a scope word of the question that the example has no place for, as it was written, or ''."""
    used = {place for place in best.fit.met if place is not None} | set(best.masked)
    left = [place for place in range(len(about.words)) if place not in used]
    slots = find_slots(best.example.domain)
    free = {
        place
        for at, token in enumerate(best.template) if token.slot in slots and slots[token.slot].resolve is None
        for place in find_span(best.fit.met, at=at, left=left)
    }  # fmt: skip
    dropped = [about.words[place] for place in left if place not in free]
    own = _list_own_words(best.example)
    return next((one.written for one in dropped if _changes_meaning(one, own=own)), "")


def _list_own_words(example: KnownExample) -> set[str]:
    """Return the words of an example: of its phrasings, of its arguments ("TradeExecution"), and its slots' nouns."""
    slots = find_slots(example.domain)
    nouns = [slots[one.slot].noun for one in example.placeholders if one.slot in slots]
    said = [*nouns, *_SEPARATE_WORDS.findall(json.dumps(example.arguments))]
    phrased = {token.word for template in example.templates for token in tokenize(template)}
    return phrased | {stem(word.plain) for text in said for word in words(text)}


def _changes_meaning(word: Word, *, own: Collection[str]) -> bool:
    """Return whether a word is a year, a scope word, or a content word that no phrasing of the example has."""
    if _YEAR.search(word.plain) or is_scope_word(word.plain):
        return True
    said = stem(word.plain)
    return said not in _FUNCTION_WORDS and not any(is_near(said, known=one) for one in own)


async def _compare(about: ParsedQuestion, example: KnownExample, *, weights: Weights) -> _RankedExample:
    """Compare a question with the best-fitting phrasing of an example."""
    slots = find_slots(example.domain)
    wanted = [slots[one.slot] for one in example.placeholders if one.slot in slots]
    free = {slot.name for slot in wanted if slot.resolve is None}
    masked: dict[int, Mention] = {}
    for slot in wanted:
        for said in await about.find_mentions(example.domain, slot=slot):
            covered = [at for at, word in enumerate(about.words) if _overlaps(said, word)]
            masked |= {at: Mention(slot.name, covered[0]) for at in covered if at not in masked}
    optional = {slot.name for slot in wanted if slot.default}
    fits = []
    for written in example.templates:
        template = [token for token in tokenize(written) if not _is_left_out(token, optional=optional, masked=masked)]
        compared = score_fit(template, said=about.words, masked=masked, free=free, weights=weights)
        fits.append(_RankedExample(example=example, template=template, fit=compared, masked=masked))
    return min(fits, key=_sort_key)


def _is_left_out(token: Token, *, optional: set[str], masked: Mapping[int, Mention]) -> bool:
    """Return whether the token is a slot with a default that the question does not mention."""
    return token.slot in optional and token.slot not in {mention.slot for mention in masked.values()}


def _overlaps(said: SlotMention, word: Word) -> bool:
    return any(start < word.end and word.start < end for start, end in said.places)


def _group_mentions(candidates: Iterable[Candidate]) -> list[SlotMention]:
    """Group candidates by place; a place that decides between another's readings is merged with it."""
    by_place: dict[tuple[int, int], list[Candidate]] = {}
    for candidate in candidates:
        by_place.setdefault((candidate.start, candidate.end), []).append(candidate)
    mentions = [SlotMention(_keep_likeliest(by_place[place]), [place]) for place in sorted(by_place)]
    for unclear in [said for said in mentions if len(said.values) > 1]:
        clear = next((said for said in mentions if len(said.values) == 1 and said.values < unclear.values), None)
        if clear:
            unclear.candidates = clear.candidates
            unclear.places += clear.places
            mentions.remove(clear)
    return mentions


async def _fill_values(about: ParsedQuestion, best: _RankedExample) -> Outcome:
    """Find each placeholder's value; the result is Unclear about the first that has none."""
    slots = find_slots(best.example.domain)
    values: dict[str, Candidate] = {}
    unclear: list[tuple[Placeholder, Sequence[Candidate]]] = []
    for placeholder in best.example.placeholders:
        candidates = await _candidates(about, best, placeholder=placeholder, slot=slots[placeholder.slot])
        if len(candidates) == 1:
            values[placeholder.name] = candidates[0]
        else:
            unclear.append((placeholder, candidates))
    if not unclear:
        return ExampleMatch(example=best.example, values=values, score=best.fit.score)
    placeholder, candidates = unclear[0]
    return Unclear(
        example=best.example, slot=slots[placeholder.slot], candidates=candidates, placeholder=placeholder.name,
        values=values, score=best.fit.score,
    )  # fmt: skip


async def _candidates(
    about: ParsedQuestion, best: _RankedExample, *, placeholder: Placeholder, slot: Slot
) -> Sequence[Candidate]:
    at = next((at for at, token in enumerate(best.template) if token.placeholder == placeholder.name), None)
    place = best.fit.met[at] if at is not None else None
    if slot.resolve is None and at is not None:
        return _take_words(about, best, at=at)
    mentions = await about.find_mentions(best.example.domain, slot=slot)
    if place is not None:
        return next(said for said in mentions if _overlaps(said, about.words[place])).candidates
    default = await slot.default() if slot.default else None
    return [default] if default else []


def _take_words(about: ParsedQuestion, best: _RankedExample, *, at: int) -> Sequence[Candidate]:
    """Return the words in a free slot's place, as they were written."""
    used = {place for place in best.fit.met if place is not None} | set(best.masked)
    left = [place for place in range(len(about.words)) if place not in used]
    taken = find_span(best.fit.met, at=at, left=left)
    if not taken:
        return []
    start, end = about.words[taken[0]].start, about.words[taken[-1]].end
    said = about.text[start:end]
    return [Candidate(value=said, label=said, start=start, end=end)]


def _keep_likeliest(mention: Sequence[Candidate]) -> list[Candidate]:
    best = max(candidate.score for candidate in mention)
    return [candidate for candidate in mention if candidate.score == best]
