"""Encode values as JSON bytes, the same way for every domain and transport."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any, Self

import orjson
from pydantic import BaseModel

_DOUBLE_DIGITS = 308
MAX_WHOLE_DIGITS = 4_000
_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


class ExactNumber(float):
    """A float that keeps the digits it was written in, for `encode` and `str`."""

    digits: str

    def __new__(cls, digits: str) -> Self:
        """Parse the digits and keep them."""
        number = super().__new__(cls, digits)
        number.digits = digits
        return number

    def __str__(self) -> str:
        """Write the digits."""
        return self.digits


def read_fraction(digits: str) -> float:
    """Parse a fraction; keeps the digits if the nearest double would be written differently."""
    number = float(digits)
    return number if repr(number) == digits else ExactNumber(digits)


def read_whole(digits: str) -> int | ExactNumber:
    """Parse a whole number; keeps the digits of one too long for Python's int parser."""
    return int(digits) if len(digits) <= MAX_WHOLE_DIGITS else ExactNumber(digits)


def encode(value: object) -> bytes:
    """
    Encode as JSON: models by alias, times as ISO 8601 UTC with milliseconds and Z, decimals exact, NaN as null.

    A decimal beyond a double's range is written as a string: clients refuse a whole answer with such a number. A model
    field with default None is left out when it is None (toolbox.contract.models.ToolOutput).
    """
    return orjson.dumps(value, default=_plain, option=_OPTIONS)


def format_timestamp(moment: datetime) -> str:
    """Format a datetime as ISO 8601 in UTC with truncated milliseconds and Z; a naive one is taken as UTC."""
    utc = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return utc.isoformat(timespec="milliseconds") + "Z"


def _plain(value: Any) -> object:
    if type(value) is date:  # first, because it is the most frequent type in rows
        return value.isoformat()
    if not isinstance(value, BaseModel):
        return _scalar(value)
    # Only this model's fields: orjson calls again for nested values.
    plan = _plan(type(value))
    if plan is None:
        return getattr(value, "root")  # noqa: B009 - a RootModel, known by its only field
    found = {}
    for attribute, alias, may_be_absent in plan:
        field = getattr(value, attribute)
        if field is not None or not may_be_absent:
            found[alias] = field
    return found | extra if (extra := value.__pydantic_extra__) else found


def _scalar(value: Any) -> object:
    if isinstance(value, ExactNumber):
        return orjson.Fragment(value.digits)
    if isinstance(value, Decimal):
        return _number(value) if value.is_finite() else None
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no place in an answer")


def _number(value: Decimal) -> object:
    written = format(value, "f")
    return orjson.Fragment(written) if value.adjusted() < _DOUBLE_DIGITS else written


@lru_cache(maxsize=1024)
def _plan(model: type[BaseModel]) -> tuple[tuple[str, str, bool], ...] | None:
    """Return attribute, JSON name and whether it may be absent for each field; None for a RootModel."""
    if "root" in model.model_fields:
        return None
    return tuple(
        (name, field.serialization_alias or field.alias or name, not field.is_required() and field.default is None)
        for name, field in model.model_fields.items()
    )
