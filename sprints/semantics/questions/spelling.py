"""
Typing mistakes: unknown words one edit away from a known one are corrected, and said.

Each unknown word has candidates with a cost by the kind of edit. One that forms a known phrase with its neighbours is
cheaper. Two candidates of different meaning at a similar cost leave the word unknown, and the question is asked back.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from sprints.linking.calendar_tokens import CALENDAR_NAMES, PERIOD_WORDS
from sprints.linking.folding import Word, overlaps
from sprints.linking.names import NameIndex
from sprints.linking.numbers import NUMBERS
from sprints.linking.spotting import ORDINARY
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.topics import find_topics

MAX_CORRECTED = 60
"""The maximum words that are looked at: a longer question is not read."""
SHORT_WORD_LETTERS, LONG_WORD_LETTERS = 3, 9
SWAPPED, LACKING, ADDED, UNLIKELY, REPLACED, TWICE, AT_START, AT_END = 0.9, 1.2, 1.2, 1.45, 1.5, 2.5, 0.2, 0.28
IN_PHRASE, ASKS, MARGIN, SHORT_MARGIN, GRAVE_MARGIN = 0.6, 0.5, 0.25, 0.45, 0.7
_UNLIKELY = (UNLIKELY, UNLIKELY + AT_START)
_VOWELS = frozenset("aeiouy")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = frozenset(
    frozenset(pair)
    for pair in (
        *(pair for row in _ROWS for pair in pairwise(row)),
        *(
            (upper, lower)
            for first, second in pairwise(_ROWS)
            for place, upper in enumerate(first)
            for lower in second[max(place - 1, 0) : place + 1]
        ),
    )
)
_DOUBLED = re.compile(r"(.)\1")
_NUMBERED = re.compile(r"([^\W\d_]{4,})(\d{1,3})")
_PREFIXES = ("un", "non", "re", "de", "dis", "in", "mis", "over", "under")
_COUNTS = NUMBERS.keys() - {"a", "an", "couple", "dozen"}
_NEGATIONS = frozenset({"not", "without", "except", "nobody", "nothing"})
Costs = Mapping[str, float]
Corrections = tuple[tuple[str, str], ...]
"""Words as they were written, and as they are read."""


def correct_words(text: str, *, found: Sequence[Word], lexicon: Lexicon, index: NameIndex) -> tuple[str, Corrections]:
    """Correct unknown words that are one typing mistake away from a known one. Returns the text and what changed."""
    topics = list(find_topics(text, found=found, lexicon=lexicon, index=index))
    found = [word for word in found[:MAX_CORRECTED] if not overlaps(word, others=topics)]
    options = [_list_options(text, word, lexicon=lexicon, index=index) for word in found]
    changes: list[tuple[str, str]] = []
    for place in range(len(found) - 1, -1, -1):
        word, costs = found[place], options[place]
        corrected = _choose(costs, place=place, found=found, options=options, lexicon=lexicon) if costs else ""
        if not corrected:
            continue
        written = _strip_possessive(text, word) or text[word.start : word.end]
        if written != written.lower() or corrected in CALENDAR_NAMES:
            corrected = corrected.capitalize()
        changes.append((written, corrected))
        text = text[: word.start] + corrected + text[word.start + len(written) :]
    return text, tuple(changes[::-1])


def say_corrections(corrections: Corrections) -> tuple[str, ...]:
    """Write the corrections as assumptions."""
    return tuple(f"Read '{written}' as '{corrected}'." for written, corrected in corrections)


def restore_words(said: str, *, corrections: Corrections) -> str:
    """Return words as they were written, before the corrections."""
    for written, corrected in corrections:
        said = re.sub(rf"\b{re.escape(corrected)}\b", lambda _, word=written: word, said)  # type: ignore[misc]
    return said


def is_known(word: str, *, lexicon: Lexicon, index: NameIndex) -> bool:
    """Return whether it is a word of the vocabulary, a name or everyday English, which is never corrected."""
    return (
        word in lexicon.vocabulary or word in ORDINARY or word in NUMBERS or word in PERIOD_WORDS
        or word in index.parts or (word,) in index.whole or (word,) in lexicon.frames or word in lexicon.negations
    )  # fmt: skip


def _list_options(text: str, word: Word, *, lexicon: Lexicon, index: NameIndex) -> Costs | None:
    """Return what an unknown word may be, by cost. None for a known word, a likely name, a key or a number."""
    if is_known(word.folded, lexicon=lexicon, index=index) or text[word.end : word.end + 2].lstrip("-").isdigit():
        return None
    if parted := _part_number(word.folded, lexicon=lexicon):
        return {parted: 0.0}
    if not (word.folded.isalpha() and word.folded.isascii()) or not _strip_possessive(text, word):
        return None
    costs = find_candidates(word.folded, lexicon=lexicon)
    named = min((edits for _, edits in index.alike(word.folded)), default=None)
    is_capital = text[word.start].isupper()
    is_inside = bool(text[: word.start].strip()) and text[: word.start].rstrip()[-1] not in ".!?:"
    is_nearer = named is not None and (not costs or named < _count_edits(word.folded, costs))
    is_term = any(one in lexicon.model_words or cost <= SWAPPED for one, cost in costs.items())
    if is_nearer or (named is not None and (is_capital or not is_term)):
        return None
    if is_capital and is_inside and not CALENDAR_NAMES & costs.keys():
        is_heading = text[word.start : word.end].isupper() and text.isupper()
        return costs if is_heading else {one: cost for one, cost in costs.items() if one in lexicon.model_words} or None
    return costs or None


def _strip_possessive(text: str, word: Word) -> str:
    """Return a word as it is written, without the ending of a possessive. Empty if it is written otherwise."""
    written = text[word.start : word.start + len(word.folded)]
    return written if written.casefold() == word.folded else ""


def _count_edits(word: str, costs: Costs) -> float:
    return min(OSA.distance(word, one.replace(" ", "")) or 1 for one in costs)


def _part_number(word: str, *, lexicon: Lexicon) -> str:
    """Return a noun with the number that was written to it apart: sprint9."""
    written = _NUMBERED.fullmatch(word)
    if not written:
        return ""
    noun, number = written.groups()
    near = {noun: 0.0} if noun in lexicon.vocabulary else find_candidates(noun, lexicon=lexicon)
    return f"{min(near, key=lambda one: near[one])} {number}" if len(near) == 1 else ""


def _choose(
    costs: Costs, *, place: int, found: Sequence[Word], options: Sequence[Costs | None], lexicon: Lexicon
) -> str:
    """Return the cheapest candidate beside its neighbours. Empty if another one means something else."""
    before = _read_at(place - 1, found=found, options=options)
    after = _read_at(place + 1, found=found, options=options)
    ranked = []
    for one, cost in costs.items():
        is_joined = any((one, other) in lexicon.bigrams for other in after) or any(
            (other, one) in lexicon.bigrams for other in before
        )
        is_joined = is_joined or (
            one == "who" and cost <= SWAPPED + AT_START and any(_is_verb(other, lexicon=lexicon) for other in after)
        )
        is_joined = is_joined or (one == "sprint" and any(other.isdigit() for other in after))
        asks = place == 0 and any(sense.name in ASKING for sense in lexicon.phrases.get((one,), ()))
        asks = asks or (
            place == 0 and any((one, other) in lexicon.phrases for other in after)
        )  # how has, as well as who
        ranked.append((cost - IN_PHRASE * is_joined - ASKS * asks, one))
    best, chosen = min(ranked)
    written = found[place].folded
    is_pair = len(written) < SHORT_WORD_LETTERS
    if best in _UNLIKELY or (is_pair and (costs[chosen] > SWAPPED + AT_START or _is_grave(chosen, lexicon=lexicon))):
        return ""
    is_swapped = costs[chosen] <= SWAPPED + AT_START and len(written) >= SHORT_WORD_LETTERS
    if min(costs.values()) <= SWAPPED + AT_START < costs[chosen]:
        return ""  # the letters say one word, its neighbours another
    is_filler = _is_filler(chosen, lexicon=lexicon)
    margin = MARGIN if is_swapped or len(written) > SHORT_WORD_LETTERS else SHORT_MARGIN
    meaning = _read_meaning(chosen, lexicon=lexicon)
    for cost, one in ranked:
        is_grave = _is_grave(chosen, lexicon=lexicon) or (
            _is_grave(one, lexicon=lexicon)
            and not (is_swapped and (costs[one] in _UNLIKELY or len(one) < len(written)))
        )
        is_lost = is_filler and not _is_filler(one, lexicon=lexicon)
        is_near = cost - best < (GRAVE_MARGIN if is_grave or is_lost else margin) or _are_opposites(one, chosen)
        if is_near and _read_meaning(one, lexicon=lexicon) != meaning:
            return ""
    return chosen


def _read_meaning(word: str, *, lexicon: Lexicon) -> object:
    """Return what a word means, whatever its form: finish is finished."""
    senses = lexicon.phrases.get((word,))
    return {(sense.kind, sense.name, sense.is_plural) for sense in senses} if senses else word


def _read_at(place: int, *, found: Sequence[Word], options: Sequence[Costs | None]) -> set[str]:
    """Return what a neighbour may be: itself, or its candidates."""
    if not 0 <= place < len(found):
        return set()
    return {found[place].folded, *(options[place] or ())}


def _is_verb(word: str, *, lexicon: Lexicon) -> bool:
    return any(
        sense.form == "verb" or (sense.kind == "mark" and sense.name in ("be", "have"))
        for sense in lexicon.phrases.get((word,), ())
    )


def _is_filler(word: str, *, lexicon: Lexicon) -> bool:
    """Return whether a word says nothing, so that to take another one for it drops that."""
    senses = lexicon.phrases.get((word,), ())
    return bool(senses) and all(sense.name in ("fillers", "polite") for sense in senses)


def _is_grave(word: str, *, lexicon: Lexicon) -> bool:
    """Return whether a word turns the answer over or is a number, so that to take it for another one is worst."""
    return word in _COUNTS or any(sense.name in _NEGATIONS for sense in lexicon.phrases.get((word,), ()))


@lru_cache(maxsize=4096)
def find_candidates(word: str, *, lexicon: Lexicon) -> Costs:
    """Return the known words that a typing mistake may have made into this one, and what that costs."""
    if len(word) < 2 or _is_derived(word, lexicon=lexicon):  # noqa: PLR2004
        return {}
    limit = 1 if len(word) < LONG_WORD_LETTERS else 2
    near = process.extract(word, lexicon.spellings, scorer=OSA.distance, score_cutoff=limit, limit=24)
    costs = {known: cost for known, edits, _ in near if (cost := _cost(word, known, edits=edits, lexicon=lexicon))}
    if not costs:
        bare = _DOUBLED.sub(r"\1", word)
        costs = {known: TWICE for known in lexicon.by_bare.get(bare, ()) if len(word) > SHORT_WORD_LETTERS}
    for size in range(2, len(word) - 1):  # a missing blank: howmany
        first, second = word[:size], word[size:]
        if (first, second) in lexicon.bigrams and len(word) > SHORT_WORD_LETTERS + 1:
            costs[f"{first} {second}"] = SWAPPED
    return costs


def _cost(word: str, known: str, *, edits: int, lexicon: Lexicon) -> float | None:
    """Return what it costs to have written `word` for `known`. None if it is rather another word."""
    if _is_opposite(word, known):
        return None
    start = 0.0 if word[0] == known[0] else AT_START
    is_short = len(known) <= SHORT_WORD_LETTERS or (len(word) <= SHORT_WORD_LETTERS and len(known) <= len(word))
    if is_short and not lexicon.is_closed(known):
        return None
    if edits > 1:
        return None if is_other_word(word, known=known) or start else TWICE
    if sorted(word) == sorted(known):
        return SWAPPED + start
    if _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", known):
        return SWAPPED
    is_pair = len(word) == len(known) < SHORT_WORD_LETTERS  # of two letters, another may be meant
    if min(len(word), len(known)) < SHORT_WORD_LETTERS and not (is_pair or _is_grave(known, lexicon=lexicon)):
        return None
    if len(word) != len(known):
        return (LACKING if len(word) < len(known) else ADDED) + start + (AT_END if word[-1] != known[-1] else 0.0)
    if not is_other_word(word, known=known):
        return REPLACED + start
    slipped = next(frozenset(pair) for pair in zip(word, known, strict=True) if pair[0] != pair[1])
    if slipped not in _NEIGHBOURS:
        return None
    return (UNLIKELY if lexicon.is_pronounceable(word) else REPLACED) + start


def _is_derived(word: str, *, lexicon: Lexicon) -> bool:
    """Return whether it is a known word with an ending that makes another of it: completely, Mondays."""
    is_adverb = word.endswith("ly") and bool({word[:-2], word[:-2] + "e"} & lexicon.vocabulary)
    return is_adverb or (word.endswith("s") and word[:-1] in PERIOD_WORDS)


def _is_opposite(word: str, known: str) -> bool:
    """Return whether a word has a prefix that the known one lacks: unblocked is not blocked, reopened not opened."""
    return any(
        word.startswith(prefix) and not known.startswith(prefix)
        and OSA.distance(word.removeprefix(prefix), known) <= 1
        for prefix in _PREFIXES
    )  # fmt: skip


def _are_opposites(one: str, other: str) -> bool:
    return _is_opposite(one, other) or _is_opposite(other, one)


def is_other_word(word: str, *, known: str) -> bool:
    """
    Return whether letters are others, which is rarely a typing mistake: commented is not committed.

    One letter may be another vowel, or any in a long word: defact is defect, but skipped is not shipped.
    """
    others = [pair for pair in zip(word, known, strict=False) if pair[0] != pair[1]]
    if len(word) != len(known) or len(others) > 2:  # noqa: PLR2004
        return False
    if len(others) == 2:  # noqa: PLR2004
        return others[0] != others[1][::-1]
    return len(word) < LONG_WORD_LETTERS and any(set(pair) - _VOWELS for pair in others)
