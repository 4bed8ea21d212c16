"""Topics of a question: the words of a title behind "about", "mentioning" or "regarding"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from sprints.linking.folding import Word, fold
from sprints.linking.names import NameIndex
from sprints.linking.numbers import NUMBERS
from sprints.semantics.questions.lexicon import Lexicon

MAX_TOPIC_WORDS = 3
_CUE = regex.compile(
    r"\b(?:that |which |who )?(?:mention(?:s|ed|ing)?|about|regarding|concerning|(?:that |which )?(?:are |is )?"
    r"(?:related|relating|having) to|(?:has |have |having |is |are )?to do with|on the (?:topic|subject) of|containing"
    r"|with (?:the )?words?|with(?= [\"'\u201c])|titled)(?= )", regex.IGNORECASE,
)  # fmt: skip
_PLACE = regex.compile(r" in (?:the|their|its) (?:title|name|summary)s?\b", regex.IGNORECASE)
_QUOTED = regex.compile(r" (?:the )?(?:words? )?(?:\"([^\"]{2,60})\"|“([^”]{2,60})”|'([^']{2,60})')")
_BEFORE = frozenset({"what", "how", "me", "us", "think", "thoughts", "all", "at", "right"})
_SKIPPED = frozenset({"the", "a", "an", "our", "word", "words"})
_OR = frozenset({"or", "and"})
_SIBILANTS = ("sses", "shes", "ches", "xes")


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the question, and the words of which a title has at least one."""

    said: str
    start: int
    end: int
    values: tuple[str, ...]


def find_topics(text: str, *, found: Sequence[Word], lexicon: Lexicon, index: NameIndex) -> Iterator[Topic]:
    """Find the topics in a text: a quotation, or up to three words that are neither of the model nor in a name."""
    for cue in _CUE.finditer(text):
        before = [word.folded for word in found if word.end <= cue.start()][-1:]
        is_narrative = bool(before) and (before[0] in _BEFORE or (before[0], fold(cue[0])) in lexicon.frames)
        if is_narrative:
            continue
        if quoted := _QUOTED.match(text, cue.end()):
            values, end = [next(part for part in quoted.groups() if part)], quoted.end()
        else:
            behind = [word for word in found if word.start >= cue.end()]
            values, end = _read_values(text, behind, lexicon=lexicon, index=index)
        if values:
            place = _PLACE.match(text, end)
            end = place.end() if place else end
            yield Topic(text[cue.start() : end], cue.start(), end, tuple(values))


def _read_values(
    text: str, behind: Sequence[Word], *, lexicon: Lexicon, index: NameIndex
) -> tuple[list[str], int]:  # fmt: skip
    """Return the topics joined by "or", and where they end."""
    values: list[str] = []
    end, place = 0, 0
    while True:
        while place < len(behind) and behind[place].folded in _SKIPPED:
            place += 1
        size = 0
        while size < MAX_TOPIC_WORDS and place + size < len(behind) and (
            _is_free(behind[place + size], lexicon=lexicon, index=index)
            and (not size or _are_adjacent(text, behind[place + size - 1], behind[place + size]))
        ):  # fmt: skip
            size += 1
        if not size:
            return values, end
        values.append(_make_singular(text[behind[place].start : behind[place + size - 1].end]))
        end, place = behind[place + size - 1].end, place + size
        if place >= len(behind) or behind[place].folded not in _OR:
            return values, end
        place += 1


def _is_free(word: Word, *, lexicon: Lexicon, index: NameIndex) -> bool:
    """Return whether a word means nothing else here."""
    is_named = word.folded in index.parts or (word.folded,) in index.whole or bool(index.alike(word.folded))
    return not (is_named or (word.folded,) in lexicon.phrases or word.folded in NUMBERS or word.folded.isdigit())


def _are_adjacent(text: str, first: Word, second: Word) -> bool:
    return text[first.end : second.start] in (" ", "-", "/")


def _make_singular(said: str) -> str:
    """Return the beginning that a word has in singular and plural: exports, crashes."""
    if said.endswith(_SIBILANTS):
        return said.removesuffix("es")
    return said.removesuffix("s") if said[-2:] not in ("ss", "us", "is", "'s") else said
