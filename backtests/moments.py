"""Conversion of moments: microseconds since 1970 in the database, ISO 8601 in UTC for people. Pure."""

from datetime import UTC, datetime, timedelta

from toolbox.text.moments import parse_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
DAY = 86_400 * SECOND


def read_moment(text: str) -> int | None:
    """Parse ISO 8601 with any offset, by default UTC; return None for an invalid time."""
    try:
        return moment_of(parse_time(text))
    except ValueError:
        return None


def moment_of(at: datetime) -> int:
    """Convert a time to microseconds since 1970."""
    return (at - EPOCH) // timedelta(microseconds=1)


def time_of(moment: int) -> datetime:
    """Convert microseconds since 1970 to a time."""
    return EPOCH + timedelta(microseconds=moment)


def format_exactly(moment: int) -> str:
    """Format a moment without loss, as a datetime-local field takes it."""
    return time_of(moment).replace(tzinfo=None).isoformat()


def format_rounded(moment: int, *, step: int) -> str:
    """Format a moment as precisely as steps of this length need."""
    at = time_of(moment)
    if step >= DAY:
        return f"{at:%Y-%m-%d}"
    return f"{at:%Y-%m-%d %H:%M:%S}" if step >= SECOND else f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3]
