"""Whether the analyst's walls stand, and whether an administrator has accepted what is missing."""

import hashlib
from collections.abc import Sequence

from django.conf import settings

from sprints.walls import mends
from toolbox.database.caches import TtlCache
from toolbox.database.pools import Connection, owner_pool

SECONDS_UNTIL_LOOKED_AT_AGAIN = 60.0

_standing: TtlCache[bool] = TtlCache(seconds=SECONDS_UNTIL_LOOKED_AT_AGAIN)


def digest(missing: Sequence[str]) -> str:
    """Name a set of missing walls, so that accepting it accepts nothing else."""
    return hashlib.sha256("\n".join(sorted(missing)).encode()).hexdigest()[:16]


def is_accepted(missing: Sequence[str]) -> bool:
    """Tell whether nothing is missing, or exactly this was accepted (SPRINTS_ACCEPTED_WALLS)."""
    return not missing or digest(missing) == settings.SPRINTS_ACCEPTED_WALLS


async def walls_stand() -> bool:
    """
    Tell whether execute_query may run: asked of the catalogue, as the owner, once a minute and process.

    Raises DatabaseUnavailable; psycopg.Error where the role does not exist.
    """
    return await _standing.get("walls", _look)


async def _look() -> bool:
    async def missing(connection: Connection) -> list[str]:
        cursor = await connection.execute(mends(role=settings.SPRINTS_ANALYST_ROLE).encode())
        return [row["mend"] for row in await cursor.fetchall()]

    return is_accepted(await owner_pool.run(missing))
