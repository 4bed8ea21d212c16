"""What templates of answers may do with rows, beside Django's own filters."""

import re
from collections.abc import Iterable
from typing import Any

from django import template

register = template.Library()


@register.filter(name="where")
def filter_rows(rows: Iterable[Any], condition: str) -> list[Any]:
    """Keep the rows whose column has a value: `rows|where:"period_outcome=WIN"`."""
    column, _, value = condition.partition("=")
    return [row for row in rows or () if isinstance(row, dict) and str(row.get(column)) == value]


@register.filter
def column(rows: Iterable[Any], name: str) -> list[Any]:
    """Give one column of the rows, without what is missing."""
    return [row[name] for row in rows or () if isinstance(row, dict) and row.get(name) is not None]


@register.filter
def distinct(values: Iterable[Any]) -> list[Any]:
    """Give each value once, in the order of their coming."""
    return list(dict.fromkeys(values or ()))


@register.filter
def total(values: Iterable[Any]) -> float:
    """Add numbers up."""
    numbers: list[float] = [value for value in values or () if isinstance(value, int | float)]
    return sum(numbers)


@register.filter
def first_of(values: Any, count: int) -> list[Any]:
    """Give the first few."""
    return list(values or ())[:count]


@register.filter(name="found")
def find_match(text: Any, pattern: str) -> str:
    """Give the first match of a regular expression, its group where it has one; nothing where there is none."""
    match = re.search(pattern, str(text or ""))
    return "" if match is None else match[match.lastindex or 0]


@register.filter(name="whole")
def parse_integer(value: Any) -> int | None:
    """Read a whole number; None where there is none."""
    return int(value) if str(value).isdecimal() else None


@register.filter
def day(moment: Any) -> str:
    """Give the day of a timestamp."""
    return str(moment or "")[:10]


@register.filter
def number(value: Any, digits: int = 2) -> str:
    """Write a number with thousands apart, and at most so many digits after the point; None as `none`."""
    if not isinstance(value, int | float):
        return "none" if value is None else str(value)
    written = f"{value:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
