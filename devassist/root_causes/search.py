"""Search of root causes by a pasted error."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from devassist.contracts.vector_search_db import (
    MAX_ECHOED,
    UNVALIDATED,
    WORDS_SIMILARITY,
    PastError,
    PastErrorMetadata,
    PastErrors,
    PastErrorsQuestion,
)
from devassist.entries.bm25 import Rarity, choose_rarest, place_of, sparse
from devassist.entries.root_cause import error_key, language_key
from devassist.root_causes import queries
from devassist.root_causes.error_excerpt import ErrorExcerpt, extract_excerpt
from devassist.root_causes.queries import Row, SearchTerms
from devassist.root_causes.ranking import weigh_query, weigh_words_alone
from devassist.root_causes.refusals import no_embedding, nothing_found, nothing_to_search
from devassist.root_causes.uses import uses
from toolbox.contract.encoding import format_timestamp
from toolbox.database.pools import reader
from toolbox.embedding.failures import EmbeddingFailed
from toolbox.text.stemmed_words import identifiers_in, words_of

MAX_LOOKED_UP = 400
"""The maximum entries of the search by words. On the retrieval sets 200 rank as well as 1,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The terms of a search, and its results, the most relevant first."""

    paste: ErrorExcerpt
    sought: SearchTerms
    rows: Sequence[Row]


async def find(ask: PastErrorsQuestion) -> PastErrors:
    """Search, and count the results as used. Raises ToolError if nothing is relevant."""
    found = await search_uncounted(ask)
    if not found.rows:
        raise await nothing_found(ask, sought=found.sought, reader=reader)
    uses.count(row["id"] for row in found.rows)
    return PastErrors(
        query=_cut(ask.query),
        results=[_past_error(row) for row in found.rows],
        total_found=found.rows[0]["total_found"],
        searched_for=found.paste.words if found.paste.is_trace else None,
        similarity_means=WORDS_SIMILARITY if ask.mode == "words" else None,
    )


async def search_uncounted(ask: PastErrorsQuestion) -> SearchResult:
    """Search without counting, for the console. Raises ToolError if there is nothing to search for."""
    paste = extract_excerpt(ask.query)
    if not paste.error:
        raise nothing_to_search()
    sought = await _build_terms(paste, ask=ask)
    return SearchResult(paste=paste, sought=sought, rows=await queries.search(sought, reader=reader))


async def rows_like(text: str, *, limit: int, floor: float, include_unvalidated: bool = True) -> Sequence[Row]:
    """Return rows like a text at any confidence, without retired ones, for previews and near-duplicates."""
    ask = PastErrorsQuestion(
        query=text or " ", limit=limit, min_confidence=0.0, include_unvalidated=include_unvalidated
    )
    paste = extract_excerpt(text)
    return await queries.search(await _build_terms(paste, ask=ask, floor=floor), reader=reader) if paste.error else []


async def _build_terms(paste: ErrorExcerpt, *, ask: PastErrorsQuestion, floor: float | None = None) -> SearchTerms:
    places = {place_of(word) for word in words_of(paste.words)}
    by_words = ask.mode == "words"
    source = await queries.find_vector_source(reader=reader)
    try:  # at the same time: the database counts while the model reads
        vector, held = await asyncio.gather(
            _skip() if by_words else source.embed(paste.meaning), queries.count_entries(sorted(places), reader=reader)
        )
    except EmbeddingFailed as failed:
        raise no_embedding(failed, else_by_words=True) from failed
    rarity = Rarity(held.get(0, 0), held)
    weights = {place: rarity.weigh(place) for place in places}
    information = rarity.information(places)
    in_identifiers = rarity.information({place_of(word) for word in identifiers_in(paste.words)} & places)
    ranking = (
        weigh_words_alone(information=information)
        if by_words
        else weigh_query(information=information, in_identifiers=in_identifiers, entries=rarity.entries)
    )
    sought = SearchTerms(
        vector=None if vector is None else vector.tolist(), weights=sparse(weights), whole=sum(weights.values()),
        limit=ask.limit,
        places=choose_rarest(places, rarity=rarity, most_entries=MAX_LOOKED_UP),
        language=language_key(ask.language) if ask.language else None,
        error_key=error_key(ask.error_type) if ask.error_type else None,
        min_confidence=ask.min_confidence, include_unvalidated=ask.include_unvalidated,
        floor=ranking.floor, words_share=ranking.words_share, source=source,
    )  # fmt: skip
    return sought if floor is None else replace(sought, floor=floor)


async def _skip() -> None:
    """Stand in for the vector of a search by words."""


def _cut(query: str) -> str:
    return query if len(query) <= MAX_ECHOED else query[: MAX_ECHOED - 1] + "…"


def _past_error(row: Row) -> PastError:
    return PastError(
        id=row["entry_name"],
        error_description=row["error_description"],
        root_cause=row["root_cause"],
        solution=row["solution"],
        language=row["language"],
        error_type=row["error_type"],
        confidence=row["confidence"],
        user_validated=row["status"] == "validated",
        similarity=round(row["similarity"], 4),
        metadata=PastErrorMetadata(created_at=format_timestamp(row["created_at"]), fixed_in=row["fixed_in"]),
        unvalidated=None if row["status"] == "validated" else UNVALIDATED,
    )
