"""Tokens of an outside issuer: JSON Web Tokens that it signed for this server, read by PyJWT."""

from datetime import UTC, datetime
from typing import Any

import jwt
from django.conf import settings

from toolbox.access.scopes import known_scopes
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Unauthenticated
from toolbox.http.server_address import resources, scopes_within
from toolbox.oauth.grants import Grant, standing
from toolbox.oauth.issuer_keys import IssuerKeys

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""All of two keys: with one that both sides know, whoever can check a token could make one."""
MAX_TOKEN = 16_384
MAX_SUBJECT = 500
LEEWAY_SECONDS = 30
LATEST = 253_402_300_799
"""The last second that a calendar knows; some issuers mean "never" by a later one."""
_PARTS = 2

Claims = dict[str, Any]


class OutsideTokens:
    """Reads the tokens of OAUTH_ISSUER."""

    def __init__(self) -> None:
        self.keys = IssuerKeys(issuer="")

    def has(self, token: str) -> bool:
        """Tell whether it looks like one."""
        return bool(settings.OAUTH_ISSUER) and token.count(".") == _PARTS

    async def holder(self, token: str) -> tuple[Caller, float]:
        """Give its subject; one query, two and two writes when they come first. Raises Refusal."""
        claims = await self._verified(token)
        expires_at = datetime.fromtimestamp(min(int(claims["exp"]), LATEST), UTC)
        subject = claims["sub"]
        client = claims.get("azp") or claims.get("client_id") or ""
        grant = Grant(
            issuer=settings.OAUTH_ISSUER,
            subject=subject,
            client=str(client),
            name=f"{settings.OAUTH_ISSUER} {subject}",
            scopes=_scopes(claims),
            expires_at=expires_at,
            calls_per_minute=settings.OAUTH_CALLS_PER_MINUTE,
        )
        return await standing(grant), LEEWAY_SECONDS + (expires_at - datetime.now(UTC)).total_seconds()

    async def _verified(self, token: str) -> Claims:
        try:
            header = jwt.get_unverified_header(token) if len(token) <= MAX_TOKEN else {}
        except jwt.PyJWTError as wrong:
            raise _refused("it cannot be read") from wrong
        algorithm, key_id = header.get("alg"), header.get("kid", "")
        if algorithm not in ALGORITHMS or "crit" in header:
            raise _refused("it is not signed in a way that is taken here")
        key = await self._keys().find(key_id=key_id, algorithm=algorithm)
        if key is None:
            raise _refused("the issuer has no such key")
        try:
            claims: Claims = jwt.decode(
                token, key=key, algorithms=[algorithm], issuer=settings.OAUTH_ISSUER, audience=_audiences(),
                leeway=LEEWAY_SECONDS, options={"require": ["exp", "iss", "aud", "sub"]},
            )  # fmt: skip
        except jwt.ExpiredSignatureError as expired:
            raise _refused("it has expired") from expired
        except jwt.InvalidAudienceError as elsewhere:
            raise _refused(f"it is not for this server, {settings.TOOLROOM_URL}") from elsewhere
        except (jwt.PyJWTError, ValueError, OverflowError) as wrong:
            raise _refused("it is forged, or not good now") from wrong
        if not 0 < len(claims["sub"]) <= MAX_SUBJECT or "\x00" in claims["sub"]:
            raise _refused("it names no subject")
        return claims

    def _keys(self) -> IssuerKeys:
        """Give the issuer's keys, anew where another issuer is configured, as in tests."""
        if (self.keys.issuer, self.keys.jwks_url) != (settings.OAUTH_ISSUER, settings.OAUTH_JWKS_URL):
            self.keys = IssuerKeys(issuer=settings.OAUTH_ISSUER, jwks_url=settings.OAUTH_JWKS_URL)
        return self.keys


def _audiences() -> list[str]:
    own = [f"{settings.TOOLROOM_URL}{path}" for path in resources()] if settings.TOOLROOM_URL else []
    return [*own, *settings.OAUTH_AUDIENCE]


def _scopes(claims: Claims) -> frozenset[str]:
    """Give what the token may do here: scopes of ours among its own, within the resources that it is for."""
    said = claims.get("scope", claims.get("scp", ""))
    listed = said.split() if isinstance(said, str) else said if isinstance(said, list) else []
    known = set(known_scopes())
    ours = {scope for scope in listed if isinstance(scope, str) and scope in known}
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if any(audience in settings.OAUTH_AUDIENCE for audience in audiences):
        return frozenset(ours)
    within = (scopes_within(audience, scopes=ours, place=settings.TOOLROOM_URL) for audience in audiences)
    return frozenset[str]().union(*within)


def _refused(why: str) -> Unauthenticated:
    return Unauthenticated(
        f"The token is refused: {why}.", suggestion="Get a new token for this server, or use an API key."
    )
