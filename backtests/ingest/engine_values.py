"""Lossless parsing of values as NautilusTrader writes them: numbers in text, money with currency, nanoseconds."""

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
    """Parse a finite number of at most 40 digits from JSON or text; return None for anything else."""
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
    """Convert a whole number to int and any other to float, or to Decimal if a float would change it."""
    if value == value.to_integral_value() and abs(value) <= _MAX_INTEGER:
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else value


def number(value: Any) -> Any:
    """Parse a number; any other value is returned unchanged, and validation reports it."""
    read = decimal(value)
    return value if read is None else plain(read)


def money(value: Any) -> tuple[Decimal | None, str | None]:
    """Parse money such as `184 JPY` into amount and currency, each None if missing."""
    if not isinstance(value, str):
        return decimal(value), None
    amount, _, currency = value.strip().partition(" ")
    return decimal(amount), currency.strip() or None


def moment(nanoseconds: Any) -> str | None:
    """Format nanoseconds since 1970 as ISO 8601 to the microsecond; return None outside the years 1 to 9999."""
    read = decimal(nanoseconds)
    if read is None or read != read.to_integral_value():
        return None
    try:
        at = _EPOCH + timedelta(microseconds=int(read) // _NANOSECONDS)
    except OverflowError:
        return None
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def guid(value: Any) -> UUID | None:
    """Parse a GUID; return None for anything else."""
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def pascal(name: str) -> str:
    """Convert an engine's field name to PascalCase, the contract's form: `last_qty` becomes `LastQty`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
