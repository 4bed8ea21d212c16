"""
Rules for whose turn it is in time: the sprint that ended last or ends next, the longest one, what is due next.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py.
"""

from dataclasses import replace

from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import NOTHING, Found, Phrase, Rule, degree_of

_ISSUE = (Sense("entity", "issue", "noun"), Sense("measure", "issues", "noun"))
_SPRINT = (Sense("entity", "sprint", "noun"), Sense("dimension", "sprint", "noun"))
_LENGTH = (Sense("measure", "sprint_length", "noun"),)
_STARTS = frozenset({"sprint_started", "sprint_start"})
_ENDS = frozenset({"sprint_ends", "sprint_closed", "sprint_end"})
_BESIDE = frozenset({"which", "what", "be", "have", "our", "lasted"})
_STATES = frozenset({"sprint_closed", "sprint_active"})


def split_sprint_date(phrases: list[Phrase], *, place: int) -> Found:
    """Read the noun and the verb of what is spelt like the date of a sprint: which | sprint ends | next."""
    first = phrases[place]
    names = {one.name for one in first.senses}
    before = [one for one in phrases[:place] if one.name_kind != "team"][-1:]
    is_asked = bool(before) and bool(before[0].marks & {"which", "what"})
    noun, _, act = first.said.partition(" ")
    if not (is_asked and names & {"sprint_start", "sprint_end"} and act.endswith("s")):
        return None
    sprint = replace(first, senses=_SPRINT, said=noun, is_plural=False)
    return [sprint, replace(first, said=act, start=first.start + len(noun) + 1)], 1


def read_turn_of_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read which sprint started or ended last or first, or ends next, as a rank: which | sprint | ended | last."""
    noun, rest = phrases[place], phrases[place + 1 :]
    if noun.kind != "term" or not noun.has_entity("sprint"):
        return None
    act = next((one for one in rest if _find_names(one) & (_STARTS | _ENDS)), NOTHING)
    turn = next((_find_turn(one) for one in rest if _find_turn(one)), "")
    teams = [one for one in phrases if one.name_kind == "team"]
    plain = [one for one in rest if one is not act and not _find_turn(one)]
    is_asked = bool(phrases[:place]) and any(one.marks & {"which", "what"} for one in phrases[:place])
    if not (is_asked and act and turn) or act.is_negated:
        return None
    if any(one not in teams and not one.marks & _BESIDE for one in (*phrases[:place], *plain)) or len(rest) < 2:  # noqa: PLR2004
        return None
    chosen = _choose_moment(act, turn=turn)
    if chosen is None:
        return None
    state, moment, is_descending = chosen
    rank = replace(
        act, kind="rank", said=f"{act.said} {turn}", marks=frozenset(), is_descending=is_descending,
        senses=(Sense("dimension", moment, "superlative", is_descending=is_descending),),
    )  # fmt: skip
    states = [replace(act, kind="term", said="so", senses=(Sense("predicate", state, "adjective"),))] if state else []
    asked = [one for one in phrases[:place] if one not in teams]
    phrases[:] = [*asked, *states, noun, rank, *teams]
    return None


def _choose_moment(act: Phrase, *, turn: str) -> tuple[str, str, bool] | None:
    """Return the state of sprints, the moment by which they are ranked, and whether the last comes first."""
    is_past = act.said.lower().endswith("ed") or act.said.lower() in ("began", "begun")
    if _find_names(act) & _STARTS and not _find_names(act) & _ENDS:
        return ("", "sprint_start", turn == "last") if is_past and turn != "next" else None
    if is_past:
        return ("sprint_closed", "sprint_closed_at", turn == "last") if turn != "next" else None
    return ("sprint_active", "sprint_end", False) if turn != "last" else None


def _find_turn(phrase: Phrase) -> str:
    """Return whether it says last, first or next. Empty if it says none of them."""
    if phrase.marks == {"last"} or phrase.said.lower() == "most recent":
        return "last"
    if phrase.marks == {"next"}:
        return "next"
    return "first" if phrase.said.lower() == "first" and "top" in phrase.marks else ""


def read_longest_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read the longest sprint by the length of sprints: which | sprint | has been the | longest."""
    rank = phrases[place]
    if not rank.said.lower().startswith(("longest", "shortest")) or degree_of(rank) is None:
        return None
    nouns = [one for one in phrases if one.kind == "term" and one.has_entity("sprint")]
    others = [one for one in phrases if one not in (rank, *nouns) and one.name_kind != "team"]
    states = [_read_state(one) for one in others if _read_state(one)]
    plain = all(one.marks & _BESIDE or one.kind in ("number", "top") or _read_state(one) for one in others)
    if len(nouns) != 1 or not plain:
        return None
    numbers = [one for one in others if one.kind in ("number", "top")]
    teams = [one for one in phrases if one.name_kind == "team"]
    asking = replace(rank, kind="mark", said="which", marks=frozenset({"which"}), senses=())
    have = replace(asking, said="have", marks=frozenset({"have"}))
    most = replace(rank, senses=(), is_plural=False)
    length = replace(rank, kind="term", senses=_LENGTH, marks=frozenset(), said="length")
    phrases[:] = [asking, *states, *nouns, have, *numbers, most, length, *teams]
    return None


def read_next_due(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is due next as the open issues with the earliest due date ahead: which bug is | due | next."""
    due = phrases[place]
    if due.kind != "term" or due.is_negated or ("time", "due") not in {(one.kind, one.name) for one in due.senses}:
        return None
    turns = [at for at, one in enumerate(phrases) if _find_turn(one) in ("next", "first")]
    is_past = any(one.said.lower() in ("was", "were") for one in phrases)
    numbers = [at for at, one in enumerate(phrases) if one.kind in ("number", "top")]
    is_beside = len(turns) == 1 and {*range(turns[0] + 1, place), *range(place + 1, turns[0])} <= {*numbers}
    if not is_beside or is_past or numbers[1:] or any(one.period for one in phrases):
        return None
    nouns = [one for one in phrases if one.is_of_issues or one.name_kind == "priority"]
    is_several = any(one.is_plural or one.said.lower().endswith("s") for one in nouns)
    count = phrases[numbers[0]].number if numbers else None if is_several else 1.0
    made = replace(due, marks=frozenset(), said=f"{due.said} next")
    rank = (Sense("dimension", "due_date", "superlative", is_descending=False),)
    found = [
        replace(made, senses=(Sense("predicate", "open", "adjective"),)),
        *([] if nouns else [replace(made, senses=_ISSUE)]),
        replace(made, kind="rank", senses=rank, is_descending=False, number=count),
        replace(made, senses=(Sense("predicate", "overdue", "adjective"),), is_negated=True),
    ]
    rest = [one for at, one in enumerate(phrases) if at not in (place, *turns, *numbers)]
    phrases[:] = [*rest, *found]
    return None


def _read_state(phrase: Phrase) -> Phrase:
    """Return a state of sprints as that alone: closed. `NOTHING` if it is none."""
    senses = tuple(one for one in phrase.senses if one.name in _STATES and one.form == "adjective")
    return replace(phrase, senses=senses) if senses and not phrase.is_negated else NOTHING


def _find_names(phrase: Phrase) -> set[str]:
    return {one.name for one in phrase.senses}


TURNS: tuple[Rule, ...] = (split_sprint_date, read_turn_of_sprint, read_longest_sprint, read_next_due)
