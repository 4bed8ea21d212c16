"""Lines of an engine's own stream, read into entries: decoded, translated, and numbered as they stand in the file."""

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import orjson

from backtests.ingest.engines import Event, translator
from backtests.ingest.record import Entry, LoggedEvent, Unreadable

_PAST_64_BITS = 2**63


def read_engine(lines: Iterable[bytes], *, name: str, run_id: UUID) -> Iterator[Entry]:
    """Give the entries of a stream, numbered by their lines."""
    translate = translator(name, run_id=run_id)
    for line_number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = decoded(line)
        if isinstance(record, str):
            yield Unreadable(line_number=line_number, line=line, reason=record)
            continue
        try:
            events = [_logged(event, line_number=line_number, line=line) for event in translate.translate(record)]
        except (RecursionError, orjson.JSONEncodeError) as error:  # nested too deeply, or half a surrogate pair
            yield Unreadable(
                line_number=line_number, line=line, reason=f"The line cannot be kept as JSON: {error}"[:200]
            )
            continue
        yield from events


def decoded(line: bytes) -> dict[str, Any] | str:
    """Read one JSON object; what is none gives the reason, for a person."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = _leniently(line)
    if isinstance(record, dict):
        return record
    return record if isinstance(record, str) else "The line is JSON, but not an object."


def encoded(value: dict[str, Any]) -> bytes:
    """Write properties as JSON, decimals and large integers with every digit."""
    return orjson.dumps(value, default=_exactly)


def _logged(event: Event, *, line_number: int, line: bytes) -> LoggedEvent:
    return LoggedEvent(
        event_id=event["eventId"],
        timestamp=event["timestamp"],
        event_type=event["eventType"],
        severity=event["severity"],
        category=event["category"],
        properties=encoded(event["properties"]),
        parent_event_id=event["parentEventId"],
        run_id=event["runId"],
        line_number=line_number,
        line=line,
    )


def _leniently(line: bytes) -> dict[str, Any] | str:
    """Read what Python's own writer makes and JSON does not know: NaN, Infinity, integers of any size."""
    try:
        record = json.loads(line, parse_constant=lambda _: None, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        return f"The line is not JSON: {error}"[:200]
    return record if isinstance(record, dict) else "The line is JSON, but not an object."


def _integer(digits: str) -> int | Decimal:
    value = Decimal(digits)
    return int(value) if abs(value) < _PAST_64_BITS else value


def _exactly(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} is no value of JSON")
