"""Moments that people and programs write."""

from datetime import UTC, datetime


def read_moment(text: str) -> datetime | None:
    """Return a moment in ISO 8601 with its offset, in UTC; None for any other text, or a moment that UTC cannot say."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
