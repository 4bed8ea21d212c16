"""
Validators of OAuth tokens: our own authorization server's and an external issuer's.

Registered at start, when the apps are ready.
"""

import hashlib
from datetime import UTC, datetime
from typing import Any

import jwt
from django.conf import settings

from toolbox.access.keys import register_validators
from toolbox.access.people import find_person
from toolbox.access.scopes import list_known_scopes
from toolbox.contract.caller import Caller
from toolbox.contract.errors import AuthenticationRequired
from toolbox.database.pools import owner_pool
from toolbox.http.server_address import find_audience, resources, scopes_within
from toolbox.oauth.grants import Grant, resolve_grant
from toolbox.oauth.issuer_keys import IssuerKeys

PREFIX = "tro_"
ISSUER = "this server"
MAX_CLIENT_CHARACTERS = 40
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""All asymmetric: with a shared key, anyone who can check tokens could forge them."""
MAX_TOKEN_CHARACTERS = 16_384
MAX_SUBJECT_CHARACTERS = 500
LEEWAY_SECONDS = 30
MAX_TIMESTAMP = 253_402_300_799
"""The last timestamp that datetime can represent; some issuers mean "never" by a later one."""
_DOTS_IN_A_JWT = 2

_READ = """
SELECT token.scope, token.expires, token.resource, extract(epoch FROM token.expires - now())::float AS seconds,
  who.id AS owner_id, who.username, client.client_id, client.name
FROM oauth2_provider_accesstoken AS token
JOIN auth_user AS who ON who.id = token.user_id
JOIN oauth2_provider_application AS client ON client.id = token.application_id
WHERE token.token_checksum = %s AND token.expires > now() AND who.is_active
LIMIT 1
"""


class OwnTokens:
    """Looks up our own tokens by their hash, limited to what the person may do."""

    def accepts(self, token: str) -> bool:
        """Return whether it has the prefix of our tokens."""
        return bool(settings.TOOLROOM_OAUTH) and token.startswith(PREFIX)

    async def find_caller(self, token: str) -> tuple[Caller, float]:
        """Return the caller and seconds left; three queries, and a write at first. Raises AuthenticationRequired."""
        found = await owner_pool.fetch(_READ, [hashlib.sha256(token.encode()).hexdigest()])
        owner = await find_person(found.rows[0]["owner_id"]) if found.rows else None
        if owner is None:
            raise AuthenticationRequired(
                "The token is unknown, expired or revoked.",
                suggestion="Refresh it, or ask the person to allow access again.",
            )
        row: dict[str, Any] = found.rows[0]
        grant = Grant(
            issuer=ISSUER,
            subject=str(row["owner_id"]),
            client=row["client_id"],
            name=f"{row['username'][:50]} via {clean_client_name(row['name'] or row['client_id'])}",
            scopes=frozenset(scope for scope in row["scope"].split() if owner.has(scope)),
            expires_at=row["expires"],
            owner_id=row["owner_id"],
            calls_per_minute=settings.OAUTH_CALLS_PER_MINUTE,
            audience=find_audience(row["resource"]),
        )
        return await resolve_grant(grant), row["seconds"]


def clean_client_name(said: str) -> str:
    """Return a client's name on one short line: anybody may register any name."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in said).split())[:MAX_CLIENT_CHARACTERS]


class ExternalTokens:
    """Verifies JSON Web Tokens that OAUTH_ISSUER signed for this server."""

    def __init__(self) -> None:
        self.keys = IssuerKeys(issuer="")

    def accepts(self, token: str) -> bool:
        """Return whether it has the form of a JSON Web Token."""
        return bool(settings.OAUTH_ISSUER) and token.count(".") == _DOTS_IN_A_JWT

    async def find_caller(self, token: str) -> tuple[Caller, float]:
        """Return the subject's caller and seconds; one query, at first two more and two writes. Raises Refusal."""
        claims = await self._verify(token)
        expires_at = datetime.fromtimestamp(min(int(claims["exp"]), MAX_TIMESTAMP), UTC)
        subject = claims["sub"]
        client = claims.get("azp") or claims.get("client_id") or ""
        grant = Grant(
            issuer=settings.OAUTH_ISSUER,
            subject=subject,
            client=str(client),
            name=f"{settings.OAUTH_ISSUER} {subject}",
            scopes=_read_scopes(claims),
            expires_at=expires_at,
            calls_per_minute=settings.OAUTH_CALLS_PER_MINUTE,
            audience=_read_audience(claims),
        )
        return await resolve_grant(grant), LEEWAY_SECONDS + (expires_at - datetime.now(UTC)).total_seconds()

    async def _verify(self, token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token) if len(token) <= MAX_TOKEN_CHARACTERS else {}
        except jwt.PyJWTError as wrong:
            raise _make_refusal("it cannot be read") from wrong
        algorithm, key_id = header.get("alg"), header.get("kid", "")
        if algorithm not in ALGORITHMS or "crit" in header:
            raise _make_refusal("it is not signed in a way that is taken here")
        key = await self._keys().find(key_id=key_id, algorithm=algorithm)
        if key is None:
            raise _make_refusal("the issuer has no such key")
        try:
            claims: dict[str, Any] = jwt.decode(
                token, key=key, algorithms=[algorithm], issuer=settings.OAUTH_ISSUER, audience=_list_audiences(),
                leeway=LEEWAY_SECONDS, options={"require": ["exp", "iss", "aud", "sub"]},
            )  # fmt: skip
        except jwt.ExpiredSignatureError as expired:
            raise _make_refusal("it has expired") from expired
        except jwt.InvalidAudienceError as elsewhere:
            raise _make_refusal(f"it is not for this server, {settings.TOOLROOM_URL}") from elsewhere
        except (jwt.PyJWTError, ValueError, OverflowError) as wrong:
            raise _make_refusal("it is forged, or not good now") from wrong
        if not 0 < len(claims["sub"]) <= MAX_SUBJECT_CHARACTERS or "\x00" in claims["sub"]:
            raise _make_refusal("it names no subject")
        return claims

    def _keys(self) -> IssuerKeys:
        """Return the issuer's keys; new ones if the settings changed, as in tests."""
        if (self.keys.issuer, self.keys.jwks_url) != (settings.OAUTH_ISSUER, settings.OAUTH_JWKS_URL):
            self.keys = IssuerKeys(issuer=settings.OAUTH_ISSUER, jwks_url=settings.OAUTH_JWKS_URL)
        return self.keys


def _list_audiences() -> list[str]:
    own = [f"{settings.TOOLROOM_URL}{path}" for path in resources()] if settings.TOOLROOM_URL else []
    return [*own, *settings.OAUTH_AUDIENCE]


def _read_scopes(claims: dict[str, Any]) -> frozenset[str]:
    """Return the token's scopes that exist here, within the resources that it is for."""
    declared = claims.get("scope", claims.get("scp", ""))
    names = declared.split() if isinstance(declared, str) else declared if isinstance(declared, list) else []
    known = set(list_known_scopes())
    own = {scope for scope in names if isinstance(scope, str) and scope in known}
    audiences = _list_own_audiences(claims)
    if any(audience in settings.OAUTH_AUDIENCE for audience in audiences):
        return frozenset(own)
    within = (scopes_within(audience, scopes=own, place=settings.TOOLROOM_URL) for audience in audiences)
    return frozenset[str]().union(*within)


def _read_audience(claims: dict[str, Any]) -> frozenset[str]:
    """Return the paths of this server that the token is for; empty for all."""
    audiences = _list_own_audiences(claims)
    return frozenset() if set(audiences) & set(settings.OAUTH_AUDIENCE) else find_audience(audiences)


def _list_own_audiences(claims: dict[str, Any]) -> list[str]:
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    return [audience for audience in audiences if audience in _list_audiences()]


def _make_refusal(why: str) -> AuthenticationRequired:
    return AuthenticationRequired(
        f"The token is refused: {why}.", suggestion="Get a new token for this server, or use an API key."
    )


external_tokens = ExternalTokens()
register_validators([external_tokens, OwnTokens()])
