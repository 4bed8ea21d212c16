"""
Rules for contrasts: comparison of two things, absence, or all.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py.
"""

from dataclasses import replace

from sprints.semantics.enums import Operator
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import (
    NOTHING,
    SILENT_MARKS,
    Found,
    Phrase,
    degree_of,
    is_sprints,
    look_at,
    phrase_at,
)


def read_than(phrases: list[Phrase], *, place: int) -> Found:
    """Read a comparison of two measures: more | points | than it committed; as many as."""
    first = phrases[place]
    ops = {"more": Operator.GT, "fewer": Operator.LT, "as_many": Operator.EQ, "gt": Operator.GT, "lt": Operator.LT}
    op = next((ops[mark] for mark in ops if mark in first.marks), None)
    if op is None or first.kind != "mark":
        return None
    size = 1
    if "as_many" in first.marks:
        noun, state, other = look_at(phrases, place=place + 1, size=3)
        size += noun.kind == "term" and noun.has("entity", "measure", form="noun")
        is_pair = size > 1 and all(one.kind == "term" and one.has("predicate") for one in (state, other))
        size += is_pair  # as many issues completed | as committed
    elif not first.marks & {"gt", "lt"}:
        at = next((n for n in range(1, 4) if "than" in phrase_at(phrases, place=place + n).marks), 0)
        if not at:
            return None
        size = at + 1
    following = next((one for one in phrases[place + size :] if not one.marks & SILENT_MARKS), NOTHING)
    if following.kind != "term" or following.has("unit"):
        return None
    end = place + size - ("as_many" not in first.marks)
    inside = phrases[place + 1 : end] if size > 1 else []
    said = f"{first.said} than" if size > 1 and "as_many" not in first.marks else first.said
    return [*inside, replace(first, kind="than", op=op, said=said, senses=(), marks=frozenset())], size


def read_possessives(phrases: list[Phrase], *, place: int) -> Found:
    """Read a noun of the first as that of both: ACCEL's | velocity | against | HARBOR's."""
    first, noun, link, second = look_at(phrases, place=place, size=4)
    is_pair = first.kind == second.kind == "names" and first.name_kind == second.name_kind
    if not is_pair or "versus" not in link.marks or not noun.has("measure", form="noun"):
        return None
    return [noun, first, link, second], 4


def read_change(phrases: list[Phrase], *, place: int) -> Found:
    """Read how a number changed as its trend: how did | velocity | change."""
    verb, before = phrases[place], phrases[:place]
    is_change = verb.kind == "term" and verb.said.lower().startswith("chang") and verb.has("time", form="verb")
    is_asked = bool(before) and "how" in before[0].marks
    numbers = [one for one in before if one.has("measure", form="noun") and not one.has("entity")]
    if not (is_change and is_asked and numbers):
        return None
    return [replace(verb, kind="mark", senses=(), marks=frozenset({"trend"}))], 1


def read_whole(phrases: list[Phrase], *, place: int) -> Found:
    """Read "all" as no restriction, unless they are compared: across all teams; over all closed sprints."""
    first = phrases[place]
    if "whole" not in first.marks or first.kind != "mark":
        return None
    size = next((n for n in range(1, 3) if phrase_at(phrases, place=place + n).has("entity", form="noun")), 0)
    noun, between = phrases[place + size], phrases[place + 1 : place + size]
    if not size or not noun.is_plural:
        return None
    others = [one for one in phrases if one.is_plural and one.has("entity", form="noun") and one is not noun]
    others += [one for one in phrases if one.kind == "names" and len(one.names) > 1]
    if any(one.marks & {"compare", "versus"} for one in phrases) and not others:
        return [*between, replace(noun, kind="group")], size + 1
    return [*between, noun] if between else [], size + 1


def read_degree_first(phrases: list[Phrase], *, place: int) -> Found:
    """Read a degree at the end: rank the teams by velocity, | lowest | first."""
    first, second = look_at(phrases, place=place, size=2)
    if second.said.lower() != "first" or second.kind not in ("mark", "rank", "top"):
        return None
    word = first.said.lower()
    quality = {"fastest": "best", "slowest": "worst"}.get(word, word)
    is_quality = quality in ("best", "worst")  # of what the measure calls better
    degree = quality == "best" if is_quality else degree_of(first)
    ranks = [one for one in phrases[:place] if one.kind == "mark" and "rank" in one.marks]
    if degree is None or len(ranks) != 1 or place + 2 != len(phrases):
        return None
    phrases[phrases.index(ranks[0])] = replace(
        ranks[0], kind="rank", senses=(), is_plural=True, is_descending=degree, said=f"{ranks[0].said} {word} first",
        marks=frozenset({quality} if is_quality else ()),
    )  # fmt: skip
    return [], 2


def read_all_but(phrases: list[Phrase], *, place: int) -> Found:
    """Read but as except behind all of a kind: all teams | but | ORBIT; everyone's | tickets | but | Priya's."""
    first, but, name = look_at(phrases, place=place, size=3)
    before = phrases[: place + 1]
    is_all = first.has_entity(name.name_kind) or bool(first.marks & {"whole", "our"})
    is_all = is_all or first.said.lower() in ("everything", "anything") or any(
        one.quantifier == "all" or one.said.lower().startswith("every") for one in before
    )  # fmt: skip
    is_row = name.kind == "names" or (name.kind == "term" and name.has("predicate", form="adjective"))
    is_clause = any(one.marks & {"be", "have", "do"} for one in before)
    if but.said.lower() != "but" or not is_row or not is_all or is_clause:
        return None
    return [first, replace(but, marks=frozenset({"except"}))], 2


def read_second_number(phrases: list[Phrase], *, place: int) -> Found:
    """Read the same number of two states as both: how many points | promised | and | how many | delivered."""
    first, link, again, second = look_at(phrases, place=place, size=4)
    is_pair = all(one.kind == "term" and one.has("predicate", form="verb") for one in (first, second))
    is_counted = any("how_many" in one.marks for one in phrases[:place]) and again.marks == {"how_many"}
    if not (is_pair and is_counted and link.marks == {"and"}) or first.is_negated or second.is_negated:
        return None
    return [first, replace(link, marks=frozenset({"versus"}), senses=()), second], 4


def read_swapped_group(phrases: list[Phrase], *, place: int) -> Found:
    """Read a replaced group: per team | instead of | per month."""
    first, second, third = look_at(phrases, place=place, size=3)
    return ([first], 3) if first.kind == third.kind == "group" and "except" in second.marks else None


def read_obligation(phrases: list[Phrase], *, place: int) -> Found:
    """
    Has | to | finish; are | to | be finished; left | to | complete; bugs | to | fix; have | to do: what is not so yet.

    Any other verb that is yet to come finds no place: what was removed is no answer to what has to be removed.
    """
    first, second = look_at(phrases, place=place, size=2)
    others = (one for one in phrases[:place][::-1] if one.kind != "names" and one.said != "something")
    before = next(others, NOTHING)
    is_state = second.is_apart or second.is_perfect  # has | in | to do; has | been | to do
    if "have" in first.marks and second.said.lower() == "to do" and not is_state:
        return [first, replace(second, senses=_make_state_senses("done"), said=f"{first.said} {second.said}")], 2
    is_task = phrase_at(phrases, place=place - 1).is_of_issues and not _tells_how_long(phrases[:place])
    if first.marks != {"to"} or first.said.lower() != "to" or not (before or is_task):
        return None
    if second.kind != "term" or not second.has("predicate", "time") or second.has("measure", "entity", form="noun"):
        return None
    said = f"{before.said} to {second.said}".strip()
    is_owed = "be" in before.marks or before.said.lower() in ("has", "have", "having", *_LEFT)
    if not (is_owed or is_task):
        is_next = second.start == first.start + len("to ")
        takes = any(degree_of(one) is not None or _TAKES & {*one.said.lower().split()} for one in phrases[:place])
        return ([replace(second, kind="unknown", said=said, senses=())], 2) if is_next and not takes else None
    senses = next((_make_state_senses(sense.name) for sense in second.senses if sense.name in _NOT_YET), ())
    return [replace(second, kind="term" if senses else "unknown", senses=senses, said=said, marks=frozenset())], 2


def _make_state_senses(act: str) -> tuple[Sense, ...]:
    """Return the senses of what an act that is yet to come says: to finish is open."""
    return tuple(Sense("predicate", name, "adjective") for name in _NOT_YET[act])


def _tells_how_long(phrases: list[Phrase]) -> bool:
    """Return whether it is the time of an act that is asked for: how long do bugs take to fix."""
    words = {word for one in phrases for word in one.said.lower().split()}
    return bool(words & _TIMES) or any("how_long" in one.marks for one in phrases)


def read_leaver(phrases: list[Phrase], *, place: int) -> Found:
    """Read who left, as opposed to what is left: who | left; people | left; people | have | left."""
    first, second, third = look_at(phrases, place=place, size=3)
    size = 3 if "have" in second.marks and third is phrases[-1] else 2
    second = third if size > 2 else second  # noqa: PLR2004 - with the verb between
    if second.said.lower() != "left" or not ("who" in first.marks or first.has_entity("person")):
        return None
    left = (Sense("predicate", "person_active", "adjective"),)
    return [first, replace(second, senses=left, is_negated=True)], size


_LEFT = ("left", "remaining", "remain", "remains")
_TAKES = frozenset({"take", "takes", "took", "taken"})
_TIMES = _TAKES | {"time", "days", "hours", "longest", "shortest", "fastest", "slowest", "long"}
_NOT_YET = {"done": ("open", "left_in_sprint"), "completed": ("open", "left_in_sprint"), "in_progress": ("to_do",)}


def read_depictive(phrases: list[Phrase], *, place: int) -> Found:
    """Read a state at the end of the sprint: slipped out of | ORBIT Sprint 7 | unfinished."""
    first = phrases[place]
    if manner := _read_manner(phrases, place=place):
        return manner
    if first.kind != "term" or not any(sense.name == "carried_over" for sense in first.senses):
        return None
    end = place + 1
    while phrase_at(phrases, place=end).kind in ("names", "sprints"):
        end += 1
    before, state = look_at(phrases, place=end - 1, size=2)
    is_adjacent = state.start == before.start + len(before.said) + 1
    is_open = any(sense.name == "open" for sense in state.senses)
    return (phrases[place:end], end - place + 1) if is_adjacent and is_open else None


def _read_manner(phrases: list[Phrase], *, place: int) -> Found:
    """Find no place for how something was done, which is no state of now: done | late."""
    verb, adjective, behind = look_at(phrases, place=place, size=3)
    is_late = verb.said.lower() == "late" and any(sense.name == "added_late" for one in phrases for sense in one.senses)
    if is_late and place == len(phrases) - 1 and verb.has("predicate"):
        return [replace(verb, kind="unknown", senses=())], 1  # pulled into sprint 7 | late
    if adjective.kind != "term" or adjective.start != verb.start + len(verb.said) + 1:
        return None
    is_act = verb.kind == "term" and any(sense.name in ("done", "completed", "created") for sense in verb.senses)
    is_manner = all((sense.kind, sense.form) == ("predicate", "adjective") for sense in adjective.senses)
    of_rows = behind.has("entity", form="noun") or behind.name_kind == "type"
    is_same = bool({one.name for one in verb.senses} & {one.name for one in adjective.senses})  # came in | mid-sprint
    if not is_act or not is_manner or of_rows or is_same:
        return None
    return [verb, replace(adjective, kind="unknown", said=f"{verb.said} {adjective.said}")], 2


_OF_NUMBERS = frozenset({"versus", "how_many", "how_much", "top", "bottom", "more", "fewer"})


def read_progressive(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read an act of finishing that goes on as work in progress: what is | ACCEL | fixing; being | fixed.

    Without a time it is no number of those who do more of it: who is | closing | the most bugs.
    """
    verb = phrases[place]
    is_ongoing = verb.is_ongoing or (
        verb.said.lower().partition(" ")[0].endswith("ing") and any("be" in one.marks for one in phrases[:place])
    )
    if any(one.kind == "period" or one.has("grain") for one in phrases):
        return None  # issues being resolved, month by month
    is_finishing = verb.kind == "term" and any(one.name in ("done", "completed") for one in verb.senses)
    if not (is_ongoing and is_finishing and (verb.is_ongoing or verb.has("predicate", form="verb"))):
        return None
    is_number = any(one.kind == "than" or one.marks & _OF_NUMBERS for one in phrases)
    if is_number and not verb.is_ongoing:
        return [replace(verb, kind="unknown", senses=())], 1
    return [replace(verb, senses=(Sense("predicate", "in_progress", "adjective"),))], 1


def read_workers(phrases: list[Phrase], *, place: int) -> Found:
    """Skip the verb of those who work in a team: who | works | in ACCEL; how many people | work | in each | team."""
    first, second, third = phrases[place], phrase_at(phrases, place=place + 1), phrase_at(phrases, place=place + 2)
    is_somebody = "who" in first.marks or first.has_entity("person")
    if not is_somebody or second is None or third is None or second.said.lower() not in _WORKS:
        return None
    is_team = third.name_kind == "team" or third.has_entity("team") or "per" in third.marks
    return ([first, replace(second, kind="mark", marks=frozenset({"have"}), senses=())], 2) if is_team else None


_WORKS = frozenset({"work", "works", "working", "worked"})


def read_closing_clause(phrases: list[Phrase], *, place: int) -> Found:
    """Read a clause of the sprint's end, which counts anyway: left unfinished | when | HARBOR Sprint 3 | was closed."""
    first, rest = phrases[place], phrases[place + 1 :]
    named = [one for one in rest if one.kind in ("names", "sprints")]
    sprint = next((one for one in rest if one.name_kind != "team"), NOTHING)
    if place == 0 or first.marks != {"when"} or not is_sprints(sprint):
        return None
    last = rest[-1]
    is_end = last.kind == "term" and any(one.name == "sprint_closed" for one in last.senses)
    is_clause = is_end and all(one.marks & SILENT_MARKS or one is last or one in named for one in rest)
    return (named, len(rest) + 1) if is_clause else None
