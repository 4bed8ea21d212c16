"""Signed, short-lived tokens that a client keeps for us and sends back."""

from typing import Any

from django.core import signing


def sign_token(value: Any, *, purpose: str) -> str:
    """Sign a value with this server's secret key; returns visible ASCII."""
    return signing.dumps(value, salt=f"toolroom.{purpose}", compress=True)


def read_token(text: str, *, purpose: str, seconds: int) -> Any | None:
    """Return the signed value; None if the token is forged, changed or older than `seconds`."""
    try:
        return signing.loads(text, salt=f"toolroom.{purpose}", max_age=seconds)
    except signing.BadSignature:
        return None
