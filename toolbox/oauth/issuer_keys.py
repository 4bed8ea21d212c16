"""
The keys of the outside issuer (OAUTH_ISSUER): found by its metadata, and kept.

They are asked for anew after ten minutes, and at once for a key that is unknown, but never twice in ten seconds: who
makes up key ids cannot make us ask more. While the issuer is away, keys go on being good for a day.
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
from toolbox.outbound.host_pools import WebFailure
from toolbox.outbound.web import Destination, web

FRESH_SECONDS = 600.0
KEPT_SECONDS = 86_400.0
PAUSE_SECONDS = 10.0
TIMEOUT_SECONDS = 5.0
MAX_DOCUMENT = 262_144
MAX_KEYS = 100
LEAST_RSA_BITS = 2_048
_KINDS = {"R": "RSA", "P": "RSA", "E": "EC"}

Json = Mapping[str, Any]
Ask = Callable[[str], Awaitable[Json]]


async def ask(address: str) -> Json:
    """Give the JSON object at an address that the issuer, or our configuration, names; raises WebFailure."""
    destination = Destination(
        url=address,
        headers={"Accept": "application/json"},
        timeout_seconds=TIMEOUT_SECONDS,
        most_bytes=MAX_DOCUMENT,
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
    """The issuer's keys as this process knows them; on the home loop."""

    issuer: str
    jwks_url: str = ""
    ask: Ask = ask
    clock: Callable[[], float] = time.monotonic
    _keys: list[Json] = field(default_factory=list)
    _known_at: float = -math.inf
    _asked_at: float = -math.inf
    _is_asking: bool = False
    _later: asyncio.Task[None] | None = None
    _failure: str = ""
    _usable: dict[tuple[str, str], jwt.PyJWK] = field(default_factory=dict)
    _asking: SingleFlight[None] = field(default_factory=SingleFlight)

    async def find(self, *, key_id: str, algorithm: str) -> jwt.PyJWK | None:
        """Give the key that signs so; None for one that the issuer does not have. Raises Refusal UNAVAILABLE."""
        key = self._chosen(key_id, algorithm=algorithm)
        if key is None or self._age > KEPT_SECONDS:
            await self._refresh()
            key = self._chosen(key_id, algorithm=algorithm)
        elif self._age > FRESH_SECONDS:  # nobody waits for news of a key that is known
            self._later = asyncio.get_running_loop().create_task(self._refresh())
        if self._age > KEPT_SECONDS or (key is None and self._failure):
            raise self._away()
        return key

    @property
    def _age(self) -> float:
        return self.clock() - self._known_at

    async def _refresh(self) -> None:
        """Ask again, unless somebody did just now; who comes while somebody asks waits for the same answer."""
        if self._is_asking or self.clock() - self._asked_at >= PAUSE_SECONDS:
            await self._asking.run("keys", self._read)

    async def _read(self) -> None:
        """Learn the keys; a failure is kept, and what was known stays."""
        self._is_asking, self._asked_at = True, self.clock()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                found = await self._listed()
        except (WebFailure, TimeoutError) as failure:
            self._failure = str(failure) or f"no answer within {TIMEOUT_SECONDS:g} s"
        else:
            self._keys = found
            self._usable.clear()
            self._known_at, self._failure = self.clock(), ""
        finally:
            self._is_asking = False

    async def _listed(self) -> list[Json]:
        found = (await self.ask(self.jwks_url or await self._address())).get("keys")
        if not isinstance(found, list):
            raise WebFailure("it lists no keys")
        return [key for key in found[:MAX_KEYS] if isinstance(key, dict)]

    async def _address(self) -> str:
        """Find where the keys are, in the issuer's metadata: OAuth's (RFC 8414), else OpenID Connect's."""
        parts = urlsplit(self.issuer)
        path = parts.path.rstrip("/")
        root = f"{parts.scheme}://{parts.netloc}"
        try:
            document = await self.ask(f"{root}/.well-known/oauth-authorization-server{path}")
        except WebFailure:
            document = await self.ask(f"{root}{path}/.well-known/openid-configuration")
        address = document.get("jwks_uri")
        if document.get("issuer") != self.issuer:
            raise WebFailure("its metadata names another issuer")
        if not isinstance(address, str) or urlsplit(address).scheme not in {"https", parts.scheme}:
            raise WebFailure("its metadata names no address of keys")
        return address

    def _chosen(self, key_id: str, *, algorithm: str) -> jwt.PyJWK | None:
        """Give the key of that id, without an id the only one of the algorithm's kind."""
        fitting = [key for key in self._keys if _fits(key, algorithm=algorithm)]
        named = [key for key in fitting if key.get("kid") == key_id] if key_id else fitting
        if len(named) != 1:
            return None
        place = (str(named[0].get("kid")), algorithm)
        if place not in self._usable:
            try:
                key = jwt.PyJWK(dict(named[0]), algorithm)
            except jwt.PyJWTError:
                return None
            if key.key_type == "RSA" and key.key.key_size < LEAST_RSA_BITS:
                return None
            self._usable[place] = key
        return self._usable[place]

    def _away(self) -> Refusal:
        return Refusal(
            UNAVAILABLE,
            f"The issuer {self.issuer} cannot be asked for its keys: {self._failure or 'it has not answered'}.",
            suggestion=f"Try again in {PAUSE_SECONDS:g} s; if it stays so, tell whoever runs this server.",
            retry_after_seconds=int(PAUSE_SECONDS),
        )


def _fits(key: Json, *, algorithm: str) -> bool:
    """Tell whether a key may have signed so: public, for signatures, and of the algorithm's kind."""
    kind = "OKP" if algorithm == "EdDSA" else _KINDS.get(algorithm[0])
    return (
        key.get("kty") == kind
        and "d" not in key
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
    )
