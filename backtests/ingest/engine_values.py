"""Values as NautilusTrader writes them, read without loss: numbers in text, money with its currency, nanoseconds."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NANOSECONDS = 1_000
_MAX_INTEGER = 2**63 - 1
_MAX_DIGITS = 40

Number = int | float | Decimal


def decimal(value: Any) -> Decimal | None:
    """Read a number from JSON or from text, finite and of at most 40 digits; None where there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        read = Decimal(str(value).replace("_", "").strip())
    except InvalidOperation:
        return None
    if not read.is_finite() or abs(read.adjusted()) > _MAX_DIGITS or len(read.as_tuple().digits) > _MAX_DIGITS:
        return None
    return read


def plain(value: Decimal) -> Number:
    """Give a whole number as int and any other as float, or as Decimal where a float would change it."""
    if value == value.to_integral_value() and abs(value) <= _MAX_INTEGER:
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else value


def number(value: Any) -> Any:
    """Read a number; what is none is given back as it came, for the contract's validation to name."""
    read = decimal(value)
    return value if read is None else plain(read)


def money(value: Any) -> tuple[Decimal | None, str | None]:
    """Read `184 JPY`: the amount and the currency, each None where it is not there."""
    if not isinstance(value, str):
        return decimal(value), None
    amount, _, currency = value.strip().partition(" ")
    return decimal(amount), currency.strip() or None


def moment(nanoseconds: Any) -> str | None:
    """Write nanoseconds since 1970 as ISO 8601 to the microsecond; None where they are no time of years 1 to 9999."""
    read = decimal(nanoseconds)
    if read is None or read != read.to_integral_value():
        return None
    try:
        at = _EPOCH + timedelta(microseconds=int(read) // _NANOSECONDS)
    except OverflowError:
        return None
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def guid(value: Any) -> UUID | None:
    """Read a GUID; None where it is none."""
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def pascal(name: str) -> str:
    """Write an engine's field name as the contract's events write theirs: `last_qty` as `LastQty`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
