"""Which names of a schema callers use, counted in our own record of calls."""

import re
from collections import Counter

from toolbox.database.caches import TtlCache
from toolbox.database.pools import Pool, owner_pool

KEEP_SECONDS = 300.0

_CALLS = """
SELECT arguments FROM (
    SELECT tool, outcome, arguments, called_at FROM toolbox_tool_calls ORDER BY called_at DESC LIMIT 20000
) AS latest
WHERE tool IN ('execute_graphql', 'execute_graphql_mutation') AND outcome = 'answered'
ORDER BY called_at DESC LIMIT 500
"""
_NAME = re.compile(r"[_A-Za-z]\w*")

_counts: TtlCache[Counter[str]] = TtlCache(seconds=KEEP_SECONDS)


async def count_uses(*, pool: Pool = owner_pool) -> Counter[str]:
    """Count how many of the last answered calls name each word; one statement in five minutes."""

    async def read() -> Counter[str]:
        rows = (await pool.fetch(_CALLS)).rows
        return Counter(name for row in rows for name in set(_NAME.findall(row["arguments"])))

    return await _counts.get("all", read)
