"""Signed, short-lived tokens that a client stores for us and brings back."""

from typing import Any

from django.core import signing


def sign_token(value: Any, *, purpose: str) -> str:
    """Sign a value with this server's secret key, as visible ASCII."""
    return signing.dumps(value, salt=f"toolroom.{purpose}", compress=True)


def read_token(text: str, *, purpose: str, seconds: int) -> Any | None:
    """Return the value; None if the token is forged, changed, or too old."""
    try:
        return signing.loads(text, salt=f"toolroom.{purpose}", max_age=seconds)
    except signing.BadSignature:
        return None
