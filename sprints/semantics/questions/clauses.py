"""
Clauses that ask for nothing: greetings, thanks, and why, when or for whom a question is asked.

A question begins at its interrogative and ends with its sentence. What stands beside it, set off by punctuation or
before the interrogative, is narrative if it speaks of the asker and holds nothing that could restrict the answer. A
definite noun refers to what both sides know, and so may restrict: it must be an occasion, a document or a person of the
class `nouns` in words.toml, or the one who asks. An indefinite or possessed one ("a beer", "my dog") may be any.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import regex

from sprints.linking.folding import words
from sprints.linking.spotting import ORDINARY
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.spelling import LACKING, find_candidates
from sprints.semantics.questions.tokens import Token

_ENDS = r".!?:,;()\u2013\u2014"
_CLAUSE = regex.compile(
    rf"(?:(?!\s-+\s)[^{_ENDS}])+(?:[.!?:,;]+(?!\s|$)(?:(?!\s-+\s)[^{_ENDS}])*)*(?:\s-+\s|[{_ENDS}])*\s*"
    r"(?:(?:but|so|and)\s+(?=\S))?", regex.IGNORECASE,
)  # fmt: skip
_SAYS_NOTHING = frozenset(
    {"be", "have", "past", "modal", "what", "our", "mine", "this", "to", "and", "how", "together", "last"}
)
_SINGULAR = frozenset({"i", "me", "my", "im", "id", "ive", "ill", "you", "your", "youre", "youd", "youve", "youll"})
_SPEAKERS = _SINGULAR | {"we", "us", "our", "lets", "weve", "were"}
_ALONE = frozenset({"i", "im", "ive"})
_INDEFINITE = frozenset({"a", "an", "some", "another"})
_POSSESSED = frozenset({"my", "your", "his", "her"})
_DEFINITE = frozenset({"the", "our", "their", "this", "that", "these", "those", "any"})
_TOPICS = frozenset({
    "of", "in", "on", "at", "for", "within", "during", "among", "about", "around", "regarding", "concerning", "with",
    "from", "over", "before", "after", "under", "through", "into", "ahead", "since", "to", "by", "round",
})  # fmt: skip
_PLACES = frozenset({"in", "on", "at", "by", "from", "over", "under"})
_OPENERS = _INDEFINITE | _POSSESSED | _DEFINITE | _TOPICS
_FRAMES = frozenset({"nouns", "markers", "speech", "thanks"})
_EXTENTS = frozenset({"since", "during", "after", "until", "till", "throughout", "within"})
_HELPERS = frozenset({
    "should", "must", "might", "will", "shall", "keep", "keeps", "kept", "just", "still", "also", "even", "always",
    "never", "cant", "wont", "may", "let", "lets", "be",
})  # fmt: skip
_LINKS = frozenset({"but", "so", "and"})
_EDGES = frozenset({"for", "before", "ahead"})
_REASONS = frozenset({"because", "cause", "cos", "as", "so", "otherwise", "or"})
_HEADS = frozenset({"which", "what", "who", "whose", "when", "how_many", "how_much", "share", "compare"})
_FREE_TIME = frozenset({"off", "away", "leave", "holiday", "vacation", "late", "behind"})
_SHORT_UNITS = frozenset({"minute", "minutes", "min", "mins", "second", "seconds", "number", "thing", "beer", "coffee"})
_MASS = frozenset({"work", "stuff", "things", "everything", "anything", "something"})
_NOUN_KINDS = frozenset({"entity", "measure", "dimension", "grain", "unit"})
_LENGTHS = frozenset({"grain", "unit"})
_MAX_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class _Item:
    """A word of a clause: its meaning in the question, and its classes of frame words."""

    folded: str
    start: int
    end: int
    token: Token
    classes: frozenset[str]
    may_be_term: bool
    """Whether it is unknown and perhaps a misspelt word of the model."""

    @property
    def is_unknown(self) -> bool:
        return not self.token.is_known

    @property
    def is_opener(self) -> bool:
        return self.folded in _OPENERS and not self.token.names

    @property
    def has_value(self) -> bool:
        token = self.token
        has_number = any(one is not None for one in (token.number, token.days, token.top))
        return bool(token.names or token.period or token.reference or token.key) or has_number

    @property
    def is_term(self) -> bool:
        """Return whether it is a word of the model."""
        return any(sense.kind not in ("free", "mark") for sense in self.token.senses)

    @property
    def says_nothing(self) -> bool:
        """Return whether it is unknown, or filters nothing."""
        marks = {sense.name for sense in self.token.senses if sense.kind != "free"}
        return not (self.has_value or self.is_term or self.may_be_term) and marks <= _SAYS_NOTHING


@dataclass(frozen=True, slots=True)
class _Core:
    """What the question itself says: its values and terms, which a narrative may repeat."""

    said: frozenset[object] = field(default=frozenset())
    has_time: bool = False


def set_aside(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    """Blank out clauses that ask for nothing. Returns the text at the same length, and the clauses."""
    items = _list_items(text, tokens=tokens, lexicon=lexicon)
    clauses = [
        (found.start(), found.end(), [one for one in items if found.start() <= one.start < found.end()])
        for found in _CLAUSE.finditer(text)
    ]
    core = _read_core([one for _, _, inside in clauses if any(map(_is_head, inside)) for one in inside])
    aside: list[tuple[int, int]] = []
    for start, end, inside in clauses:
        is_core = any(map(_is_head, inside))
        if not inside or _is_narrative(inside, core=_Core() if is_core else core) or _is_thanks(
            inside, clause=text[start:end]
        ):  # fmt: skip
            aside.append((start, end))
            continue
        lead, rest = _count_leading(inside), _find_trailing(inside)
        if lead:
            aside.append((start, inside[lead - 1].end))
        if lead < rest < len(inside):
            aside.append((inside[rest].start, inside[-1].end))
    if not aside or sum(end - start for start, end in aside) >= len(text):
        return text, ()
    said = [text[start:end].strip(" ,;:.!?()-\u2013\u2014") for start, end in aside]
    for start, end in aside:
        text = text[:start] + " " * (end - start) + text[end:]
    return text, tuple(one for one in said if one)


def _list_items(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> list[_Item]:
    """List the words of a text. A phrase of frame words counts as one."""
    found, items, place = words(text), [], 0
    frames = lexicon.frames
    longest = max(map(len, frames))
    keys = [word.folded for word in found]
    while place < len(found):
        size = next((n for n in range(longest, 0, -1) if tuple(keys[place : place + n]) in frames), 1)
        first, last = found[place], found[min(place + size, len(found)) - 1]
        token = next((one for one in tokens if one.start <= first.start < one.end), None)
        if token is not None:
            classes = frames.get(tuple(keys[place : place + size]), frozenset())
            may_be_term = not token.is_known and not classes and _may_be_term(first.folded, lexicon=lexicon)
            items.append(
                _Item(" ".join(keys[place : place + size]), first.start, last.end, token, classes, may_be_term)
            )
        place += size
    return items


def _may_be_term(word: str, *, lexicon: Lexicon) -> bool:
    if word in ORDINARY or not (word.isascii() and word.isalpha()):
        return False
    near = find_candidates(word, lexicon=lexicon)
    return any(cost <= LACKING and not lexicon.is_closed(one.partition(" ")[0]) for one, cost in near.items())


def _is_head(one: _Item) -> bool:
    is_asking = bool(one.token.marks & _HEADS) or one.token.said.lower().startswith("how ")
    return is_asking or (one.folded in ("show", "list", "show me", "give me", "tell me") and one.token.is_free)


def _read_core(items: Sequence[_Item]) -> _Core:
    said: set[object] = set()
    for one in items:
        said |= _list_meanings(one.token)
    has_time = any(one.token.period or one.token.reference or one.token.kind == "sprint" for one in items)
    return _Core(frozenset(said), has_time)


def _list_meanings(token: Token) -> set[object]:
    """Return the values and terms of a token."""
    values: set[object] = {(name.kind, name.value) for name in token.names}
    values |= {(sense.kind, sense.name) for sense in token.senses if sense.kind not in ("free", "mark")}
    values |= {one for one in (token.period and token.period.span, token.key) if one}
    return values | ({token.said.casefold()} if token.reference else set())


def _is_narrative(items: Sequence[_Item], *, core: _Core) -> bool:
    """Return whether words speak of the asker or the occasion, ask for nothing, and restrict nothing."""
    while len(items) > 1 and items[-1].folded in _LINKS:
        items = items[:-1]
    return (
        _is_addressed(items)
        and not _sets_scope(items)
        and all(_is_harmless(items, place, core=core) for place in range(len(items)))
    )


def _is_addressed(items: Sequence[_Item]) -> bool:
    if any(one.classes & _FRAMES or one.token.is_polite or one.folded.partition(" ")[0] in _SPEAKERS for one in items):
        return True
    content = [one for one in items if one.folded not in ("just", "still", "so", "and", "but")]
    return bool(content) and content[0].is_unknown and content[0].folded.endswith("ing")


def _sets_scope(items: Sequence[_Item]) -> bool:
    """Return whether it says what the question is about: I mean payments, my area is mobile."""
    for place, one in enumerate(items):
        rest = [other for other in items[place + 1 :] if other.is_unknown and not other.classes & _FRAMES]
        is_noun = "nouns" in one.classes and place > 0 and items[place - 1].is_opener
        if "scopes" in one.classes or ("scoping" in one.classes and rest and not is_noun):
            return True
        if "be" in one.token.marks and rest and rest[0] is items[place + 1] and (
            (len(items) == place + 2 and rest[0].folded.endswith("s"))
            or (len(items) > place + 2 and items[place + 2].folded in _SPEAKERS)
        ):  # fmt: skip
            return True  # my area is payments, it is checkout I want
    return any(_is_bare_noun(items, place) or _sets_time(items, place) for place in range(len(items)))


def _is_bare_noun(items: Sequence[_Item], place: int) -> bool:
    """Return whether an unknown word stands where a noun without an article does: we launched checkout."""
    one, before = items[place], items[place - 1] if place else None
    if not one.is_unknown or one.classes or one.folded in ORDINARY or one.folded in _SPEAKERS | _OPENERS:
        return False
    if one.folded.endswith(("ing", "ed", "ly", "nt")):
        return False
    following = items[place + 1] if place + 1 < len(items) else None
    if before is None and following is not None and following.folded in _INDEFINITE | _POSSESSED:
        return False  # pardon my ignorance
    if before is None or "have" in before.token.marks or "speech" in before.classes:
        return True
    if before.folded in ("it", "this", "that") and place + 1 < len(items) and items[place + 1].folded in _SPEAKERS:
        return True  # it's checkout I want
    is_verb = before.is_unknown and not before.classes and not (before.is_opener or before.folded in _SPEAKERS)
    if not is_verb or before.folded in _HELPERS or before.folded.endswith(("ly", "nt")):
        return False
    return not (place > 1 and items[place - 2].is_opener)


def _sets_time(items: Sequence[_Item], place: int) -> bool:
    """Return whether it says since or during when, which the question may be meant for: during my holiday."""
    one, following = items[place], items[place + 1] if place + 1 < len(items) else None
    is_edge = one.folded in _EXTENTS or (one.folded in ("while", "when", "as") and not place)
    return is_edge and following is not None and following.folded not in ("you", "youre")


def _is_harmless(items: Sequence[_Item], place: int, *, core: _Core) -> bool:
    """Return whether a word of a narrative restricts nothing that is asked."""
    one, before = items[place], items[place - 1] if place else None
    following = next((other for other in items[place + 1 :] if other.token is not one.token), None)
    if _is_frame_word(one, before=before, is_last=following is None):
        return True
    if one.token.period is not None:
        return core.has_time or _is_period_of_noun(items, place, following=following, core=core)
    if one.is_opener:
        return _refers_to_frame(items, place)
    if one.folded == "no" or one.token.marks & {"not", "nobody"}:
        return _negates_nothing(items, place)
    if one.token.number is not None or one.token.days is not None:
        units = _SHORT_UNITS if one.token.days is None else _FREE_TIME
        return following is not None and following.folded in units
    if one.has_value or one.is_term:
        said = _list_meanings(one.token)
        return (bool(said) and said <= core.said) or _is_about_speaker(one, before=before, following=following)
    is_name = place > 0 and one.is_unknown and one.token.said.lower() != one.token.said
    return one.says_nothing and (not is_name or bool(one.classes) or one.folded in _SPEAKERS)


def _is_frame_word(one: _Item, *, before: _Item | None, is_last: bool) -> bool:
    """Return whether it is of a frame: a marker, a noun of one, a verb of knowing."""
    if "markers" in one.classes and (" " in one.folded or before is None or not before.is_opener):
        return True
    is_measure = any(sense.kind == "measure" and sense.form == "noun" for sense in one.token.senses)
    if one.token.names or one.token.period or (is_measure and one.token.said.lower() != one.folded):
        return False  # lead | time is one noun
    is_noun = "nouns" in one.classes and before is not None
    is_order = one.folded == "first" and is_last and before is not None and "nouns" in before.classes  # coffee first
    return is_noun or is_order or one.folded == "just" or "speech" in one.classes


def _is_about_speaker(one: _Item, *, before: _Item | None, following: _Item | None) -> bool:
    """Return whether a term of the model is said of the asker: I spilled coffee, our work, the sprint review."""
    if one.has_value or before is None:
        return False
    kinds = {sense.kind for sense in one.token.senses}
    is_act = before.folded in _ALONE and any(sense.form == "verb" for sense in one.token.senses)
    is_ours = before.folded in _SPEAKERS and one.folded in _MASS
    is_compound = following is not None and "nouns" in following.classes and kinds <= _NOUN_KINDS
    return is_act or is_ours or is_compound or (before.folded in ("a", "an") and kinds <= _LENGTHS)


def _refers_to_frame(items: Sequence[_Item], place: int) -> bool:
    """Return whether a noun behind an article or a preposition restricts nothing."""
    opener, run = items[place].folded, []
    before = items[place - 1].folded if place else ""
    for one in items[place + 1 :]:
        if one.is_opener or not (one.is_unknown or one.classes or one.token.period):
            break
        run.append(one)
    if not run or run[0].token.period or _is_frame_noun(
        run, is_new=opener in _INDEFINITE | _POSSESSED and before not in _TOPICS
    ):  # fmt: skip
        return True
    if opener == "to":  # to settle an argument, forgot to write it down, a train to catch
        after = items[place + 1 + len(run)] if place + 1 + len(run) < len(items) else None
        is_infinitive = bool(place) and bool(items[place - 1].classes & {"nouns", "speech"})
        return is_infinitive or (after is not None and after.folded in _INDEFINITE | _POSSESSED | {"the", "our"})
    if opener in _TOPICS:
        return run[0].folded.endswith("ing") or (run[0].folded in ORDINARY and before in _SPEAKERS)
    if before in _TOPICS and not (opener in _INDEFINITE and before in _PLACES):
        return False
    if opener in _INDEFINITE | _POSSESSED:
        return len(run) == 1 or before not in ("im", "i")  # I'm an android developer
    is_subject = all(one.token.is_polite or one.token.is_free or one.token.marks or "markers" in one.classes
                     for one in items[:place])  # fmt: skip
    return (
        is_subject
        and len(run) > 1
        and any(one.folded == "me" or "speech" in one.classes for one in items[place + 1 + len(run) :])
    )


def _is_frame_noun(run: Sequence[_Item], *, is_new: bool) -> bool:
    """Return whether a noun is of a frame, with no unknown word before it, unlike the checkout report."""
    place = next((place for place, one in enumerate(run) if one.classes & _FRAMES), None)
    return place is not None and (is_new or all(one.folded in ORDINARY for one in run[:place]))


def _negates_nothing(items: Sequence[_Item], place: int) -> bool:
    """Return whether a negation is of knowing, or of what the asker does: I haven't slept, no expert."""
    one, rest = items[place], items[place + 1 : place + 2 + _MAX_BETWEEN]
    if "nobody" in one.token.marks:
        return any("speech" in other.classes for other in items[place + 1 :])
    is_ours = any(other.folded in _SINGULAR for other in items[:place])
    is_plain = bool(rest) and rest[0].is_unknown and not rest[0].is_opener
    if one.folded == "no":
        return is_ours and is_plain and not rest[0].folded.endswith("s")
    return (is_ours and is_plain) or any(other.classes & {"speech", "markers", "nouns"} for other in rest)


def _is_period_of_noun(items: Sequence[_Item], place: int, *, following: _Item | None, core: _Core) -> bool:
    """
    Return whether a day says when something else is: slides for Thursday. The question may repeat it.

    Longer periods may be meant for the question: slides for October.
    """
    one, before = items[place], items[place - 1] if place else None
    is_behind = before is not None and before.folded == "for" and any("nouns" in one.classes for one in items[:place])
    is_of_noun = is_behind or (following is not None and "nouns" in following.classes)
    is_day = one.token.period is not None and one.token.period.unit == "day"
    return (is_day and is_of_noun) or bool(_list_meanings(one.token) & core.said)


def _is_thanks(items: Sequence[_Item], *, clause: str) -> bool:
    """Return whether it is a sentence of thanks or apology. A separate sentence restricts nothing."""
    is_sentence = clause.rstrip().endswith(("!", "."))
    return is_sentence and "thanks" in items[0].classes and not any(one.token.marks & _HEADS for one in items)


def _count_leading(items: Sequence[_Item]) -> int:
    """Count the words before the question: greetings, and reports that end where it begins ("I'd love to know")."""
    head = next((place for place, one in enumerate(items) if place and _is_head(one)), 0)
    if head and items[head - 1].folded in _TOPICS - {"about", "on"}:
        head -= 1  # in which sprint
    if head and _is_narrative(items[:head], core=_read_core(items[head:])):
        return head
    count = 0
    while count < len(items) and ("markers" in items[count].classes or items[count].token.is_polite):
        count += 1
    return count if count < len(items) else 0


def _find_trailing(items: Sequence[_Item]) -> int:
    """Return where words after the question begin: "for my report", "because my boss asks", or "again"."""
    end = len(items)
    if items[-1].folded == "again" and not any(
        sense.kind in ("predicate", "time") for one in items for sense in one.token.senses
    ):
        end -= 1
    for place in range(end - 1, 0, -1):
        rest = items[place:end]
        is_reason = items[place].folded in _REASONS and len(rest) > 1 and rest[1].folded in _SPEAKERS
        is_purpose = items[place].folded in _EDGES and len(rest) > 1 and "nouns" in rest[-1].classes
        if is_reason or is_purpose:
            return place if _is_narrative(rest, core=_read_core(items[:place])) else end
    return end
