"""A record of the stream, and what all events made from it share: ids, time, and the unused fields."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any
from uuid import UUID, uuid5

from backtests.ingest.engine_layouts import Event
from backtests.ingest.engine_records import Record
from backtests.ingest.engine_values import decimal, guid, moment, money, number, pascal
from backtests.ingest.record import Problem

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
_TEXTS = {
    "type", "instrument_id", "client_order_id", "parent_order_id", "position_id", "account_id", "bar_type", "currency",
    "reason", "risk_type", "action", "name",
}  # fmt: skip
_QUANTITIES = {"quantity", "price", "trigger_price", "signed_qty", "avg_px_open", "last_px", "last_qty"}
_MONEY = {"realized_pnl", "unrealized_pnl", "total", "locked", "free"}
_ACCOUNT_TYPES = ("CASH", "MARGIN", "BETTING")


def find_faults(record: Record) -> Iterator[Problem]:
    """Yield the fields that read as missing because they have an unexpected type, at any depth that is read."""
    for name, value in record.items():
        if value is None:
            continue
        if name == "balances":
            balances = value if isinstance(value, list) else [value]
            yield from chain.from_iterable(_find_nested_faults(one, within=name) for one in balances)
        elif name == "options":
            yield from _find_nested_faults(value, within=name)
        elif not _is_usable(name, value):
            yield Problem(name, f"Not what the engine writes here, so taken as missing: {str(value)[:60]!r}")


def _find_nested_faults(value: object, *, within: str) -> Iterator[Problem]:
    if isinstance(value, dict):
        for fault in find_faults(value):
            yield Problem(f"{within}.{fault.field}", fault.error)
    else:
        yield Problem(within, f"Not an object: {str(value)[:60]!r}")


def _is_usable(name: str, value: object) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _QUANTITIES:
        return decimal(value) is not None
    if name in _MONEY:
        return money(value)[0] is not None
    if name == "event_id":
        return guid(value) is not None
    if name == "reported":
        return isinstance(value, bool)
    return name != "account_type" or value in _ACCOUNT_TYPES


@dataclass(frozen=True)
class Native:
    """A record of the stream; a field of an unexpected type reads as missing, and `find_faults` reports it."""

    run_id: UUID
    record: Record

    def text(self, name: str) -> str | None:
        """Return a non-empty text, or None."""
        value = self.record.get(name)
        return value if isinstance(value, str) and value else None

    @property
    def kind(self) -> str:
        """Return the engine's name of the record's type."""
        return self.text("type") or "Unknown"

    @property
    def symbol(self) -> str | None:
        """Return the engine's instrument id, including the venue, so that venues never mix."""
        return self.text("instrument_id")

    @cached_property
    def event_id(self) -> UUID:
        """Return the engine's own id, or one derived from the whole record if it has none, like a bar."""
        given = guid(self.record.get("event_id"))
        return given or uuid5(self.run_id, json.dumps(self.record, sort_keys=True, default=str))

    @cached_property
    def timestamp(self) -> Any:
        """Return the time; an invalid one is returned unchanged, and validation reports it."""
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
        Build a contract event.

        `part` distinguishes a second event of the record; its id is derived from the record's. A missing property is
        left out, except StateBefore, where null means that there was no state.
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
        """Return the known properties, followed by every unused field under its name in PascalCase."""
        left = {
            pascal(name): number(value) if name in _NUMBERS else value
            for name, value in self.record.items()
            if name not in _SHARED and name not in used and value not in _NOTHING
        }
        return known | {name: value for name, value in left.items() if name not in known}
