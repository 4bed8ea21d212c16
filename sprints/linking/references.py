"""References in a question other than names: sprints by position or number, issue keys, durations, counts."""

from dataclasses import dataclass
from typing import Literal

import regex

from sprints.linking.numbers import NUMBER, VAGUE, read_number

_CURRENT = "current|active|this|ongoing|running|present"
_PAST = "last|previous|past|latest|prior|preceding|recent|most recent"
_CLOSED = "completed|closed|finished|past"
_WHOSE = "(?:(?:the|our|their|its) )?"
_INSIDE = r"\b(?:in|of|from|for|to|into|outside|within|inside|during|does|did|will|is|has) "
_EDGE_OF = r"\b(?:end|start|beginning|day|days|half|course|middle) of "
_ENDS = (
    r"\s*(?:$|[?.!,;]|(?:now|right|yet|so far|still|today|at the moment|currently|without|and|or|but|assigned|per|by"
    r"|is|are|has|have|do|does|after it|unassigned|blocked|open|done|in (?:progress|review|qa)|end|start|begin|finish"
    r"|over|going|look|looking)\b)"
)
_AND = r"(?: and | & |, ?| ?(?:to|-|\u2013|through) ?)"
_INTO = r"(?<!\b(?:put|slot|slotted) )\b(?:in)?to "  # carried into the next one, as opposed to put into it
_SPRINT = regex.compile(
    rf"(?<![\w-])(?:(?P<before_last>sprint before (?:the )?last(?: one| sprint)?|(?:penultimate|last but one) sprint"
    r"|(?:second|next) to last sprint)"
    rf"|(?P<ago>{NUMBER} sprints? ago)"
    rf"|{_WHOSE}(?P<current>{_CURRENT}) sprints?"
    rf"|(?P<running>(?<={_INSIDE})(?<!{_EDGE_OF})the sprint(?={_ENDS}))"
    rf"|{_WHOSE}(?P<past>{_PAST}) (?:(?P<count>{NUMBER}|few|several|couple of) )?(?:(?:{_CLOSED}) )?sprints?"
    rf"|(?<!{_INTO}){_WHOSE}(?<!{_INTO}the )(?P<next>next|upcoming|coming|following) "
    rf"(?:(?P<ahead>{NUMBER}|couple of) )?sprints?"
    rf"|sprints? (?:#|no\.? |number )?(?P<numbers>\d{{1,4}}(?:{_AND}(?:sprint )?\d{{1,4}})*))(?![\w])",
    regex.IGNORECASE,
)
_ANY_SPRINT = regex.compile(r"\bsprints?\b", regex.IGNORECASE)
_LEADS_TO_TEAM = regex.compile(
    r"(?:^|[,.:;?!] |\b(?:the|in|of|for|from|during|on|inside|within|into|does|did|is|has|will|about|show|list) )$",
    regex.IGNORECASE,
)
_POSITION_BEFORE = regex.compile(rf"\b(?:{_CURRENT}|{_PAST}|next)(?: {NUMBER})?(?: (?:{_CLOSED}))? $", regex.IGNORECASE)
_SPRINTS_BEHIND = regex.compile(r"(?:['\u2019]s)? (sprints?)\b", regex.IGNORECASE)
_RANGE = regex.compile(r"(\d{1,4}) ?(?:to|-|\u2013|through) ?(?:sprint )?(\d{1,4})", regex.IGNORECASE)
_KEY = regex.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9_]{1,29}-\d{1,9}(?![\w-])")
_HALF = "(?P<half> and a half)?"
_DURATION = regex.compile(
    rf"(?<![\w.-])(?:(?P<half>half )an?|(?P<count>\d{{1,4}}\.\d{{1,2}}|{NUMBER})(?: of)?{_HALF})[ -]"
    rf"(?P<unit>day|week|month|fortnight|year)s?{_HALF}(?:[ -](?P<adjective>old))?(?!\w)",
    regex.IGNORECASE,
)
_SUPERLATIVE = "oldest|longest|slowest|biggest|largest|newest|latest|most"
_TOP = regex.compile(
    rf"(?<![\w-])(?:top|first) (?P<after>{NUMBER})(?![\w-])"
    rf"|(?<![\w-])(?P<before>{NUMBER}) (?=(?:\w+ )?(?:{_SUPERLATIVE}))",
    regex.IGNORECASE,
)
_PLAIN = regex.compile(r"(?<![\w.-])\d{1,6}(?:\.\d{1,2})?(?![\w-])")
_UNIT = regex.compile(
    r"\b(?:(?:per|each|every|by|(?<!for )(?<!in )(?<!than )(?<!over )a) (week|month|quarter)"
    r"|(week|month|quarter)ly|(week|month) by \3)\b",
    regex.IGNORECASE,
)
_POINTS = regex.compile(r"\bstory[ -]points?\b", regex.IGNORECASE)
DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
MAX_RANGE = 50

Position = Literal["current", "past", "next", "before_last", "ago", "numbers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Something found in a text, with its range."""

    said: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SprintReference(Place):
    """
    Sprints by position ("the last three") or by the numbers in their names.

    `team` is the id of the team beside it, where each of several has its own: HARBOR Sprint 8 or ORBIT Sprint 7.
    """

    position: Position
    count: int = 1
    numbers: tuple[int, ...] = ()
    team: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Place):
    """
    A number: days of a duration, a number of rows (`top`), or a plain number.

    `adjective` says what lasts so long: two weeks old.
    """

    kind: Literal["days", "top", "number"]
    value: float
    adjective: str = ""


def put_behind(text: str, *, start: int, end: int) -> str:
    """
    Move a name inside a reference to sprints behind it: the last three ORBIT sprints, of ORBIT.

    Without a position it is the running one, where no other sprint is named: bugs in the ORBIT sprint.
    """
    behind = _SPRINTS_BEHIND.match(text, end)
    if behind and _POSITION_BEFORE.search(text[:start]):
        return f"{text[:start]}{behind[1]} of {text[start:end]}{text[behind.end() :]}"
    is_one = behind is not None and behind[1].lower() == "sprint" and len(_ANY_SPRINT.findall(text)) == 1
    if behind and is_one and _LEADS_TO_TEAM.search(text[:start]) and regex.match(_ENDS, text[behind.end() :]):
        return f"{text[:start]}current sprint of {text[start:end]}{text[behind.end() :]}"
    return text


def find_sprint_references(text: str) -> list[SprintReference]:
    """Return references to sprints by position or number. "The sprint" is the running one where no other is named."""
    is_only = len(_ANY_SPRINT.findall(text)) == 1
    return [_read_reference(found) for found in _SPRINT.finditer(text) if is_only or not found["running"]]


def find_issue_keys(text: str) -> list[Place]:
    """Return text that looks like issue keys."""
    return [Place(said=found[0].upper(), start=found.start(), end=found.end()) for found in _KEY.finditer(text)]


def find_story_points(text: str) -> list[Place]:
    """Return occurrences of "story points", whose first word is not an issue type here."""
    return [Place(said=found[0], start=found.start(), end=found.end()) for found in _POINTS.finditer(text)]


def find_unit_name(text: str) -> str:
    """Return the unit of time to count by. Empty if none is named."""
    found = _UNIT.search(text)
    return next(part for part in found.groups() if part).lower() if found else ""


def find_amounts(text: str) -> list[Amount]:
    """Return durations, counts of rows and plain numbers, the longer readings first."""
    found = [_read_duration(match) for match in _DURATION.finditer(text)]
    found += [_read_amount(match, kind="top", text=match["after"] or match["before"]) for match in _TOP.finditer(text)]
    found += [_read_amount(match, kind="number", text=match[0]) for match in _PLAIN.finditer(text)]
    return found


def _read_reference(found: regex.Match[str]) -> SprintReference:
    position, count = _read_position(found)
    numbers = _read_numbers(found["numbers"]) if found["numbers"] else ()
    return SprintReference(
        position=position, count=count, numbers=numbers, said=found[0], start=found.start(), end=found.end()
    )


def _read_position(found: regex.Match[str]) -> tuple[Position, int]:
    """Return the position in a match of _SPRINT, and how many sprints or how far back."""
    if found["numbers"]:
        return "numbers", 1
    if found["ago"]:
        return "ago", read_number(found["ago"].split()[0])
    if found["before_last"]:
        return "before_last", 1
    if found["past"]:
        said = (found["count"] or "one").split()[0]
        return "past", 1 if said.lower() in VAGUE else read_number(said)
    if found["current"] or found["running"]:
        return "current", 1
    return "next", read_number((found["ahead"] or "one").split()[0])


def _read_numbers(text: str) -> tuple[int, ...]:
    listed = {int(one) for one in regex.findall(r"\d+", text)}
    for first, last in _RANGE.findall(text):
        listed |= set(range(int(first), min(int(last), int(first) + MAX_RANGE) + 1))
    return tuple(sorted(listed))


def _read_duration(found: regex.Match[str]) -> Amount:
    """Read a duration: 10 days, a week and a half, half a day. A month is 30 days, a year 365."""
    said = found["count"] or "zero"
    count = (float(said) if "." in said else read_number(said)) + (0.5 if found["half"] else 0)
    days, adjective = count * DAYS[found["unit"].lower()], (found["adjective"] or "").lower()
    return Amount(
        kind="days", value=days, adjective=adjective, said=found[0], start=found.start(), end=found.end()
    )  # fmt: skip


def _read_amount(found: regex.Match[str], *, kind: Literal["top", "number"], text: str) -> Amount:
    value = float(text) if text[0].isdigit() else read_number(text)
    return Amount(kind=kind, value=value, said=found[0].strip(), start=found.start(), end=found.end())
