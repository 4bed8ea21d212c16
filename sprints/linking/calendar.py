"""Days, weeks, months, quarters and years as half-open spans of dates. Weeks begin on Monday."""

from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """The days from one until before another."""

    start: date
    end: date

    @property
    def last(self) -> date:
        """The last day inside."""
        return self.end - _ONE_DAY


def find_unit(day: date, *, unit: str) -> Span:
    """Return the day, week, month, quarter, half or year of a day."""
    if unit == "day":
        return Span(day, day + _ONE_DAY)
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return Span(monday, monday + timedelta(days=7))
    size = _MONTHS[unit]
    first = date(day.year, (day.month - 1) // size * size + 1, 1)
    return Span(first, add_months(first, months=size))


def add_units(day: date, *, unit: str, by: int) -> date:
    """Return the day that many units later. A day that its month lacks becomes the last of the month."""
    if unit in ("day", "week"):
        return day + timedelta(days=by * (7 if unit == "week" else 1))
    return add_months(day, months=by * _MONTHS[unit])


def add_months(day: date, *, months: int) -> date:
    """Return the same day of a month that many months later, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(days=day.day - 1), following - _ONE_DAY)
