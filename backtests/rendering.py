"""Rows into what tools answer: events as JSON, numbers and properties as logged, pages cut to the size limit."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec
import orjson

from backtests.error_envelope import RESULT_TOO_LARGE
from backtests.vocabulary import CATEGORIES, EVENT_TYPES, SEVERITIES
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import ToolError

Row = dict[str, Any]
_RAW: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


def event_json(row: Row, *, run_id: str) -> bytes:
    """Write one event as the contract shows it; properties and errors as they are stored."""
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
    """Write events until the size limit is reached. Raises ToolError where not even the first one fits."""
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
    """Refuse what does not fit the size limit."""
    return ToolError(RESULT_TOO_LARGE, message, suggestion=suggestion)


def members(text: str | bytes | None) -> dict[str, bytes]:
    """Give an object's members as raw JSON; none where it is no object."""
    if text is None or text.lstrip()[:1] not in ("{", b"{"):
        return {}
    return {name: bytes(raw) for name, raw in _RAW.decode(text).items()}


def pass_through(raw: bytes | None) -> Any:
    """Pass a value on as it was logged; null where there is none."""
    return None if raw is None else orjson.Fragment(raw)


def text_of(raw: bytes | None) -> str | None:
    """Read a member as text, whatever it was."""
    if raw is None or raw == b"null":
        return None
    read = _ANY.decode(raw)
    return read if isinstance(read, str) else raw.decode()


def is_number(raw: bytes | None) -> bool:
    """Tell whether a member is a number."""
    read = None if raw is None else _ANY.decode(raw)
    return isinstance(read, int | Decimal) and not isinstance(read, bool)


def number_of(raw: bytes | None) -> Decimal:
    """Read a member as an exact number; what is none counts as zero."""
    return Decimal(_ANY.decode(raw)) if raw is not None and is_number(raw) else Decimal(0)


_ANY = msgspec.json.Decoder(float_hook=Decimal)
