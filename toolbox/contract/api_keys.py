"""API keys as text: made once, shown once, and kept as a hash."""

import hashlib
import secrets

PREFIX = "tr_"


def new_key() -> str:
    """Make a key: 256 random bits behind a prefix that secret scanners can find."""
    return PREFIX + secrets.token_urlsafe(32)


def digest(key: str) -> str:
    """Hash a key for keeping. One SHA-256 is enough for 256 random bits; stretching is for what people invent."""
    return hashlib.sha256(key.encode()).hexdigest()
