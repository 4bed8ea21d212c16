"""
Clauses that ask for nothing: greetings, thanks, and what the asker tells of himself or of the occasion.

A question begins at its interrogative or request and ends with its sentence. A statement beside it is read as subject,
verb and object by the closed classes of English, and left aside if nothing in it may restrict what is asked. A verb, an
adverb and a new or possessed noun ("my dog") restrict nothing; a definite or bare one ("the checkout") may, unless
words.toml has it as an occasion, a document or a role. Values and terms may only repeat those of the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import regex

from sprints.linking.folding import words
from sprints.linking.spotting import ORDINARY
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.spelling import LACKING, find_candidates
from sprints.semantics.questions.tokens import Token

_ENDS = r".!?:,;()\u2013\u2014\u2026"
_CLAUSE = regex.compile(
    rf"(?:(?!\s-+\s)[^{_ENDS}])+(?:[.!?:,;]+(?!\s|$)(?:(?!\s-+\s)[^{_ENDS}])*)*(?:\s-+\s|[{_ENDS}])*\s*"
    r"(?:(?:but|so|and)\s+(?=\S))?", regex.IGNORECASE,
)  # fmt: skip
_HEADS = frozenset({"which", "what", "who", "whose", "when", "how_many", "how_much", "share", "compare"})
_REQUESTS = frozenset({"show", "list", "show me", "give me", "tell me"})
_NO_HEADS = frozenset({("what", "a"), ("what", "an"), ("when", "you")})
_SAYS_NOTHING = frozenset({
    "be", "have", "past", "modal", "what", "our", "mine", "this", "to", "and", "how", "together", "last", "next",
    "locative", "not", "nobody", "anybody", "only", "ever", "who", "or", "twice", "once",
})  # fmt: skip

State = Literal["start", "subject", "verb", "object", "new", "definite", "preposition", "noun", "adverb"]
"""What stands before a word: a link, a subject, what leads to a verb, a verb, an article, a preposition, a noun."""

_SINGULAR = frozenset({
    "i", "me", "my", "im", "id", "ive", "ill", "you", "your", "youre", "youd", "youve", "youll", "myself",
})  # fmt: skip
_SPEAKERS = _SINGULAR | {"we", "us", "our", "lets", "weve"}
_EXTENTS = frozenset({"since", "during", "after", "until", "till", "throughout", "within"})
_EXCLUDING = frozenset({"no", "not", "without", "except", "excluding", "minus", "neither", "nor"})
_BEING = frozenset({"am", "im", "is", "are", "was", "were", "be", "been", "its", "this", "that"})
_SEEMING = regex.compile(r"(?:feel|sound|seem|look|become|get)(?:s|ed)?|felt|got")
_NO_NOUN = regex.compile(r"(?:ly|ful|ous|less|ish|[ai]ble|ever|where|ways?|wards?|self|selves|(?<!e)ed|n['\u2019]?t)$")
_PLURAL = regex.compile(r"(?<![sui])s$")
_ABSTRACT = regex.compile(r"(?:tion|sion|ment|ity)s?$")


@dataclass(frozen=True, slots=True)
class _Item:
    """A word of a clause: its meaning in the question, and its classes of frame words."""

    folded: str
    start: int
    end: int
    token: Token
    classes: frozenset[str] = frozenset()
    state: State | None = None
    """What it is before another word, if it is of a closed class of English."""
    is_near_term: bool = False
    """Whether it is unknown and perhaps a misspelt word of the model."""

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
    def is_frame(self) -> bool:
        """Return whether it is a noun of a frame, or says nothing wherever it stands."""
        is_part = self.is_term and self.token.end - self.token.start > self.end - self.start  # the time of lead | time
        return self.is_of("nouns", "markers") and not (self.token.names or self.token.period or is_part)

    @property
    def is_plain(self) -> bool:
        """Return whether it is an everyday word, or one that is no noun."""
        is_ordinary = self.folded in ORDINARY and not (_PLURAL.search(self.folded) or _ABSTRACT.search(self.folded))
        return (is_ordinary or bool(_NO_NOUN.search(self.folded))) and not self.is_of("scopes")

    def is_of(self, *classes: str) -> bool:
        return not self.classes.isdisjoint(classes)

    def has(self, *kinds: str) -> bool:
        return any(one.kind in kinds for one in self.token.senses)


_NONE = _Item("", 0, 0, Token(said="", start=0, end=0))


def set_aside(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    """Blank out clauses that ask for nothing. Returns the text at the same length, and the clauses."""
    items = _list_items(text, tokens=tokens, lexicon=lexicon)
    spans = [found.span() for found in _CLAUSE.finditer(text)]
    clauses = [[one for one in items if start <= one.start < end] for start, end in spans]
    asking = _find_asking(clauses)
    core = [one for inside, is_core in zip(clauses, asking, strict=True) if is_core for one in inside]
    aside: list[tuple[int, int]] = []
    for (start, end), inside, is_core in zip(spans, clauses, asking, strict=True):
        is_thanks = bool(inside) and inside[0].is_of("thanks") and text[start:end].rstrip().endswith(("!", "."))
        if not inside or (not is_core and (is_thanks or _is_talk(inside, core=core))):
            aside.append((start, end))
            continue
        lead, rest = _count_leading(inside), _find_trailing(inside)
        if lead:
            aside.append((start, inside[lead - 1].end))
        if lead < rest < len(inside):
            aside.append((inside[rest].start, inside[-1].end))
    if not aside or sum(end - start for start, end in aside) >= len(text):
        return text, ()
    said = [text[start:end].strip(" ,;:.!?()-\u2013\u2014\u2026") for start, end in aside]
    for start, end in aside:
        text = text[:start] + " " * (end - start) + text[end:]
    return text, tuple(one for one in said if one)


def _list_items(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> list[_Item]:
    """List the words of a text. A phrase of frame words counts as one."""
    found, items, place, frames = words(text), list[_Item](), 0, lexicon.frames
    longest = max(map(len, frames))
    states = {word: state for state, listed in lexicon.settings["positions"].items() for word in listed}
    while place < len(found):
        keys = [tuple(word.folded for word in found[place : place + size]) for size in range(longest, 0, -1)]
        key = next((key for key in keys if key in frames), keys[-1])
        first, last = found[place], found[min(place + len(key), len(found)) - 1]
        token = next((one for one in tokens if one.start <= first.start < one.end), None)
        if token is not None:
            said, classes = " ".join(key), frames.get(key, frozenset())
            is_near = not (token.is_known or classes or said in states) and _is_near(said, lexicon)
            items.append(_Item(said, first.start, last.end, token, classes, _get_state(said, token, states), is_near))
        place += len(key)
    return items


def _get_state(said: str, token: Token, states: Mapping[str, State]) -> State | None:
    if said in ("it", "that", "here", "there", "what", "who") and token.said[-2:] in ("'s", "\u2019s"):
        return "verb"
    return None if token.names or token.period or token.reference else states.get(said)


def _is_near(word: str, lexicon: Lexicon) -> bool:
    if word in ORDINARY or not (word.isascii() and word.isalpha()):
        return False
    near = find_candidates(word, lexicon=lexicon)
    return any(cost <= LACKING and not lexicon.is_closed(one.partition(" ")[0]) for one, cost in near.items())


def _get_item(items: Sequence[_Item], place: int) -> _Item:
    """Return the item at a place, or one without a word."""
    return items[place] if 0 <= place < len(items) else _NONE


def _find_asking(clauses: Sequence[Sequence[_Item]]) -> list[bool]:
    """Return which clauses ask: those with an interrogative and words of the model, or else with either."""
    heads = [next((at for at in range(len(one)) if _is_head(one, at)), None) for one in clauses]
    asking = [at is not None for at in heads]
    full = [
        at is not None and any(one.is_term or one.has_value for one in inside[at:])
        for at, inside in zip(heads, clauses, strict=True)
    ]
    named = [any(one.has("entity", "measure") or one.token.kind == "type" for one in inside) for inside in clauses]
    return full if any(full) else named if any(named) else asking


def _is_head(items: Sequence[_Item], place: int) -> bool:
    """Return whether the question begins at a word: an interrogative, or a request."""
    one, before = items[place], _get_item(items, place - 1)
    if before.token is one.token or (one.folded, _get_item(items, place + 1).folded) in _NO_HEADS:
        return False
    if one.folded in _REQUESTS and one.token.is_free:  # not: to make a list, her list
        return not (before.token.is_free or before.token.marks) or before.token.is_polite or " " in before.token.said
    return bool(one.token.marks & _HEADS) or one.token.said.lower().startswith("how ")


def _list_meanings(token: Token) -> set[object]:
    """Return the values and terms of a token."""
    values: set[object] = {(name.kind, name.value) for name in token.names}
    values |= {(sense.kind, sense.name) for sense in token.senses if sense.kind not in ("free", "mark")}
    values |= {one for one in (token.period and token.period.span, token.key) if one}
    return values | ({token.said.casefold()} if token.reference else set())


def _is_talk(items: Sequence[_Item], *, core: Sequence[_Item]) -> bool:
    """Return whether words are a statement that asks for nothing and restricts nothing."""
    is_told = any(
        one.is_of("nouns", "markers", "speech", "thanks", "departments") or one.token.is_polite
        or one.state in ("subject", "new") or one.folded in _SPEAKERS | _BEING for one in items
    ) or any(one.folded.endswith("ing") and not (one.is_term or one.has_value) for one in items[:2])  # fmt: skip
    is_named = any((one.is_term or one.has_value) and not one.is_frame for one in items)
    if is_named and any(one.folded in _EXCLUDING for one in items):
        return False  # no to do; not ORBIT
    is_free = any(one.folded in _SINGULAR | {"lets", "weve"} or one.is_of("nouns", "speech") for one in items)
    is_condition = items[0].folded == "while" or (items[0].folded in ("when", "as", "if", "unless") and not is_free)
    if (
        not is_told
        or is_condition
        or any(one.is_of("scopes") or one.folded in ("them", "those", "these", "ones") for one in items)
    ):
        return False
    state: State | None = "start"
    for place in range(len(items)):
        state = state and _read_word(items, place, state=state, core=core)
    return state is not None


def _read_word(items: Sequence[_Item], place: int, *, state: State, core: Sequence[_Item]) -> State | None:
    """Return what a word of a statement is before the next one. None if it may restrict what is asked."""
    one, before, following = items[place], _get_item(items, place - 1), _get_item(items, place + 1)
    token, marks = one.token, {sense.name for sense in one.token.senses if sense.kind == "mark"}
    is_alone = "nobody" in marks and not following.folded  # an assignee: nobody
    if is_alone or (one.folded in _EXTENTS and following.folded not in ("you", "")):
        return None
    if one.state is not None:
        return state if one.state == "adverb" else one.state
    is_asker = one.is_of("departments") and (state == "start" or before.folded == "from")
    if is_asker or (one.is_of("thanks") and state != "definite"):
        return "noun"
    if one.is_of("departments"):
        return None
    if one.is_frame or (one.is_of("speech") and not one.has_value):
        return _read_frame(items, place, state=state)
    if token.number is not None or token.days is not None or one.has_value or one.is_term:
        return _read_term(items, place, state=state, core=core)
    if marks & {"more", "fewer", "than", "degree"}:
        return state if _is_claim(items, place) else None
    if marks - _SAYS_NOTHING and not _is_new(items, place, state=state):
        return None
    if token.is_known:
        is_verb = "have" in marks or any(sense.name == "asking" for sense in token.senses)
        return "object" if is_verb else state
    is_name = bool(before.folded) and token.said.lower() != token.said
    is_verb = state == "verb" and (before.folded == "to" or _get_subject(items, place) in _SINGULAR)
    is_verb |= state in ("start", "verb") and one.folded.endswith("ing")
    is_verb |= before.folded == "this" and one.folded.endswith("s")
    return None if is_name or (one.is_near_term and not is_verb) else _read_open_word(items, place, state=state)


def _is_new(items: Sequence[_Item], place: int, *, state: State) -> bool:
    """Return whether a noun of the asker is the first or a new one: my first day, coffee first, my new boss."""
    one, following = items[place], _get_item(items, place + 1)
    is_first = one.folded == "first" and (state == "new" or _get_item(items, place - 1).is_of("nouns"))
    return is_first or (one.folded == "new" and state in ("new", "definite") and not following.is_term)


def _read_term(items: Sequence[_Item], place: int, *, state: State, core: Sequence[_Item]) -> State | None:
    """Read a number, a value or a word of the model, which may only repeat the question or be said of the asker."""
    one, before = items[place], _get_item(items, place - 1)
    following = next((other for other in items[place + 1 :] if other.token is not one.token), _NONE)
    if _is_new(items, place, state=state):
        return state
    if one.token.number is not None or one.token.days is not None:
        is_soon = before.folded == "in" and _get_item(items, place - 2).is_of("nouns") and following is _NONE
        is_count = one.token.days is None and following.is_of("nouns")
        return "noun" if is_soon or is_count or following.folded in ("off", "away") else None
    is_same = _is_repeated(items, place, following=following, core=core)
    return "noun" if is_same or _is_about_speaker(items, place, state=state, following=following) else None


def _read_frame(items: Sequence[_Item], place: int, *, state: State) -> State | None:
    """Read a noun of a frame, which stands alone: neither the report generator nor, after an article, a marker."""
    one, following = items[place], _get_item(items, place + 1)
    if one.is_of("speech"):
        return "object"
    if one.is_of("markers"):
        return state
    is_compound = state == "definite" and not (following.is_plain or following.classes or following.token.is_known)
    is_compound &= following.state is None and not following.folded.endswith(("ing", "s"))
    return None if is_compound and following is not _NONE else "noun"


def _read_open_word(items: Sequence[_Item], place: int, *, state: State) -> State | None:
    """Read an unknown word by what stands before it: a verb behind a subject, an object behind a verb."""
    one, before, following = items[place], _get_item(items, place - 1), _get_item(items, place + 1)
    is_participle, is_last = one.folded.endswith("ing"), following is _NONE
    if before.folded == "this" and _PLURAL.search(one.folded):
        return "object"  # this arrives
    if state in ("new", "definite"):
        return _read_noun(items, place, state=state)
    if state == "noun":
        return "object"
    if state in ("subject", "verb"):
        is_third = state == "subject" and before.folded not in _SPEAKERS | {"they"}
        is_object = before.folded in ("do", "to") and is_participle and is_last  # we do billing
        is_cleft = following.folded in ("i", "we") and not (one.is_plain or is_participle)
        is_noun = bool(_ABSTRACT.search(one.folded)) or (bool(_PLURAL.search(one.folded)) and not is_third)
        return None if is_object or is_cleft or is_noun else "object"
    if is_participle and not is_last:
        is_noun = state == "start" and (
            (following.state == "verb" and following.folded != "to")
            or following.folded in ("has", "have", "had")
            or following.is_of("nouns")
        )  # billing is slow
        return None if is_noun else "object"
    if state == "start":
        is_order = following.folded in ("me", "us", "it") or following.state == "new"  # pardon my ignorance
        is_adjective = bool(_NO_NOUN.search(one.folded)) or (
            one.is_plain and following.is_of("nouns", "markers", "thanks")
        )
        is_order |= one.is_plain and following.is_plain and not one.folded.endswith("ing")  # go easy on me
        return "object" if is_order else state if is_adjective else None
    if state == "preposition":
        is_idiom = one.is_plain and (following.state == "preposition" or before.folded in _SPEAKERS)  # in front of
        return state if is_idiom or _NO_NOUN.search(one.folded) else None
    return state if one.is_plain or _SEEMING.fullmatch(before.folded) else None


def _read_noun(items: Sequence[_Item], place: int, *, state: State) -> State | None:
    """Read a noun behind an article: a new or possessed one restricts nothing, but as a role or a topic."""
    one, following = items[place], _get_item(items, place + 1)
    at = next(at for at in range(place, -1, -1) if items[at].state == state)  # the article
    opener, before, lead = items[at], _get_item(items, at - 1), items[: max(at - 1, 0)]
    is_open = following.state is None and (following.is_frame or not following.token.is_known)
    is_open = (is_open and following is not _NONE) or following.has("grain", "unit")
    if state == "definite":
        if one.is_plain and is_open:
            return state  # the new director
        is_asker = not at and following.is_of("speech")  # the intern wants to know
        is_place = before.folded in ("at", "by", "beside", "near") and any(
            other.is_of("nouns") or other.folded in _BEING for other in lead
        ) and not any(other.is_term for other in lead)  # fmt: skip
        return "noun" if is_asker or (is_place and not is_open) else None
    is_topic = following.is_frame and following.is_of("nouns") and not one.is_plain  # a billing question
    is_role = is_open and before.folded in ("im", "as", "am", "were", "we", "i") and not one.is_plain
    is_scope = before.state == "preposition" and not lead  # for my customer
    if (
        is_topic
        or is_role
        or is_scope
        or (opener.folded == "no" and (_PLURAL.search(one.folded) or one.folded.endswith("ing")))
    ):
        return None
    return state if one.is_plain and is_open else "noun"


def _is_repeated(items: Sequence[_Item], place: int, *, following: _Item, core: Sequence[_Item]) -> bool:
    """
    Return whether the question says it too, or asks for each of its kind, of which something is claimed.

    A day may be that of an occasion: slides for Thursday. So may one that is told of, if the question is of now.
    """
    one, before = items[place], _get_item(items, place - 1)
    meanings, period = _list_meanings(one.token), one.token.period
    said = {meaning for other in core for meaning in _list_meanings(other.token)}
    if period is not None:
        has_time = any(other.token.period or other.token.reference or other.token.kind == "sprint" for other in core)
        is_behind = before.folded == "for" and any(other.is_of("nouns") for other in items[:place])
        is_told = before.state != "preposition" and following.state != "verb" and " " not in one.token.said
        is_told = is_told and not any(one.folded in ("did", "was", "were", "had") or one.has("time") for one in core)
        is_of_noun = period.unit == "day" and (is_behind or following.is_of("nouns") or is_told)
        return has_time or is_of_noun or bool(meanings & said)
    is_subject = before.folded == "that" or before.is_of("speech", "reports")
    has_verb = "be" in following.token.marks or following.folded.endswith(("s", "ed"))
    is_each = is_subject and has_verb and _is_claim(items, place) and _lists_each(core, kind=one.token.kind or "")
    is_entity = any((sense.kind, sense.name) in said for sense in one.token.senses if sense.kind == "entity")
    if before.folded in ("my", "your", "his", "her", "our", "their") or (
        (one.is_term or one.token.kind == "type") and following.folded == "is"
    ):
        return False  # our bugs; open is anything unassigned
    is_same = bool(meanings) and any(
        meanings <= _list_meanings(other.token) and other.has("predicate") <= one.has("predicate") for other in core
    )  # "open" as a verb means what "new" does
    return is_each or is_entity or is_same


def _lists_each(core: Sequence[_Item], *, kind: str) -> bool:
    """Return whether the question asks for each of a kind: of each team, which team."""
    return any(
        first.token.marks & {"per", "which", "what"}
        and any((sense.name, sense.form) == (kind, "noun") for sense in second.token.senses)
        for first, second in pairwise(core)
    )


def _is_claim(items: Sequence[_Item], place: int) -> bool:
    """Return whether somebody says or thinks it: a rumour that ORBIT is slow."""
    lead = items[:place]
    return any(one.is_of("speech", "reports") for one in lead) and all(one.folded != "to" for one in lead)


def _is_about_speaker(items: Sequence[_Item], place: int, *, state: State, following: _Item) -> bool:
    """Return whether a term of the model is said of the asker: I spilled coffee, a long week, the sprint review."""
    one, before = items[place], _get_item(items, place - 1)
    is_act = state in ("subject", "verb") and _get_subject(items, place) in _SINGULAR
    is_act = is_act and one.has("predicate", "time", "measure")
    is_late = before.folded in ("it", "its", "this", "is") and (
        one.folded == "late" or (following is _NONE and any(sense.form == "verb" for sense in one.token.senses))
    )
    is_ours = before.folded == "our" and one.folded == "work"
    is_noun = {sense.kind for sense in one.token.senses} <= {"entity", "measure", "dimension", "grain", "unit"} and (
        following.is_of("nouns") or (state == "new" and one.has("grain", "unit"))
    )
    return not one.has_value and (is_act or is_late or is_ours or is_noun)


def _get_subject(items: Sequence[_Item], place: int) -> str:
    """Return the last subject before a place, with its verb: I, I'm, they."""
    is_subject = (one.state == "subject" or one.folded in _SINGULAR for one in items[:place])
    found = [one.folded for one, is_one in zip(items, is_subject, strict=False) if is_one]
    return found[-1] if found and found[-1] not in ("me", "my", "your", "myself") else ""


def _count_leading(items: Sequence[_Item]) -> int:
    """Count the words before the question: greetings, and reports that end where it begins ("I'd love to know")."""
    is_begun = _is_head(items, 0) and _get_item(items, 1).folded in ("did", "does", "do")  # what did people | who left
    heads = (place for place in range(1, len(items)) if _is_head(items, place) or _is_wanted(items, place))
    for head in () if is_begun else heads:
        lead = head - (items[head - 1].state == "preposition" and items[head - 1].folded not in ("about", "on", "for"))
        if lead and _is_talk(items[:lead], core=items[lead:]):
            return lead
    return next((at for at, one in enumerate(items) if not (one.is_of("markers") or one.token.is_polite)), 0)


def _is_wanted(items: Sequence[_Item], place: int) -> bool:
    """Return whether what somebody wants or asks for begins at a word: my boss is asking for | open bugs."""
    one, before = items[place], items[place - 1].folded
    if one.folded in _SPEAKERS | {"to"}:
        is_request = any((sense.kind, sense.name) == ("free", "asking") for sense in one.token.senses)
        return is_request and items[0].state in ("preposition", "start")
    is_asked = before == "for" and _get_item(items, place - 2).folded in ("asking", "asks", "asked")
    return is_asked or before in ("wants", "needs")


def _find_trailing(items: Sequence[_Item]) -> int:
    """Return where words after the question begin: "for my report", "because my boss asks", or "again"."""
    is_noun = len(items) > 1 and any(one.form == "noun" for one in items[-2].token.senses)
    is_plain = is_noun or not any(one.has("predicate", "time") for one in items)  # not: blocked again
    end = len(items) - (items[-1].folded == "again" and is_plain)
    for place in range(end - 1, 0, -1):
        one, rest = items[place], items[place:end]
        is_reason = one.state == "start" and one.folded not in ("and", "if") and _get_item(rest, 1).folded in _SPEAKERS
        is_purpose = one.folded in ("for", "before", "ahead") and len(rest) > 1 and rest[-1].is_of("nouns")
        if is_reason or is_purpose:
            return place if _is_talk(rest, core=items[:place]) else end
    return end
