"""Periods in words: whole months and years, days, moments."""

from datetime import UTC, date, datetime, time, timedelta

from sprints.semantics.query import TimeRange

_DECEMBER = 12


def describe_range(time_range: TimeRange) -> str:
    """Describe the bounds of a time range, in UTC. Empty if it has none."""
    start, end = _as_moment(time_range.start), _as_moment(time_range.end)
    if start is None:
        return f"before {_moment_text(end)}" if end else ""
    if end is None:
        return f"since {_moment_text(start)}"
    if start == end and _is_midnight(start):
        return f"at the end of {_day_text(start - timedelta(days=1))}"
    if start == end:
        return f"at {_moment_text(start)}"
    if _is_midnight(start) and _is_midnight(end) and start < end:
        return _days_text(start, end=end)
    return f"from {_moment_text(start)} until before {_moment_text(end)}"


def _days_text(start: datetime, *, end: datetime) -> str:
    """Describe whole days, from midnight to midnight, by the year or month that they make up, else by both ends."""
    if (start.day, end.day) == (1, 1):
        if (start.month, end.month, end.year - start.year) == (1, 1, 1):
            return f"in {start.year}"
        following = (start.year, start.month + 1) if start.month < _DECEMBER else (start.year + 1, 1)
        if (end.year, end.month) == following:
            return f"in {start:%B} {start.year}"
    last = end - timedelta(days=1)
    return f"on {_day_text(start)}" if last == start else f"from {_day_text(start)} to {_day_text(last)}"


def _as_moment(bound: date | datetime | None) -> datetime | None:
    """Return a bound in UTC, in which days begin at midnight."""
    if bound is None:
        return None
    if isinstance(bound, datetime):
        return bound.astimezone(UTC) if bound.tzinfo else bound.replace(tzinfo=UTC)
    return datetime(bound.year, bound.month, bound.day, tzinfo=UTC)


def _is_midnight(moment: datetime) -> bool:
    return moment.time() == time()


def _day_text(moment: datetime) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"


def _moment_text(moment: datetime) -> str:
    """Describe a moment by its day, and by its time unless it is midnight."""
    if _is_midnight(moment):
        return _day_text(moment)
    is_minute = not (moment.second or moment.microsecond)
    return f"{_day_text(moment)} {moment.time().isoformat(timespec='minutes' if is_minute else 'auto')}"
