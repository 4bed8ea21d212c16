"""
Rules for what became of issues in sprints: carried from one into the next, done since, not done in their sprint.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py.
"""

from dataclasses import replace

from sprints.linking.names import sprint_numbers
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import Found, Phrase, Rule, is_sprints, look_at, phrase_at
from sprints.semantics.questions.tense import find_verb


def _names(phrase: Phrase, name: str) -> bool:
    return phrase.kind == "term" and any(sense.name == name for sense in phrase.senses)


def read_carried_between(phrases: list[Phrase], *, place: int) -> Found:
    """Read what was carried from a sprint into the next one as carried over from it. Into a later one has no place."""
    first, to, second = look_at(phrases, place=place, size=3)
    is_pair = is_sprints(first) and is_sprints(second) and not first.edge and not second.edge
    if not (is_pair and to.marks == {"to"} and any(_names(one, "carried_over") for one in phrases[:place])):
        return None
    return ([first], 3) if _list_next(first) == _list_next(second, step=0) else None


def _list_next(phrase: Phrase, *, step: int = 1) -> set[tuple[str, int]]:
    """Return the sprints of a phrase, or those so many behind them, by team and number."""
    return {(str(name.team_id), number + step) for name in phrase.names for number in sprint_numbers(name.text)}


def read_done_since(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is done by now as the state of issues, of those that a sprint carried over: carried over | are done."""
    first = phrases[place]
    is_done = _names(first, "done") and _names(first, "completed")
    is_carried = any(_names(one, "carried_over") and one is not first for one in phrases)
    if not (is_done and is_carried) or find_verb(phrases, place=place) not in ("is", "are"):
        return None
    return [replace(first, senses=(Sense("predicate", "done", "adjective"),))], 1


def read_own_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read the sprint of committed issues as each one that is closed: committed bugs | not done in | their sprint."""
    noun = phrases[place]
    is_own = noun.kind == "term" and noun.has_entity("sprint") and noun.is_owned and not noun.is_plural
    is_told = any(_names(one, "committed") for one in phrases[:place]) and any(
        _names(one, "completed") for one in phrases[:place]
    )
    if not (is_own and is_told):
        return None
    if phrase_at(phrases, place=place + 1) or any(one.name_kind == "team" for one in phrases):
        return [replace(noun, kind="unknown", senses=())], 1  # that of the issues, or of the team
    said = f"their {noun.said}, of those that are closed"
    return [replace(noun, kind="sprints", senses=(), predicate="sprint_closed", said=said)], 1


SPRINT_EVENTS: tuple[Rule, ...] = (read_carried_between, read_done_since, read_own_sprint)
