"""
Which lists an event is in, by name (migrations/0002_store.sql tells what each holds). Pure.

Names made of what was logged are kept short and free of what PostgreSQL's text cannot hold: a value that is long or
odd stands as its hash.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any

from backtests.ingest.check import is_guid, usable
from backtests.ingest.record import EventRow
from backtests.vocabulary import SEVERITIES, TYPE_CODES

LONGEST_NAME = 200
BY_TYPE = ("SecuritySymbol", "IndicatorName")
"""Entities with many events: their lists are kept apart by type of event."""
WHOLE = ("OrderId", "PositionId")
PNL = "l"
_KINDS = [[(f"t:{kind}", f"s:{kind}:{severity}") for severity in range(4)] for kind in range(8)]
_STATE = TYPE_CODES["StateChange"]
_POSITION = TYPE_CODES["PositionUpdate"]
_INDICATOR = TYPE_CODES["IndicatorCalculation"]


def lists_of(row: EventRow) -> Iterator[str]:
    """Name the lists that hold the event itself; roots and numbers apart."""
    kind, values = row.event_type, row.values
    yield from _KINDS[kind][row.severity]
    for value in _entities("SecuritySymbol", kind, values):
        yield f"e:SecuritySymbol:{value}:{kind}"
    for name in WHOLE:
        for value in _entities(name, kind, values):
            yield f"e:{name}:{value}"
    for value in _entities("IndicatorName", kind, values):
        yield f"e:IndicatorName:{value}:{kind}"
    yield from _state_lists(kind, values)
    if row.problems:
        yield from error_lists(problem.severity for problem in row.problems)


def _state_lists(kind: int, values: dict[str, Any]) -> Iterator[str]:
    """Name the lists that the state at a moment is read from."""
    if kind == _POSITION:
        if values.get("SecuritySymbol") is not None:
            yield position_list(values["SecuritySymbol"])
    elif kind == _INDICATOR:
        if values.get("IndicatorName") is not None:
            yield indicator_list(values["IndicatorName"], symbol=values.get("SecuritySymbol"))
    elif kind == _STATE and values.get("StateType") == "PnL" and isinstance(values.get("StateAfter"), dict):
        yield PNL


def error_lists(severities: Any) -> Iterator[str]:
    """Name the lists of events with errors of these severities."""
    yield "v"
    for severity in sorted(set(severities)):
        yield f"v:{severity}"


def numbers_of(row: EventRow) -> Iterator[tuple[str, int | Decimal]]:
    """Give every number among the event's properties with the list that it belongs in."""
    return _numbers(row.values, prefix="", kind=row.event_type, is_plain=row.is_plain)


def _numbers(values: dict[str, Any], *, prefix: str, kind: int, is_plain: bool) -> Iterator[tuple[str, int | Decimal]]:
    for name, value in values.items():
        found = type(value)
        if found is Decimal or found is int:
            if (is_plain or usable(value)) and _is_name(name):
                yield number_list(kind, path=prefix + name), value
        elif found is dict and _is_name(name):
            yield from _numbers(value, prefix=f"{prefix}{name}.", kind=kind, is_plain=is_plain)


@lru_cache(maxsize=4096)
def number_list(event_type: int, *, path: str) -> str:
    """Name the list of events of a type whose property at the path is a number."""
    return f"n:{event_type}:{_short(path)}"


def entity_lists(entity: str, *, value: str, event_types: list[str]) -> list[str]:
    """Name the lists that an entity's events are in, of these types or, when there are none, of all."""
    named = entity_value(value)
    if entity in WHOLE:
        return [f"e:{entity}:{named}"]
    codes = [TYPE_CODES[name] for name in event_types] or list(TYPE_CODES.values())
    return [f"e:{entity}:{named}:{code}" for code in dict.fromkeys(codes)]


def indicator_list(name: object, *, symbol: object) -> str:
    """Name the list of an indicator's values for a security."""
    named = entity_value(name)
    return f"i:{len(named)}:{named}:{'' if symbol is None else entity_value(symbol)}"


def position_list(symbol: object) -> str:
    """Name the list of a security's positions."""
    return f"p:{entity_value(symbol)}"


def entity_value(value: object) -> str:
    """Write an entity's value as part of a list's name; GUIDs are one whatever their case."""
    return _value(value if isinstance(value, str) else str(value))


@lru_cache(maxsize=4096)
def _value(text: str) -> str:
    return text.lower() if is_guid(text) else _short(text)


def state_order_id(row: EventRow) -> str | None:
    """Give the order whose state the event says, if it says one's."""
    after = row.values.get("StateAfter")
    if row.event_type != _STATE or row.values.get("StateType") != "Order" or not isinstance(after, dict):
        return None
    return entity_value(after["OrderId"]) if after.get("OrderId") is not None else None


def severity_list(event_type: str, *, severity: str | None) -> str:
    """Name the list of a type's events, of one severity or of all."""
    code = TYPE_CODES[event_type]
    return f"t:{code}" if severity is None else f"s:{code}:{SEVERITIES.index(severity)}"


def _entities(name: str, kind: int, values: dict[str, Any]) -> Iterator[str]:
    """Give the values that a property of this name has: at the top, and in the states of a StateChange."""
    top = values.get(name)
    found = entity_value(top) if top is not None else None
    if found is not None:
        yield found
    if kind == _STATE:
        seen = {found}
        for side in ("StateAfter", "StateBefore"):
            state = values.get(side)
            if isinstance(state, dict) and state.get(name) is not None:
                value = entity_value(state[name])
                if value not in seen:
                    seen.add(value)
                    yield value


@lru_cache(maxsize=4096)
def _is_name(name: str) -> bool:
    return name.isascii() and (
        name.isalnum() or name.replace("_", "").isalnum() or (bool(name) and not name.strip("_"))
    )


def _short(text: str) -> str:
    if len(text) <= LONGEST_NAME and text.isprintable() and not text.startswith("#"):
        return text
    return "#" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
