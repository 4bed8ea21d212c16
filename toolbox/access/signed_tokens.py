"""Values that a client keeps for us and brings back: signed, so that nobody else makes one, and short-lived."""

from typing import Any

from django.core import signing


def sign_token(value: Any, *, purpose: str) -> str:
    """Write a value as visible ASCII that only this server's secret key can have made."""
    return signing.dumps(value, salt=f"toolroom.{purpose}", compress=True)


def read_token(text: str, *, purpose: str, seconds: int) -> Any | None:
    """Give the value again; None where the text was made by another, changed, or sealed too long ago."""
    try:
        return signing.loads(text, salt=f"toolroom.{purpose}", max_age=seconds)
    except signing.BadSignature:
        return None
