"""Secrets of upstreams, encrypted under a key that is derived from SECRET_KEY; SECRET_KEY_FALLBACKS still open."""

import base64
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

_PURPOSE = b"toolroom graphql_proxy upstream headers"


class Sealed(Exception):
    """A secret cannot be opened: SECRET_KEY is not the one it was sealed under."""


def seal(secret: str) -> bytes:
    """Encrypt a secret for keeping."""
    return _box().encrypt(secret.encode())


def unseal(sealed: bytes) -> str:
    """Give the secret; raises Sealed where today's keys do not open it."""
    try:
        return _box().decrypt(sealed).decode()
    except InvalidToken as wrong_key:
        raise Sealed("SECRET_KEY has changed since this was entered") from wrong_key


def _box() -> MultiFernet:
    keys: list[str] = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(hmac.digest(key.encode(), _PURPOSE, "sha256"))) for key in keys]
    )
