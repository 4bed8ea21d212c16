"""SQL of curated rows: enabled verified queries, and synonyms."""

from typing import Any

from toolbox.database.pools import Pool

_ENABLED = """
SELECT slug, topic, question, phrasings, sql, slots, assumptions, source
FROM sprints_verified_queries
WHERE is_enabled
ORDER BY slug
LIMIT 5000
"""
_SYNONYMS = "SELECT kind, term, form, phrase FROM sprints_term_synonyms ORDER BY id LIMIT 5000"


async def load_verified_rows(*, reader: Pool) -> list[dict[str, Any]]:
    """Read every verified query that is enabled, by slug."""
    return (await reader.fetch(_ENABLED)).rows


async def load_synonym_rows(*, reader: Pool) -> list[dict[str, Any]]:
    """Read every synonym in the order of creation."""
    return (await reader.fetch(_SYNONYMS)).rows
