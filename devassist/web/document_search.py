"""Search of the ingested pages."""

from collections.abc import Mapping
from urllib.parse import quote

from devassist.documents import queries
from devassist.web.parts import Part
from devassist.web.plain import from_markdown
from devassist.web.scoring import word_share
from devassist.web.source_answers import MAX_RESULTS, Hit
from toolbox.database.pools import reader

MIN_WORD_SHARE = 0.4
"""Half of the words by weight. A section with fewer is about something else."""


async def search_documents(weighed: Mapping[str, float]) -> Part:
    """Return the sections that contain enough of the words, best first. Runs one statement."""
    rows = await queries.sections_with(list(weighed), reader=reader)
    hits: dict[str, Hit] = {}
    for row in rows:
        if word_share(weighed, title=row["title"], text=row["text"]) >= MIN_WORD_SHARE:
            url = f"{row['url']}#{quote(row['anchor'])}" if row["anchor"] else row["url"]
            hits.setdefault(url, Hit(title=row["title"], url=url, text=from_markdown(row["text"])))
    return Part(source="docs", status="answered", hits=tuple(hits.values())[:MAX_RESULTS])
