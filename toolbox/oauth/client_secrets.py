"""
Secrets of OAuth clients, hashed once with SHA-256, because they are random and long.

A slow hash protects passwords that people choose, and costs a second of CPU for each wrong guess. A secret stored with
a slow hash is checked with it, a few times a minute per address, and stored again with SHA-256 when it is right.
"""

import hashlib
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher, check_password, identify_hasher, make_password
from django.utils.crypto import constant_time_compare
from limits import RateLimitItemPerMinute
from oauthlib.oauth2.rfc6749.errors import TemporarilyUnavailableError

from toolbox.access.address_limits import AddressLimit
from toolbox.oauth.queries import replace_secret

ALGORITHM = "sha256_secret"
SLOW_CHECKS = AddressLimit(name="slow-secrets", window=RateLimitItemPerMinute(5))


class SecretHasher(BasePasswordHasher):
    """Salted SHA-256 for random secrets; never for passwords."""

    algorithm = ALGORITHM

    def encode(self, password: str, salt: str) -> str:
        """Return the algorithm, the salt and the hash in hexadecimal."""
        return f"{self.algorithm}${salt}${hashlib.sha256(f'{salt}${password}'.encode()).hexdigest()}"

    def decode(self, encoded: str) -> dict[str, Any]:
        """Return the parts."""
        algorithm, salt, digest = encoded.split("$", 2)
        return {"algorithm": algorithm, "hash": digest, "salt": salt}

    def verify(self, password: str, encoded: str) -> bool:
        """Compare in constant time."""
        return constant_time_compare(encoded, self.encode(password, self.decode(encoded)["salt"]))

    def safe_summary(self, encoded: str) -> dict[Any, Any]:
        """Return what a page may show."""
        return {"algorithm": self.algorithm}

    def harden_runtime(self, password: str, encoded: str) -> None:
        """Do nothing: there is no work factor."""


class TooManySlowChecks(TemporarilyUnavailableError):  # type: ignore[misc]  # the library has no types
    """The address has used up its checks of secrets with a slow hash."""

    status_code = 429

    def __init__(self, *, seconds: int) -> None:
        super().__init__(description=f"Too many requests from this address. Wait {seconds} s.")
        self.seconds = seconds

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers with Retry-After."""
        return {**super().headers, "Retry-After": str(self.seconds)}


def check_client_secret(client: Any, *, secret: str, address: str) -> bool:
    """Return whether this is the client's secret; replaces a slow hash. Raises TooManySlowChecks."""
    stored = client.client_secret
    try:
        is_fast = identify_hasher(stored).algorithm == ALGORITHM
    except ValueError:  # stored without a hash, which the library allows
        return constant_time_compare(secret, stored)
    if not is_fast and (seconds := SLOW_CHECKS.hit(address)):
        raise TooManySlowChecks(seconds=seconds)
    is_right = check_password(secret, stored)
    if is_right and not is_fast:
        replace_secret(client, stored=make_password(secret, hasher=ALGORITHM))
    return is_right
