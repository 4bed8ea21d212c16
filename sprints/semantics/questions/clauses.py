"""
Clauses that ask for nothing: greetings, thanks, and why, when or for whom a question is asked.

Such a frame stands before or behind the question, or between marks of punctuation. What it refers to, after an article,
a possessive or a preposition, is an occasion, a document or a person of the class `frames` in words.toml; its verbs may
be any. Whatever else it names may restrict the question, which is then asked back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import regex

from sprints.linking.folding import Word, words
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.tokens import Token

_CLAUSE = regex.compile(
    r"[^.!?:,;()\u2013\u2014]+(?:[.!?:,;]+(?!\s|$)[^.!?:,;()\u2013\u2014]*)*[.!?:,;()\u2013\u2014]*\s*"
    r"(?:(?:but|so|and)\s+(?=\S))?", regex.IGNORECASE,
)  # fmt: skip
_SAYS_NOTHING = frozenset({"be", "have", "past", "modal", "what", "our", "mine", "this", "to", "and"})
_SPEAKERS = frozenset({"i", "you", "we", "me", "my", "us", "our", "im", "id", "ive", "ill", "your", "lets"})
_OPENERS = frozenset({
    "a", "an", "the", "my", "our", "your", "his", "her", "their", "this", "that", "these", "those", "some", "any",
    "another", "of", "in", "on", "at", "for", "within", "during", "among", "about", "around", "regarding", "concerning",
    "with", "from", "to", "over", "before", "after", "under", "through", "into", "ahead", "since",
})  # fmt: skip
_EDGES = frozenset({"for", "before", "ahead"})
_HEADS = frozenset({"which", "what", "who", "whose", "when", "how_many", "how_much", "share", "compare"})
_NOUNS = frozenset({"people", "occasions", "documents", "motives"})
_MAX_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class _Item:
    """A word of a clause: its meaning in the question, and its classes of frame words."""

    folded: str
    start: int
    end: int
    token: Token
    again: Token
    classes: frozenset[str]

    @property
    def is_opener(self) -> bool:
        return self.folded in _OPENERS

    @property
    def is_unknown(self) -> bool:
        return not self.token.is_known

    @property
    def says_nothing(self) -> bool:
        """Return whether it is unknown, also after correction of typing mistakes, or filters nothing."""
        token = self.token
        has_value = bool(token.names or token.period or token.reference or token.key)
        has_number = any(one is not None for one in (token.number, token.days, token.top))
        return not (has_value or has_number or self.again.marks - _SAYS_NOTHING) and all(
            sense.kind in ("free", "mark") and (sense.kind == "free" or sense.name in _SAYS_NOTHING)
            for sense in token.senses
        )


def set_aside(
    text: str, *, read: Callable[[str], Sequence[Token]], corrected: Callable[[str], str], lexicon: Lexicon
) -> tuple[str, tuple[str, ...]]:  # fmt: skip
    """Blank out clauses that ask for nothing. Returns the text at the same length, and the clauses."""
    found = list(_CLAUSE.finditer(text))
    aside: list[tuple[int, int]] = []
    for clause in found:
        items = _list_items(clause[0], read=read, corrected=corrected, frames=lexicon.frames)
        if not items or _is_frame(items) or _is_thanks(items, clause=clause[0]):
            aside.append((clause.start(), clause.end()))
            continue
        lead, rest = _count_leading(items), _find_trailing(items)
        if lead:
            aside.append((clause.start(), clause.start() + items[lead - 1].end))
        if rest < len(items) and rest > lead:
            aside.append((clause.start() + items[rest].start, clause.start() + items[-1].end))
    if not aside or sum(end - start for start, end in aside) >= len(text):
        return text, ()
    said = [text[start:end].strip(" ,;:.!?()\u2013\u2014") for start, end in aside]
    for start, end in aside:
        text = text[:start] + " " * (end - start) + text[end:]
    return text, tuple(one for one in said if one)


def _list_items(
    clause: str, *, read: Callable[[str], Sequence[Token]], corrected: Callable[[str], str],
    frames: Mapping[tuple[str, ...], frozenset[str]],
) -> list[_Item]:  # fmt: skip
    """List the words of a clause. A phrase of frame words counts as one."""
    tokens, spelt = read(clause), corrected(clause)
    again = read(spelt)
    found, items, place = words(clause), [], 0
    longest = max(map(len, frames))
    while place < len(found):
        size = next((n for n in range(longest, 0, -1) if _key(found, place, n) in frames), 1)
        first, last = found[place], found[min(place + size, len(found)) - 1]
        token = next((one for one in tokens if one.start <= first.start < one.end), None)
        if token is None:
            place += 1
            continue
        same = next((one for one in again if one.said == token.said), token) if spelt == clause else _nearest(
            token, again=again, tokens=tokens)  # fmt: skip
        classes = frames.get(_key(found, place, size), frozenset())
        items.append(_Item(" ".join(_key(found, place, size)), first.start, last.end, token, same, classes))
        place += size
    return items


def _key(found: Sequence[Word], place: int, size: int) -> tuple[str, ...]:
    return tuple(word.folded for word in found[place : place + size])


def _nearest(token: Token, *, again: Sequence[Token], tokens: Sequence[Token]) -> Token:
    """Return the corrected form of an unknown token by its position. A known one stays."""
    place = list(tokens).index(token)
    return again[place] if not token.is_known and place < len(again) and len(again) == len(tokens) else token


def _is_frame(items: Sequence[_Item]) -> bool:
    """Return whether words ask for nothing, describe the asker or the purpose, and restrict nothing."""
    is_addressed = any(
        one.classes or one.token.is_polite or one.folded in _SPEAKERS or one.folded.partition(" ")[0] in _SPEAKERS
        for one in items
    )
    return is_addressed and all(_is_harmless(items, place) for place in range(len(items)))


def _is_harmless(items: Sequence[_Item], place: int) -> bool:
    one = items[place]
    before = items[place - 1] if place else None
    if "markers" in one.classes and (" " in one.folded or before is None or not before.is_opener):
        return True
    if one.is_opener and not one.token.names:
        return _refers_to_frame(items, place)
    if one.classes & _NOUNS and before is not None and not one.token.names and not one.token.period:
        return True
    if "not" in one.token.marks:
        return any(
            other.classes & {"cognition", "markers", "motives"} for other in items[place + 1 : place + 2 + _MAX_BETWEEN]
        )
    if "cognition" in one.classes and not one.token.names:
        return True
    if one.token.said.lower() == "just":
        return True
    if one.token.period is not None:  # Monday's meeting
        following = items[place + 1] if place + 1 < len(items) else None
        if before is not None and before.folded == "for" and any(other.classes & _NOUNS for other in items[:place]):
            return True  # slides for Thursday
        return following is not None and bool(following.classes & {"occasions", "documents"})
    has_name = place > 0 and one.is_unknown and one.token.said[:1].isupper() and one.folded not in _SPEAKERS
    return one.says_nothing and not (has_name and not one.classes)


def _refers_to_frame(items: Sequence[_Item], place: int) -> bool:
    """Return whether the words after an article or a preposition are of a frame, or a pronoun."""
    run = []
    for one in items[place + 1 :]:
        if one.is_opener or not (one.is_unknown or one.classes or one.token.period):
            break
        run.append(one)
    return not run or any(one.classes for one in run)


def _is_thanks(items: Sequence[_Item], *, clause: str) -> bool:
    """Return whether it is a sentence of thanks or apology. A separate sentence restricts nothing."""
    is_sentence = clause.rstrip().endswith(("!", "."))
    return is_sentence and "thanks" in items[0].classes and not any(one.token.marks & _HEADS for one in items)


def _count_leading(items: Sequence[_Item]) -> int:
    """Count the words before the question: greetings, and reports that end where it begins ("I'd love to know")."""
    head = next((place for place, one in enumerate(items) if place and one.token.marks & _HEADS), 0)
    if head and any(one.folded in _SPEAKERS for one in items[:head]) and _is_frame(items[:head]):
        return head
    count = 0
    while count < len(items) and ("markers" in items[count].classes or items[count].token.is_polite):
        count += 1
    return count if count < len(items) else 0


def _find_trailing(items: Sequence[_Item]) -> int:
    """Return where words after the question begin: "for my report", or "again" if nothing could repeat."""
    end = len(items)
    if items[-1].folded == "again" and not any(
        sense.kind in ("predicate", "time") for one in items for sense in one.token.senses
    ):
        end -= 1
    for place in range(end - 1, 0, -1):
        if items[place].folded in _EDGES and items[place + 1 : end]:
            noun = items[end - 1].classes & {"people", "occasions", "documents"}
            return place if noun and _is_frame(items[place:end]) else end
    return end
