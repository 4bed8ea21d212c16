"""Clauses that ask for nothing: greetings, thanks and reasons beside the question."""

from collections.abc import Callable, Iterable, Sequence

import regex

from sprints.semantics.questions.tokens import Token

_CLAUSE = regex.compile(
    r"[^.!?:,;]+(?:[.!?:,;]+(?!\s|$)[^.!?:,;]*)*[.!?:,;]*\s*(?:(?:but|so|and)\s+)?", regex.IGNORECASE
)
_SAYS_NOTHING = frozenset({"be", "have", "what", "our", "mine", "this", "to", "and"})
_SPEAKERS = frozenset({"i", "you", "we", "me", "my", "us", "our"})


def set_aside(
    text: str, *, read: Callable[[str], Sequence[Token]], corrected: Callable[[str], str]
) -> tuple[str, tuple[str, ...]]:  # fmt: skip
    """
    Blank out the clauses that ask for nothing; give the text, of the same length, and what was left aside.

    Such a clause is polite, or speaks of who asks and who is asked. It holds no term, name, time or number, nothing
    that negates or compares, also with typing mistakes corrected, and does not begin with a preposition.
    """
    found = list(_CLAUSE.finditer(text))
    aside = [one for one in found if _asks_nothing(one[0], tokens=read(one[0]), again=read(corrected(one[0])))]
    if not aside or len(aside) == len(found):
        return text, ()
    for one in aside:
        text = text[: one.start()] + " " * len(one[0]) + text[one.end() :]
    return text, tuple(one[0].strip(" ,;:.!?") for one in aside)


def _asks_nothing(clause: str, *, tokens: Sequence[Token], again: Iterable[Token]) -> bool:
    if not tokens or any(not _is_empty(token) for token in tokens):
        return False
    if any(token.marks - _SAYS_NOTHING for token in again):
        return False
    has_name = any(word[:1].isupper() and word not in ("I", "I'm", "I'd") for word in clause.split()[1:])
    spoken = [word.lower() for word in regex.findall(r"\p{L}+", clause)]
    is_addressed = bool(_SPEAKERS & set(spoken)) or tokens[0].is_polite
    return is_addressed and not has_name and not tokens[0].is_preposition


def _is_empty(token: Token) -> bool:
    """Tell whether it is an unknown word, or one of the grammar that filters nothing."""
    has_value = bool(token.names or token.period or token.reference or token.key)
    has_number = any(one is not None for one in (token.number, token.days, token.top))
    return not (has_value or has_number) and all(
        sense.kind in ("free", "mark") and (sense.kind == "free" or sense.name in _SAYS_NOTHING)
        for sense in token.senses
    )
