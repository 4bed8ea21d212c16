"""Formatting of numbers on pages. Pure."""

from decimal import Decimal

MISSING = "-"
Value = Decimal | float | None


def plain(value: Value) -> str:
    """Format a number with four decimals, a small one with four significant digits."""
    if value is None:
        return MISSING
    if value == 0 or value >= 1 or value <= -1:
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return f"{value:.4g}"


def write_signed(value: Value) -> str:
    """Format an amount with sign and two decimals."""
    return MISSING if value is None else f"{value:+,.2f}"


def percent(share: float | None) -> str:
    """Format a share as a percentage."""
    return MISSING if share is None else f"{share * 100:,.2f} %"
