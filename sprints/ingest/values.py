"""Parsing of Jira's values: times, points, texts, people, sprints. Problems are noted. Pure."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from sprints.ingest.record import MAX_RECORD_LETTERS, Doubt, SprintRecord, UserRecord

MAX_POINTS = Decimal(1_000_000)
MAX_SECONDS = 10**10
MAX_DEPTH = 100
CATEGORIES = {"new": "To Do", "undefined": "To Do", "indeterminate": "In Progress", "done": "Done"}
CATEGORY_IDS = {1: "To Do", 2: "To Do", 4: "In Progress", 3: "Done"}
STATES = {"future": "future", "active": "active", "closed": "closed"}
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_BLOCKS = {"paragraph", "heading", "codeBlock", "listItem", "tableRow", "blockquote", "rule", "panel", "taskItem"}


@dataclass(slots=True)
class Notes:
    """The problems of one record, by its name. Each note is a warning."""

    kind: str
    name: str
    source: str = ""
    doubts: list[Doubt] = field(default_factory=list)

    def add(self, reason: str) -> None:
        """Add a reason."""
        self.doubts.append(Doubt(kind=self.kind, name=self.name, reason=reason, is_warning=True, source=self.source))


def read_key(given: Any) -> str:
    """Read the key of an issue. Jira writes it in capitals and takes it in any case."""
    return clean(given, most=100).upper()


def moment(given: Any, *, zone: ZoneInfo | None = None) -> datetime | None:
    """
    Read a time: ISO 8601 with any offset, or milliseconds since 1970.

    A time without an offset is in `zone`, else UTC. None where nothing is given; ValueError where it is no time.
    """
    if given is None or given == "":
        return None
    try:
        if isinstance(given, int) and not isinstance(given, bool):
            return datetime.fromtimestamp(given / 1000, UTC)
        read = _parse_iso(given) if isinstance(given, str) else None
        if read is None:
            raise ValueError(f"{given!r} is no time"[:200])
        aware = read if read.tzinfo else read.replace(tzinfo=zone or UTC)
        return aware.astimezone(UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{given!r} is no time that can be kept"[:200]) from error


def _parse_iso(text: str) -> datetime | None:
    text = text.strip()
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.strptime(text, "%Y/%m/%d %H:%M")  # noqa: DTZ007 - the caller gives it a zone
    except ValueError:
        return None


def day(given: Any, *, notes: Notes) -> date | None:
    """Parse a day. Note a malformed one."""
    try:
        read = moment(given)
    except ValueError as error:
        notes.add(f"due date: {error}")
        return None
    return read.date() if read else None


def optional_moment(given: Any, *, what: str, notes: Notes) -> datetime | None:
    """Parse an optional time. Note a malformed one."""
    try:
        return moment(given)
    except ValueError as error:
        notes.add(f"{what}: {error}")
        return None


def points(given: Any, *, notes: Notes, what: str = "story points") -> Decimal | None:
    """Parse story points: a number or its text, from 0 to a million, to three places. Note a malformed one."""
    if given is None or given == "":
        return None
    try:
        read = Decimal(str(given).strip()) if not isinstance(given, bool | list | dict) else None
    except InvalidOperation:
        read = None
    if read is None or not read.is_finite() or not 0 <= read <= MAX_POINTS:
        notes.add(f"{what}: {str(given)[:60]!r} is no number from 0 to {MAX_POINTS:,}")
        return None
    rounded = read.quantize(Decimal("0.001")).normalize()
    return rounded.quantize(Decimal(1)) if rounded == rounded.to_integral_value() else rounded


def seconds(given: Any, *, notes: Notes, what: str) -> int | None:
    """Parse a duration in whole seconds. Note a malformed one."""
    if given is None or given == "":
        return None
    try:
        read = int(float(given)) if not isinstance(given, bool | list | dict) else -1
    except (ValueError, OverflowError):
        read = -1
    if not 0 <= read <= MAX_SECONDS:
        notes.add(f"{what}: {str(given)[:60]!r} is no number of seconds")
        return None
    return read


def clean(given: Any, *, most: int = 0, notes: Notes | None = None, what: str = "") -> str:
    """
    Clean a text for storing: no NUL, no lone surrogates, no invisible characters at the ends; cut at `most`.

    ADF, the document format of v3, becomes plain text; names are taken from objects that have one.
    """
    if isinstance(given, dict):
        given = adf_text(given) if "content" in given or given.get("type") == "doc" else given.get("name", "")
    text = "" if given is None else str(given)
    if _NOT_STORABLE.search(text):
        text = text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if notes:
            notes.add(f"{what or 'a text'}: letters that cannot be stored were left out")
    text = text.strip().strip(_INVISIBLE).strip()
    if most and len(text) > most:
        if notes:
            notes.add(f"{what or 'a text'}: cut after {most} of {len(text):,} letters")
        text = text[:most]
    return text


def write_record(given: Any) -> str:
    """Serialise the start of a record as it was read, for the quarantine."""
    return clean(json.dumps(given, ensure_ascii=False), most=MAX_RECORD_LETTERS)


def adf_text(document: dict[str, Any]) -> str:
    """Convert an Atlassian document to plain text, one line for each paragraph, list item and table row."""
    text = "".join(_adf(document, depth=0))
    return re.sub(r"\n{2,}", "\n", text).strip()


def _adf(node: Any, *, depth: int) -> Iterator[str]:
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return
    kind, attributes = str(node.get("type")), node.get("attrs")
    yield _own_text(node, kind=kind, attributes=attributes if isinstance(attributes, dict) else {})
    content = node.get("content")
    for part in content if isinstance(content, list) else []:
        yield from _adf(part, depth=depth + 1)
    if kind in ("tableCell", "tableHeader"):
        yield " "
    if kind in _BLOCKS:
        yield "\n"


def _own_text(node: dict[str, Any], *, kind: str, attributes: dict[str, Any]) -> str:
    """Return a node's own text, without its children."""
    if kind == "text":
        return str(node.get("text", ""))
    if kind == "hardBreak":
        return "\n"
    if kind in ("mention", "emoji", "status", "inlineCard", "blockCard"):
        return str(attributes.get("text") or attributes.get("shortName") or attributes.get("url") or "")
    return _adf_date(attributes.get("timestamp")) if kind == "date" else ""


def _adf_date(given: Any) -> str:
    text = str(given)
    try:
        return datetime.fromtimestamp(int(text) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return text[:40]


def category(given: Any, *, notes: Notes) -> str:
    """Parse a status category. If its key and its id contradict each other, the key counts and it is noted."""
    if not isinstance(given, dict):
        return ""
    by_key = CATEGORIES.get(str(given.get("key")), "")
    by_id = CATEGORY_IDS.get(given["id"], "") if isinstance(given.get("id"), int) else ""
    if by_key and by_id and by_key != by_id:
        notes.add(f"status category: key {given.get('key')!r} and id {given.get('id')!r} contradict each other")
    return by_key or by_id


@lru_cache(maxsize=1)
def _category_names() -> dict[str, str]:
    """Load the categories of the names that Jira ships."""
    given = tomllib.loads((files("sprints.ingest") / "status_names.toml").read_text("utf-8"))
    return {name: one for language in given.values() for one, names in language.items() for name in names}


def find_category(name: str) -> str:
    """Return the category of a status, or of a category, that is called as Jira calls its own. Empty for others."""
    return _category_names().get(" ".join(name.casefold().replace("\u2019", "'").split()), "")


def person(given: Any) -> UserRecord | None:
    """Parse a person: accountId on Cloud, key or name on Server. None if there is nobody."""
    if not isinstance(given, dict):
        return None
    account = clean(given.get("accountId") or given.get("key") or given.get("name"), most=200)
    if not account:
        return None
    name = clean(given.get("displayName") or given.get("name") or account, most=200)
    email = clean(given.get("emailAddress"), most=254)
    return UserRecord(
        external_id=account, full_name=name or account, email=email, is_active=given.get("active") is not False
    )


def sprint(given: Any, *, notes: Notes) -> SprintRecord | None:
    """Parse a sprint: the Agile API's object, the Cloud field's, or the text of Server's field."""
    if isinstance(given, str):
        given = greenhopper(given)
    if not isinstance(given, dict) or given.get("id") in (None, ""):
        return None
    state = STATES.get(str(given.get("state", "")).lower(), "")
    times = {
        name: optional_moment(given.get(name), what=f"sprint {given['id']} {name}", notes=notes)
        for name in ("startDate", "activatedDate", "endDate", "completeDate")
    }
    if not state:
        notes.add(f"sprint {given['id']}: state {given.get('state')!r} is taken as closed")
    return SprintRecord(
        external_id=clean(given["id"], most=100),
        sprint_name=clean(given.get("name"), most=255) or f"Sprint {given['id']}",
        state=state or "closed",
        goal=clean(given.get("goal")),
        started_at=(times["activatedDate"] or times["startDate"]) if state != "future" else None,
        ends_at=times["endDate"],
        completed_at=times["completeDate"],
    )


def greenhopper(text: str) -> dict[str, str] | None:
    """Parse Server's `...Sprint@1a2b[id=7,state=CLOSED,name=A, B,goal=,...]`. A name may hold commas and brackets."""
    found = re.fullmatch(r"(?s)[\w.$]*Sprint@[0-9a-f]+\[(.*)\]", text.strip())
    if not found:
        return None
    parts = re.split(r",(?=(?:id|rapidViewId|state|name|goal|startDate|endDate|completeDate|activatedDate|sequence|"
                     r"autoStartStop|synced|incompleteIssuesDestinationId)=)", found[1])  # fmt: skip
    pairs = dict(part.split("=", 1) for part in parts if "=" in part)
    return {name: "" if value in ("<null>", "null") else value for name, value in pairs.items()}
