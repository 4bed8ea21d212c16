"""SQL of the search in sections."""

from collections.abc import Sequence
from typing import Any

from toolbox.database.pools import Pool

Row = dict[str, Any]

# Any of the words finds a section: an error message never stands in documentation whole. Which sections hold enough of
# them is decided by what reads these rows.
_FOUND = """
WITH asked AS (
  SELECT string_agg(plainto_tsquery('english', regexp_replace(word, '[^[:alnum:]]+', ' ', 'g'))::text, ' | ')::tsquery
    AS query
  FROM unnest(%(words)s::text[]) AS word
  WHERE numnode(plainto_tsquery('english', regexp_replace(word, '[^[:alnum:]]+', ' ', 'g'))) > 0
)
SELECT section.title, page.url, section.anchor, section.text
FROM asked
JOIN devassist_doc_sections AS section ON section.words @@ asked.query
JOIN devassist_doc_pages AS page ON page.id = section.page_id
ORDER BY ts_rank_cd(section.words, asked.query, 1) DESC, section.id
LIMIT 30
"""


async def sections_with(words: Sequence[str], *, reader: Pool) -> list[Row]:
    """Return the sections that contain most of the words close together, best first."""
    return (await reader.fetch(_FOUND, {"words": list(words)})).rows
