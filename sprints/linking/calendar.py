"""Days, weeks, months, quarters and years as half-open spans of dates, and their parts. Weeks begin on Monday."""

from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_DAYS = {"day": 1, "week": 7, "weekend": 2}
_SATURDAY = 5
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
    """Return the day, week, month, quarter, half or year of a day. The weekend is that of its week."""
    if unit in _DAYS:
        first = day if unit == "day" else day - timedelta(days=day.weekday() - (_SATURDAY if unit == "weekend" else 0))
        return Span(first, first + timedelta(days=_DAYS[unit]))
    size = _MONTHS[unit]
    first = date(day.year, (day.month - 1) // size * size + 1, 1)
    return Span(first, add_months(first, months=size))


def add_units(day: date, *, unit: str, by: int) -> date:
    """Return the day that many units later. A day that its month lacks becomes the last of the month."""
    if unit in _DAYS:
        return day + timedelta(days=by * (1 if unit == "day" else 7))
    return add_months(day, months=by * _MONTHS[unit])


def add_months(day: date, *, months: int) -> date:
    """Return the same day of a month that many months later, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(days=day.day - 1), following - _ONE_DAY)


def find_part(whole: Span, *, unit: str, place: int, count: int = 1) -> Span:
    """
    Return the units from a place on in a longer span; place -1 is its last ones. Raises ValueError if there are none.

    Weeks are counted from the first day or back from the last: the first week of a month is its days 1 to 7. The first
    half of a month is its days 1 to 15.
    """
    if unit == "half" and find_unit(whole.start, unit="month") == whole:
        middle = whole.start.replace(day=16)
        return Span(whole.start, middle) if place == 1 else Span(middle, whole.end)
    if place < 0:
        return _check_inside(Span(add_units(whole.end, unit=unit, by=-count), whole.end), whole=whole)
    first, last = (add_units(whole.start, unit=unit, by=by) for by in (place - 1, place - 1 + count))
    return _check_inside(Span(first, min(last, whole.end) if unit == "week" else last), whole=whole)


def find_weekday(whole: Span, *, weekday: int, place: int, days: int = 1) -> Span:
    """Return the first, second or last (-1) Monday in a span, or the weekend from its Saturday on."""
    first = whole.start + timedelta(days=(weekday - whole.start.weekday()) % 7)
    found = [first + timedelta(days=7 * week) for week in range((whole.end - first).days // 7 + 1)]
    inside = [day for day in found if day < whole.end]
    if not inside or place > len(inside):
        raise ValueError(f"no such day from {whole.start} to {whole.last}")
    day = inside[place - 1 if place > 0 else place]
    return Span(day, day + timedelta(days=days))


def _check_inside(part: Span, *, whole: Span) -> Span:
    if not whole.start <= part.start < part.end <= whole.end:
        raise ValueError(f"no such part of {whole.start} to {whole.last}")
    return part
