"""
Who holds a token of OAuth stands in the table of keys, in a row that no secret opens.

So a limit, a default workspace, an end by an administrator, tasks, conversations and the audit are as they are for
keys. There is one row for each person and client; its scopes are those of the last token.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from toolbox.contract.caller import Caller
from toolbox.contract.errors import Unauthenticated
from toolbox.database.pools import owner_pool

MAX_NAME = 100
MAX_USERNAME = 150
START = "OAuth"

_READ = """
SELECT key.id, key.name, key.scopes, key.calls_per_minute, key.owner_id, key.default_workspace, key.default_upstream,
  key.revoked_at IS NULL AND owner.is_active AS is_standing,
  key.scopes = %(scopes)s::varchar[] AND key.expires_at >= %(expires_at)s AS is_as_told
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
    What a token says: who may do what, through which client, until when.

    `owner_id` is the user behind it, None for a subject of an outside issuer, who gets a user of their own.
    """

    issuer: str
    subject: str
    client: str
    name: str
    scopes: frozenset[str]
    expires_at: datetime
    owner_id: int | None = None
    calls_per_minute: int | None = None


async def standing(grant: Grant) -> Caller:
    """Give the caller whom a grant makes; one query, and a write when the grant is new. Raises Refusal."""
    values = {
        "digest": digest_of(issuer=grant.issuer, subject=grant.subject, client=grant.client),
        "scopes": sorted(grant.scopes),
        "expires_at": grant.expires_at,
        "name": grant.name[:MAX_NAME],
        "start": START,
        "calls_per_minute": grant.calls_per_minute,
    }
    row = await _row(values)
    if row is None or not row["is_as_told"]:
        owner_id = grant.owner_id if grant.owner_id is not None else await _person(grant)
        await owner_pool.fetch(_KEEP, values | {"owner_id": owner_id})
        row = await _row(values)
    if row is None or not row["is_standing"]:
        raise Unauthenticated(
            "Whoever runs this server has ended this access.",
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
    )


async def _row(values: dict[str, Any]) -> dict[str, Any] | None:
    found = await owner_pool.fetch(_READ, values)
    return found.rows[0] if found.rows else None


async def _person(grant: Grant) -> int:
    """
    Give the user of an outside subject, made when they come first.

    The blank in the name is one that no form takes, so it is never the name of somebody who was here before.
    """
    whole = f"{grant.issuer} {grant.subject}"
    cut = f"{whole[: MAX_USERNAME - 17]} {hashlib.sha256(whole.encode()).hexdigest()[:16]}"
    found = await owner_pool.fetch(_PERSON, {"username": whole if len(whole) <= MAX_USERNAME else cut})
    return int(found.rows[0]["id"])


def digest_of(*, issuer: str, subject: str, client: str) -> str:
    """Name the row: with a colon, which no hash of a key has, so that nothing anybody presents can be its key."""
    who = orjson.dumps([issuer, subject, client])
    return f"oauth:{hashlib.sha256(who).hexdigest()[:58]}"
