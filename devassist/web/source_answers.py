"""Requests and answers of sources, and their errors. Pure."""

import math
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from toolbox.outbound.web import WebAnswer

MAX_RESULTS = 10
MAX_TITLE = 300
MAX_PAUSE = 86_400
USUAL_PAUSE = 60
DOWN_PAUSE = 15
"""How long a source that is down is not requested. Calls do not wait for it meanwhile."""
OK, TOO_MANY = 200, 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a source: a path under its address, parameters, headers."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A result as its source gave it, in plain text."""

    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAnswer:
    """Results in the source's order. `pause_seconds` is how long it asks to be left alone."""

    hits: list[Hit]
    pause_seconds: int = 0
    quota_remaining: int | None = None


class SourceFailed(Exception):
    """A source gave no results; the message says why and names no key."""

    def __init__(self, why: str, *, pause_seconds: int = 0) -> None:
        super().__init__(why)
        self.pause_seconds = pause_seconds


class SourceLimited(SourceFailed):
    """The source refuses requests for a while."""


def json_object(answer: WebAnswer) -> dict[str, Any]:
    """Parse the body. Raises SourceFailed if it is not a JSON object."""
    try:
        read = orjson.loads(answer.body)
    except ValueError as broken:
        raise SourceFailed("it sent something that is not JSON") from broken
    if not isinstance(read, dict):
        raise SourceFailed("it sent JSON of another form")
    return read


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, up to the maximum shown. Empty if it is not a list."""
    return [one for one in value if isinstance(one, dict)][:MAX_RESULTS] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return the value if it is text."""
    return value if isinstance(value, str) else ""


def refuse_failed(answer: WebAnswer) -> None:
    """Raise the error that a status means for every source. 200 passes."""
    if answer.status == OK:
        return
    if answer.status == TOO_MANY:
        raise SourceLimited("it wants fewer requests", pause_seconds=retry_after(answer) or USUAL_PAUSE)
    if answer.status >= 500:  # noqa: PLR2004 - HTTP's own line between the server's faults and ours
        pause = retry_after(answer) or DOWN_PAUSE
        raise SourceFailed(f"it failed with status {answer.status}", pause_seconds=pause)
    if answer.status == 401:  # noqa: PLR2004
        raise SourceFailed("it does not accept the key that is configured", pause_seconds=USUAL_PAUSE)
    raise SourceFailed(f"it refused with status {answer.status}")


def retry_after(answer: WebAnswer) -> int | None:
    """Read Retry-After, as seconds or as a date by the source's own clock. None if it is missing."""
    value = answer.headers.get("retry-after", "").strip()
    if value.isdecimal():
        return pause(int(value[:9]))
    until, now = _date(value), clock_of(answer)
    return pause(math.ceil((until - now).total_seconds())) if until and now else None


def clock_of(answer: WebAnswer) -> datetime | None:
    """Return the time at the source, by its Date header."""
    return _date(answer.headers.get("date", ""))


def pause(seconds: float) -> int:
    """Limit a pause to between a second and a day."""
    return int(min(max(seconds, 1), MAX_PAUSE))


def read_integer(value: Any) -> int | None:
    """Read a whole number, from JSON or a header."""
    if isinstance(value, str):
        return int(value[:18]) if value.strip().isdecimal() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _date(value: str) -> datetime | None:
    try:
        return parsedate_to_datetime(value)
    except ValueError:
        return None
