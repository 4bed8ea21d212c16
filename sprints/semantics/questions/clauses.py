"""
Clauses that ask for nothing: greetings, thanks, and what the asker tells of himself or of the occasion.

A question begins at its interrogative or request and ends with its sentence. A statement beside it is left aside if
none of its nouns may name a part of the work. Which may is decided by how a noun is introduced, not by what it means:
one that is new ("a dentist"), of a person ("my dog") or asks something ("the intern wants to know") names none; a
definite or bare one ("the checkout", "payments") may, unless it is an occasion, a document or a role of the class
`nouns` in words.toml. One of the class `scopes` always may. Values and terms may only repeat those of the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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
_HEADS = frozenset({"which", "what", "who", "whose", "when", "how_many", "how_much", "share", "compare"})
_REQUESTS = frozenset({"show", "list", "show me", "give me", "tell me"})
_NO_HEADS = frozenset({("what", "a"), ("what", "an"), ("when", "you")})
_SAYS_NOTHING = frozenset({
    "be", "have", "past", "modal", "what", "our", "mine", "this", "to", "and", "how", "together", "last", "next",
    "locative",
})  # fmt: skip
_COMPARES = frozenset({"more", "fewer", "than", "degree", "anybody"})
_SINGULAR = frozenset({"i", "me", "my", "im", "id", "ive", "ill", "you", "your", "youre", "youd", "youve", "youll"})
_SPEAKERS = _SINGULAR | {"we", "us", "our", "lets", "weve", "were"}
_SITUATION = frozenset({"it", "its", "this", "that", "thats", "there", "theres"})
_NEW = frozenset({"a", "an", "some", "another"})
_OWN = frozenset({"my", "your", "his", "her"})
_DETERMINERS = _NEW | _OWN | {"the", "our", "their", "this", "that", "these", "those", "any"}
_PREPOSITIONS = frozenset({
    "of", "in", "on", "at", "for", "within", "during", "among", "about", "around", "regarding", "concerning", "with",
    "from", "over", "before", "after", "under", "through", "into", "ahead", "since", "to", "by", "round", "beside",
    "between", "near", "re", "wrt",
})  # fmt: skip
_OPENERS = _DETERMINERS | _PREPOSITIONS
_EXTENTS = frozenset({
    "since", "during", "after", "until", "till", "throughout", "within", "unless", "assuming", "barring", "while",
})  # fmt: skip
_CONDITIONS = frozenset({"while", "when", "as", "if"})
_HELPERS = frozenset({
    "should", "must", "might", "will", "shall", "keep", "keeps", "kept", "just", "still", "also", "even", "always",
    "never", "cant", "wont", "may", "let", "lets", "be", "surely", "already",
})  # fmt: skip
_BEING = frozenset({"am", "im", "is", "are", "was", "were", "been", "be"})
_STAYING = _BEING | {"out", "back", "away", "over", "stuck", "me", "us"}
_SEEMING = frozenset({"feel", "sound", "sounds", "seem", "seems", "look", "looks", "get", "got", "becomes"})
_LINKS = frozenset({"but", "so", "and"})
_REASONS = frozenset({"because", "cause", "cos", "as", "so", "otherwise", "or"})
_MASS = frozenset({"work", "stuff", "things", "everything", "anything", "something"})
_NOUN_KINDS = frozenset({"entity", "measure", "dimension", "grain", "unit"})
_FRAMES = frozenset({"nouns", "markers", "speech", "thanks", "departments"})


@dataclass(frozen=True, slots=True)
class _Item:
    """A word of a clause: its meaning in the question, and its classes of frame words."""

    folded: str
    start: int
    end: int
    token: Token
    classes: frozenset[str] = frozenset()
    may_be_term: bool = False
    """Whether it is unknown and perhaps a misspelt word of the model."""

    @property
    def is_unknown(self) -> bool:
        return bool(self.folded) and not self.token.is_known

    @property
    def is_opener(self) -> bool:
        return self.folded in _OPENERS and not self.token.names

    @property
    def is_noun_shaped(self) -> bool:
        """Return whether it is unknown, and ends as nouns do: integrations, translation."""
        is_plural = self.folded.endswith("s") and not self.folded.endswith(("ss", "us", "is"))
        return self.is_unknown and (is_plural or self.folded.endswith(("tion", "sion", "ment", "ity")))

    @property
    def is_ordinary(self) -> bool:
        """Return whether it is an everyday word that stands for nothing at work."""
        return self.folded in ORDINARY and not self.is_noun_shaped and "scopes" not in self.classes

    @property
    def has_value(self) -> bool:
        token = self.token
        has_number = any(one is not None for one in (token.number, token.days, token.top))
        return bool(token.names or token.period or token.reference or token.key) or has_number

    @property
    def is_term(self) -> bool:
        """Return whether it is a word of the model."""
        return any(sense.kind not in ("free", "mark") for sense in self.token.senses)

    def is_of(self, *classes: str) -> bool:
        return not self.classes.isdisjoint(classes)

    def has(self, *kinds: str) -> bool:
        return any(one.kind in kinds for one in self.token.senses)

    @property
    def is_verb(self) -> bool:
        return any(one.form == "verb" for one in self.token.senses)


_NONE = _Item("", 0, 0, Token(said="", start=0, end=0))


def set_aside(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    """Blank out clauses that ask for nothing. Returns the text at the same length, and the clauses."""
    items = _list_items(text, tokens=tokens, lexicon=lexicon)
    spans = [found.span() for found in _CLAUSE.finditer(text)]
    clauses = [[one for one in items if start <= one.start < end] for start, end in spans]
    asking = [any(_is_head(inside, place) for place in range(len(inside))) for inside in clauses]
    core = [one for inside, is_core in zip(clauses, asking, strict=True) if is_core for one in inside]
    aside: list[tuple[int, int]] = []
    for place, ((start, end), inside) in enumerate(zip(spans, clauses, strict=True)):
        is_thanks = bool(inside) and inside[0].is_of("thanks") and text[start:end].rstrip().endswith(("!", "."))
        if not inside or (is_thanks and not asking[place]) or _is_narrative(
            inside, core=[] if asking[place] else core, is_behind=any(asking[:place])
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
    found, items, place, frames = words(text), list[_Item](), 0, lexicon.frames
    longest = max(map(len, frames))
    while place < len(found):
        keys = [tuple(word.folded for word in found[place : place + size]) for size in range(longest, 0, -1)]
        key = next((key for key in keys if key in frames), keys[-1])
        first, last = found[place], found[min(place + len(key), len(found)) - 1]
        token = next((one for one in tokens if one.start <= first.start < one.end), None)
        if token is not None:
            said, classes = " ".join(key), frames.get(key, frozenset())
            is_known = (
                token.is_known
                or bool(classes)
                or (said.endswith("ing") and _get_item(items, len(items) - 1).folded in _BEING)
            )
            is_term = not is_known and _may_be_term(said, lexicon=lexicon)
            items.append(_Item(said, first.start, last.end, token, classes, is_term))
        place += len(key)
    return items


def _get_item(items: Sequence[_Item], place: int) -> _Item:
    """Return the item at a place, or one without a word."""
    return items[place] if 0 <= place < len(items) else _NONE


def _may_be_term(word: str, *, lexicon: Lexicon) -> bool:
    if word in ORDINARY or not (word.isascii() and word.isalpha()):
        return False
    near = find_candidates(word, lexicon=lexicon)
    return any(cost <= LACKING and not lexicon.is_closed(one.partition(" ")[0]) for one, cost in near.items())


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


def _is_narrative(items: Sequence[_Item], *, core: Sequence[_Item], is_behind: bool = False) -> bool:
    """Return whether words are a statement that asks for nothing and restricts nothing."""
    while len(items) > 1 and items[-1].folded in _LINKS:
        items = items[:-1]
    return _is_statement(items, is_behind=is_behind) and all(
        not _sets_scope(items, place) and _is_harmless(items, place, core=core) for place in range(len(items))
    )


def _is_statement(items: Sequence[_Item], *, is_behind: bool) -> bool:
    """Return whether it has a subject of its own, or is said to the reader. Behind the question it may continue it."""
    if any(one.is_of(*_FRAMES) or one.token.is_polite or one.folded.partition(" ")[0] in _SPEAKERS for one in items):
        return True
    first, second = _get_item(items, 0), _get_item(items, 1)
    has_subject = first.folded in _NEW | _OWN | _SITUATION - {"that"} or second.folded in _HELPERS
    is_participle = first.folded.endswith("ing") and not (first.is_term or first.has_value)
    return len(items) > 1 and not is_behind and (has_subject or is_participle)


def _sets_scope(items: Sequence[_Item], place: int) -> bool:
    """Return whether a word says what the question is about, or when: I run payments, during my holiday."""
    one, following = items[place], _get_item(items, place + 1).folded
    is_edge = one.folded in _EXTENTS - {"while"} or (one.folded in _CONDITIONS and not place)
    harmless = {"you", "youre", ""} | (set() if one.folded in _EXTENTS else {"a", "an"} | _SITUATION)
    is_limited = is_edge and following not in harmless
    return one.is_of("scopes") or one.folded == "ones" or is_limited or _is_bare_noun(items, place)


def _is_bare_noun(items: Sequence[_Item], place: int) -> bool:
    """Return whether an unknown word stands where a noun without an article does: we launched checkout."""
    one, before, following = items[place], _get_item(items, place - 1), _get_item(items, place + 1).folded
    if not one.is_unknown or one.classes or one.is_ordinary or one.folded in _SPEAKERS | _OPENERS | _HELPERS:
        return False
    is_verb = (before.is_unknown and not (before.classes or before.is_opener)) or before.is_verb
    if before.token.is_free and "do" in before.token.said.lower().split():
        return True  # we do billing
    if before.folded in _SITUATION | {"im"} or "be" in before.token.marks:
        return one.is_noun_shaped or following in _SPEAKERS  # it's checkout I want
    if one.folded.endswith(("ing", "ed", "ly", "nt")):
        is_object = not following and is_verb and _get_item(items, place - 2).folded in _SPEAKERS  # we maintain billing
        return one.folded.endswith("ing") and (is_object or following in ("question", "questions", "thing"))
    if not place:
        return following not in _NEW | _OWN  # pardon my ignorance
    if "have" in before.token.marks or before.is_of("speech"):
        return True
    if not is_verb or before.folded in _HELPERS | _SEEMING | _SPEAKERS or before.folded.endswith(("ly", "nt")):
        return False
    subject = _get_item(items, place - 2)
    return not subject.is_opener or subject.folded == "to"


def _is_harmless(items: Sequence[_Item], place: int, *, core: Sequence[_Item]) -> bool:
    """Return whether a word of a narrative restricts nothing that is asked."""
    one, before = items[place], _get_item(items, place - 1)
    following = next((other for other in items[place + 1 :] if other.token is not one.token), _NONE)
    token = one.token
    if _is_frame_word(one, before=before):
        return True
    if one.is_of("departments"):
        return before.folded in _LINKS | _REASONS | {"", "from"}
    if one.is_opener and not token.period:
        return _names_no_part(items, place)
    if one.folded == "no" or token.marks & {"not", "nobody"}:
        return _negates_nothing(items, place)
    if token.days is not None or token.number is not None:
        is_soon = before.folded == "in" and _get_item(items, place - 2).is_of("nouns") and following is _NONE
        return is_soon or following.folded in ("off", "away") or (token.days is None and following.is_of("nouns"))
    if one.has_value or one.is_term:
        return _is_repeated(items, place, following=following, core=core) or _is_about_speaker(
            items, place, following=following
        )
    if token.marks & _COMPARES:
        return _is_claim(items, place)
    is_name = bool(before.folded) and one.is_unknown and token.said.lower() != token.said
    marks = {sense.name for sense in token.senses if sense.kind != "free"}
    return not one.may_be_term and marks <= _SAYS_NOTHING and (
        not is_name or bool(one.classes) or one.folded in _SPEAKERS
    )  # fmt: skip


def _is_frame_word(one: _Item, *, before: _Item) -> bool:
    """Return whether it is of a frame: a marker, a noun of one, a verb of knowing; not the time of lead | time."""
    if one.is_of("markers") and (" " in one.folded or not before.is_opener):
        return True
    is_part = one.is_term and one.token.said.lower() != one.folded
    is_order = one.folded == "first" and (before.is_of("nouns") or before.folded in _OWN)  # coffee first, my first day
    return not (one.token.names or one.token.period or is_part) and (
        one.is_of("nouns", "speech") or is_order or one.folded == "just"
    )


def _is_repeated(items: Sequence[_Item], place: int, *, following: _Item, core: Sequence[_Item]) -> bool:
    """
    Return whether the question says it too, or asks for each of its kind, of which something is claimed.

    A day may be that of an occasion: slides for Thursday. A longer period may be meant for the question.
    """
    one, before = items[place], _get_item(items, place - 1)
    meanings, period = _list_meanings(one.token), one.token.period
    said = {meaning for other in core for meaning in _list_meanings(other.token)}
    if period is not None:
        has_time = any(other.token.period or other.token.reference or other.token.kind == "sprint" for other in core)
        is_behind = before.folded == "for" and any(other.is_of("nouns") for other in items[:place])
        is_of_noun = period.unit == "day" and (is_behind or following.is_of("nouns"))
        return has_time or is_of_noun or bool(meanings & said)
    is_subject = before.folded == "that" or before.is_of("speech", "reports")
    has_verb = "be" in following.token.marks or following.is_verb or following.folded.endswith(("s", "ed"))
    is_each = is_subject and has_verb and _is_claim(items, place) and _lists_each(core, kind=one.token.kind or "")
    is_entity = any((sense.kind, sense.name) in said for sense in one.token.senses if sense.kind == "entity")
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


def _is_about_speaker(items: Sequence[_Item], place: int, *, following: _Item) -> bool:
    """Return whether a term of the model is said of the asker: I spilled coffee, our work, the sprint review."""
    one, before = items[place], _get_item(items, place - 1)
    is_act = before.folded in ("i", "im", "ive") and one.is_verb
    is_state = before.folded == "im" and one.has("predicate", "time")  # I'm new here
    is_ours = before.folded in _SPEAKERS and one.folded in _MASS
    is_late = before.folded in ("it", "its", "this") and (one.folded == "late" or (one.is_verb and following is _NONE))
    is_noun = {sense.kind for sense in one.token.senses} <= _NOUN_KINDS and (
        following.is_of("nouns") or (before.folded in ("a", "an") and one.has("grain", "unit"))
    )
    is_new = one.folded == "new" and following.is_unknown and not following.is_opener
    return bool(before.folded) and not one.has_value and (is_act or is_state or is_ours or is_late or is_noun or is_new)


def _names_no_part(items: Sequence[_Item], place: int) -> bool:
    """Return whether the noun behind an article or a preposition stands for nothing at work."""
    opener, before, run = items[place].folded, _get_item(items, place - 1), list[_Item]()
    for one in items[place + 1 :]:
        is_word = one.is_unknown or bool(one.classes or one.token.period) or one.folded == "new"
        if one.is_opener or not (is_word or one.has("predicate")):
            break
        run.append(one)
    following = _get_item(items, place + 1 + len(run))
    if not run:
        is_meant = following.is_term or bool(following.token.names)
        is_theirs = opener in _OWN | {"our", "their"} and is_meant and not following.is_opener
        return not is_theirs or _is_about_speaker(items, place + 1, following=_get_item(items, place + 2))
    is_presented = opener == "this" and bool(before.token.marks & {"be", "have"})  # there was this rumour
    is_other = run[0].folded == "others" and _is_claim(items, place)
    if run[0].token.period or run[0].folded in _HELPERS or is_other or _is_frame_noun(run):
        return True
    if opener == "to":  # to settle an argument, forgot to write it down, a train to catch
        return run[0].is_of("speech") or before.is_of(*_FRAMES) or following.folded in _DETERMINERS | _SPEAKERS
    is_place = before.folded in _PREPOSITIONS
    lead = items[: place - 1] if is_place else items[:place]
    is_first = all(one.token.is_free or one.folded in _LINKS or one.is_of("markers") for one in lead)
    if opener in _PREPOSITIONS:
        is_asking = run[0].is_of("speech") and run[0].folded.endswith("ing")
        is_asker = opener == "from" and run[0].is_of("departments")
        return is_asking or is_asker or (run[0].is_ordinary and before.folded in _SPEAKERS)
    if opener in _NEW | _OWN or is_presented:
        is_role = before.folded in ("im", "i", "as", "am", "were") and len(run) > 1
        head = next((at for at, one in enumerate(run) if one.is_of("nouns")), 0)
        is_of_topic = any(not (one.is_ordinary or one.classes) for one in run[:head])  # a billing question
        return not ((is_first and is_place) or is_of_topic or is_role)
    where = _get_item(items, place - 2)
    if before.folded in ("at", "by", "beside", "near") and len(run) == 1:
        return where.is_of("nouns") or where.folded in _STAYING
    if before.folded == "in" and len(run) == 1:
        return where.folded in ("me", "us")  # asked me in the corridor
    nouns = [one for one in run if one.folded not in ("new", "old", "other", "big")]
    return is_first and _get_item(nouns, 1).is_of("speech")


def _is_frame_noun(run: Sequence[_Item]) -> bool:
    """Return whether a noun is of a frame, alone: neither the checkout report nor the report generator."""
    place = next((place for place, one in enumerate(run) if one.is_of("nouns", "markers")), len(run))
    behind = _get_item(run, place + 1)
    is_free = behind.is_ordinary or bool(behind.classes) or behind.folded.endswith(("ing", "ed", "ly", "nt", "s"))
    is_alone = is_free or not behind.is_unknown
    return place < len(run) and is_alone and all(one.is_ordinary or one.classes for one in run[:place])


def _negates_nothing(items: Sequence[_Item], place: int) -> bool:
    """Return whether a negation is of knowing, or of what the asker does: I haven't slept, no expert."""
    one, following = items[place], _get_item(items, place + 1)
    if "nobody" in one.token.marks:
        return any(other.is_of("speech") for other in items[place + 1 :])
    is_ours = any(other.folded in _SINGULAR for other in items[:place]) and (
        following.is_unknown and not following.is_opener
    )
    if one.folded == "no":
        return is_ours and not following.folded.endswith("s")
    return is_ours or any(other.is_of("speech", "markers", "nouns") for other in items[place + 1 : place + 4])


def _count_leading(items: Sequence[_Item]) -> int:
    """Count the words before the question: greetings, and reports that end where it begins ("I'd love to know")."""
    for head in (place for place in range(1, len(items)) if _is_head(items, place) or _is_wanted(items, place)):
        lead = head - (items[head - 1].folded in _PREPOSITIONS - {"about", "on", "for"})  # in which sprint
        if lead and _is_narrative(items[:lead], core=items[lead:]):
            return lead
    return next((at for at, one in enumerate(items) if not (one.is_of("markers") or one.token.is_polite)), 0)


def _is_wanted(items: Sequence[_Item], place: int) -> bool:
    """Return whether what somebody wants or asks for begins at a word: my boss is asking for | open bugs."""
    one, before = items[place], items[place - 1].folded
    if one.folded in _SPEAKERS | {"to"}:
        is_request = any((sense.kind, sense.name) == ("free", "asking") for sense in one.token.senses)
        return is_request and items[0].folded in _PREPOSITIONS | {"as"}
    is_asked = before == "for" and _get_item(items, place - 2).folded in ("asking", "asks", "asked")
    return is_asked or before in ("wants", "needs")


def _find_trailing(items: Sequence[_Item]) -> int:
    """Return where words after the question begin: "for my report", "because my boss asks", or "again"."""
    is_noun = len(items) > 1 and any(one.form == "noun" for one in items[-2].token.senses)
    is_plain = is_noun or not any(one.has("predicate", "time") for one in items)  # not: blocked again
    end = len(items) - (items[-1].folded == "again" and is_plain)
    for place in range(end - 1, 0, -1):
        one, rest = items[place].folded, items[place:end]
        is_reason = one in _REASONS and _get_item(rest, 1).folded in _SPEAKERS
        is_purpose = one in ("for", "before", "ahead") and len(rest) > 1 and rest[-1].is_of("nouns")
        if is_reason or is_purpose:
            return place if _is_narrative(rest, core=items[:place]) else end
    return end
