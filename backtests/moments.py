"""Moments: microseconds since 1970 in the store, ISO 8601 and UTC for people. Pure."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
DAY = 86_400 * SECOND


def read_moment(text: str) -> int | None:
    """Read ISO 8601, with any offset; none means UTC. None where it is no time."""
    try:
        read = datetime.fromisoformat(text)
        aware = read if read.tzinfo else read.replace(tzinfo=UTC)
        return moment_of(aware)
    except (ValueError, OverflowError):
        return None


def moment_of(at: datetime) -> int:
    """Count microseconds up to a time."""
    return (at - EPOCH) // timedelta(microseconds=1)


def time_of(moment: int) -> datetime:
    """Give the time of a moment."""
    return EPOCH + timedelta(microseconds=moment)


def format_exactly(moment: int) -> str:
    """Write a moment so that it reads back exactly, and fits a form's field of time."""
    return time_of(moment).replace(tzinfo=None).isoformat()


def format_rounded(moment: int, *, step: int) -> str:
    """Write a moment as exactly as steps of this length need."""
    at = time_of(moment)
    if step >= DAY:
        return f"{at:%Y-%m-%d}"
    return f"{at:%Y-%m-%d %H:%M:%S}" if step >= SECOND else f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3]
