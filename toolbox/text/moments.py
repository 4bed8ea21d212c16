"""Moments that people and programs write."""

from datetime import UTC, datetime

DATE_DIGITS = 8


def read_moment(text: str) -> datetime | None:
    """Return a moment in ISO 8601 with its offset, in UTC; None for any other text, or a moment that UTC cannot say."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def parse_time(text: str) -> datetime:
    """
    Parse ISO 8601 with any offset, by default UTC; the result is in UTC. Raises ValueError.

    Digits alone are a date only if they are eight: Python reads 1801010200000, which is milliseconds since 1970, as a
    time in the year 1801.
    """
    if text.isdigit() and len(text) != DATE_DIGITS:
        raise ValueError(f"{text[:40]!r} counts from some moment")
    read = datetime.fromisoformat(text)
    try:
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text[:40]!r} is beyond the calendar in UTC") from error
