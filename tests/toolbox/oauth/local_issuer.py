"""An issuer in this process that really signs, asked without a network."""

import json
import time
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from toolbox.outbound.failures import Unreachable

ISSUER = "https://issuer.example"
HERE = "http://localhost"
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class LocalIssuer:
    """Signs tokens, and answers for its metadata and keys; counts the requests."""

    def __init__(self) -> None:
        self.keys: dict[str, Key] = {"first": ec.generate_private_key(ec.SECP256R1())}
        self.asked: list[str] = []
        self.is_away = False
        self.now = 1_000.0

    async def ask(self, address: str) -> Mapping[str, Any]:
        """Answer as it would over HTTP."""
        self.asked.append(address)
        if self.is_away:
            raise Unreachable("no connection can be made")
        if address.endswith("/jwks"):
            return {"keys": [public(key) | {"kid": key_id, "use": "sig"} for key_id, key in self.keys.items()]}
        return {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks"}

    def token(self, *, key_id: str = "first", key: Any = None, header: Any = None, **claims: Any) -> str:
        """Sign a token of ada's that reads linescore; claims that are None are left out."""
        whole: dict[str, Any] = {
            "iss": ISSUER, "sub": "ada", "aud": f"{HERE}/mcp", "exp": int(time.time()) + 300, "scope": "linescore:read",
            "client_id": "a-client",
        }  # fmt: skip
        whole = {name: value for name, value in (whole | claims).items() if value is not None}
        signer = key or self.keys[key_id]
        algorithm = "RS256" if isinstance(signer, rsa.RSAPrivateKey) else "ES256"
        return jwt.encode(whole, signer, algorithm=algorithm, headers={"kid": key_id, **(header or {})})


def public(key: Key) -> dict[str, Any]:
    """Return the public key as the issuer lists it."""
    kind: Any = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    listed: dict[str, Any] = json.loads(kind.to_jwk(key.public_key()))
    return listed


def pem(key: Key) -> bytes:
    """Return the public key as text, which anybody may have."""
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )  # fmt: skip
