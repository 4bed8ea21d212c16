"""The verified queries that are enabled, as tools read them."""

from typing import Any

from toolbox.database.pools import Pool

_ENABLED = """
SELECT slug, topic, question, phrasings, sql, slots, assumptions
FROM sprints_verified_queries
WHERE is_enabled
ORDER BY slug
LIMIT 5000
"""


async def enabled(*, reader: Pool) -> list[dict[str, Any]]:
    """Read every verified query that is enabled, by slug."""
    return (await reader.fetch(_ENABLED)).rows
