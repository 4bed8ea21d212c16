"""Quantifiers beside words: both, all, totals of what follows, none of what is asked for, and so many of somebody."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.tokens import Token

_TOTALS = frozenset({"total", "total of", "sum", "sum of", "overall"})  # of what follows
_ASKS_NUMBER = frozenset({"how_many", "how_much", "share", "average", "median", "per"})
_DETERMINERS = frozenset({"articles", "pronouns"})
_DENIALS = frozenset({"without", "not", "nobody", "nothing"})
_OF_EXISTENCE = frozenset({"be", "have", "past", "our"})
_OWNING = frozenset({"has", "have", "had", "do", "does", "did"})
_PEOPLE = (Sense("entity", "person", "noun", is_plural=True), Sense("measure", "people", "noun", is_plural=True))
_ANY = frozenset({"a", "an", "any", "a single"})


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


def affirm_existence(tokens: Sequence[Token]) -> Sequence[Token]:
    """
    Read whether there are none as whether there are any: is there | no | p0 bug; there | aren't | any; has ORBIT | no.

    Any other denial of it finds no place: what is none of one kind is not what is of the others.
    """
    denied = [at for at, one in enumerate(tokens) if one.marks & _DENIALS]
    if not denied:
        return tokens
    at = denied[0]
    there = next((n for n, one in enumerate(tokens[:at]) if one.said.lower() == "there"), -1)
    token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
    is_owned = at and tokens[0].said.lower() in _OWNING and token.said.lower() == "no"
    is_relative = any(one.said.lower() in ("that", "which", "who") for one in tokens[max(there, 0) : at])
    is_said = (there >= 0 or is_owned) and not is_relative  # are there | that | aren't | blocked
    if not (is_said and all(map(_tells_of_existence, tokens[max(there, 0) : at]))):
        return tokens
    is_no, is_not_any = token.said.lower() == "no", "not" in token.marks and following.said.lower() in _ANY
    is_second = any(tokens[other - 1].marks & {"and", "or"} for other in denied[1:])
    if is_second or not (is_no or is_not_any) or not all(map(_tells_of_existence, tokens[:at])):
        return [*tokens[:at], replace(token, senses=()), *tokens[at + 1 :]]
    any_of = [replace(token, said="any", senses=(Sense("free", "articles", "word"),))] if is_no else []
    return [*tokens[:at], *any_of, *tokens[at + 1 :]]


def name_people(tokens: Sequence[Token]) -> Sequence[Token]:
    """Name those as people who have or do something with rows: how many of | us | have; how many of ORBIT | closed."""
    at = next((n + 1 for n, one in enumerate(tokens) if one.marks & {"how_many", "which", "share"}), 0)
    if at and "which" in tokens[at - 1].marks and not any(one.said.lower() == "of" for one in tokens[at : at + 1]):
        return tokens  # the sprint in which | ORBIT | closed
    end = at
    while 0 < end < len(tokens) and _tells_whose(tokens[end]):
        end += 1
    whose, rest = tokens[at:end], tokens[end:]
    ours = next((one for one in whose if one.said.lower() == "us"), None)
    verb = next((one for one in rest if not one.is_free), None)
    does = verb is not None and (bool({"have"} & verb.marks) or any(one.form == "verb" for one in verb.senses))
    does = does or (bool(rest[1:]) and "be" in rest[0].marks and rest[1].said.lower().split()[0].endswith("ing"))
    is_of_rows = any("be" in one.marks for one in rest[1:]) or any("'" in one.said for one in whose)
    does = does and not (is_of_rows or "share" in tokens[at - 1].marks)  # of ORBIT's | resolved | bugs | were
    has_rows = any(one.kind == "type" or any(sense.name == "issue" for sense in one.senses) for one in rest)
    if not (ours or (does and has_rows and any(one.kind == "team" for one in whose))):
        return tokens
    lead, is_share = ours or tokens[at - 1], "share" in tokens[at - 1].marks  # of people nothing says a share
    people = Token(said=lead.said, start=lead.start, end=lead.end, senses=() if is_share else _PEOPLE)
    return [*tokens[:at], people, *(one for one in whose if one is not ours), *rest]


def _tells_whose(token: Token) -> bool:
    return token.kind == "team" or token.is_preposition or token.said.lower() in ("us", "from", "and", "or")


def _tells_of_existence(token: Token) -> bool:
    """Return whether it may stand in a question whether there is something: are there in ORBIT; have we."""
    is_whose = token.kind in ("team", "person", "sprint") or bool(token.reference or token.period)
    return is_whose or token.is_free or bool(token.marks and token.marks <= _OF_EXISTENCE)


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
