"""
Rules for constructions that say what another says: X vs Y, who has more; moved to done; what does it depend on.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py; one of the whole question receives all phrases and returns others.
"""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.enums import Operator
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import (
    SILENT_MARKS,
    Found,
    Phrase,
    Rule,
    is_sprints,
    look_at,
    of_whole_question,
    phrase_at,
)

_ISSUE = (Sense("entity", "issue", "noun"), Sense("measure", "issues", "noun"))
_SCOPE_CHANGES = (Sense("entity", "scope_change", "noun", is_plural=True),)
_BESIDE_CHANGES = frozenset({"what", "which", "be", "do", "our"})
_CHANGES = (Sense("entity", "status_change", "noun", is_plural=True),)
_SPRINTS = (Sense("entity", "sprint", "noun", is_plural=True), Sense("dimension", "sprint", "noun"))
_RESULTS = ("completed_points", "completed_issues")
_DONE = (
    Sense("predicate", "done", "verb"), Sense("time", "resolved", "verb"), Sense("measure", "resolved_issues", "verb"),
)  # fmt: skip
_ASKING = SILENT_MARKS | {"what", "which", "to"}
_BESIDE_SPRINTS = SILENT_MARKS | {"how", "compare", "versus", "and", "to", "than", "degree", "differs", "with", "past"}


def _make_adjective(predicate: str) -> tuple[Sense, ...]:
    return (Sense("predicate", predicate, "adjective"),)


_LEFT = (*_make_adjective("open"), *_make_adjective("left_in_sprint"))


def _names(phrase: Phrase, *terms: str) -> bool:
    return phrase.kind == "term" and any(sense.name in terms for sense in phrase.senses)


def _only_asks(phrase: Phrase) -> bool:
    return phrase.kind == "mark" and phrase.marks <= _ASKING


@of_whole_question
def read_sides_first(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read two people or teams before a question as a choice behind it: levi | vs | zoe | who has more open."""
    first, link, second, who = look_at(phrases, place=0, size=4)
    rest = phrases[3:]
    is_pair = first.kind == second.kind == "names" and first.name_kind == second.name_kind in ("person", "team")
    if not is_pair or not link.marks & {"versus", "or"} or not who.marks & {"who", "which"}:
        return None
    if not any(one.is_of_issues or one.has("measure", form="noun") for one in rest):
        rest = [*rest, replace(who, kind="term", said="issues", senses=_ISSUE, marks=frozenset(), is_plural=True)]
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    both = replace(first, names=names, joined_by="or", said=f"{first.said} or {second.said}")
    return [*rest, both]


@of_whole_question
def read_compared_sprints(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read two sprints side by side as what was completed in each: did HARBOR do better in | sprint 8 | than | 7."""
    named = [one for one in phrases if is_sprints(one) and not one.edge]
    others = [one for one in phrases if one not in named and one.name_kind != "team"]
    marks = {mark for one in others for mark in one.marks}
    is_compared = bool(marks & {"compare", "versus", "than", "differs"})
    sprints = {(name.team_id, name.value) for one in named for name in one.names}
    is_pair = len(named) == 2 or (len(named) == 1 and len(sprints) > len({team for team, _ in sprints}))  # noqa: PLR2004
    is_better = any(one.said.lower().split()[0] in ("better", "worse") for one in others)
    is_unsaid = "be" in marks or len({team for team, _ in sprints}) > 1  # is sprint 7 better; of which team
    is_pair = is_pair and not (is_better and is_unsaid)
    if not (is_compared and is_pair) or not all(_is_beside_sprints(one) for one in others):
        return None
    if {mark for one in others for mark in one.marks} & {"degree", "differs"} and not is_better:
        return None
    lead = phrases[0]
    said = "better" if is_better else "compared"
    measures = [
        replace(lead, kind="term", said=said, senses=(Sense("measure", name, "noun"),), marks=frozenset({"result"}),
                names=(), name_kind="", is_plural=True) for name in _RESULTS
    ]  # fmt: skip
    link = replace(lead, kind="mark", said="and", marks=frozenset({"and"}), senses=(), names=(), name_kind="")
    group = replace(measures[0], kind="group", said="by sprint", senses=_SPRINTS, marks=frozenset())
    teams = [one for one in phrases if one.name_kind == "team"]
    each = [part for one in named for part in (link, one)][1:]
    return [measures[0], link, measures[1], group, *teams, *each]


def _is_beside_sprints(phrase: Phrase) -> bool:
    is_do = phrase.said.lower() in ("do", "did", "does", "done")
    return is_do or (phrase.kind == "mark" and phrase.marks <= _BESIDE_SPRINTS)


@of_whole_question
def read_dependence(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read what depends on another issue as blocked by it: what does | X | depend on; what | depends on | X."""
    keys = [at for at, one in enumerate(phrases) if one.kind == "key" and not one.name_kind]
    verb = next((at for at, one in enumerate(phrases) if one.marks == {"depend"}), -1)
    rest = [one for at, one in enumerate(phrases) if at not in (*keys, verb)]
    plain = all(_only_asks(one) or one.has_entity("issue") for one in rest)
    if verb < 0 or len(keys) != 1 or not plain or not any(one.marks & {"what", "which"} for one in rest):
        return None
    link = replace(phrases[verb], kind="term", senses=(Sense("predicate", "blocking", "verb"),), marks=frozenset())
    asking = replace(rest[0], kind="mark", marks=frozenset({"what"}), senses=())
    [key] = keys
    return [asking, link, phrases[key]] if key < verb else [asking, phrases[key], link]


def read_waiting(phrases: list[Phrase], *, place: int) -> Found:
    """Read what waits for an issue that is not done: waiting on | another | ticket; blocked | by | an open | issue."""
    verb, by = look_at(phrases, place=place, size=2)
    is_passive = _names(verb, "blocked") and by.said.lower() == "by"
    is_wait = verb.marks == {"depend"} or (verb.marks == {"locative"} and verb.said.lower().startswith("wait"))
    if not (is_passive or is_wait):
        return None
    at = place + 1 + is_passive
    start = at
    at += phrase_at(phrases, place=at).marks == {"another"}
    at += _names(phrase_at(phrases, place=at), "open")
    noun = phrase_at(phrases, place=at)
    is_one = noun.kind == "term" and noun.has_entity("issue") and not noun.is_plural
    if not is_one or at == start:
        return None
    end, tail = at + 1, look_at(phrases, place=at + 1, size=3)
    size = 1 if tail[0].marks == {"be"} else 0
    is_open = _names(tail[size], "open") or ("not" in tail[size].marks and _names(tail[size + 1], "done"))
    end += (size + 1 + ("not" in tail[size].marks)) if is_open else 0
    if phrase_at(phrases, place=end).kind not in ("nothing", "group"):
        return None  # another issue | that is done; | in ORBIT: this one, or that which waits
    said = " ".join(one.said for one in phrases[place:end])
    return [replace(verb, kind="term", senses=_make_adjective("waiting"), marks=frozenset(), said=said)], end - place


def read_transition_to_done(phrases: list[Phrase], *, place: int) -> Found:
    """Read what was moved to done, whatever that status is called, as what was done: moved | to | done | yesterday."""
    verb, to, done = look_at(phrases, place=place, size=3)
    is_done = done.kind == "term" and _names(done, "done") and not done.names
    if not (_names(verb, "status_changed") and to.marks == {"to"} and is_done) or verb.is_negated:
        return None
    if any(
        one.marks & {"who", "when", "how_often"} or one.kind == "key" or one.name_kind == "person" for one in phrases
    ):
        return None
    said = f"{verb.said} to {done.said}"
    act = replace(verb, senses=_DONE, said=said, marks=frozenset())
    is_named = any(one.is_of_issues for one in phrases)
    noun = replace(verb, senses=_ISSUE, said="issues", is_plural=True, marks=frozenset())
    return ([act] if is_named else [noun, act]), 3


def read_history(phrases: list[Phrase], *, place: int) -> Found:
    """Read the history of an issue as its changes of status. Of anything else it finds no place."""
    first = phrases[place]
    if first.kind != "mark" or "history" not in first.said.lower().split():
        return None
    keys = [one for one in phrases if one.kind == "key" and not one.name_kind]
    rest = [one for one in phrases if one not in (first, *keys)]
    if len(keys) != 1 or not all(map(_only_asks, rest)):
        return None
    return [replace(first, kind="term", senses=_CHANGES, marks=frozenset(), is_plural=True)], 1


def read_next_deadline(phrases: list[Phrase], *, place: int) -> Found:
    """Read the next deadline as the earliest due date of open issues that is not over."""
    first, noun = look_at(phrases, place=place, size=2)
    is_due = noun.kind == "term" and any((one.name, one.form) == ("due_date", "noun") for one in noun.senses)
    if first.marks != {"next"} or not is_due:
        return None
    made = replace(noun, marks=frozenset(), said=f"{first.said} {noun.said}", start=first.start, is_plural=False)
    rank = (Sense("dimension", "due_date", "superlative", is_descending=False),)
    return [
        replace(made, senses=_make_adjective("open")), replace(made, senses=_ISSUE),
        replace(made, kind="rank", senses=rank, is_descending=False, number=1.0),
        replace(made, senses=_make_adjective("overdue"), is_negated=True),
    ], 2  # fmt: skip


def read_behind(phrases: list[Phrase], *, place: int) -> Found:
    """Read who is behind in a sprint as who has the most points left in it: which team is | most behind | in it."""
    first = phrases[place]
    if "worst" not in first.marks or not first.said.lower().endswith(" behind"):
        return None
    is_measured = any(one.has("measure", form="noun") and not one.has("entity") for one in phrases)
    if is_measured or not any(is_sprints(one) for one in phrases):
        return None
    points = (Sense("measure", "remaining_points", "noun", is_plural=True),)
    return [
        replace(first, marks=frozenset({"top"}), senses=(), said="most"),
        replace(first, kind="term", marks=frozenset(), senses=points, is_plural=True),
    ], 1  # fmt: skip


def read_left_to_burn(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is left to burn as what is left in the sprints that run, unless others are named."""
    first = phrases[place]
    if first.marks != {"to_burn"} or any(one.marks & {"compare", "versus"} for one in phrases):
        return None
    left = replace(first, kind="term", senses=_make_adjective("left_in_sprint"), marks=frozenset())
    if any(map(is_sprints, phrases)) or any(one.has_entity("sprint") for one in phrases):
        return [left], 1
    return [left, replace(left, kind="sprints", predicate="sprint_active", senses=(), said="running sprints")], 1


def read_work_left(phrases: list[Phrase], *, place: int) -> Found:
    """Read the work that somebody has left as open work, unless a sprint is named: who has | work left."""
    first = phrases[place]
    words = first.said.lower().split()
    is_work = first.kind == "term" and _names(first, "remaining_points") and words[-1:] == ["left"]
    has_owner = any("have" in one.marks and one.said.lower() != "with" for one in phrases)
    is_of_sprint = any(is_sprints(one) or one.has_entity("sprint") for one in phrases)
    if not (is_work and has_owner) or is_of_sprint:
        return None
    work = replace(first, said=" ".join(words[:-1]), senses=_ISSUE)
    left = replace(first, said=words[-1], senses=_make_adjective("open"), start=first.start + len(work.said) + 1)
    return [work, left], 1


def read_still_held(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read who still has issues as who has some left to do: who | still has | work in | sprint 9.

    A sprint that is closed says of then, and not of what they still have.
    """
    first, rest = phrases[place], phrases[place + 1 :]
    if not {"have", "still"} <= first.marks:
        return None
    is_told = any(one.has("predicate", "time") or one.name_kind == "status" or one.kind == "missing" for one in phrases)
    sprints = [one for one in rest if is_sprints(one)]
    is_of_then = any(name.state != "active" for one in sprints for name in one.names)
    is_asked = any("who" in one.marks for one in phrases[:place])
    if is_told or not is_asked or is_of_then:
        return None
    end = next((at for at, one in enumerate(rest) if is_sprints(one)), len(rest))
    if not any(one.is_of_issues for one in rest):
        return None
    left = replace(first, kind="term", said="still", senses=_LEFT, marks=frozenset())
    return [replace(first, marks=first.marks - {"still"}), *rest[:end], left], end + 1


@of_whole_question
def read_whose_rows(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read whose issues are so as who has such issues: whose | tickets | are | blocked."""
    whose = phrases[0]
    at = next((n for n, one in enumerate(phrases) if one.said.lower() == "are"), 0)
    rows, rest = phrases[1:at], phrases[at:]
    noun = rows[-1] if rows else whose
    is_several = noun.name_kind == "priority" or (noun.is_of_issues and noun.said.lower().endswith("s"))
    state = next((one for one in rest[1:] if "not" not in one.marks), whose)
    is_state = state.has("predicate", form="adjective") or state.name_kind == "status"
    if whose.marks != {"whose"} or not (is_several and is_state):
        return None
    who, has = replace(whose, marks=frozenset({"who"})), replace(whose, said="has", marks=frozenset({"have"}))
    return [who, has, *rows, *rest]


def read_extent(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "by" before how much overdue something is: overdue | by | more than | 10 days."""
    first, by, limit, days = look_at(phrases, place=place, size=4)
    is_length = limit.kind == "days" or (bool(limit.marks & {"gt", "ge", "lt", "le"}) and days.kind == "days")
    is_overdue = _names(first, "overdue") and by.said.lower() == "by"
    return ([first], 2) if is_overdue and is_length else None


def read_size_of_estimate(phrases: list[Phrase], *, place: int) -> Found:
    """Read the number of an estimate as points: estimated at | 13. The unit behind it is read with it."""
    first, number, unit = look_at(phrases, place=place, size=3)
    is_estimated = _names(first, "estimated") and not first.is_negated and number.kind == "number" and number.is_apart
    if not is_estimated or unit.has("unit", "measure", "dimension", form="noun") or unit.has_entity("issue"):
        return None
    points = (Sense("measure", "points", "noun"), Sense("dimension", "story_points", "noun"))
    return [replace(number, kind="bound", op=Operator.EQ, senses=points, said=f"{first.said} {number.said}")], 2


@of_whole_question
def read_changes_of_scope(phrases: list[Phrase]) -> list[Phrase] | None:
    """Read what was added to a sprint and removed as its changes: what was | added | and | removed in | sprint 8."""
    at = next((n for n, one in enumerate(phrases) if _find_change(one)), len(phrases))
    first, link, second = look_at(phrases, place=at, size=3)
    is_pair = {_find_change(first), _find_change(second)} == {"added_late", "removed"} and link.said.lower() == "and"
    rest = [*phrases[:at], *phrases[at + 3 :]]
    times = [one for one in rest if is_sprints(one) or one.kind == "period"]
    kept = [one for one in rest if one in times or one.name_kind in ("team", "type")]
    plain = all(one in kept or one.has_entity("issue") or one.marks & _BESIDE_CHANGES for one in rest)
    if not (is_pair and plain and phrases[0].marks & {"what", "which"} and times):
        return None
    said = f"{first.said} and {second.said}"
    return [replace(first, senses=_SCOPE_CHANGES, is_plural=True, said=said), *kept]


def _find_change(phrase: Phrase) -> str:
    names = {one.name for one in phrase.senses if one.kind == "predicate"} if not phrase.is_negated else set()
    return next((one for one in ("added_late", "removed") if one in names), "")


RESTATEMENTS: tuple[Rule, ...] = (
    read_sides_first, read_compared_sprints, read_dependence, read_waiting, read_transition_to_done, read_history,
    read_next_deadline, read_behind, read_left_to_burn, read_work_left, read_still_held,
    read_whose_rows, read_extent, read_size_of_estimate, read_changes_of_scope,
)  # fmt: skip


def find_result_words(phrases: Sequence[Phrase]) -> str:
    """Return how two sprints are compared by their results: better, or compared. Empty if they are not."""
    return next((one.said for one in phrases if "result" in one.marks), "")
