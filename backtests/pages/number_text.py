"""Numbers as pages write them. Pure."""

from decimal import Decimal

MISSING = "-"
Value = Decimal | float | None


def plain(value: Value) -> str:
    """Write a number to four decimals, a small one to four digits."""
    if value is None:
        return MISSING
    if value == 0 or value >= 1 or value <= -1:
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return f"{value:.4g}"


def signed(value: Value) -> str:
    """Write an amount to two decimals, with its sign."""
    return MISSING if value is None else f"{value:+,.2f}"


def percent(share: float | None) -> str:
    """Write a share as a percentage."""
    return MISSING if share is None else f"{share * 100:,.2f} %"
