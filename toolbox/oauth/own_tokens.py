"""Tokens that this server's own authorization server gave: looked up by their hash, narrowed to what the person may."""

import hashlib
from typing import Any

from django.conf import settings

from toolbox.access.people import find_person
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Unauthenticated
from toolbox.database.pools import owner_pool
from toolbox.oauth.grants import Grant, standing

PREFIX = "tro_"
ISSUER = "this server"
MAX_CLIENT = 40

_READ = """
SELECT token.scope, token.expires, extract(epoch FROM token.expires - now())::float AS seconds,
  who.id AS owner_id, who.username, client.client_id, client.name
FROM oauth2_provider_accesstoken AS token
JOIN auth_user AS who ON who.id = token.user_id
JOIN oauth2_provider_application AS client ON client.id = token.application_id
WHERE token.token_checksum = %s AND token.expires > now() AND who.is_active
LIMIT 1
"""


class OwnTokens:
    """Reads the tokens of our own authorization server."""

    def has(self, token: str) -> bool:
        """Tell whether it looks like one."""
        return bool(settings.TOOLROOM_OAUTH) and token.startswith(PREFIX)

    async def holder(self, token: str) -> tuple[Caller, float]:
        """Give who let the client act for them; three queries, and a write at first. Raises Unauthenticated."""
        found = await owner_pool.fetch(_READ, [hashlib.sha256(token.encode()).hexdigest()])
        owner = await find_person(found.rows[0]["owner_id"]) if found.rows else None
        if owner is None:
            raise Unauthenticated(
                "The token is unknown, expired or revoked.",
                suggestion="Refresh it, or ask the person to let you in again.",
            )
        row: dict[str, Any] = found.rows[0]
        grant = Grant(
            issuer=ISSUER,
            subject=str(row["owner_id"]),
            client=row["client_id"],
            name=f"{row['username'][:50]} via {client_name(row['name'] or row['client_id'])}",
            scopes=frozenset(scope for scope in row["scope"].split() if owner.has(scope)),
            expires_at=row["expires"],
            owner_id=row["owner_id"],
            calls_per_minute=settings.OAUTH_CALLS_PER_MINUTE,
        )
        return await standing(grant), row["seconds"]


def client_name(said: str) -> str:
    """Give the name by which a client called itself, on one line and short: anybody may register any."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in said).split())[:MAX_CLIENT]
