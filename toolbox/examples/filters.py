"""Template filters for answers, besides Django's own."""

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
    """Return one column of the rows, without missing values."""
    return [row[name] for row in rows or () if isinstance(row, dict) and row.get(name) is not None]


@register.filter
def distinct(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order of first appearance."""
    return list(dict.fromkeys(values or ()))


@register.filter
def total(values: Iterable[Any]) -> float:
    """Add up the numbers among the values."""
    numbers: list[float] = [value for value in values or () if isinstance(value, int | float)]
    return sum(numbers)


@register.filter
def first_of(values: Any, count: int) -> list[Any]:
    """Return the first `count` values."""
    return list(values or ())[:count]


@register.filter(name="found")
def find_match(text: Any, pattern: str) -> str:
    """Return the first match of a regular expression, or its last group if it has one; empty if there is none."""
    match = re.search(pattern, str(text or ""))
    return "" if match is None else match[match.lastindex or 0]


@register.filter(name="whole")
def parse_integer(value: Any) -> int | None:
    """Return a whole number; None if the value is not one."""
    return int(value) if str(value).isdecimal() else None


@register.filter
def day(moment: Any) -> str:
    """Return the date of a timestamp."""
    return str(moment or "")[:10]


@register.filter
def number(value: Any, digits: int = 2) -> str:
    """Format a number with thousands separators and at most `digits` decimals; None as `none`."""
    if not isinstance(value, int | float):
        return "none" if value is None else str(value)
    written = f"{value:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
