"""The lockdown status of the analyst's role, and an administrator's acceptance of what is missing."""

import hashlib
from collections.abc import Sequence

from django.conf import settings

from sprints.sql_sandbox.role_lockdown import lockdown_statements
from toolbox.database.caches import TtlCache
from toolbox.database.pools import Connection, owner_pool

CACHE_SECONDS = 60.0

_status: TtlCache[bool] = TtlCache(seconds=CACHE_SECONDS)


def digest(missing: Sequence[str]) -> str:
    """Return a digest of the missing restrictions, so that an acceptance covers nothing else."""
    return hashlib.sha256("\n".join(sorted(missing)).encode()).hexdigest()[:16]


def is_accepted(missing: Sequence[str]) -> bool:
    """Return whether nothing is missing, or exactly this was accepted (SPRINTS_ACCEPTED_WALLS)."""
    return not missing or digest(missing) == settings.SPRINTS_ACCEPTED_WALLS


async def is_locked_down() -> bool:
    """
    Return whether execute_query may run, by the catalogue, as the owner, once a minute and process.

    Raises DatabaseUnavailable; psycopg.Error where the role does not exist.
    """
    return await _status.get("lockdown", _look)


async def _look() -> bool:
    async def find_missing(connection: Connection) -> list[str]:
        cursor = await connection.execute(lockdown_statements(role=settings.SPRINTS_ANALYST_ROLE).encode())
        return [row["statement"] for row in await cursor.fetchall()]

    return is_accepted(await owner_pool.run(find_missing))
