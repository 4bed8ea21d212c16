"""
Holders of OAuth tokens are rows of the table of keys, with a digest that no key can match.

So limits, default workspaces, revocation, tasks, conversations and the audit log work as for keys. Each person and
client have one row, with the scopes of the last token.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from toolbox.contract.caller import Caller
from toolbox.contract.errors import AuthenticationRequired
from toolbox.database.pools import owner_pool

MAX_NAME = 100
MAX_USERNAME = 150
START = "OAuth"

_READ = """
SELECT key.id, key.name, key.scopes, key.calls_per_minute, key.owner_id, key.default_workspace, key.default_upstream,
  key.revoked_at IS NULL AND owner.is_active AS is_active,
  key.scopes = %(scopes)s::varchar[] AND key.expires_at >= %(expires_at)s AS is_current
FROM toolbox_api_keys AS key JOIN auth_user AS owner ON owner.id = key.owner_id
WHERE key.digest = %(digest)s
LIMIT 1
"""
_KEEP = """
INSERT INTO toolbox_api_keys AS kept (name, owner_id, digest, start, scopes, calls_per_minute, default_workspace,
  default_upstream, created_at, expires_at)
VALUES (%(name)s, %(owner_id)s, %(digest)s, %(start)s, %(scopes)s, %(calls_per_minute)s, '', '', now(), %(expires_at)s)
ON CONFLICT (digest) DO UPDATE SET name = excluded.name, scopes = excluded.scopes,
  expires_at = greatest(kept.expires_at, excluded.expires_at)
RETURNING kept.id
"""
_PERSON = """
WITH made AS (
  INSERT INTO auth_user (username, password, first_name, last_name, email, is_superuser, is_staff, is_active,
    date_joined)
  VALUES (%(username)s, '!', '', '', '', FALSE, FALSE, TRUE, now())
  ON CONFLICT (username) DO NOTHING
  RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM auth_user WHERE username = %(username)s
LIMIT 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """
    What a token grants: who may do what, through which client, until when.

    `audience` are the paths that the token is for, empty for the whole server.
    `owner_id` is the user behind it, None for a subject of an external issuer, who gets a user of their own.
    """

    issuer: str
    subject: str
    client: str
    name: str
    scopes: frozenset[str]
    expires_at: datetime
    owner_id: int | None = None
    calls_per_minute: int | None = None
    audience: frozenset[str] = frozenset()


async def resolve_grant(grant: Grant) -> Caller:
    """Return the caller of a grant; one query, and a write for a new grant. Raises Refusal."""
    values = {
        "digest": compute_digest(issuer=grant.issuer, subject=grant.subject, client=grant.client),
        "scopes": sorted(grant.scopes),
        "expires_at": grant.expires_at,
        "name": grant.name[:MAX_NAME],
        "start": START,
        "calls_per_minute": grant.calls_per_minute,
    }
    row = await _fetch_row(values)
    if row is None or not row["is_current"]:
        owner_id = grant.owner_id if grant.owner_id is not None else await _find_or_create_user(grant)
        await owner_pool.fetch(_KEEP, values | {"owner_id": owner_id})
        row = await _fetch_row(values)
    if row is None or not row["is_active"]:
        raise AuthenticationRequired(
            "An administrator has ended this access.",
            suggestion="Ask them; another token of the same account is refused too.",
        )
    return Caller(
        name=row["name"],
        scopes=grant.scopes,
        key_id=row["id"],
        calls_per_minute=row["calls_per_minute"],
        owner_id=row["owner_id"],
        default_workspace=row["default_workspace"],
        default_upstream=row["default_upstream"],
        issuer=grant.issuer,
        audience=grant.audience,
    )


async def _fetch_row(values: dict[str, Any]) -> dict[str, Any] | None:
    found = await owner_pool.fetch(_READ, values)
    return found.rows[0] if found.rows else None


async def _find_or_create_user(grant: Grant) -> int:
    """
    Return the id of an external subject's user, created at first.

    No form accepts the space in the name, so it is never that of an existing user.
    """
    whole = f"{grant.issuer} {grant.subject}"
    cut = f"{whole[: MAX_USERNAME - 17]} {hashlib.sha256(whole.encode()).hexdigest()[:16]}"
    found = await owner_pool.fetch(_PERSON, {"username": whole if len(whole) <= MAX_USERNAME else cut})
    return int(found.rows[0]["id"])


def compute_digest(*, issuer: str, subject: str, client: str) -> str:
    """Return the row's digest; it has a colon, which no hash of a key has, so no secret can match it."""
    who = orjson.dumps([issuer, subject, client])
    return f"oauth:{hashlib.sha256(who).hexdigest()[:58]}"
