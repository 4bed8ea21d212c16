"""
Fast path for lines like ones read before: two regular expressions recognise, validate and parse a line.

A program's log repeats a few shapes of line. A line that the slow path (parse.py, check.py) finds valid becomes a
shape: its names and punctuation are literal, its values are patterns that match only what the slow path accepts. A
further line that matches the shape is therefore valid; a line that matches none, whether invalid or only unusual, takes
the slow path. tests/backtests/test_shapes.py checks that both paths agree. Pure.
"""

import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from uuid import UUID

from backtests.ingest.check import EPOCH, check
from backtests.ingest.property_shapes import GUID, Places, PropertyShape
from backtests.ingest.record import EventRow, LoggedEvent
from backtests.ingest.template import NotRegularError, ParsedLine, Scalar, parse_line, pattern
from backtests.vocabulary import CATEGORY_CODES, SEVERITY_CODES, TYPE_CODES

LONGEST = 16_384
"""Longer lines, and lines that are not ASCII, always take the slow path."""
MAX_HEADS, MAX_SHAPES = 8, 64
_TRIES, _TRIES_PER_HIT = 256, 0.01
_NOBODY = UUID(int=0)
_SECOND = timedelta(seconds=1)
_WORDS = {
    "eventid": "event_id", "runid": "run_id", "timestamp": "timestamp", "eventtype": "event_type",
    "severity": "severity", "category": "category", "properties": "properties", "parenteventid": "parent",
}  # fmt: skip
_GROUPS = ("event_id", "run_id", "seconds", "fraction", "event_type", "severity", "category", "properties", "parent")
_TIME = (
    r"(?P<seconds>(?:1[89]|2[01])[0-9]{2}-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])"
    r"(?:[.,](?P<fraction>[0-9]{1,9}))?(?:Z|\+00:?00)"
)
_PATTERNS = {
    "event_id": f"(?P<event_id>{GUID})",
    "run_id": f"(?P<run_id>{GUID})",
    "timestamp": _TIME,
    "event_type": f"(?P<event_type>{'|'.join(TYPE_CODES)})",
    "severity": f"(?P<severity>{'|'.join(SEVERITY_CODES)})",
    "category": f"(?P<category>{'|'.join(CATEGORY_CODES)})",
}


class Shapes:
    """The shapes that a log has shown so far."""

    def __init__(self) -> None:
        self._heads: list[re.Pattern[str]] = []
        self._shapes: dict[str, list[PropertyShape]] = defaultdict(list)
        self._tries = float(_TRIES)
        self._seconds, self._moment = "", 0

    def recognise(self, line: bytes, *, number: int) -> EventRow | None:
        """Build the row of a line whose shape is known; return None if it must take the slow path."""
        head = self._head(line.decode("ascii")) if len(line) <= LONGEST and line.isascii() else None
        if head is None:
            return None
        event_id, run_id, seconds, fraction, kind, severity, category, properties, parent = head.group(*_GROUPS)
        if seconds != self._seconds and not self._turn_to(seconds):
            return None
        code = SEVERITY_CODES[severity]
        places = self._places(kind, properties, severity=code)
        if places is None:
            return None
        lists, symbol, own, number_lists, numbers, order = places
        moment = self._moment if fraction is None else self._moment + _micros(fraction)
        above = None if parent is None else parent.lower()
        raw = properties.encode("ascii")
        return EventRow(  # positional: keyword arguments take ten times as long
            event_id.lower(), moment, TYPE_CODES[kind], code, CATEGORY_CODES[category], raw, above,
            lists, number_lists, numbers, order, symbol, (), own, run_id, number, line,
        )  # fmt: skip

    def learn(self, event: LoggedEvent) -> None:
        """Learn the shape of a line if it is valid and regular; a budget limits the time spent on learning."""
        if self._tries < 1 or event.problems or len(event.line) > LONGEST or not event.line.isascii():
            return
        self._tries -= 1
        row = check(event, run_id=_NOBODY, usual_moment=0)
        if not isinstance(row, EventRow) or row.problems:
            return
        try:
            self._add(parse_line(event.line.decode("ascii")), kind=str(event.event_type))
        except NotRegularError:
            return

    def _add(self, line: ParsedLine, *, kind: str) -> None:
        names = _top_names(line)
        if self._head(line.text) is None:
            self._heads = [_head(line, names=names), *self._heads][:MAX_HEADS]
        shape = PropertyShape(line, root=_properties(names), kind=TYPE_CODES[kind])
        shapes = self._shapes[kind]
        if not any(known.source == shape.source for known in shapes):
            self._shapes[kind] = [shape, *shapes][:MAX_SHAPES]

    def _head(self, text: str) -> re.Match[str] | None:
        for place, head in enumerate(self._heads):
            if (match := head.fullmatch(text)) is not None:
                if place:
                    self._heads.insert(0, self._heads.pop(place))
                return match
        return None

    def _turn_to(self, seconds: str) -> bool:
        """Parse and cache a second: most events of a log share it with the previous one."""
        try:
            self._moment = (datetime.fromisoformat(seconds).replace(tzinfo=UTC) - EPOCH) // _SECOND * 1_000_000
        except ValueError:
            return False
        self._seconds = seconds
        return True

    def _places(self, kind: str, properties: str, *, severity: int) -> Places | None:
        """Find the shape of properties; more frequent shapes are tried first."""
        shapes = self._shapes[kind]
        for place, shape in enumerate(shapes):
            match = shape.match(properties)
            if match is not None:
                shape.hits += 1
                if place and shape.hits > shapes[place - 1].hits:
                    shapes[place - 1], shapes[place] = shape, shapes[place - 1]
                self._tries += _TRIES_PER_HIT
                return shape.places(match.groups(), severity=severity)
        return None


def _micros(fraction: str) -> int:
    return int(fraction) * 1000 if len(fraction) == 3 else int(fraction[:6].ljust(6, "0"))  # noqa: PLR2004


def _top_names(line: ParsedLine) -> dict[str, str]:
    """Map the members of a line to fields of the event. Raises NotRegularError if they are ambiguous."""
    names = {}
    for name in {str(path[0]) for path in (*(scalar.path for scalar in line.scalars), *line.containers) if path}:
        names[name] = _WORDS.get(name.lower().replace("_", ""), "")
    structured = {str(path[0]) for path in line.containers if len(path) == 1}
    if "" in names.values() or len(set(names.values())) < len(names) or structured != {_properties(names)}:
        raise NotRegularError
    return names


def _properties(names: dict[str, str]) -> str:
    return next((name for name, word in names.items() if word == "properties"), "")


def _head(line: ParsedLine, *, names: dict[str, str]) -> re.Pattern[str]:
    """Compile the line around its properties; a missing member is None in every match."""
    start, end = line.containers[_properties(names),]
    body = Scalar(start, end, (None,), "text")
    scalars = sorted([*(s for s in line.scalars if len(s.path) == 1), body], key=lambda scalar: scalar.start)
    spans = [_include_quotes(scalar) for scalar in scalars]

    def make_pattern(scalar: Scalar, said: str) -> str:
        name = "properties" if scalar.path == (None,) else names[str(scalar.path[0])]
        if name == "properties":
            return r"(?P<properties>\{.*\})"
        if name == "parent":
            return f'(?:null|"(?P<parent>{GUID})")'
        if said == "null" and name == "run_id":
            return "null"
        if scalar.kind != "text" or name not in _PATTERNS or not re.fullmatch(_PATTERNS[name], said.strip('"')):
            raise NotRegularError
        if name == "run_id":  # nearly always the same; a literal matches faster
            return f'"(?P<run_id>{said}|{GUID})"'
        return f'"{_PATTERNS[name]}"'

    compiled = pattern(line, start=0, end=len(line.text.rstrip()), scalars=spans, written=make_pattern)
    missing = "".join(f"(?P<{name}>(?!))?" for name in _GROUPS if name not in compiled.groupindex)
    return re.compile(compiled.pattern + missing + r"[ \t\r\n]*")


def _include_quotes(scalar: Scalar) -> Scalar:
    """Return a scalar's text with its quotes."""
    if scalar.kind == "text" and scalar.path != (None,):
        return Scalar(scalar.start - 1, scalar.end + 1, scalar.path, "text")
    return scalar
