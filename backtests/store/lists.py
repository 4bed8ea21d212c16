"""
Names of the lists that an event is in (migrations/0002_store.sql describes each list). Pure.

A name contains logged values. A long value, or one that PostgreSQL's text cannot hold, is replaced with its hash.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import Any

from backtests.store.orders import KINDS, OPEN, STATE, OrderStep, read_amount
from backtests.store.values import is_guid, usable
from backtests.vocabulary import SEVERITIES, TYPE_CODES

MAX_NAME = 200
BY_TYPE = ("SecuritySymbol", "IndicatorName")
"""Entities with many events, which have a list per event type."""
WHOLE = ("OrderId", "PositionId")
PNL = "l"
_KINDS = [[(f"t:{kind}", f"s:{kind}:{severity}") for severity in range(4)] for kind in range(8)]
_STATE = TYPE_CODES["StateChange"]
_POSITION = TYPE_CODES["PositionUpdate"]
_INDICATOR = TYPE_CODES["IndicatorCalculation"]


def lists_of(kind: int, *, severity: int, values: dict[str, Any]) -> Iterator[str]:
    """List the names of the lists that hold an event, except those of roots, errors and numbers."""
    yield from _KINDS[kind][severity]
    for value in _entities("SecuritySymbol", kind, values):
        yield f"e:SecuritySymbol:{value}:{kind}"
    for name in WHOLE:
        for value in _entities(name, kind, values):
            yield f"e:{name}:{value}"
    for value in _entities("IndicatorName", kind, values):
        yield f"e:IndicatorName:{value}:{kind}"
    yield from _state_lists(kind, values)


def _state_lists(kind: int, values: dict[str, Any]) -> Iterator[str]:
    """List the names of the lists from which the state at a moment is read."""
    if kind == _POSITION:
        if values.get("SecuritySymbol") is not None:
            yield position_list(values["SecuritySymbol"])
    elif kind == _INDICATOR:
        if values.get("IndicatorName") is not None:
            yield indicator_list(values["IndicatorName"], symbol=values.get("SecuritySymbol"))
    elif kind == _STATE and values.get("StateType") == "PnL" and isinstance(values.get("StateAfter"), dict):
        yield PNL


def error_lists(severities: Any) -> Iterator[str]:
    """List the names of the lists of events with errors of these severities."""
    yield "v"
    for severity in sorted(set(severities)):
        yield f"v:{severity}"


def numbers_of(
    kind: int, *, values: dict[str, Any], all_usable: bool = False, prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield each number among an event's properties as text, with the name of its list."""
    for name, value in values.items():
        found = type(value)
        if found is Decimal or found is int:
            if (all_usable or usable(value)) and is_name(name):
                yield number_list(kind, path=prefix + name), str(value)
        elif found is dict and is_name(name):
            yield from numbers_of(kind, values=value, all_usable=all_usable, prefix=f"{prefix}{name}.")


@lru_cache(maxsize=4096)
def number_list(event_type: int, *, path: str) -> str:
    """Return the name of the list of a type's events whose property at the path is a number."""
    return f"n:{event_type}:{_short(path)}"


def entity_lists(entity: str, *, value: str, event_types: list[str]) -> list[str]:
    """List the names of an entity's lists, of these types or, if empty, of all types."""
    named = entity_value(value)
    if entity in WHOLE:
        return [f"e:{entity}:{named}"]
    codes = [TYPE_CODES[name] for name in event_types] or list(TYPE_CODES.values())
    return [f"e:{entity}:{named}:{code}" for code in dict.fromkeys(codes)]


def indicator_list(name: object, *, symbol: object) -> str:
    """Return the name of the list of an indicator's values for a security."""
    named = entity_value(name)
    return f"i:{len(named)}:{named}:{'' if symbol is None else entity_value(symbol)}"


def position_list(symbol: object) -> str:
    """Return the name of the list of a security's positions."""
    return f"p:{entity_value(symbol)}"


def entity_value(value: object) -> str:
    """Encode an entity's value for a list's name; GUIDs are in lower case."""
    return _value(value if isinstance(value, str) else str(value))


@lru_cache(maxsize=4096)
def _value(text: str) -> str:
    return text.lower() if is_guid(text) else _short(text)


def read_order_step(kind: int, *, values: dict[str, Any]) -> OrderStep | None:
    """Return the step of an order that the event describes, if any."""
    if kind in KINDS:
        if values.get("OrderId") is None:
            return None
        return OrderStep(entity_value(values["OrderId"]), KINDS[kind], False, read_amount(values.get("Quantity")), None)  # noqa: FBT003
    after = values.get("StateAfter")
    if kind != _STATE or values.get("StateType") != "Order" or not isinstance(after, dict):
        return None
    if after.get("OrderId") is None:
        return None
    symbol = after.get("SecuritySymbol")
    named = None if symbol is None else entity_value(symbol)
    return OrderStep(
        entity_value(after["OrderId"]), STATE, after.get("Status") == OPEN, read_amount(after.get("Quantity")), named
    )


def severity_list(event_type: str, *, severity: str | None) -> str:
    """Return the name of the list of a type's events, of one severity or of all."""
    code = TYPE_CODES[event_type]
    return f"t:{code}" if severity is None else f"s:{code}:{SEVERITIES.index(severity)}"


def _entities(name: str, kind: int, values: dict[str, Any]) -> Iterator[str]:
    """Yield the values of a property with this name: at the top level, and in the states of a StateChange."""
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
def is_name(name: str) -> bool:
    """Return whether a property's name fits the contract's path pattern."""
    return name.isascii() and (
        name.isalnum() or name.replace("_", "").isalnum() or (bool(name) and not name.strip("_"))
    )


def _short(text: str) -> str:
    if len(text) <= MAX_NAME and text.isprintable() and not text.startswith("#"):
        return text
    return "#" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
