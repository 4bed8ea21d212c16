"""Validation of GUIDs, and of numbers that can be aggregated. Pure."""

import re
from decimal import Decimal
from typing import TypeGuard

MAX_EXPONENT, MIN_EXPONENT = 300, -400
"""Numbers outside these, or with more than 1,000 digits, are stored but not aggregated: the sum of ten million such
numbers is still one that JSON readers hold."""
MAX_DIGITS = 1000
_END = 10 ** (MAX_EXPONENT + 1)
_GUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}").fullmatch


def usable(number: object) -> bool:
    """Return whether a decoded value is a number that can be aggregated."""
    if type(number) is int:
        return bool(-_END < number < _END)
    if type(number) is not Decimal:
        return False
    return not number or (
        MIN_EXPONENT <= number.adjusted() <= MAX_EXPONENT
        and (len(str(number)) <= MAX_DIGITS or len(number.as_tuple().digits) <= MAX_DIGITS)  # a text is made faster
    )


def is_guid(value: object) -> TypeGuard[str]:
    """Return whether a value is a GUID in its usual form."""
    return isinstance(value, str) and bool(_GUID(value))
