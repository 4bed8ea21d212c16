"""The `web_search_wiki` tool: all sources at once, one score for all results, a report on every source."""

import asyncio
from collections.abc import Mapping, Sequence

from devassist.contracts.web_search_wiki import SourceReport, WebResult, WebResults, WebSearchQuestion
from devassist.web import queries, refusals
from devassist.web.document_search import search_documents
from devassist.web.parts import Part
from devassist.web.plain import excerpt
from devassist.web.scoring import score
from devassist.web.source_search import WebRules, ask_source, digest
from devassist.web.words import SearchTerms, weights
from toolbox.database.pools import reader


async def search(ask: WebSearchQuestion, *, rules: WebRules) -> WebResults:
    """Search every requested source. If nothing is found, raises ToolError with the reason."""
    words = SearchTerms(ask.query)
    if not words:
        raise refusals.no_words()
    weighed = weights(words)
    parts = await _parts(ask.sources, words=words, weighed=weighed, rules=rules)
    found = _best(parts, weighed=weighed)
    reports = [_report(part) for part in parts]
    if not found:
        raise refusals.refuse_nothing_found(reports, asked=ask.sources)
    return WebResults(query=ask.query, results=found[: ask.max_results], total_found=len(found), sources=reports)


async def _parts(
    names: Sequence[str], *, words: SearchTerms, weighed: Mapping[str, float], rules: WebRules
) -> Sequence[Part]:
    """Query every source at once. Cached answers of public ones are read in one statement."""
    public = [name for name in names if name != "docs"]
    rows = {row["source"]: row for row in await _fetch_stored(words, public=public)}
    return await asyncio.gather(
        *(
            ask_source(rows[name], words=words, rules=rules) if name in rows else search_documents(weighed)
            for name in names
        )
    )


async def _fetch_stored(words: SearchTerms, *, public: list[str]) -> list[queries.Row]:
    return await queries.fetch_stored(digest(words), sources=public, reader=reader) if public else []


def _best(parts: Sequence[Part], *, weighed: Mapping[str, float]) -> list[WebResult]:
    """Score every result, remove repeated addresses, and sort the best first."""
    found: dict[str, WebResult] = {}
    for part in parts:
        for place, hit in enumerate(part.hits):
            result = WebResult(
                title=hit.title,
                url=hit.url,
                snippet=excerpt(hit.text, words=weighed.keys()),
                source=part.source,
                relevance_score=score(weighed, title=hit.title, text=hit.text, place=place),
            )
            found.setdefault(hit.url, result)
    return sorted(found.values(), key=lambda result: -result.relevance_score)


def _report(part: Part) -> SourceReport:
    return SourceReport(
        source=part.source,
        status=part.status,
        note=part.note,
        age_seconds=part.age_seconds,
        retry_after_seconds=part.retry_after_seconds,
    )
