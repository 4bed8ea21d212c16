"""Keys of epics that stand for the issues in them: bugs in ACCEL-1; who works on ACCEL-1."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.linking.names import NameIndex
from sprints.semantics.questions.lexicon import ASKING
from sprints.semantics.questions.tokens import Token

_INSIDE = frozenset({"in", "inside", "within", "under", "part of"})
_SUMMED = frozenset({"points", "spent_hours", "estimated_hours", "remaining_hours"})
_OF = frozenset({"of", "in", "under", "for", "from"})


def name_epics(tokens: Sequence[Token], *, index: NameIndex) -> list[Token]:
    """
    Return the tokens with the key of an epic as its name where it is asked what is in it.

    The epic itself is an issue too: status of | ACCEL-1. Other issues have no issues in them, so that all keys of a
    question must be of epics.
    """
    named = list(tokens)
    keys = [place for place, one in enumerate(tokens) if one.key]
    if not keys or any(tokens[place].key not in index.epics for place in keys) or any(map(_is_part, tokens)):
        return named
    is_inside = _stands_inside(tokens, place=keys[0]) or _has_rows(tokens, place=keys[0]) or _asks_for_sum(tokens)
    if not (is_inside or find_rows_beside_key(tokens)):
        return named
    for place in keys:
        named[place] = replace(tokens[place], key="", kind="epic", names=(index.epics[tokens[place].key],))
    return named


def find_rows_beside_key(tokens: Sequence[Token]) -> Token | None:
    """Return the noun of issues that are said to be of a named one: bugs of | X; X's | open | bugs."""
    content, place = list_beside_key(tokens)
    if place < 0:
        return None
    before, behind = content[:place], content[place + 1 :]
    adjectives = next((at for at, one in enumerate(behind) if not _has(one, "predicate")), len(behind))
    is_of = stands_behind_of(tokens, key=content[place])
    rows = (*(before[-1:] if is_of else ()), *behind[adjectives : adjectives + 1])
    return next(filter(is_rows, rows), None)


def list_beside_key(tokens: Sequence[Token]) -> tuple[list[Token], int]:
    """Return the tokens that say something, and the place of the first key among them. -1 if there is none."""
    content = [one for one in tokens if not (one.is_free or one.marks & (ASKING | {"be"}))]
    return content, next((at for at, one in enumerate(content) if one.key), -1)


def stands_behind_of(tokens: Sequence[Token], *, key: Token) -> bool:
    """Return whether a preposition before a key says that something is of it."""
    link = next((one for one in reversed(tokens) if one.end <= key.start), key)
    return link.said.lower() in _OF


def is_rows(token: Token) -> bool:
    """Return whether it names issues that others may have in them: bugs, issues. Sub-tasks are those of any issue."""
    names_issues = any((one.name, one.form) == ("issue", "noun") for one in token.senses)
    return token.said.lower().endswith("s") and not _is_part(token) and (token.kind == "type" or names_issues)


def _stands_inside(tokens: Sequence[Token], *, place: int) -> bool:
    """Return whether a key is a place or a task: what is left in | the epic | X; who works on | X."""
    at = place - 1
    while at >= 0 and (tokens[at].said.lower() == "epic" or _is_article(tokens[at])):
        at -= 1
    lead = tokens[at].said.lower() if at >= 0 else ""
    return lead in _INSIDE or (lead.startswith("work") and lead.endswith(" on"))


def _has_rows(tokens: Sequence[Token], *, place: int) -> bool:
    """Return whether issues are asked for that a key has: how many bugs does | X | have."""
    return any(map(is_rows, tokens[:place])) and any("have" in one.marks for one in tokens[place + 1 :])


def _asks_for_sum(tokens: Sequence[Token]) -> bool:
    """Return whether points or hours are asked for, of which an epic has none of its own: points of | X."""
    senses = [sense for one in tokens for sense in one.senses]
    is_sum = any(one.kind == "unit" or (one.name in _SUMMED and one.form == "noun") for one in senses)
    return is_sum and not any(one.kind == "status" for one in tokens)


def _is_part(token: Token) -> bool:
    return token.kind == "type" and token.said.lower().startswith("sub")


def _is_article(token: Token) -> bool:
    return any((one.kind, one.name) == ("free", "articles") for one in token.senses)


def _has(token: Token, kind: str) -> bool:
    return any(sense.kind == kind for sense in token.senses)
