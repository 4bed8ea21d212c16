"""Validation of GUIDs, and of numbers that can be aggregated. Pure."""

import re
from decimal import Decimal
from typing import TypeGuard

FARTHEST_EXPONENT = 400
"""Numbers beyond 10^±400, or with more than 1,000 digits, are stored but not aggregated."""
MAX_DIGITS = 1000
_FARTHEST = 10**FARTHEST_EXPONENT
_GUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}").fullmatch


def usable(number: object) -> bool:
    """Return whether a decoded value is a number that can be aggregated."""
    if type(number) is int:
        return bool(-_FARTHEST < number < _FARTHEST)
    if type(number) is not Decimal:
        return False
    return not number or (
        -FARTHEST_EXPONENT <= number.adjusted() <= FARTHEST_EXPONENT and len(number.as_tuple().digits) <= MAX_DIGITS
    )


def is_guid(value: object) -> TypeGuard[str]:
    """Return whether a value is a GUID in its usual form."""
    return isinstance(value, str) and bool(_GUID(value))
