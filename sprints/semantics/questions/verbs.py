"""Words that are verbs because of where they stand: how many bugs did ORBIT | open | and | close."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.questions.tokens import Token

_DO = frozenset({"do", "does", "did"})
_OWNERS = frozenset({"team", "person", "sprint"})


def keep_verbs(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without the adjectives of the acts behind do, does or did and their subject."""
    kept, is_behind, has_subject = list(tokens), False, False
    for place, token in enumerate(tokens):
        acts = tuple(one for one in token.senses if one.form == "verb")
        if token.said.lower() in _DO:
            is_behind, has_subject = True, False
        elif is_behind and has_subject and any(one.kind == "time" for one in acts):
            kept[place] = replace(token, senses=acts)
            is_behind = "and" in (tokens[place + 1].marks if place + 1 < len(tokens) else ())
        elif is_behind and "and" not in token.marks:
            is_subject = _is_owner(token)
            is_behind, has_subject = is_subject or token.is_free, has_subject or is_subject
    return kept


def _is_owner(token: Token) -> bool:
    """Return whether a token may be the subject: the ACCEL folks, we, each team."""
    is_entity = any(one.kind == "entity" and one.name in _OWNERS for one in token.senses)
    return is_entity or token.kind in _OWNERS or bool(token.marks & {"our", "per"})
