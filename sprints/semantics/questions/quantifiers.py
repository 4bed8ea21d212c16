"""Quantifiers beside words: both, all, and totals of what follows."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.tokens import Token

_TOTALS = frozenset({"total", "total of", "sum", "sum of", "overall"})  # of what follows
_ASKS_NUMBER = frozenset({"how_many", "how_much", "share", "average", "median", "per"})
_DETERMINERS = frozenset({"articles", "pronouns"})


def count_totals(tokens: Sequence[Token]) -> Sequence[Token]:
    """Read a total of rows as their number: the total | open bugs. That of a measure is its sum."""
    if any(one.marks & _ASKS_NUMBER for one in tokens):
        return tokens
    counted = list(tokens)
    for place, token in enumerate(tokens):
        rest = [one for one in tokens[place + 1 :] if not one.is_free]
        at = next((n for n, one in enumerate(rest) if one.kind == "type" or _has(one, "entity")), len(rest))
        is_rows = at < len(rest) and all(one.names or _is_state(one) for one in rest[:at])
        if "total" in token.marks and token.said.lower() in _TOTALS and is_rows:
            counted[place] = replace(token, senses=(Sense("mark", "how_many", "word"),))
    return counted


def find_quantifier(before: Sequence[Token], *, following: Sequence[Token]) -> str:
    """Return "both", "all" or "total" beside a word: all | of | their | stories; bugs | in total. Empty if not said."""
    if any("total" in one.marks and one.said.lower() not in _TOTALS for one in following):
        return "all"
    lead = next((one for one in reversed(before) if not (one.is_preposition or _is_determiner(one))), None)
    if lead and "total" in lead.marks and lead.said.lower() in _TOTALS:
        return "total"
    for token in reversed(before):
        if token.said.lower() in ("both", "all"):
            return token.said.lower()
        if not _is_determiner(token):
            break
    return ""


def _is_determiner(token: Token) -> bool:
    return any(one.kind == "free" and one.name in _DETERMINERS for one in token.senses)


def _is_state(token: Token) -> bool:
    return _has(token, "predicate") and not any(one.kind == "dimension" and one.form == "noun" for one in token.senses)


def _has(token: Token, kind: str) -> bool:
    return any(sense.kind == kind for sense in token.senses)
