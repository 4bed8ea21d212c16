"""Arguments that an upstream demands beyond its schema, learned from its recorded refusals."""

import logging

from graphql_proxy.fixes.demands import DEMAND_RULE
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool

logger = logging.getLogger(__name__)

_DEMANDED = """
SELECT DISTINCT coordinate
FROM graphql_proxy_refusals
WHERE upstream_id = %s AND rule = %s
LIMIT 200
"""
_demands: TtlCache[frozenset[str]] = TtlCache()


async def load_demands(upstream_id: int) -> frozenset[str]:
    """Load the coordinates, as `Repository.issues(first:)`, cached for 4 s. Empty while the database is away."""

    async def read() -> frozenset[str]:
        rows = (await owner_pool.fetch(_DEMANDED, [upstream_id, DEMAND_RULE])).rows
        return frozenset(row["coordinate"] for row in rows)

    try:
        return await _demands.get(upstream_id, read)
    except (DatabaseUnavailable, StatementTimeout) as away:
        logger.warning("what upstreams have demanded is left out: %s", away)
        return frozenset()
