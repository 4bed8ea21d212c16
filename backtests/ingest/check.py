"""Validation of logged events against the contract: faults are recorded, and no event is dropped. Pure."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

import msgspec

from backtests.ingest.record import EventRow, LoggedEvent, Problem, Unreadable
from backtests.store.lists import lists_of, numbers_of, read_order_step
from backtests.store.values import is_guid, usable
from backtests.vocabulary import CATEGORY_CODES, SEVERITY_CODES, TYPE_CODES, UNKNOWN, USUAL_CATEGORY
from toolbox.text.moments import parse_time

MAX_PROPERTY_BYTES = 1_048_576
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MIN_YEAR, MAX_YEAR = 1800, 2199
"""Times outside this range are placeholders, such as the minimum or maximum of a programming language."""

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_FAR = re.compile(rb"[0-9][eE][+-]?[0-9]{3}").search
_SURELY_SHORT = 200
"""Bytes of properties in which, without an exponent of three digits, each number can be aggregated."""
_MICROSECOND = timedelta(microseconds=1)
_FIRST_MOMENT = (datetime(MIN_YEAR, 1, 1, tzinfo=UTC) - EPOCH) // _MICROSECOND
_END_MOMENT = (datetime(MAX_YEAR + 1, 1, 1, tzinfo=UTC) - EPOCH) // _MICROSECOND
_USUAL_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|\+00:?00)", re.ASCII
).fullmatch


_MISSING = object()

Rule = tuple[str, Callable[[object], bool], str]
Schema = tuple[Rule, ...]


def _guid(name: str) -> Rule:
    return name, is_guid, "Invalid GUID format"


def _text(name: str) -> Rule:
    return name, lambda value: isinstance(value, str), "Not a string"


def _number(name: str) -> Rule:
    return name, usable, ""


def _object(name: str) -> Rule:
    return name, lambda value: isinstance(value, dict), "Not an object"


def _anything(name: str) -> Rule:
    return name, lambda value: True, ""  # noqa: ARG005 - a rule looks at a value, this one at none


def _choice(name: str, *choices: str) -> Rule:
    return name, lambda value: isinstance(value, str) and value in choices, f"Not one of {', '.join(choices)}"


_DIRECTION = _choice("Direction", "Buy", "Sell")
_ORDER, _SYMBOL, _QUANTITY = _guid("OrderId"), _text("SecuritySymbol"), _number("Quantity")
SCHEMAS: dict[str, Schema] = {
    "TradeExecution": (
        _ORDER, _SYMBOL, _DIRECTION, _QUANTITY, _number("Price"), _number("Commission"), _number("Slippage"),
    ),
    "OrderRejection": (
        _ORDER, _SYMBOL, _text("RejectionReason"), _number("RequestedQuantity"), _number("RequestedPrice"),
    ),
    "IndicatorCalculation": (_text("IndicatorName"), _SYMBOL, _number("Value"), _object("Parameters")),
    "PositionUpdate": (
        _SYMBOL, _QUANTITY, _number("AveragePrice"), _number("UnrealizedPnL"), _number("RealizedPnL"),
    ),
    "StateChange": (
        _choice("StateType", "Position", "PnL", "Indicator", "Order"), _anything("StateBefore"),
        _object("StateAfter"), _text("ChangeReason"),
    ),
    "MarketDataEvent": (_SYMBOL, _choice("DataType", "Candle", "Tick", "Level2"), _object("Data")),
    "RiskEvent": (_text("RiskType"), _number("Threshold"), _number("CurrentValue"), _text("Action")),
    UNKNOWN: (),
}  # fmt: skip
STATE_AFTER: dict[str, Schema] = {
    "Order": (_ORDER, _SYMBOL, _DIRECTION, _QUANTITY, _text("Status")),
    "PnL": (_number("Total"), _number("Realized"), _number("Unrealized")),
}


def check(event: LoggedEvent, *, run_id: UUID, usual_moment: int) -> EventRow | Unreadable:
    """
    Build the row of a logged event, with all its faults as problems.

    An id that is missing or not a GUID is replaced with one derived from the run and the line, so that the same line
    always gives the same event. An invalid time is replaced with `usual_moment`, the time of the previous event.
    """
    problems = list(event.problems)
    read = _properties(event, problems)
    if isinstance(read, Unreadable):
        return read
    raw, values = read
    name = _type(event.event_type, problems)
    _check_properties(values, SCHEMAS[name], problems, "Properties.")
    if name == "StateChange" and isinstance(values.get("StateAfter"), dict):
        schema = STATE_AFTER.get(str(values.get("StateType")), ())
        _check_properties(values["StateAfter"], schema, problems, "Properties.StateAfter.")
    kind, symbol = TYPE_CODES[name], values.get("SecuritySymbol")
    severity = _word(event.severity, SEVERITY_CODES, "Info", "Severity", problems)
    numbers = [*numbers_of(kind, values=values, all_usable=len(raw) < _SURELY_SHORT and _FAR(raw) is None)]
    return EventRow(
        event_id=_event_id(event, run_id, problems),
        moment=_moment(event.timestamp, usual_moment, problems),
        event_type=kind,
        severity=severity,
        category=_word(event.category, CATEGORY_CODES, USUAL_CATEGORY[name], "Category", problems),
        properties=raw,
        parent_event_id=_parent(event.parent_event_id, problems),
        lists=tuple(lists_of(kind, severity=severity, values=values)),
        number_lists=tuple(name for name, _ in numbers),
        numbers=tuple(text for _, text in numbers),
        order=read_order_step(kind, values=values),
        symbol=symbol if isinstance(symbol, str) else None,
        problems=tuple(problems),
        line_number=event.line_number,
        line=event.line,
    )


def _type(given: object, problems: list[Problem]) -> str:
    if isinstance(given, str) and given in SCHEMAS and given != UNKNOWN:
        return given
    problems.append(Problem("EventType", _unlike("event type", given)))
    return UNKNOWN


def _properties(event: LoggedEvent, problems: list[Problem]) -> tuple[bytes, dict[str, Any]] | Unreadable:
    """Decode the properties; a value that is not an object becomes the property Value of one."""
    raw = event.properties
    if raw is None:
        problems.append(Problem("Properties", "Missing required field"))
        return b"{}", {}
    if len(raw) > MAX_PROPERTY_BYTES:
        return _unreadable(event, f"properties of {len(raw):,} bytes; at most {MAX_PROPERTY_BYTES:,} are stored")
    try:
        values = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError, ArithmeticError, UnicodeDecodeError) as error:
        return _unreadable(event, f"properties cannot be read: {error or 'nested too deep'}"[:200])
    if isinstance(values, dict):
        return raw, values
    problems.append(Problem("Properties", "Not an object"))
    return b'{"Value": %b}' % raw, {"Value": values}


def _check_properties(values: dict[str, Any], schema: Schema, problems: list[Problem], prefix: str) -> None:
    for name, is_good, complaint in schema:
        value = values.get(name, _MISSING)
        if value is _MISSING:
            problems.append(Problem(prefix + name, "Missing required field", "Warning"))
        elif not is_good(value):
            problems.append(Problem(prefix + name, complaint or _not_a_number(value)))


def _not_a_number(value: object) -> str:
    return "Number too large to aggregate" if isinstance(value, int | Decimal) and value is not True else "Not a number"


def _event_id(event: LoggedEvent, run_id: UUID, problems: list[Problem]) -> str:
    given = event.event_id
    if is_guid(given):
        return given.lower()
    if isinstance(given, UUID):
        return str(given)
    problems.append(Problem("EventId", "Missing required field" if given is None else _unlike("GUID", given)))
    return str(uuid5(run_id, sha256(event.line or event.properties or b"").hexdigest()))


def _parent(given: object, problems: list[Problem]) -> str | None:
    if given is None:
        return None
    if is_guid(given):
        return given.lower()
    if isinstance(given, UUID):
        return str(given)
    problems.append(Problem("ParentEventId", _unlike("GUID", given)))
    return None


def _word(given: object, codes: dict[str, int], usual: str, field: str, problems: list[Problem]) -> int:
    code = codes.get(given) if isinstance(given, str) else None
    if code is None:
        words = "Missing required field" if given is None else f"Not one of {', '.join(codes)}: {str(given)[:60]!r}"
        problems.append(Problem(field, f"{words}; taken as {usual}", "Warning"))
        return codes[usual]
    return code


def _moment(given: object, usual: int, problems: list[Problem]) -> int:
    """
    Parse a time as microseconds since 1970; further digits are cut.

    A number is refused: only its engine's translator knows whether it counts seconds, milliseconds or nanoseconds.
    """
    moment = _read_moment(given)
    if moment is not None and _FIRST_MOMENT <= moment < _END_MOMENT:
        return moment
    if given is None:
        words = "Missing required field"
    elif moment is None:
        words = f"Not an ISO 8601 time: {str(given)[:60]!r}"
    else:
        words = f"Not a time between {MIN_YEAR} and {MAX_YEAR}: {str(given)[:60]!r}"
    problems.append(Problem("Timestamp", f"{words}; placed at the event before"))
    return usual


def _read_moment(given: object) -> int | None:
    if isinstance(given, datetime):
        return ((given if given.tzinfo else given.replace(tzinfo=UTC)) - EPOCH) // _MICROSECOND
    if not isinstance(given, str):
        return None
    try:
        if usually := _USUAL_TIME(given):
            year, month, day, hour, minute, second, fraction = usually.groups()
            moment = datetime(*map(int, (year, month, day, hour, minute, second)), tzinfo=UTC) - EPOCH  # type: ignore[arg-type,misc]
            whole = moment.days * 86_400_000_000 + moment.seconds * 1_000_000
            return whole + (int(fraction[:6].ljust(6, "0")) if fraction else 0)
        return (parse_time(given) - EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None


def _unlike(kind: str, given: object) -> str:
    if given is None:
        return "Missing required field"
    return f"Invalid GUID format: {str(given)[:60]!r}" if kind == "GUID" else f"Unknown {kind}: {str(given)[:60]!r}"


def _unreadable(event: LoggedEvent, reason: str) -> Unreadable:
    return Unreadable(line_number=event.line_number, line=event.line, reason=reason)
