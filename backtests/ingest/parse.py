"""Parsing of the contract's log format into entries: one JSON object per line. Pure."""

import json
import re
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from backtests.ingest.check import MAX_YEAR, MIN_YEAR
from backtests.ingest.record import LoggedEvent, Problem, RunFacts, Unreadable
from toolbox.text.moments import parse_time

MAX_LINE = 4_194_304
"""A longer line is not parsed; its first megabyte is kept in the quarantine."""
KEPT_OF_LINE = 1_048_576

_WORDS = {
    "eventid": "event_id",
    "runid": "run_id",
    "timestamp": "timestamp",
    "eventtype": "event_type",
    "severity": "severity",
    "category": "category",
    "properties": "properties",
    "parenteventid": "parent_event_id",
    "validationerrors": "",
}
_FACTS = {
    "name", "engine", "confighash", "strategyconfighash", "starttime", "endtime", "startedat", "endedat", "sweep",
    "parameters", "labels",
}  # fmt: skip
_CONSTANT = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b')


class _Pascal(msgspec.Struct, rename="pascal", forbid_unknown_fields=True):
    """A line with PascalCase names, as in the contract's original system."""

    event_id: object = None
    run_id: object = None
    timestamp: object = None
    event_type: object = None
    severity: object = None
    category: object = None
    properties: msgspec.Raw = msgspec.Raw()
    parent_event_id: object = None


class _Camel(_Pascal, rename="camel", forbid_unknown_fields=True):
    """A line with camelCase names, as in the contract's answers."""


_DECODERS: list[msgspec.json.Decoder[Any]] = [msgspec.json.Decoder(_Pascal), msgspec.json.Decoder(_Camel)]
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
_ANY: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


class CarefulReader:
    """Reads any line; the slow path for what no shape matches."""

    def __init__(self) -> None:
        self._decode, self._other = (decoder.decode for decoder in _DECODERS)

    def read(self, line: bytes, *, number: int) -> LoggedEvent | RunFacts | Unreadable | None:
        """Read one line of JSON; None for a blank one."""
        try:
            read = self._decode(line)
        except _UNREADABLE:
            if not line.strip():
                return None
            try:
                read = self._other(line)
            except _UNREADABLE:
                return _unusual(number, line)
            self._decode, self._other = self._other, self._decode
        return LoggedEvent(
            read.event_id,
            read.timestamp,
            read.event_type,
            read.severity,
            read.category,
            bytes(read.properties) or None,
            read.parent_event_id,
            read.run_id,
            number,
            line,
        )


def _unusual(number: int, line: bytes) -> LoggedEvent | RunFacts | Unreadable:
    """Read a line with other names or with NaN; a line that is not a JSON object is unreadable."""
    if len(line) > MAX_LINE:
        return Unreadable(line_number=number, line=line, reason=f"longer than {MAX_LINE:,} bytes")
    problems: list[Problem] = []
    text = line.removeprefix(b"\xef\xbb\xbf")
    try:
        members = _ANY.decode(text)
    except _UNREADABLE as error:
        try:
            problems = [
                Problem(path, f"{name} is not a JSON number; kept as a string") for path, name in constants(text)
            ]
            members = _ANY.decode(_CONSTANT.sub(_quote, text))
        except (ValueError, RecursionError):
            return Unreadable(line_number=number, line=line, reason=_reason(error))
    try:
        return _parse_members(number, line, members=members, problems=problems)
    except _UNREADABLE as error:
        return Unreadable(line_number=number, line=line, reason=_reason(error))


def _parse_members(
    number: int, line: bytes, *, members: dict[str, msgspec.Raw], problems: list[Problem]
) -> LoggedEvent | RunFacts | Unreadable:
    plain = {name.lower().replace("_", ""): (name, value) for name, value in members.items()}
    if "eventid" not in plain and "eventtype" not in plain and _FACTS & plain.keys():
        return _facts(number, line, plain={name: bytes(value) for name, (_, value) in plain.items()})
    event = LoggedEvent(line_number=number, line=line, problems=problems)
    for name, (written, value) in plain.items():
        if name not in _WORDS:
            problems.append(Problem(written[:100], f"Unknown field, left out: {_decode_start(value)}", "Warning"))
        elif name == "properties":
            event.properties = bytes(value)
        elif _WORDS[name]:
            setattr(event, _WORDS[name], msgspec.json.decode(value))
    return event


def _facts(number: int, line: bytes, *, plain: dict[str, bytes]) -> RunFacts | Unreadable:
    """Read a line with facts of the run."""
    values = {name: msgspec.json.decode(value) for name, value in plain.items()}

    def text(*names: str) -> str | None:
        return next((str(values[name])[:200] for name in names if values.get(name) is not None), None)

    try:
        started, ended = text("starttime", "startedat"), text("endtime", "endedat")
        run_id = text("runid")
        return RunFacts(
            run_id=UUID(run_id) if run_id else None,
            name=text("name"),
            engine=text("engine"),
            config_hash=text("confighash", "strategyconfighash"),
            started_at=_read_bound(started),
            ended_at=_read_bound(ended),
            sweep=text("sweep"),
            parameters=_parameters(values.get("parameters")),
            labels=_labels(values.get("labels")),
        )
    except ValueError as error:
        return Unreadable(line_number=number, line=line, reason=f"facts of a run that cannot be read: {error}"[:200])


def _read_bound(given: str | None) -> datetime | None:
    """Parse the start or end of a run; a placeholder year gives None. Raises ValueError."""
    read = parse_time(given) if given else None
    return read if read is not None and MIN_YEAR <= read.year <= MAX_YEAR else None


def _parameters(given: object) -> dict[str, Any]:
    """Parse a run's parameters: an object of scalars. Raises ValueError."""
    if given is None:
        return {}
    if isinstance(given, dict) and all(isinstance(value, str | int | float | bool | None) for value in given.values()):
        return given
    raise ValueError("parameters must be an object whose values are texts, numbers, true, false or null")


def _labels(given: object) -> list[str]:
    """Parse a run's labels: an array of texts. Raises ValueError."""
    if given is None:
        return []
    if isinstance(given, list) and all(isinstance(label, str) for label in given):
        return [label[:200] for label in given]
    raise ValueError("labels must be an array of texts")


def constants(text: bytes) -> list[tuple[str, str]]:
    """List the paths of NaN and Infinity in a text that Python's json module accepts. Raises ValueError."""
    found: list[tuple[str, str]] = []
    _search(json.loads(text, parse_constant=_Constant), path="", found=found)
    if not found:
        raise ValueError("not JSON")
    return found


class _Constant(str):
    """NaN or Infinity, as distinct from a string with that text."""

    __slots__ = ()


def _search(value: object, *, path: str, found: list[tuple[str, str]]) -> None:
    if isinstance(value, _Constant):
        found.append((path[:200], str(value)))
    elif isinstance(value, dict):
        for name, part in value.items():
            _search(part, path=f"{path}.{name}".lstrip("."), found=found)
    elif isinstance(value, list):
        for part in value:
            _search(part, path=f"{path}[]", found=found)


def _quote(token: re.Match[bytes]) -> bytes:
    return token[0] if token[0].startswith(b'"') else b'"' + token[0] + b'"'


def _decode_start(value: msgspec.Raw) -> str:
    return bytes(value)[:500].decode("utf-8", "replace")


def _reason(error: Exception) -> str:
    words = "nested too deep" if isinstance(error, RecursionError) else str(error).removeprefix("JSON is malformed: ")
    return f"not a JSON object: {words}"[:200]
