"""Parsing of root causes from files: JSON, JSON lines, CSV, Markdown with front matter. Pure."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from pydantic.alias_generators import to_camel

from devassist.entries.root_cause import LONGEST, NAME, STATUSES, Entry, language_key
from devassist.root_causes.report import RefusedEntry

KINDS = (".json", ".jsonl", ".ndjson", ".csv", ".md", ".markdown")
_NEEDED = ("error_description", "root_cause", "solution")
_SECTIONS = {
    "error": "errorDescription", "error description": "errorDescription", "root cause": "rootCause",
    "cause": "rootCause", "solution": "solution", "fix": "solution",
}  # fmt: skip
_FRONT = re.compile(r"\A---\s*\n(.*?)\n---\s*\n(.*)\Z", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_KNOWN = {"id", "confidence", "status", "createdAt", "userValidated", "metadata", "similarity"}
_KNOWN |= {to_camel(name) for name in LONGEST}


class NotAnEntry(ValueError):
    """A record that cannot be stored; the message says why."""


def read_text(text: str, *, name: str) -> Iterator[Entry | RefusedEntry]:
    """Return the entries of a file in order, and the places that are not entries. The extension tells the format."""
    readers = {".json": _json, ".csv": _csv, ".md": _markdown, ".markdown": _markdown}
    ending = "." + name.rpartition(".")[2].lower()
    for place, record in readers.get(ending, _json_lines)(text.removeprefix("\ufeff")):
        try:
            yield entry_of(record)
        except NotAnEntry as bad:
            yield RefusedEntry(place=f"{name}, {place}", reason=str(bad))


def entry_of(record: object) -> Entry:
    """Parse a record as written by export or answered by vector_search_db. Raises NotAnEntry."""
    if isinstance(record, NotAnEntry):
        raise record
    if not isinstance(record, Mapping):
        raise NotAnEntry("no object")
    given = _flat(record)
    if unknown := sorted(set(given) - _KNOWN):
        raise NotAnEntry(f"unknown field {unknown[0]!r}")
    texts = {name: _text(given, name=name) for name in LONGEST}
    texts["language"] = language_key(texts["language"]) or "unknown"
    texts["error_type"] = texts["error_type"] or "unknown"
    return Entry(
        id=_id(given, texts=texts), **texts, confidence=_confidence(given), status=_status(given),
        created_at=_moment(given.get("createdAt")),
    )  # fmt: skip


def _flat(record: Mapping[Any, Any]) -> dict[str, Any]:
    """Flatten `metadata`, and convert camelCase to snake_case."""
    metadata = record.get("metadata")
    together = {**record, **(metadata if isinstance(metadata, Mapping) else {})}
    return {to_camel(str(name)) if "_" in str(name) else str(name): value for name, value in together.items()}


def _text(given: Mapping[str, Any], *, name: str) -> str:
    value = given.get(to_camel(name))
    text = "" if value is None else str(value).strip()
    if "\x00" in text or re.search(r"[\ud800-\udfff]", text):
        raise NotAnEntry(f"{to_camel(name)} holds a character that cannot be stored")
    if name in _NEEDED and not text:
        raise NotAnEntry(f"{to_camel(name)} is missing")
    if len(text) > LONGEST[name]:
        raise NotAnEntry(f"{to_camel(name)} is longer than {LONGEST[name]:,} characters")
    return text


def _id(given: Mapping[str, Any], *, texts: Mapping[str, str]) -> str:
    name = str(given.get("id") or "")
    if not name:
        said = "\x00".join(texts[one] for one in ("language", "error_type", "error_description"))
        return f"rca-{sha256(said.encode()).hexdigest()[:16]}"
    if not NAME.match(name):
        raise NotAnEntry("id must be letters, digits, hyphens, dots and colons, 100 at most")
    return name


def _confidence(given: Mapping[str, Any]) -> float:
    value = given.get("confidence")
    try:
        number = 0.8 if value in (None, "") else float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise NotAnEntry("confidence must be a number from 0 to 1")
    return number


def _status(given: Mapping[str, Any]) -> str:
    validated = str(given.get("userValidated", "")).lower() in ("true", "1", "yes")
    status = str(given.get("status") or ("validated" if validated else "proposed"))
    if status not in STATUSES:
        raise NotAnEntry(f"status must be one of {', '.join(STATUSES)}")
    return status


def _moment(value: object) -> datetime | None:
    if value in (None, ""):
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        raise NotAnEntry("createdAt must be a time as 2025-12-01T10:30:00Z") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _json(text: str) -> Iterator[tuple[str, object]]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as bad:
        yield "the whole file", NotAnEntry(f"no JSON: {bad}")
        return
    if isinstance(content, dict):
        inner = content.get("results", content.get("entries"))
        content = inner if isinstance(inner, list) else [content]
    if not isinstance(content, list):
        content = [content]
    for number, record in enumerate(content, start=1):
        yield f"entry {number}", record


def _json_lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as bad:
                yield f"line {number}", NotAnEntry(f"no JSON: {bad}")


def _csv(text: str) -> Iterator[tuple[str, object]]:
    rows = csv.DictReader(io.StringIO(text.replace("\x00", "\ufffd"), newline=""))
    try:
        for row in rows:
            place = f"line {rows.line_num}"
            if None in row or None in row.values():
                yield place, NotAnEntry("it has more or fewer cells than the heading")
            else:
                yield place, row
    except csv.Error as bad:
        yield f"line {rows.line_num} and what follows", NotAnEntry(f"no CSV: {bad}")


def _markdown(text: str) -> Iterator[tuple[str, object]]:
    """Parse one entry: `name: value` lines in front, then sections Error, Root cause and Solution."""
    found = _FRONT.match(text.replace("\r\n", "\n"))
    if not found:
        yield "the whole file", NotAnEntry("it does not begin with front matter between lines of ---")
        return
    record: dict[str, Any] = {}
    for line in found[1].splitlines():
        name, colon, value = line.partition(":")
        if line.strip() and not line.lstrip().startswith("#"):
            if not colon:
                yield "front matter", NotAnEntry(f"no name and value: {line[:60]!r}")
                return
            record[name.strip()] = _unquote(value.strip())
    yield "the whole file", record | _sections(found[2])


def _sections(body: str) -> dict[str, str]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    fenced = False
    for line in body.split("\n"):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if fenced else _HEADING.match(line)
        if heading and heading[1].lower() in _SECTIONS:
            current = sections.setdefault(_SECTIONS[heading[1].lower()], [])
        else:
            current.append(line)
    return {name: "\n".join(lines).strip() for name, lines in sections.items()}


def _unquote(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value
