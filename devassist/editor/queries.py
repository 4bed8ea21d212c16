"""SQL of editor states. It runs as the owner of the tables, because a state belongs to its user alone."""

from collections.abc import Mapping
from typing import Any

from psycopg.errors import ForeignKeyViolation
from psycopg.types.json import Jsonb

from toolbox.database.pools import Connection, Pool

Row = dict[str, Any]


class OwnerIsGone(Exception):
    """The key's owner was deleted a moment ago."""


_OWN = """
SELECT part, content, kept_until IS NULL AS is_sample,
  CASE WHEN kept_until IS NULL THEN 0 ELSE greatest(0, extract(epoch FROM now() - pushed_at)) END::int AS age_seconds
FROM devassist_editor_states
WHERE owner_id = %(owner)s AND (kept_until IS NULL OR kept_until > now())
LIMIT 2
"""

# The operator of the machine means the owner who pushed last; the example that ships comes last of all.
_LAST_OWNER = """
SELECT owner_id
FROM devassist_editor_states
WHERE kept_until IS NULL OR kept_until > now()
ORDER BY kept_until IS NULL, pushed_at DESC, id
LIMIT 1
"""

_FORGET = (
    "DELETE FROM devassist_editor_states WHERE kept_until < now() OR (owner_id = %(owner)s AND kept_until IS NULL)"
)

_PUSH = """
INSERT INTO devassist_editor_states (owner_id, part, content, pushed_at, kept_until)
VALUES (%(owner)s, %(part)s, %(content)s, now(), now() + make_interval(secs => %(seconds)s))
ON CONFLICT (owner_id, part) DO UPDATE
SET content = excluded.content, pushed_at = excluded.pushed_at, kept_until = excluded.kept_until
"""

_CLEAR = """
DELETE FROM devassist_editor_states
WHERE owner_id = %(owner)s AND (%(window)s::text IS NULL OR content ->> 'window' = %(window)s)
  AND (%(part)s::text IS NULL OR part = %(part)s)
"""


async def fetch_state(owner_id: int, *, owner_pool: Pool) -> list[Row]:
    """Return the unexpired parts of a user's state."""
    return (await owner_pool.fetch(_OWN, {"owner": owner_id})).rows


async def find_last_owner(*, owner_pool: Pool) -> int | None:
    """Return who pushed last."""
    rows = (await owner_pool.fetch(_LAST_OWNER)).rows
    return rows[0]["owner_id"] if rows else None


async def push(owner_id: int, *, parts: Mapping[str, Row], cleared: str | None, seconds: int, writer: Pool) -> None:
    """
    Replace the user's earlier parts. Deletes expired parts of every user, and the user's example.

    The editor's part goes too if it is of the window `cleared`. Raises OwnerIsGone.
    """

    async def work(connection: Connection) -> None:
        async with connection.transaction():
            await connection.execute(_FORGET, {"owner": owner_id})
            if cleared is not None:
                await connection.execute(_CLEAR.encode(), {"owner": owner_id, "window": cleared, "part": "editor"})
            for part, content in parts.items():
                said = {"owner": owner_id, "part": part, "content": Jsonb(content), "seconds": seconds}
                await connection.execute(_PUSH, said)

    try:
        await writer.run(work)
    except ForeignKeyViolation as gone:
        raise OwnerIsGone from gone


async def clear(owner_id: int, *, window: str | None, writer: Pool) -> None:
    """Delete a user's state, or what one of the user's windows pushed."""

    async def work(connection: Connection) -> None:
        await connection.execute(_CLEAR.encode(), {"owner": owner_id, "window": window, "part": None})

    await writer.run(work)
