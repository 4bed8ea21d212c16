"""
Rules for rows that others have, lack, or have nothing else than: what is said of these rows, up to the end.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py.
"""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.enums import Operator
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import Found, Phrase, Rule, is_sprints, leave_out, look_at, phrase_at
from sprints.semantics.questions.tense import find_verb

_LEAVERS = {"assignee": "assigned_to_leaver", "reporter": "reported_by_leaver"}
_OWNERS = ("person", "team")
_OF_CLAUSES = frozenset({"be", "have", "past"})


def asks_for_owners(before: Sequence[Phrase]) -> bool:
    """Return whether people, teams or epics are asked for, of which each has rows: which epics | have."""
    return any(
        "who" in one.marks or any(map(one.has_entity, _OWNERS)) or (one.name_kind == "type" and is_epics(one))
        for one in before
    )


def is_epics(phrase: Phrase) -> bool:
    """Return whether it names epics, and not the epic of a row."""
    return phrase.said.lower().split()[-1] == "epics"


def find_clause_end(phrases: Sequence[Phrase], *, place: int) -> int:
    """
    Return the end of a clause about the rows before a position, if it is all that follows: story | that is | blocked.

    Without such a clause it is the position.
    """
    at = place
    while (one := phrase_at(phrases, place=at)).kind == "mark" and (one.marks <= _OF_CLAUSES or "anybody" in one.marks):
        at += 1
    rest = phrases[at:]
    is_state = bool(rest) and (rest[0].has("predicate") or rest[0].name_kind == "status")
    is_clause = at > place and is_state and all(map(_is_of_rows, rest))
    return len(phrases) if is_clause else place


def _is_of_rows(phrase: Phrase) -> bool:
    is_state = phrase.kind == "term" and phrase.has("predicate") and not phrase.is_negated
    is_length = phrase.kind == "bound" and phrase.is_days
    return is_state or is_length or is_sprints(phrase) or phrase.name_kind in ("priority", "label", "status")


def read_left_open(phrases: list[Phrase], *, place: int) -> Found:
    """Read what is left open as open, unless a sprint left it so when it was closed: has | nothing | left open."""
    first = phrases[place]
    is_of_now = find_verb(phrases, place=place) in ("is", "are", "has", "have")
    is_closed = any(name.state == "closed" for one in phrases if is_sprints(one) for name in one.names)
    if first.kind != "term" or first.said.lower() != "left open" or not is_of_now or is_closed:
        return None
    return [replace(first, senses=(Sense("predicate", "open", "adjective"),))], 1


def read_end_of_sprint(phrases: list[Phrase], *, place: int) -> Found:
    """Read the end of a sprint as part of what is carried over then: left over at | the end | of sprint 8."""
    first, sprint = look_at(phrases, place=place, size=2)
    at = next((n for n, one in enumerate(phrases) if any(sense.name == "carried_over" for sense in one.senses)), -1)
    is_end = first.said.lower() == "end" and first.kind == "unknown"
    if at < 0 or not is_end or not (not sprint or is_sprints(sprint)):
        return None
    phrases[at] = replace(phrases[at], said=f"{phrases[at].said} at the {first.said}")
    return [], 1


def read_sprints_behind(phrases: list[Phrase], *, place: int) -> Found:
    """Read sprints of rows that are told of behind their noun as those that run: tickets in | the sprints | running."""
    sprints, active = look_at(phrases, place=place, size=2)
    is_noun = sprints.kind == "term" and sprints.has_entity("sprint") and sprints.is_plural
    is_active = any((one.name, one.form) == ("sprint_active", "adjective") for one in active.senses)
    are_of_rows = any(one.is_of_issues for one in phrases[:place])
    is_last = phrase_at(phrases, place=place + 2).kind == "nothing"
    if not (is_noun and is_active and are_of_rows and is_last):
        return None
    said = f"{sprints.said} {active.said}"
    return [replace(sprints, kind="sprints", senses=(), predicate="sprint_active", said=said)], 2


def read_only_rows(phrases: list[Phrase], *, place: int) -> Found:
    """Read owners of one kind of rows alone as those with such rows and no others: who has | only | bugs | left."""
    first, second, kind = look_at(phrases, place=place, size=3)
    is_only = bool("only" in first.marks and "have" in second.marks) or bool(
        "have" in first.marks and "only" in second.marks
    )
    rest = phrases[place + 3 :]
    is_kind = kind.name_kind in ("type", "priority") and kind.said.lower().endswith("s") and not kind.is_negated
    if not (is_only and is_kind and asks_for_owners(phrases[:place]) and all(map(_is_of_rows, rest))):
        return None
    said = " ".join(one.said for one in (second, kind, *rest))
    made = replace(kind, kind="related", senses=(), names=(), name_kind="", said=said, alternatives=(kind, *rest))
    others = (replace(kind, is_negated=True), *rest)
    return [made, replace(made, is_negated=True, said=f"{first.said} {said}", alternatives=others)], 3 + len(rest)


def read_only(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "only" beside a filter, which is exclusive already: only bugs; bugs only. Labels are not."""
    before, first, second = look_at(phrases, place=place - 1, size=3)
    if first.kind != "mark" or "only" not in first.marks:
        return None
    if lone := _read_lone(phrases, place=place):
        return lone
    if second.kind in ("names", "sprints", "period", "key", "bound", "missing") or second.has("predicate", "time"):
        return [replace(second, is_only=True)], 2
    return ([], 1) if not second and before.kind in ("names", "sprints", "period", "rank") else None


def _read_lone(phrases: list[Phrase], *, place: int) -> Found:
    """Read labels that rows have and no others by their number: labelled | ux | only. Owners of one kind alone not."""
    lead, before, first, second = look_at(phrases, place=place - 2, size=4)
    at = place - 2
    while (one := phrase_at(phrases, place=at)).kind == "names" or one.has("predicate"):
        at -= 1
    has = "have" in one.marks
    if has and before.name_kind in ("type", "priority") and asks_for_owners(phrases[:at]):
        return [leave_out(first, lead=before)], 1  # who has | bugs | only
    if before.name_kind != "label" or not (has or any(sense.name == "label" for sense in lead.senses)):
        return None
    if second or before.is_negated or before.joined_by == "or":
        return [leave_out(first, lead=before)], 1  # labelled ux | only | in sprint 9
    label = (Sense("dimension", "label", "noun"),)
    return [replace(first, kind="bound", senses=label, marks=frozenset(), op=Operator.EQ, number=len(before.names))], 1


def read_inverted_negation(phrases: list[Phrase], *, place: int) -> Found:
    """Put the negation of a question behind its subject: what | haven't | we | started."""
    first, subject, verb = look_at(phrases, place=place, size=3)
    is_act = verb.kind == "term" and verb.has("predicate", "time")
    is_we = subject.marks == {"our"} and subject.said.lower() == "we"
    return ([subject, first], 2) if place and first.marks == {"not"} and is_we and is_act else None


def read_rows_of_leavers(phrases: list[Phrase], *, place: int) -> Found:
    """Read rows of people who left by their assignee, or their reporter: tickets of | people | who | left."""
    at, role = place, "assigned_to_leaver"
    verb = phrases[place]
    if verb.kind == "term" and any(one.form == "verb" and one.name in _LEAVERS for one in verb.senses):
        role = next(_LEAVERS[one.name] for one in verb.senses if one.name in _LEAVERS)
        at += 1
    link = phrase_at(phrases, place=at + (at == place))
    if at == place and "have" in verb.marks and link.marks == {"to"}:
        at += 1  # belong | to
    at += phrase_at(phrases, place=at).said.lower() in ("by", "to")
    end = _find_end_of_leavers(phrases, place=at, is_somebody=at > place)
    are_rows = any(one.is_of_issues for one in phrases[:place])
    people = phrase_at(phrases, place=at)
    if not (are_rows and end and (at > place or people.is_apart)) or verb.is_negated:
        return None
    said = " ".join(one.said for one in phrases[place:end])
    senses = (Sense("predicate", role, "adjective"),)
    return [replace(verb, kind="term", senses=senses, marks=frozenset(), said=said)], end - place


def read_inactive_owners(phrases: list[Phrase], *, place: int) -> Found:
    """Read those who left and have rows by the assignee of these: inactive | users | with | open | tickets."""
    first, people, verb = look_at(phrases, place=place, size=3)
    is_inactive = any(sense.name == "person_inactive" for sense in first.senses) and not first.is_negated
    are_rows = any(one.is_of_issues for one in phrases[place + 3 :])
    if not (is_inactive and people.has_entity("person") and "have" in verb.marks and are_rows):
        return None
    return [replace(first, senses=(Sense("predicate", "assigned_to_leaver", "adjective"),)), people], 2


def _find_end_of_leavers(phrases: Sequence[Phrase], *, place: int, is_somebody: bool) -> int:
    """Return the end of people who have left, at a place. Zero if it names no such people."""
    at = place
    is_inactive = any(sense.name == "person_inactive" for sense in phrase_at(phrases, place=at).senses)
    at += is_inactive
    has_noun = phrase_at(phrases, place=at).has_entity("person")
    at += has_noun
    if is_inactive or not (has_noun or is_somebody):
        return at if is_inactive and has_noun else 0
    has_who = bool(phrase_at(phrases, place=at).marks & {"who"})
    at += has_who
    while phrase_at(phrases, place=at).marks & {"have", "be"}:
        at += 1
    one = phrase_at(phrases, place=at)
    is_left = one.said.lower() == "left" or any(sense.name == "person_inactive" for sense in one.senses)
    team = phrase_at(phrases, place=at + 1)
    is_of_team = team.name_kind == "team" and not team.is_apart  # who left | ORBIT
    return at + 1 if has_who and is_left and not (one.is_negated or is_of_team) else 0


EXISTENCE: tuple[Rule, ...] = (
    read_rows_of_leavers, read_inactive_owners,
    read_left_open, read_end_of_sprint, read_sprints_behind, read_only_rows, read_inverted_negation,
)  # fmt: skip
