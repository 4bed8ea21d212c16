"""
Constructions whose words are known, but which no query says as a whole: each is asked back, with its words.

A reading that would drop one of the words, or give it to another, looks certain and is wrong.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import regex

from sprints.semantics.questions.tokens import DASH, YES_OR_NO, Token

_SENTENCE = regex.compile(r"(?<=[.!?])\s+(?=\S)")
_EVERYBODY = frozenset({"everyone", "everybody", "everything", "each person", "every person"})
_OBJECTS = frozenset({"her", "him", "hers"})
_LEADS_TO_PERSON = frozenset({"to", "by", "for", "with", "on"})
_CARRIES = frozenset({"carry", "carries", "carrying", "take", "takes", "took", "taking", "bring", "brought"})
_SINGLE_VALUED = frozenset({"team", "sprint", "status", "priority", "person"})
_CLAUSE = frozenset({"predicate", "time", "measure"})
_ROWS = frozenset({"them", "it", "this", "these", "those"})
_BEFORE_CLAUSES = frozenset({"with", "having", "that", "which", "who", "whose"})
_LEADS_TO_DAYS = frozenset({"in", "on", "from", "since", "before", "after", "until", "till", "by", "between"})


def find_unreadable(text: str, *, tokens: Sequence[Token]) -> str:
    """Return the words of the first such construction. Empty if there is none."""
    readers: tuple[Callable[[Sequence[Token]], str], ...] = (
        _find_object_pronoun, _find_both, _find_changed_property, _find_idiom, _find_universal, _find_carried_into,
        _find_arrival, _find_blocked, _find_teammates, _find_broken_span,
    )  # fmt: skip
    found = next((said for read in readers if (said := read(tokens))), "") or _find_other_sentence(text, tokens=tokens)
    return found or _find_dashed_states(text, tokens=tokens)


def find_dangling(tokens: Sequence[Token]) -> str:
    """
    Return a word that leads to nothing. Empty if there is none.

    A preposition before another one: open | during | in 2025; as | of sprint 5. An auxiliary at the end: which teams |
    did. What somebody did without another verb may be finished or worked on: what did Levi | do | in sprint 8.
    """
    for token, following in pairwise(tokens):
        lead, said = token.said.lower(), following.said.lower()
        is_edge = following.is_preposition or (following.period is not None and said.split()[0] in _LEADS_TO_DAYS)
        if (lead == "during" and is_edge) or (lead, said) == ("as", "of"):
            return f"{token.said} {following.said}"
    last = tokens[-1].said if tokens[1:] else ""
    asked = next((at for at, one in enumerate(tokens) if one.said.lower() == "did"), len(tokens))
    is_what = any("what" in one.marks for one in tokens[:asked]) and not any(one.period for one in tokens)
    act = next((one.said for one in tokens[asked + 1 :] if is_what and one.said.lower() == "do"), "")
    return last if last.lower() in ("do", "does", "did") else act


def find_recipient(tokens: Sequence[Token]) -> str:
    """Return the verb of what a person is to get, or knows: give them to Levi; tell Zoë; does Zoë know."""
    first, following = tokens[0], tokens[1] if tokens[1:] else tokens[0]
    is_verb = any((one.kind, one.name) == ("free", "asking") or one.form == "verb" for one in first.senses)
    is_order = is_verb and (following.said.lower() in _ROWS or following.kind == "person")
    knows = next((one.said for one in tokens if one.said.lower() in ("know", "knows")), "")
    is_of_person = any(one.kind == "person" for one in tokens)
    return (first.said if is_order else knows) if is_of_person else ""


def find_unnamed_team(tokens: Sequence[Token]) -> str:
    """Return the words that stand for one team which nothing names: what did | the team | finish. Empty if none do."""
    if any(token.kind == "team" for token in tokens):
        return ""
    for article, noun in pairwise(tokens):
        is_one = any((one.kind, one.name, one.is_plural) == ("entity", "team", False) for one in noun.senses)
        following = next((one for one in tokens if one.start >= noun.end), None)
        is_told = following is not None and following.said.lower() in _BEFORE_CLAUSES
        if is_one and article.said.lower() in ("the", "our") and not is_told:
            return f"{article.said} {noun.said}"
    return ""


def _find_object_pronoun(tokens: Sequence[Token]) -> str:
    """Find a pronoun that is the object of a preposition: assigned to | her."""
    for before, token in pairwise(tokens):
        following = next((one for one in tokens if one.start > token.start), None)
        is_object = token.said.lower() in _OBJECTS and before.said.lower().split()[-1] in _LEADS_TO_PERSON
        if is_object and not (following is not None and _has(following, "entity", "measure", "dimension", form="noun")):
            return f"{before.said} {token.said}"
    return ""


def _find_both(tokens: Sequence[Token]) -> str:
    """Find both of two values of which a row has one: in both | ACCEL and ORBIT."""
    for place, token in enumerate(tokens):
        behind = [one for one in tokens[place + 1 :] if not (one.is_free or one.marks)]
        is_both = token.said.lower() == "both" and bool(behind)
        if is_both and behind[0].kind in _SINGLE_VALUED and any("and" in one.marks for one in tokens[place:]):
            return f"{token.said} {behind[0].said}"
    return ""


def _find_changed_property(tokens: Sequence[Token]) -> str:
    """Find a property that was changed, of which only the last change of all is known: changed | priority."""
    content = [
        one
        for one in tokens
        if not one.is_free and not (one.marks and one.marks <= {"be", "have", "do", "past", "not"})
    ]
    is_timed = any(one.period for one in tokens)
    for first, second in pairwise(content):
        verb, noun = (first, second) if _names(first, "updated", form="verb") else (second, first)
        is_change = _names(verb, "updated", form="verb") or (_names(verb, "created", form="verb") and verb is second)
        is_property = _has(noun, "dimension", form="noun") and not _has(noun, "entity", "predicate")
        is_property = is_property and not (noun is first and _names(noun, "story_points"))  # whose estimate changed
        is_property = is_property and not (noun.said.lower() == "status" and is_timed)  # a move in a time
        if is_change and is_property and not noun.names and not _has(verb, "entity", "predicate"):
            return f"{first.said} {second.said}"
    return ""


def _find_idiom(tokens: Sequence[Token]) -> str:
    """Find idioms with "to do" and "nobody": nothing to do | with; nobody | with. Who has nothing to do is none."""
    if len(tokens) > 2 and "have" in tokens[-3].marks:  # noqa: PLR2004 - has | nothing | to do
        return ""
    for place, token in enumerate(tokens[:-1]):
        following = tokens[place + 1]
        is_to_do = _names(token, "to_do") and token.said.lower() == "to do"
        before = tokens[place - 1] if place else token
        if is_to_do and (following.said.lower() == "with" or before.said.lower() == "nothing"):
            return f"{token.said} {following.said}" if following.said.lower() == "with" else f"nothing {token.said}"
        if token.marks & {"nobody"} and following.said.lower() == "with":
            return f"{token.said} {following.said}"
    if len(tokens) > 1 and tokens[-2].said.lower() == "nothing" and _names(tokens[-1], "to_do"):
        return f"nothing {tokens[-1].said}"
    return ""


def _find_universal(tokens: Sequence[Token]) -> str:
    """Find what is asked of all: does everyone have; is everything done; which sprints completed everything."""
    said = next((token.said for token in tokens if token.said.lower() in _EVERYBODY), "")
    is_yes_or_no = bool(tokens) and tokens[0].said.lower() in YES_OR_NO
    is_which = any(token.marks & {"which", "who"} for token in tokens)
    return said if is_yes_or_no or (is_which and said.lower() == "everything") else ""


def _find_carried_into(tokens: Sequence[Token]) -> str:
    """Find what was carried or taken into a sprint, as opposed to what is in it."""
    for place, token in enumerate(tokens):
        into = next((one for one in tokens[place + 1 :] if one.said.lower() in ("into", "onto")), None)
        if into is not None and "have" in token.marks and token.said.lower() in _CARRIES:
            return f"{token.said} {into.said}"
    return ""


def _find_arrival(tokens: Sequence[Token]) -> str:
    """Find an arrival in a status, which is a move and no creation: arrived | in | QA."""
    content = [one for one in tokens if not one.is_free]
    for first, second in pairwise(content):
        is_created = _names(first, "created", form="verb") and not _has(first, "predicate")
        if is_created and second.kind == "status":
            return f"{first.said} in {second.said}"
    return ""


def _find_blocked(tokens: Sequence[Token]) -> str:
    """Find which issues a named one holds up: which does | X | block. Its links are listed by the issue itself."""
    is_which = any("which" in one.marks for one in tokens)
    return next((f"{one.said} {verb.said}" for one, verb in pairwise(tokens)
                 if is_which and one.key and _names(verb, "blocking")), "")  # fmt: skip


def _find_teammates(tokens: Sequence[Token]) -> str:
    """Find people by another person: teammates | of | Priya."""
    for first, link, second in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_of = link.said.lower() == "of" and second.kind == "person"
        if is_of and any((one.kind, one.name) == ("entity", "person") for one in first.senses):
            return f"{first.said} {link.said} {second.said}"
    return ""


def _find_broken_span(tokens: Sequence[Token]) -> str:
    """Find a span that ends where none of the model does: from | creation | to | Code Review."""
    content = [one for one in tokens if not one.is_free or one.said.lower() == "from"]
    moves = [one for one in content if _names(one, "status_changed", form="verb") or "move" in one.marks]
    for first, begin, to, end in zip(content, content[1:], content[2:], content[3:], strict=False):
        if any(one.start < first.start for one in moves):
            break
        is_span = first.said.lower() == "from" and to.said.lower() in ("to", "until", "till")
        is_begun = begin.said.lower() in ("creation", "start") or begin.kind == "status"
        if is_span and is_begun and (end.kind == "status" or begin.kind == "status"):
            return f"{first.said} {begin.said} {to.said} {end.said}"
    return ""


def _find_dashed_states(text: str, *, tokens: Sequence[Token]) -> str:
    """Find two states that a dash parts, between which others may lie: QA | - | Done."""
    for first, second in pairwise(tokens):
        are_states = all(one.kind == "status" or _has(one, "predicate") for one in (first, second))
        if are_states and DASH.fullmatch(text[first.end : second.start]):
            return text[first.start : second.end]
    return ""


def _find_other_sentence(text: str, *, tokens: Sequence[Token]) -> str:
    """Find what is said in another sentence than the question's, and may not be meant of it: The p0 bugs are closed."""
    starts = [0, *(found.end() for found in _SENTENCE.finditer(text))]
    if len(starts) == 1:
        return ""
    sentences = [
        [token for token in tokens if begin <= token.start < end]
        for begin, end in zip(starts, [*starts[1:], len(text) + 1], strict=True)
    ]
    asking = [place for place, one in enumerate(sentences) if any(_asks(token) for token in one)]
    question = asking[-1] if asking else len(sentences) - 1
    for place, sentence in enumerate(sentences):
        if place != question and (said := next((one.said for one in sentence if _tells(one)), "")):
            return said
    return ""


def _asks(token: Token) -> bool:
    return bool(token.marks & {"which", "what", "who", "when", "how_many", "how_much", "how_long", "share"}) or any(
        sense.name == "asking" for sense in token.senses
    )


def _tells(token: Token) -> bool:
    """Return whether it says more than whose rows are meant."""
    return token.period is not None or token.number is not None or any(one.kind in _CLAUSE for one in token.senses)


def _has(token: Token, *kinds: str, form: str = "") -> bool:
    return any(sense.kind in kinds and (not form or sense.form == form) for sense in token.senses)


def _names(token: Token, name: str, *, form: str = "") -> bool:
    return any(sense.name == name and (not form or sense.form == form) for sense in token.senses)
