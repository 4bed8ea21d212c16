"""Encryption of upstream secrets with a key derived from SECRET_KEY. SECRET_KEY_FALLBACKS still decrypt."""

import base64
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

_PURPOSE = b"toolroom graphql_proxy upstream headers"


class Sealed(Exception):
    """A secret cannot be decrypted: SECRET_KEY is not the one that encrypted it."""


def seal(secret: str) -> bytes:
    """Encrypt a secret."""
    return _box().encrypt(secret.encode())


def unseal(sealed: bytes) -> str:
    """Decrypt a secret. Raises Sealed if no current key decrypts it."""
    try:
        return _box().decrypt(sealed).decode()
    except InvalidToken as wrong_key:
        raise Sealed("SECRET_KEY has changed since this was entered") from wrong_key


def _box() -> MultiFernet:
    keys: list[str] = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(hmac.digest(key.encode(), _PURPOSE, "sha256"))) for key in keys]
    )
