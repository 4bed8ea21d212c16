"""
Rules for what was so before, and for moves: into a status, back to open, of an estimate, of the scope of a sprint.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py; one of the whole question receives all phrases and returns others.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sprints.linking.calendar import Span
from sprints.semantics.enums import Operator
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import (
    NOTHING,
    SILENT_MARKS,
    Found,
    Phrase,
    Rule,
    is_sprints,
    leave_out,
    look_at,
    of_whole_question,
    phrase_at,
)
from sprints.semantics.questions.tense import find_verb

_OF_DONE = {"to_status": "into_done", "from_status": "out_of_done"}
_NEEDS = frozenset({"need", "needs", "needing"})
_MOVED = (Sense("time", "status_changed", "verb"),)
_MOVES = (Sense("entity", "status_change", "noun", is_plural=True),)
_ISSUES = (Sense("entity", "issue", "noun", is_plural=True),)
_SCOPE_CHANGES = (Sense("entity", "scope_change", "noun", is_plural=True),)
_RE_ESTIMATED = (Sense("predicate", "re_estimated", "verb"), Sense("time", "re_estimated", "verb"))
_DAYS_IN_STATUS = (Sense("measure", "days_in_statuses", "noun"),)
_STATUS_OF_THEN = (Sense("dimension", "period_status", "noun"),)
_ACTIVE = (Sense("predicate", "sprint_active", "adjective"),)
_RUNNING = frozenset({"running", "active", "ongoing"})
_LEFT = frozenset({"left", "remaining", "remain", "remains", "to go"})
_STAYS = frozenset({"stay", "stays", "remain", "remains", "remaining"})


def read_sprints_of_then(phrases: list[Phrase], *, place: int) -> Found:
    """Skip the sprints that ran, since nothing is added or removed in others: added to | running sprints | in May."""
    first, before = phrases[place], phrase_at(phrases, place=place - 1)
    words = first.said.lower().split()
    is_any = first.kind == "sprints" and not first.is_definite and words[-1] == "sprints" and words[0] in _RUNNING
    is_timed = any(one.kind == "period" for one in phrases)
    is_told = any(sense.name in ("added_late", "removed") for one in phrases[:place] for sense in one.senses)
    if not (is_any and is_timed and is_told):
        return None
    if before.said.lower() == "from":
        phrases[place - 1] = replace(before, marks=SILENT_MARKS)
    return [], 1


def read_transition(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read issues that were moved to a status, or from one: moved | to | QA | last week; went | into | Done.

    Of a named issue the moves themselves are listed: when did | X | go into | QA. A move in a sprint finds no place,
    nor who made it.
    """
    verb = phrases[place]
    if not _is_transition(verb):
        return None
    end, statuses = _read_statuses(phrases, place=place)
    if not statuses or any("who" in one.marks for one in phrases):
        return None
    said = " ".join(one.said for one in phrases[place:end])
    moves = replace(verb, kind="term", senses=_MOVES, marks=frozenset(), is_plural=True, said=said)
    asks_when = any(one.marks & {"when", "how_often"} for one in phrases)
    keys = [one for one in phrases if one.kind == "key"]
    link, other = look_at(phrases, place=end, size=2)
    is_listed = not all(one.toward for one in statuses)
    is_listed = is_listed or (bool(link.marks & {"and", "or"}) and other.name_kind == "status")
    is_of_people = any(one.name_kind == "person" or one.has_entity("person") for one in phrases)
    is_of_sprints = any(is_sprints(one) or one.has_entity("sprint") for one in phrases)
    is_listed = is_listed or ("and" in link.marks and any(one.kind == "period" for one in phrases[end:]))
    statuses = [_read_category(one) for one in statuses]
    if is_listed or is_of_people or is_of_sprints or (asks_when and not keys):
        return [replace(moves, kind="unknown", senses=())], end - place
    if asks_when:
        at = next(n for n, one in enumerate(phrases) if one.marks & {"when", "how_often"})
        mark = "be" if "when" in phrases[at].marks else "how_many"
        phrases[at] = replace(phrases[at], senses=(), marks=frozenset({mark}))
        return [moves, *statuses], end - place
    period, end = _take_period(phrases, place=place, end=end)
    inside = [moves, *statuses]
    inside += [replace(verb, kind="term", senses=_MOVED, marks=frozenset()), period] if period else []
    made = replace(verb, kind="related", senses=(), marks=frozenset(), said=said, alternatives=tuple(inside))
    is_named = any(one.is_of_issues or one.has_entity("team") or one.kind == "key" for one in phrases)
    issues = replace(verb, kind="term", senses=_ISSUES, marks=frozenset(), is_plural=True, said="issues")
    return [made] if is_named else [issues, made], end - place


def read_status_change(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read issues whose status changed in a time, or did not: has | not | changed | status | today; | moved | this week.

    Behind a status of yesterday it is the time since: was | in review | yesterday | and | has not | moved.
    """
    end, is_negated = place, False
    while (one := phrase_at(phrases, place=end)).kind == "mark" and (one.marks <= SILENT_MARKS or "not" in one.marks):
        is_negated, end = is_negated or "not" in one.marks, end + 1
    verb, behind = look_at(phrases, place=end, size=2)
    before = phrase_at(phrases, place=place - 1)
    is_behind = _names(verb, "updated", form="verb") and _is_status(behind)
    is_told = _is_status(before) and phrase_at(phrases, place=place - 2).marks == {"whose"}
    is_told = is_told and _names(verb, "updated", form="verb")
    is_move = verb.kind == "term" and any(sense in _MOVED for sense in verb.senses)
    if not (is_behind or is_told or is_move):
        return None
    is_ours = any(one.is_of_issues for one in phrases[:place]) or any("what" in one.marks for one in phrases[:1])
    is_other = any(one.marks & {"who", "when", "how_often"} or one.kind == "key" for one in phrases)
    is_other = is_other or any(one.toward or one.marks & {"to"} or one.said.lower() == "from" for one in phrases[end:])
    if not is_ours or is_other:
        return None
    end += 1 + is_behind
    period = phrase_at(phrases, place=end)
    if period.kind == "period":
        end += 1
    elif is_negated and (period := _take_day_of_status(phrases, place=place)):
        pass
    else:
        return None
    said = " ".join(one.said for one in phrases[place:end])
    moves = replace(verb, senses=_MOVES, is_plural=True)
    inside = (moves, replace(verb, senses=_MOVED), period)
    made = replace(verb, kind="related", senses=(), said=said, is_negated=is_negated, alternatives=inside)
    if not any(one.is_of_issues for one in phrases[:place]):
        return [replace(made, kind="term", senses=_ISSUES, said="issues", alternatives=(), is_negated=False), made
                ], end - place  # fmt: skip
    if not is_told:
        return [made], end - place
    phrases[place - 1] = replace(before, kind="mark", senses=(), marks=SILENT_MARKS)
    phrases[place - 2] = replace(phrases[place - 2], marks=SILENT_MARKS, senses=())
    return [made], end - place


def _is_status(phrase: Phrase) -> bool:
    return phrase.kind == "term" and _names(phrase, "status", form="noun")


def _take_day_of_status(phrases: list[Phrase], *, place: int) -> Phrase:
    """Return today behind a status of yesterday, in which rows still are if they have not moved since."""
    at = next((n for n in range(place - 1) if phrases[n].name_kind == "status"), -1)
    day, verb = look_at(phrases, place=at + 1, size=1)[0], phrase_at(phrases, place=at - 1)
    if at < 1 or day.period is None or day.said.lower() != "yesterday" or "be" not in verb.marks:
        return NOTHING
    phrases[at - 1] = replace(verb, said="is", marks=frozenset({"be"}))
    phrases[at + 1] = replace(day, kind="mark", period=None, senses=(), marks=SILENT_MARKS)
    today = Span(day.period.span.end, day.period.span.end + timedelta(days=1))
    return replace(day, period=replace(day.period, span=today))


def _is_transition(phrase: Phrase) -> bool:
    """Return whether it is a verb of moving. Some have another meaning alone: to put into, to come into."""
    is_verb = phrase.kind == "term" and any(sense in _MOVED for sense in phrase.senses)
    first, *rest = phrase.said.lower().split()
    is_other = first in ("go", "goes", "going", "went", "gone", "put", "come", "comes", "came") and rest == ["into"]
    return is_verb or is_other or phrase.marks == {"move"} or _is_out_of(phrase)


def _is_out_of(phrase: Phrase) -> bool:
    """Return whether it is a verb of taking out, which is a move if a status is behind it: taken out of | QA."""
    return _names(phrase, "removed", form="verb") and phrase.said.lower().endswith((" out", " out of"))


def _read_statuses(phrases: Sequence[Phrase], *, place: int) -> tuple[int, list[Phrase]]:
    """
    Return the end of the statuses behind a verb of moving, and these, each with the end of the move that it is.

    Behind "back to", which is no word of its own here, it is none: it was in the status before.
    """
    word = phrases[place].said.lower().split()
    toward = "to_status" if word[-1] in ("to", "into", "in", "at") or word[0].startswith(("enter", "reach")) else ""
    toward = "from_status" if _is_out_of(phrases[place]) else toward
    at, found = place + 1, list[Phrase]()
    while True:
        link, status = look_at(phrases, place=at, size=2)
        if link.name_kind == "status" and (link.toward or toward):
            is_back = at == place + 1 and link.toward == "to_status" and not toward
            found.append(replace(link, toward="" if is_back else link.toward or toward, is_apart=True))
            at, toward = at + 1, ""
        elif status.name_kind == "status" and status.toward and link.said.lower() in ("to", "into", "from", "onto"):
            at += 1
        else:
            return at, found


def _read_category(status: Phrase) -> Phrase:
    """Read Done as the category, since teams call its statuses otherwise: moved to | Done, as to Shipped."""
    predicate = _OF_DONE.get(status.toward, "")
    if not predicate or status.said != "Done" or [name.text for name in status.names] != ["Done"]:
        return status
    return replace(status, kind="term", names=(), name_kind="", senses=(Sense("predicate", predicate, "adjective"),))


def _take_period(phrases: list[Phrase], *, place: int, end: int) -> tuple[Phrase, int]:
    """Return the time of a move: that behind it, or the only one if nothing else is said to have happened then."""
    if phrase_at(phrases, place=end).kind == "period":
        return phrases[end], end + 1
    known = [at for at, one in enumerate(phrases) if one.kind == "period"]
    others = [one for one in phrases if one.has("predicate", "time") and one is not phrases[place]]
    if len(known) != 1 or others or known[0] > place:
        return NOTHING, end
    period = phrases[known[0]]
    phrases[known[0]] = replace(period, kind="mark", period=None, senses=(), marks=frozenset({"be"}))
    return period, end


def read_open_again(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is open again as open now, and reopened before: bugs that | are | open again."""
    first = phrases[place]
    if first.said.lower() != "open again" or find_verb(phrases, place=place) not in ("is", "are"):
        return None
    senses = tuple(sense for sense in first.senses if sense.name == "reopened")
    is_open = (Sense("predicate", "open", "adjective"),)
    return [replace(first, senses=senses), replace(first, senses=is_open)], 2


def read_need(phrases: list[Phrase], *, place: int) -> Found:
    """Read what needs a step as what is in its status: needs | QA. Any other name that is needed finds no place."""
    first, second = look_at(phrases, place=place, size=2)
    if first.said.lower() not in _NEEDS or second.kind != "names":
        return None
    if any("who" in one.marks for one in phrases[:place]):
        return [leave_out(second, lead=first)], 2  # who has such issues, or who waits for it
    if second.name_kind == "status" and "not" not in phrase_at(phrases, place=place - 1).marks:
        return [replace(second, is_apart=True)], 2
    return ([leave_out(second, lead=first)], 2) if not second.has("dimension", form="noun") else None


def read_estimate_change(phrases: list[Phrase], *, place: int) -> Found:
    """Read whose estimate was changed as re-estimated: whose | estimate | was | changed | in October."""
    before, noun, verb, behind = look_at(phrases, place=place - 1, size=4)
    size = 2
    if verb.kind == "mark" and verb.marks <= {"be", "have", "past"}:
        verb, size = behind, 3
    is_estimate = noun.kind == "term" and _names(noun, "story_points", form="noun")
    is_turned = _names(noun, "updated", form="verb") and _names(verb, "story_points", form="noun") and size == 2  # noqa: PLR2004
    if any(one.marks & {"who", "when", "how"} for one in phrases):
        return None
    if is_turned or (is_estimate and _names(verb, "updated", form="verb")):
        said = " ".join(one.said for one in phrases[place : place + size])
        is_told = not is_turned and bool(before.marks & {"whose"} or noun.is_owned)
        changed = replace(verb, kind="term", senses=_RE_ESTIMATED, said=said, start=noun.start)
        return [changed if is_told else replace(changed, kind="unknown", senses=())], size
    return None


@of_whole_question
def read_scope_change(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read how the scope of one sprint changed as its changes: how did the | scope | of | HARBOR Sprint 9 | change."""
    first, last = phrases[0], phrases[-1]
    rest = phrases[1:-1]
    is_change = any((one.name, one.form) == ("updated", "verb") for one in last.senses)
    at = next((n for n, one in enumerate(rest) if any(sense.name == "sprint_issues" for sense in one.senses)), -1)
    is_plain = all(one.kind in ("mark", "names", "sprints") for n, one in enumerate(rest) if n != at)
    if not first.marks & {"how"} or at < 0 or not (is_change and is_plain and any(map(is_sprints, rest))):
        return None
    changes = replace(rest[at], senses=_SCOPE_CHANGES, is_plural=True, kind="term")
    names = [one for one in rest if one.kind != "mark"]
    return [changes, *(one for one in names if one is not rest[at])]


def read_where(phrases: list[Phrase], *, place: int) -> Found:
    """Read a clause of what did not happen in sprints: sprints | where | nothing | was | carried over."""
    before, where, nothing, verb = look_at(phrases, place=place - 1, size=4)
    is_none = bool(nothing.marks & {"nothing"} or nothing.said.lower() == "no")
    if where.marks != {"where"} or not (is_sprints(before) or before.has_entity("sprint")) or not is_none:
        return None
    have = replace(where, said="have", marks=frozenset({"have", "past"}), senses=())
    return ([have, nothing], 3) if verb.marks <= {"be", "past"} and verb.marks else ([have], 1)


def read_spent_over_estimate(phrases: list[Phrase], *, place: int) -> Found:
    """Read whose hours are above their estimate: issues | where the | time spent | went | over the | estimate."""
    before, noun, *behind = look_at(phrases, place=place - 1, size=5)
    if not any((one.name, one.form) == ("spent_hours", "noun") for one in noun.senses):
        return None
    at = next((n for n, one in enumerate(behind) if not (one.marks & {"be", "gt"} or _is_over(one))), len(behind))
    estimate = behind[at] if at < len(behind) else NOTHING
    is_estimate = any(one.name in ("story_points", "estimated_hours") and one.form == "noun" for one in estimate.senses)
    is_over = any("gt" in one.marks or _is_over(one) for one in behind[:at])
    are_issues = any(one.is_of_issues for one in phrases[:place])
    if not (is_estimate and is_over and are_issues and before.marks & {"where", "whose"}):
        return None
    phrases[place - 1] = replace(before, marks=frozenset({"be"}), senses=())
    said = " ".join(one.said for one in (noun, *behind[: at + 1]))
    senses = (Sense("dimension", "spent_hours_of_issue", "noun"),)
    bound = replace(noun, kind="bound", senses=senses, marks=frozenset(), op=Operator.GT,
                    than="estimated_hours_of_issue", said=said)  # fmt: skip
    return [bound], at + 2


def _is_over(phrase: Phrase) -> bool:
    return phrase.said.lower() == "over the"


@of_whole_question
def read_blocked_time(phrases: list[Phrase]) -> list[Phrase] | None:
    """
    Read how long issues are blocked on average, and how many days they were blocked in a time.

    how long | do issues | stay | blocked | on average; how many days | was | ORBIT-102 | blocked | in October.
    """
    first, rest = phrases[0], phrases[1:]
    blocked = [one for one in rest if any(sense.name == "blocked" for sense in one.senses)]
    is_told = any(one.is_of_issues or one.kind in ("key", "names") for one in rest)
    is_plain = is_told and not any("not" in one.marks for one in rest)
    if "how_long" not in first.marks or len(blocked) != 1 or not is_plain:
        return None
    averages = [one for one in rest if one.marks == {"average"}]
    periods = [one for one in rest if one.kind == "period"]
    stays = [one for one in rest if one.said.lower() in _STAYS]
    dropped = [*blocked, *averages, *stays]
    dropped += [one for one in rest if averages and one.has_entity("issue") and one.kind == "term"]  # of all of them
    if any(one.has("predicate", "time") or is_sprints(one) for one in rest if one not in dropped):
        return None
    is_past = find_verb(phrases, place=phrases.index(blocked[0])) in ("was", "were", "did")
    is_said = bool(stays) or any(one.said.lower() in ("is", "are", "was", "were", "been") for one in rest)
    name = "average_blocked_days" if averages and is_said else "blocked_days" if is_past and periods else ""
    if not name:
        return None
    measure = replace(first, kind="term", senses=(Sense("measure", name, "noun"),), marks=frozenset())
    return [measure, *(one for one in rest if one not in dropped)]


def read_recent(phrases: list[Phrase], *, place: int) -> Found:
    """Find no place for the most recent of what is closed or blocked, unless the verb is beside it or its noun."""
    first, second, third = look_at(phrases, place=place, size=3)
    if first.said.lower() != "most recent":
        return None
    told = [one for one in phrases if _names(one, "resolved", form="verb") or _names(one, "blocked", form="adjective")]
    act = third if second.is_of_issues else second
    is_beside = act in told and _names(act, "resolved", form="verb")
    is_of_now = any("not" in one.marks for one in phrases)
    if not told or is_beside or is_of_now or not any(one.is_of_issues for one in phrases):
        return None
    return [replace(first, kind="unknown", senses=(), marks=frozenset())], 1


def read_longest_blocked(phrases: list[Phrase], *, place: int) -> Found:
    """Read the longest time blocked as that of all times that it was: the longest time | blocked; ever."""
    first, blocked = look_at(phrases, place=place, size=2)
    ever = next((n for n in range(place + 1, len(phrases)) if phrases[n].marks == {"ever"}), 0)
    if ever and any((one.name, one.form) == ("blocked_for_days", "superlative") for one in first.senses):
        in_all = Sense("dimension", "total_blocked_days", "superlative", is_descending=first.senses[0].is_descending)
        return [replace(first, senses=(in_all,)), *phrases[place + 1 : ever]], ever - place + 1
    is_longest = first.said.lower() in ("longest time", "shortest time") and bool(first.marks & {"top", "bottom"})
    if not is_longest or not any(sense.name == "blocked" for sense in blocked.senses):
        return None
    is_descending = "top" in first.marks
    senses = (Sense("dimension", "total_blocked_days", "superlative", is_descending=is_descending),)
    said = f"{first.said} {blocked.said}"
    phrases[place - 1 : place] = [one for one in phrases[place - 1 : place] if one.said.lower() != "with"]
    return [replace(blocked, kind="rank", senses=senses, is_descending=is_descending, said=said, start=first.start)], 2


def read_reason(phrases: list[Phrase], *, place: int) -> Found:
    """Read why something was blocked as the reasons of its blockages. There is no place for why something else is."""
    first, behind = phrases[place], phrases[place + 1 :]
    if first.said.lower() != "why" or first.kind != "term":
        return None
    at = next((n for n, one in enumerate(phrases) if any(sense.name == "blocked" for sense in one.senses)), 0)
    if not at:
        return [replace(first, kind="unknown", senses=())], 1
    is_past = phrases[at].is_perfect or any(one.said.lower() in ("was", "were") for one in behind)
    if at <= place or not is_past or any(one.kind == "period" or is_sprints(one) for one in phrases):
        return None
    phrases[at] = replace(phrases[at], senses=(Sense("entity", "blocked_period", "noun", is_plural=True),))
    return [first], 1


@of_whole_question
def read_days_left(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read how many days are left of a sprint as those until its planned end: how many days | left | in sprint 9."""
    first, rest, until = phrases[0], *_read_until_end(phrases[1:])
    left = next((one for one in rest if one.said.lower() in _LEFT), until)
    sprint = next((one for one in rest if is_sprints(one) or one.has_entity("sprint")), NOTHING)
    plain = all(one in (left, sprint) or one.name_kind == "team" or one.marks & {"be", "do", "have", "our"}
                or any(sense.name == "sprint_active" for sense in one.senses) for one in rest)  # fmt: skip
    is_days = first.said.lower() in ("how many days", "days")
    if not (is_days and left and sprint and plain) or sprint.is_plural:
        return None
    kept = [one for one in rest if one is not left]
    if not is_sprints(sprint):
        kept = [one for one in kept if one is sprint or one.name_kind == "team"]
        at = kept.index(sprint)
        kept[at : at + 1] = [
            replace(sprint, senses=_ACTIVE, said="running"),
            replace(sprint, is_plural=True),
        ]
    days = replace(first, kind="term", senses=(Sense("dimension", "sprint_days_left", "noun"),), marks=frozenset())
    return [days, *kept]


def _read_until_end(phrases: list[Phrase]) -> tuple[list[Phrase], Phrase]:
    """Return phrases without "until" and the end of the sprint behind it: until | ACCEL's | sprint ends."""
    until = next((one for one in phrases if "until" in one.marks), NOTHING)
    ends = [one for one in phrases if any(sense.name in ("sprint_end", "sprint_ends") for sense in one.senses)]
    if not until or len(ends) != 1 or ends[0].start < until.start:
        return phrases, NOTHING
    noun = replace(ends[0], kind="term", senses=(Sense("entity", "sprint", "noun"),), is_plural=False)
    is_noun = ends[0].said.lower().startswith("sprint ")
    return [noun if one is ends[0] else one for one in phrases if one is not until and (is_noun or one is not ends[0])
            ], until  # fmt: skip


@of_whole_question
def read_days_of_issue(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read how long a named issue was in a status, or in each: how long was | X | in QA; time | X | spent in | QA."""
    lead, rest = phrases[: _find_length(phrases)], phrases[_find_length(phrases) :]
    keys = [one for one in rest if one.kind == "key" and not one.name_kind]
    statuses = [one for one in rest if one.name_kind == "status"]
    each = [one for one in rest if _names(one, "past_status", form="noun")]
    others = [one for one in rest if one not in (*keys, *statuses, *each)]
    plain = all(
        (one.marks & {"be", "do", "have", "per"} and one.said.lower() not in ("take", "took"))
        or _names(one, "spent_hours", form="verb") for one in others
    )  # fmt: skip
    is_of_now = any(one.is_perfect for one in statuses) and find_verb(phrases, place=len(phrases) - 1) == "has"
    has_each = any("per" in one.marks for one in others) == bool(each)
    if not lead or len(keys) != 1 or len(statuses) + len(each) != 1 or not (plain and has_each) or is_of_now:
        return None
    if any(one.is_negated or one.toward == "to_status" for one in statuses):
        return None
    days = replace(lead[0], kind="term", senses=_DAYS_IN_STATUS, marks=frozenset())
    group = [replace(one, kind="group", senses=_STATUS_OF_THEN, said=f"in each {one.said}") for one in each]
    return [days, *keys, *statuses, *group]


def _find_length(phrases: list[Phrase]) -> int:
    """Return how many phrases ask for a length of time: how long; how much | time; the time. Zero if it is none."""
    first, second = look_at(phrases, place=0, size=2)
    if "how_much" in first.marks and second.has("unit") and second.said.lower() == "time":
        return 2
    return int("how_long" in first.marks or (first.has("unit") and first.said.lower() in ("time", "time spent")))


@of_whole_question
def read_number_of_moves(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read how often a named issue was moved as the number of its moves: how often | was | X | moved."""
    keys = [one for one in phrases if one.kind == "key" and not one.name_kind]
    verbs = [one for one in phrases if one.kind == "term" and any(sense in _MOVED for sense in one.senses)]
    lead = 1 if "how_often" in phrases[0].marks else 2 * ("times" in phrase_at(phrases, place=1).marks)
    others = [one for one in phrases[lead:] if one not in (*keys, *verbs)]
    plain = all(one.marks & {"be", "have", "do"} for one in others)
    if not lead or len(keys) != 1 or len(verbs) != 1 or verbs[0].is_negated or not plain:
        return None
    moves = replace(verbs[0], senses=_MOVES, is_plural=True)
    return [replace(phrases[0], marks=frozenset({"how_many"}), senses=()), moves, *keys]


def read_departure(phrases: list[Phrase], *, place: int) -> Found:
    """Read what left a status as what was moved from it: issues that | left | QA | yesterday; came out of | QA."""
    verb, status = look_at(phrases, place=place, size=2)
    is_left = verb.said.lower() == "left" and not status.is_apart
    is_out = verb.said.lower().startswith(("came out", "come out", "comes out", "coming out"))
    if status.name_kind != "status" or not (is_left or is_out or verb.marks == {"exit"}) or verb.is_negated:
        return None
    if phrase_at(phrases, place=place - 1).marks & {"be"}:
        return None  # is | left | QA
    moved = replace(verb, kind="term", senses=_MOVED, marks=frozenset())
    return [moved, replace(status, toward="from_status", is_apart=True)], 2


HISTORIES: tuple[Rule, ...] = (
    read_days_of_issue, read_number_of_moves, read_departure, read_sprints_of_then, read_transition, read_status_change,
    read_open_again, read_need, read_estimate_change,
    read_scope_change, read_where, read_spent_over_estimate, read_blocked_time, read_longest_blocked, read_days_left,
    read_recent, read_reason,
)  # fmt: skip


def _names(phrase: Phrase, name: str, *, form: str) -> bool:
    """Return whether it may stand for a term of the model in such a form."""
    return any((sense.name, sense.form) == (name, form) for sense in phrase.senses)
