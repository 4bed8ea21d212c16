"""
Rules for constructions that say a known thing in other parts of speech: places, nouns of acts, relative clauses.

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
    leave_out,
    look_at,
    phrase_at,
)

_PEOPLE = frozenset({"person", "team", "sprint"})
_BEGINS = {"creation": "created", "created": "created", "start": "started", "started": "started"}
_ENDS = frozenset({"resolution", "completion", "finish", "done", "close", "closing", "end"})
_SPANS = {"created": ("lead_time", "lead_time_days"), "started": ("cycle_time", "cycle_time_days")}
_DAYS = {days for _, days in _SPANS.values()}
_NUMBERS = frozenset({
    "how_many", "how_much", "how_often", "share", "average", "median", "compare", "versus", "trend", "breakdown", "top",
    "bottom", "rank", "total",
})  # fmt: skip
_MOMENTS = {"created": "created_at", "resolved": "resolved_at", "updated": "updated_at", "started": "started_at"}
_DATES = {"due_date": "due", **{moment: role for role, moment in _MOMENTS.items()}}
TAKING = frozenset({"take", "takes", "took", "taken"})
_LONGER = ("longer", "shorter", "exceed")
_OVERRUN_MARKS = frozenset({"than", "be", "have", "more", "fewer", "gt", "lt"})
_MAX_OVERRUN = 8  # more | working | hours | were | spent | than | were | estimated


def read_present_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read the sprint that a team is in as the running one: which | sprint | is | ACCEL | in."""
    first, sprint, verb = look_at(phrases, place=place, size=3)
    rest = phrases[place + 3 :]
    is_asked = place == 0 and first.marks & {"which", "what"} and sprint.has_entity("sprint") and not sprint.is_plural
    is_team = bool(rest) and all(one.name_kind == "team" or one.marks == {"our"} for one in rest)
    if not (is_asked and is_team and verb.said.lower() in ("is", "are")):
        return None
    active = replace(verb, kind="term", senses=(Sense("predicate", "sprint_active", "adjective"),), marks=frozenset())
    return [first, active, replace(sprint, is_plural=True), *rest], len(phrases)


def read_best_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read the best sprint as the one with the most completed points, of each team unless one is named."""
    first, sprint, *rest = phrases[place:] if phrases[place + 1 :] else (phrases[place], NOTHING)
    if not first.marks & {"best", "worst"} or not sprint.has_entity("sprint"):
        return None
    if any(one.has("measure", form="noun") and not one.has("entity") for one in phrases):
        return None
    is_of_teams = any(one.name_kind == "team" or one.has_entity("team") for one in phrases)
    team = (Sense("entity", "team", "noun"), Sense("dimension", "team", "noun"))
    groups = [replace(first, kind="group", marks=frozenset(), senses=(Sense("measure", "velocity", "noun"),))]
    groups += [] if is_of_teams else [replace(groups[0], senses=team)]
    return [first, sprint, *rest, *groups], len(phrases) - place


def read_average_size(phrases: list[Phrase], *, place: int) -> Found:
    """Read the size of a type of issues behind an average: average | story | size."""
    first, kind, size = look_at(phrases, place=place, size=3)
    is_size = size.kind == "term" and any((one.name, one.form) == ("story_points", "noun") for one in size.senses)
    if first.marks != {"average"} or kind.name_kind != "type" or not is_size:
        return None
    return [kind, replace(size, senses=(Sense("measure", "average_points", "noun"),))], 3


def read_start_of_work(phrases: list[Phrase], *, place: int) -> Found:
    """Read that work on an issue started as the issue: did | work on | X | start."""
    work, key, act = look_at(phrases, place=place, size=3)
    is_start = work.said.lower() == "work on" and key.kind == "key" and _names(act, "started")
    return ([key, act], 3) if is_start else None


def read_when_of_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read when a team's sprint ends as its date: when does | the HARBOR | sprint end."""
    first = phrases[place]
    dates = tuple(one for one in first.senses if one.name in ("sprint_start", "sprint_end"))
    if not dates or not any("when" in one.marks for one in phrases[:place]):
        return None
    sprint, _, act = first.said.partition(" ")
    senses = (Sense("entity", "sprint", "noun"), Sense("dimension", "sprint", "noun"))
    noun = replace(first, senses=senses, said=sprint, is_definite=True)
    return [noun, replace(first, senses=dates, said=act, start=first.start + len(sprint) + 1)], 1


def read_cycle_time(phrases: list[Phrase], *, place: int) -> Found:
    """Read how long issues took as their cycle time: how long | do stories | take. Not in a status, or a sprint."""
    first, rest = phrases[place], phrases[place + 1 :]
    at = next((n for n, one in enumerate(rest) if one.said.lower() in TAKING), -1)
    is_of_owner = at > 0 and all(one.name_kind in ("person", "team") for one in rest[:at])
    rest = [one for one in rest if not (is_of_owner and one.said.lower() == "per")]  # does Levi take | per | bug
    is_of_issues = [one for one in (rest if is_of_owner else rest[:max(at, 0)]) if one.name_kind == "type"
                    or one.kind == "key" or one.has_entity("issue")]  # fmt: skip
    has_key = any(one.kind == "key" for one in rest)
    behind = rest[:at] if at >= 0 and has_key and read_span(rest, place=at + 1) is not None else rest
    plain = all(one.kind in ("mark", "names", "key", "period") or one.has_entity("issue") for one in behind)
    kinds = {one.name_kind for one in rest}
    if "how_long" not in first.marks or len(is_of_issues) != 1 or not plain or kinds & {"status", "sprint"}:
        return None
    span = read_span(rest, place=at + 1)
    is_spanned = span is not None and len(rest) == at + 1 + span[1]
    senses = span[0][0].senses if span is not None and is_spanned else _make_span_senses("started")
    taken = replace(first, kind="term", senses=senses, marks=frozenset())
    return [taken, *rest[:at], *([] if is_spanned else rest[at + 1 :])], len(phrases) - place


def read_time_in_status(phrases: list[Phrase], *, place: int) -> Found:
    """Read the time that issues stay in a status as a measure: average | time | issues | spend | in QA."""
    first = phrases[place]
    at = next((n for n in range(place + 1, len(phrases)) if phrases[n].name_kind == "status"), -1)
    at = -1 if at > 0 and phrases[at - 1].marks & {"not", "without", "except"} else at  # each status | excluding | QA
    each = next((n for n in range(place + 1, len(phrases) - 1) if "per" in phrases[n].marks), -1)
    is_each = at < 0 < each and _names(phrases[each + 1], "past_status")  # time in | each | status
    is_spent = is_each and phrases[each].said.lower().startswith("in ") and first.said.lower() == "time spent"
    is_time = is_spent or first.said.lower() == "time" or first.marks == {"how_long"}
    at = each if is_each else at
    between = phrases[place + 1 : at]
    is_plain = all(
        one.is_of_issues or one.name_kind == "team" or one.marks & {"be", "do", "average", "median"}
        or _names(one, "spent_hours", "time_in_status") for one in between
    )  # fmt: skip
    is_apart = is_each or phrases[at].is_apart or phrases[at].said.lower().startswith("in ")
    is_apart = is_apart or phrase_at(phrases, place=at - 1).said.lower().endswith(" in")  # hang around in | QA
    if not (is_time and at > 0 and is_plain and is_apart) or any(one.kind == "key" for one in phrases):
        return None
    said = [*phrases[:place], *between]
    name = "median_time_in_status" if any("median" in one.marks for one in said) else "time_in_status"
    phrases[:place] = [replace(one, marks=frozenset({"be"})) if one.marks <= {"average", "median"} else one
                       for one in phrases[:place]]  # fmt: skip
    measure = replace(first, kind="term", senses=(Sense("measure", name, "noun"),), marks=frozenset())
    return [measure, *(one for one in between if one.kind == "names"), phrases[at]], at + 1 - place


def read_noun_of_list(phrases: list[Phrase], *, place: int) -> Found:
    """Read what may be a noun or a verb as the noun beside another number: completed points | and | carry over."""
    first, link, second = look_at(phrases, place=place, size=3)
    nouns = tuple(one for one in second.senses if (one.kind, one.form) == ("measure", "noun"))
    if "and" not in link.marks or not (_is_measure(first) and _is_measure(second)) or nouns == second.senses:
        return None
    return ([first, link, replace(second, senses=nouns)], 3) if nouns else None


def read_duration(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read how long issues took, from the start of work: took | more than 5 days; took | a week or more.

    Until they were done it is from their creation: fixed | within 2 days; closed | in less than a day.
    """
    first, bound, behind = look_at(phrases, place=place, size=3)
    is_length = bound.is_days and bound.kind == "bound" and not bound.senses
    if first.said.lower() in TAKING and is_length and _names(behind, *_DAYS):
        said = f"{first.said} {bound.said} {behind.said}"  # took | more than 10 days | from start to done
        return [replace(bound, senses=behind.senses, said=said, start=first.start, edge="")], 3
    if first.said.lower() in TAKING and is_length and not behind.has("predicate", "time"):
        said = f"{first.said} {bound.said}"
        return [replace(bound, senses=_make_span_senses("started"), said=said, start=first.start, edge="")], 2
    is_done = first.kind == "term" and any((one.name, one.form) == ("done", "verb") for one in first.senses)
    if not (is_done and is_length and bound.op in (Operator.LT, Operator.LE)):
        return None
    if first.is_negated or "not" in phrase_at(phrases, place=place - 1).marks:
        return [first, leave_out(bound, lead=first)], 2
    size = 3 if "creation" in behind.marks else 2  # resolved | within 3 days of | creation
    return [first, replace(bound, senses=_make_span_senses("created"), edge="")], size


def read_lateness(phrases: list[Phrase], *, place: int) -> Found:
    """Read what was late when it was done, or not: resolved | after | its due date; finished | late; done | on time."""
    first = phrases[place]
    is_done = first.kind == "term" and _names(first, "done")
    rows = _list_rows_behind(phrases, place=place) if is_done else []
    edge, due = look_at(phrases, place=place + 1 + len(rows), size=2)
    is_before = bool(edge.marks & {"before", "until"})
    is_bare_date = (edge.is_apart or edge.is_definite) and _names(edge, "due_date")
    if edge.marks & {"before", "after", "until", "gt"} and _names(due, "due_date"):
        size, op = 3, (Operator.LT if "before" in edge.marks else Operator.LE) if is_before else Operator.GT
    elif is_done and is_bare_date and not rows:
        return [first, leave_out(edge, lead=first)], 2  # resolved | on its due date
    elif edge.kind == "term" and _names(edge, "overdue"):
        size, op = 2, Operator.GT
    elif edge.marks == {"on_time"}:
        size, op = 2, Operator.LE
    else:
        return None
    is_negated = first.is_negated or edge.is_negated or "not" in phrase_at(phrases, place=place - 1).marks
    if not is_done or is_negated:
        return None
    said = " ".join(one.said for one in (edge, due)[: size - 1])
    senses = (Sense("dimension", "resolved_at", "noun"),)
    late = replace(edge, kind="bound", senses=senses, marks=frozenset(), op=op, than="due_date", said=said)
    return [first, *rows, late], size + len(rows)


def _list_rows_behind(phrases: list[Phrase], *, place: int) -> list[Phrase]:
    """List what was done, perhaps with how much of it: closed | the most | tickets. Empty if it is said before."""
    end = place + 1 + bool(phrase_at(phrases, place=place + 1).marks & {"top", "bottom", "how_many"})
    return phrases[place + 1 : end + 1] if phrase_at(phrases, place=end).is_of_issues else []


def read_overrun(phrases: list[Phrase], *, place: int) -> Found:
    """Read more hours than estimated: took | more | hours | than | estimated; took | longer than | estimated."""
    first, rest = phrases[place], phrases[place : place + _MAX_OVERRUN]
    is_more = bool(first.marks & {"more", "fewer"}) or first.said.lower().startswith(_LONGER)
    if not (is_more or "gt" in first.marks):
        return None
    at = next((n for n, one in enumerate(rest) if n and _names(one, "estimated_hours", "estimated")), 0)
    lengths = [one for one in rest[:at] if one.has("unit") or one.said.lower().startswith(_LONGER)]
    plain = [
        one for one in rest[:at]
        if one in lengths or one.marks & _OVERRUN_MARKS or _names(one, "spent_hours")
    ]  # fmt: skip
    is_over = "gt" in first.marks and first.said.lower().endswith(" over") and at == 1  # went over | their estimate
    subjects = [one for one in phrases[:place] if one.has("entity", form="noun") or one.name_kind == "type"]
    are_issues = bool(subjects) and all(one.is_of_issues for one in subjects)
    if not (are_issues and (is_over or (is_more and lengths))) or len(plain) != at:
        return None
    is_less = bool(first.marks & {"fewer", "lt"} or first.said.lower().startswith("shorter"))
    bound = replace(
        first, kind="bound", marks=frozenset(), senses=(Sense("dimension", "spent_hours_of_issue", "noun"),),
        op=Operator.LT if is_less else Operator.GT, than="estimated_hours_of_issue",
        said=" ".join(one.said for one in rest[: at + 1]),
    )  # fmt: skip
    return [bound], at + 1


def read_dated_noun(phrases: list[Phrase], *, place: int) -> Found:
    """Read a day behind the noun of a moment as that moment: with a due date | this week."""
    first, second = look_at(phrases, place=place, size=2)
    is_named = first.kind == "term" or (first.kind == "missing" and first.is_negated)  # it has one
    role = next((_DATES[one.name] for one in first.senses if (one.kind, one.form) == ("dimension", "noun")
                 and one.name in _DATES), "")  # fmt: skip
    if not (is_named and role and second.kind == "period"):
        return None
    senses = (Sense("time", role, "adjective"),)
    return [replace(first, kind="term", senses=senses, is_negated=False, marks=frozenset()), second], 2


def read_locative(phrases: list[Phrase], *, place: int) -> Found:
    """Skip a verb of place before a status or a state: waiting in | QA. What is waited for finds no place."""
    first, second = look_at(phrases, place=place, size=2)
    if first.marks != {"locative"}:
        return None
    is_place = second.is_apart and second.name_kind == "status"
    is_place = is_place or any(sense.name in ("in_progress", "in_backlog", "to_do") for sense in second.senses)
    return ([], 1) if is_place else None


def read_distinct(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "different" before people, teams and sprints, each of which is counted once."""
    first, second = look_at(phrases, place=place, size=2)
    is_row = any(second.has_entity(one) for one in _PEOPLE)
    return ([], 1) if first.marks == {"distinct"} and is_row else None


def read_each_row(phrases: list[Phrase], *, place: int) -> Found:
    """Read a property of each row as that of the rows: the goal of | each | running sprint. It groups nothing."""
    first, rest = phrases[place], phrases[place + 1 :]
    if first.marks != {"per"} or first.said.lower().split()[-1] not in ("each", "every"):
        return None
    at = next((n for n, one in enumerate(rest) if (one.kind == "names" and one.name_kind == "type")
               or is_sprints(one) or one.has("entity", form="noun")), None)  # fmt: skip
    is_number = any(one.marks & _NUMBERS or one.kind in ("top", "number") or _is_measure(one) for one in phrases)
    if at is None or is_number:
        return None
    rows = rest[at]
    asked = [*phrases[:place], *rest[at + 1 :]]
    names = {
        sense.name for one in asked for sense in one.senses
        if (sense.kind, sense.form) == ("dimension", "noun") and not one.has("entity")
    }  # fmt: skip
    own = "sprint" if is_sprints(rows) or rows.has_entity("sprint") else "issue" if rows.is_of_issues else ""
    others = [one for one in asked if one.has("entity", form="noun")]
    if not own or others or not names or not any(one.marks & {"what", "which"} for one in phrases[:place]):
        return None
    return [*rest[:at], replace(rows, is_plural=True, quantifier="each")], at + 2


def read_latest(phrases: list[Phrase], *, place: int) -> Found:
    """Read what happened last or first as a rank by its moment: created | last; the last | 5 | resolved | bugs."""
    word, following = look_at(phrases, place=place, size=2)
    act = phrase_at(phrases, place=place + 2) if following.is_of_issues else following
    is_recent = word.said.lower() == "most recent" and _find_moment(act) not in ("", "created_at")
    is_last, is_first = word.marks == {"last"} or is_recent, word.said.lower() == "first" and "top" in word.marks
    newest = next((one.name for one in word.senses if (one.kind, one.form) == ("dimension", "superlative")), "")
    is_updated = word.said.lower() == "last updated"
    if not (newest or is_last or is_first or is_updated):
        return None
    is_when = any("when" in one.marks for one in phrases)
    nouns = [one for one in phrases if one.is_of_issues or one.name_kind == "priority"]
    is_one = bool(nouns) and not any(one.is_plural or one.said.lower().endswith("s") for one in nouns)
    is_asked = is_one and "when" in phrases[0].marks if is_when else any(one.is_of_issues for one in phrases)
    if newest and is_asked and is_when:
        at = next((n for n in range(place + 1, len(phrases)) if _find_moment(phrases[n]) == newest), -1)
        return ([word, *phrases[place + 1 : at]], at + 1 - place) if at > 0 else None  # newest | bug | created
    if not is_asked or not (is_last or is_first or is_updated):
        return None
    number = following if is_last and following.kind == "number" else NOTHING
    is_ahead = is_last or is_when or (is_first and following.is_of_issues)
    behind = range(place + 1 + bool(number), len(phrases)) if is_ahead else ()
    at = next((n for n in (place, place - 1, *behind) if _find_moment(phrase_at(phrases, place=n))), -1)
    if at < 0:
        return None
    act = phrases[at]
    if at < place:
        phrases[at] = replace(act, kind="mark", senses=(), marks=frozenset({"be"}))
    counted = number or _find_count(phrases[:place])
    if counted and not number:
        phrases[phrases.index(counted)] = replace(counted, kind="mark", marks=frozenset({"be"}), number=None)
    said = dict.fromkeys(one.said for one in sorted((act, word), key=lambda one: one.start))
    rank = replace(
        word, kind="rank", said=" ".join(said),
        senses=(Sense("dimension", _find_moment(act), "superlative"),), marks=frozenset(), is_descending=not is_first,
        number=counted.number,
    )  # fmt: skip
    kept = phrases[place + 1 + bool(number) : at] if at > place else []
    return [rank, *kept], max(at - place, bool(number)) + 1


def _names(phrase: Phrase, *terms: str) -> bool:
    """Return whether it may stand for one of these terms of the model."""
    return any(sense.name in terms for sense in phrase.senses)


def _find_count(before: list[Phrase]) -> Phrase:
    """Return the number of rows that are ranked: the | five | issues. One of several is no such number."""
    at = next((n for n, one in enumerate(before) if one.kind == "number"), len(before))
    noun = next((one for one in before[at + 1 :] if not one.has("predicate")), NOTHING)
    is_one = any(one.said.lower() in ("is", "was") for one in before)
    return before[at] if noun.is_of_issues and not is_one else NOTHING


def read_number_behind(phrases: list[Phrase], *, place: int) -> Found:
    """Put a number before the superlative that it stands behind: newest | 10 | issues."""
    first, second = look_at(phrases, place=place, size=2)
    is_superlative = first.kind == "term" and degree_of(first) is not None
    return ([second, first], 2) if is_superlative and second.kind == "number" else None


def _find_moment(phrase: Phrase) -> str:
    """Return the moment at which an issue was as a verb says. Empty if it is negated, or has none."""
    is_act = phrase.kind == "term" and not phrase.is_negated
    known = (_MOMENTS.get(one.name, "") for one in phrase.senses if is_act and one.kind == "time")
    is_done = is_act and any((one.name, one.form) == ("done", "verb") for one in phrase.senses)  # fixed
    return next(filter(None, known), "resolved_at" if is_done else "")


def _is_measure(phrase: Phrase) -> bool:
    return phrase.has("measure", form="noun") and not phrase.has("entity", "dimension")


def _make_span_senses(role: str) -> tuple[Sense, ...]:
    """Return the senses of the time from a moment until an issue is done, over all and of each."""
    measure, dimension = _SPANS[role]
    return Sense("measure", measure, "noun"), Sense("dimension", dimension, "noun")


def read_span(phrases: list[Phrase], *, place: int) -> Found:
    """Read the time between two moments as lead time or cycle time: from | creation | to | resolution."""
    first, begin, to, end = look_at(phrases, place=place, size=4)
    if to.said.lower() not in ("to", "until", "till"):
        return None
    role = _BEGINS.get(begin.said.lower(), "")
    if first.said.lower() != "from" or not role or end.said.lower() not in _ENDS:
        return None
    senses = _make_span_senses(role)
    said = " ".join(one.said for one in (first, begin, to, end))
    span = replace(begin, kind="term", senses=senses, marks=frozenset(), said=said, start=first.start, names=(),
                   name_kind="")  # fmt: skip
    before = phrase_at(phrases, place=place - 1)
    if any(one.name == "cycle_time" for one in before.senses) or before.said.lower() == "time":
        phrases[place - 1] = replace(before, kind="mark", senses=(), marks=frozenset({"be"}))
    return [span], 4


def read_counted_sides(phrases: list[Phrase], *, place: int) -> Found:
    """Read numbers of two kinds side by side: how many | bugs | and | how many | stories."""
    first, link, again, second = look_at(phrases, place=place, size=4)
    if "and" not in link.marks:
        return None
    is_counted = any("how_many" in one.marks for one in phrases[:place]) and "how_many" in again.marks
    if not is_counted or first.kind != "names" or (second.kind, second.name_kind) != ("names", first.name_kind):
        return None
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    both = replace(first, names=names, joined_by="and", said=f"{first.said}, {second.said}")
    return [both, replace(link, marks=frozenset({"compare"}), senses=())], 4


def read_ratio(phrases: list[Phrase], *, place: int) -> Found:
    """Read a ratio as the numbers of both side by side: ratio of | bugs | to | stories."""
    first, one, to, other = look_at(phrases, place=place, size=4)
    is_ratio = "share" in first.marks and first.said.lower().endswith("ratio of") and to.said.lower() == "to"
    if not is_ratio or one.kind != "names" or (other.kind, other.name_kind) != ("names", one.name_kind):
        return None
    both = replace(one, names=(*one.names, *other.names), joined_by="and", said=f"{one.said} to {other.said}")
    return [replace(first, marks=frozenset({"compare"}), senses=()), both], 4


def read_nobody_relative(phrases: list[Phrase], *, place: int) -> Found:
    """Read a relative clause of nobody behind its verb: issues | each team | have | nobody | is assigned to."""
    first = phrases[place]
    at = place + 1
    while (verb := phrase_at(phrases, place=at)).kind == "mark" and verb.marks <= SILENT_MARKS:
        at += 1
    is_counted = any(one.has_entity("issue") or one.name_kind == "type" for one in phrases[:place])
    owner = tuple(
        replace(one, form="noun") for one in verb.senses
        if (one.kind, one.name, one.form) == ("dimension", "assignee", "verb")
    )  # fmt: skip
    if first.marks != {"nobody"} or not owner or not is_counted:
        return None
    has_mark = phrase_at(phrases, place=place - 1)
    if "have" not in has_mark.marks or not any("how_many" in one.marks for one in phrases[:place]):
        return None
    said = f"{first.said} {verb.said}"
    return [replace(verb, kind="missing", senses=owner, said=said, start=first.start)], at - place + 1


def read_inclusion(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is left out, or not, by the participle behind it: bugs | excluded; finished ones | included."""
    first, second = look_at(phrases, place=place, size=2)
    is_filter = first.kind == "names" or (first.kind == "term" and first.has("predicate"))
    if not is_filter or not second.marks & {"excluded", "included"}:
        return None
    if "excluded" in second.marks:
        return [replace(first, is_negated=not first.is_negated, said=f"{first.said} {second.said}")], 2
    others = [one for one in phrases if one is not first and (one.kind, one.name_kind) == (first.kind, first.name_kind)]
    is_only = not any(one.has("predicate") if first.kind == "term" else True for one in others)
    return ([], 2) if is_only else None


def read_wholly(phrases: list[Phrase], *, place: int) -> Found:
    """Read epics that are completely | done as those that have issues, but no open ones. Of others it has no place."""
    first, second = look_at(phrases, place=place, size=2)
    of_epics = any(one.name_kind == "type" and one.said.lower() == "epics" for one in phrases[:place])
    is_done = any(sense.name == "done" for sense in second.senses) and not second.is_negated
    if first.marks != {"wholly"} or not (of_epics and is_done):
        return None
    is_open = Sense("predicate", "open", "adjective")
    inside = (
        replace(second, senses=(is_open,), said="open"),
        replace(second, senses=(Sense("entity", "issue", "noun", is_plural=True),), said="issues", is_plural=True),
    )
    said = f"{first.said} {second.said}"
    none = replace(second, kind="related", senses=(), said=said, is_negated=True, alternatives=inside)
    return [none, replace(none, is_negated=False, alternatives=inside[1:])], 2
