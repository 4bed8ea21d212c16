"""
The keys of the external issuer (OAUTH_ISSUER), found by its metadata and cached.

They are fetched again after ten minutes, and at once for an unknown key, but at most once in ten seconds, so that
made-up key ids cause no more requests. While the issuer is unavailable, keys stay valid for a day.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import jwt
import orjson

from toolbox.contract.errors import UNAVAILABLE, Refusal
from toolbox.database.caches import SingleFlight
from toolbox.outbound.failures import WebFailure

FRESH_SECONDS = 600.0
MAX_AGE_SECONDS = 86_400.0
PAUSE_SECONDS = 10.0
TIMEOUT_SECONDS = 5.0
MAX_DOCUMENT_BYTES = 262_144
MAX_KEYS = 100
MIN_RSA_BITS = 2_048
_KINDS = {"R": "RSA", "P": "RSA", "E": "EC"}

Json = Mapping[str, Any]
FetchJson = Callable[[str], Awaitable[Json]]


async def fetch_json(address: str) -> Json:
    """Fetch the JSON object at an address named by the issuer or the configuration; raises WebFailure."""
    from toolbox.outbound.web import Destination, web  # noqa: PLC0415 - only where another issuer is configured

    destination = Destination(
        url=address,
        headers={"Accept": "application/json"},
        timeout_seconds=TIMEOUT_SECONDS,
        most_bytes=MAX_DOCUMENT_BYTES,
        is_local=True,  # an issuer inside the company's network is the usual case, and configuration names it
    )
    answer = await web.get(destination, query={})
    if answer.status != HTTPStatus.OK:
        raise WebFailure(f"it answered {answer.status}")
    try:
        document = orjson.loads(answer.body)
    except ValueError as wrong:
        raise WebFailure("its answer is no JSON") from wrong
    if not isinstance(document, dict):
        raise WebFailure("its answer is no JSON object")
    return document


@dataclass(kw_only=True)
class IssuerKeys:
    """The issuer's keys as this process knows them; lives on the event loop of the database."""

    issuer: str
    jwks_url: str = ""
    fetch_json: FetchJson = fetch_json
    clock: Callable[[], float] = time.monotonic
    _keys: list[Json] = field(default_factory=list)
    _cached_at: float = -math.inf
    _fetched_at: float = -math.inf
    _is_fetching: bool = False
    _refreshing: asyncio.Task[None] | None = None
    _failure: str = ""
    _keys_by_id: dict[tuple[str, str], jwt.PyJWK] = field(default_factory=dict)
    _fetching: SingleFlight[None] = field(default_factory=SingleFlight)

    async def find(self, *, key_id: str, algorithm: str) -> jwt.PyJWK | None:
        """Return the key of that id; None if the issuer does not have it. Raises Refusal UNAVAILABLE."""
        key = self._find_key(key_id, algorithm=algorithm)
        if key is None or self._age > MAX_AGE_SECONDS:
            await self._refresh()
            key = self._find_key(key_id, algorithm=algorithm)
        elif self._age > FRESH_SECONDS:  # a known key is used while newer ones are fetched
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh())
        if self._age > MAX_AGE_SECONDS or (key is None and self._failure):
            raise self._make_unavailable_error()
        return key

    @property
    def _age(self) -> float:
        return self.clock() - self._cached_at

    async def _refresh(self) -> None:
        """Fetch again, unless that was done in the last PAUSE_SECONDS; concurrent calls share one fetch."""
        if self._is_fetching or self.clock() - self._fetched_at >= PAUSE_SECONDS:
            await self._fetching.run("keys", self._read)

    async def _read(self) -> None:
        """Fetch the keys; after a failure the cached ones stay."""
        self._is_fetching, self._fetched_at = True, self.clock()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                found = await self._fetch_keys()
        except (WebFailure, TimeoutError) as failure:
            self._failure = str(failure) or f"no answer within {TIMEOUT_SECONDS:g} s"
        else:
            self._keys = found
            self._keys_by_id.clear()
            self._cached_at, self._failure = self.clock(), ""
        finally:
            self._is_fetching = False

    async def _fetch_keys(self) -> list[Json]:
        found = (await self.fetch_json(self.jwks_url or await self._find_jwks_url())).get("keys")
        if not isinstance(found, list):
            raise WebFailure("it lists no keys")
        return [key for key in found[:MAX_KEYS] if isinstance(key, dict)]

    async def _find_jwks_url(self) -> str:
        """Return the address of the keys from the issuer's metadata: OAuth's (RFC 8414), else OpenID Connect's."""
        parts = urlsplit(self.issuer)
        path = parts.path.rstrip("/")
        root = f"{parts.scheme}://{parts.netloc}"
        try:
            document = await self.fetch_json(f"{root}/.well-known/oauth-authorization-server{path}")
        except WebFailure:
            document = await self.fetch_json(f"{root}{path}/.well-known/openid-configuration")
        address = document.get("jwks_uri")
        if document.get("issuer") != self.issuer:
            raise WebFailure("its metadata names another issuer")
        if not isinstance(address, str) or urlsplit(address).scheme not in {"https", parts.scheme}:
            raise WebFailure("its metadata names no address of keys")
        return address

    def _find_key(self, key_id: str, *, algorithm: str) -> jwt.PyJWK | None:
        """Return the key of that id; without an id, the only one of the algorithm's type."""
        fitting = [key for key in self._keys if _is_usable(key, algorithm=algorithm)]
        named = [key for key in fitting if key.get("kid") == key_id] if key_id else fitting
        if len(named) != 1:
            return None
        place = (str(named[0].get("kid")), algorithm)
        if place not in self._keys_by_id:
            try:
                key = jwt.PyJWK(dict(named[0]), algorithm)
            except jwt.PyJWTError:
                return None
            if key.key_type == "RSA" and key.key.key_size < MIN_RSA_BITS:
                return None
            self._keys_by_id[place] = key
        return self._keys_by_id[place]

    def _make_unavailable_error(self) -> Refusal:
        return Refusal(
            UNAVAILABLE,
            f"The issuer {self.issuer} cannot be asked for its keys: {self._failure or 'it has not answered'}.",
            suggestion=f"Try again in {PAUSE_SECONDS:g} s; if it stays so, tell the administrator.",
            retry_after_seconds=int(PAUSE_SECONDS),
        )


def _is_usable(key: Json, *, algorithm: str) -> bool:
    """Return whether a key may have made such a signature: public, for signatures, and of the algorithm's type."""
    kind = "OKP" if algorithm == "EdDSA" else _KINDS.get(algorithm[0])
    return (
        key.get("kty") == kind
        and "d" not in key
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
    )
