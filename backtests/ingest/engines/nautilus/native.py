"""One record of the stream, with what every event made of it shares: ids, time, and the fields nobody asked for."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID, uuid5

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_records import Record
from backtests.ingest.engine_values import guid, moment, number, pascal

_SHARED = {"type", "event_id", "ts_event", "ts_init", "instrument_id", "trader_id"}
_NUMBERS = {
    "avg_px_close",
    "avg_px_open",
    "duration_ns",
    "last_px",
    "last_qty",
    "peak_qty",
    "price",
    "quantity",
    "realized_return",
    "signed_qty",
    "trigger_price",
}
_NOTHING: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class Native:
    """A record of the stream, read by field; a field of another kind than expected reads as not given."""

    run_id: UUID
    record: Record

    def text(self, name: str) -> str | None:
        """Give a text that is not empty."""
        value = self.record.get(name)
        return value if isinstance(value, str) and value else None

    @property
    def kind(self) -> str:
        """Say what the engine calls it."""
        return self.text("type") or "Unknown"

    @property
    def symbol(self) -> str | None:
        """Give the instrument as the engine names it, venue included, so that two venues never mix."""
        return self.text("instrument_id")

    @cached_property
    def event_id(self) -> UUID:
        """Give the engine's own id, or one made from the whole record where it has none, as bars do."""
        given = guid(self.record.get("event_id"))
        return given or uuid5(self.run_id, json.dumps(self.record, sort_keys=True, default=str))

    @cached_property
    def timestamp(self) -> Any:
        """Give when it happened; what cannot be read is handed on as it is, for validation to name."""
        times = [
            self.record[name] for name in ("ts_event", "ts_closed", "ts_init") if self.record.get(name) is not None
        ]
        return moment(times[0]) or times[0] if times else None

    def event(
        self,
        event_type: str,
        *,
        properties: dict[str, Any],
        category: str,
        severity: str = "Info",
        parent: UUID | None = None,
        part: str = "",
    ) -> Event:
        """
        Make an event of the contract.

        `part` tells a second event of the same record from the first; its id follows from the record's. A property
        that the engine does not give is left out; only StateBefore says with null that there was nothing.
        """
        return {
            "eventId": str(uuid5(self.event_id, part) if part else self.event_id),
            "runId": str(self.run_id),
            "timestamp": self.timestamp,
            "eventType": event_type,
            "severity": severity,
            "category": category,
            "properties": {
                name: value for name, value in properties.items() if value is not None or name == "StateBefore"
            },
            "parentEventId": str(parent) if parent else None,
        }

    def rest(self, *used: str, known: dict[str, Any]) -> dict[str, Any]:
        """Give what is known, and after it every field that was not used, under its name in PascalCase."""
        left = {
            pascal(name): number(value) if name in _NUMBERS else value
            for name, value in self.record.items()
            if name not in _SHARED and name not in used and value not in _NOTHING
        }
        return known | {name: value for name, value in left.items() if name not in known}
