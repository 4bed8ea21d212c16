"""Rendering of rows as JSON: numbers and properties as logged, pages truncated to the size limit."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec
import orjson

from backtests.contracts.error_envelope import RESULT_TOO_LARGE
from backtests.vocabulary import CATEGORIES, EVENT_TYPES, SEVERITIES
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import ToolError

Row = dict[str, Any]
_RAW: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


def event_json(row: Row, *, run_id: str) -> bytes:
    """Render one event in the contract's form, with properties and errors as stored."""
    errors = row["validation_errors"]
    return orjson.dumps(
        {
            "eventId": row["event_id"],
            "runId": run_id,
            "timestamp": format_timestamp(row["occurred_at"]),
            "eventType": EVENT_TYPES[row["event_type"]],
            "severity": SEVERITIES[row["severity"]],
            "category": CATEGORIES[row["category"]],
            "properties": orjson.Fragment(row["properties"]),
            "parentEventId": row["parent_event_id"],
            "validationErrors": orjson.Fragment(errors) if errors else None,
        }
    )


def cut_to_budget(rows: Sequence[Row], *, run_id: str, budget: int) -> list[orjson.Fragment]:
    """Render events up to the size limit. Raises ToolError if not even the first one fits."""
    written: list[orjson.Fragment] = []
    size = 0
    for row in rows:
        event = event_json(row, run_id=run_id)
        size += len(event) + 1
        if size > budget:
            break
        written.append(orjson.Fragment(event))
    if rows and not written:
        raise too_large(f"The event {rows[0]['event_id']} alone is larger than {budget:,} bytes.")
    return written


def too_large(message: str, *, suggestion: str = "Ask for the page after it, or for statistics of it.") -> ToolError:
    """Build the error of an answer that exceeds the size limit."""
    return ToolError(RESULT_TOO_LARGE, message, suggestion=suggestion)


def members(text: str | bytes | None) -> dict[str, bytes]:
    """Return an object's members as raw JSON; {} for any other value."""
    if text is None or text.lstrip()[:1] not in ("{", b"{"):
        return {}
    return {name: bytes(raw) for name, raw in _RAW.decode(text).items()}


def pass_through(raw: bytes | None) -> Any:
    """Return a value as logged, or null if there is none."""
    return None if raw is None else orjson.Fragment(raw)


def text_of(raw: bytes | None) -> str | None:
    """Return a member as text, whatever its type."""
    if raw is None or raw == b"null":
        return None
    read = _ANY.decode(raw)
    return read if isinstance(read, str) else raw.decode()


def is_number(raw: bytes | None) -> bool:
    """Return whether a member is a number."""
    read = None if raw is None else _ANY.decode(raw)
    return isinstance(read, int | Decimal) and not isinstance(read, bool)


def number_of(raw: bytes | None) -> Decimal:
    """Parse a member as an exact number; anything else is zero."""
    return Decimal(_ANY.decode(raw)) if raw is not None and is_number(raw) else Decimal(0)


_ANY = msgspec.json.Decoder(float_hook=Decimal)
