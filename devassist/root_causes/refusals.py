"""Errors of the search for root causes."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from devassist.contracts.vector_search_db import PastErrorsQuestion
from devassist.entries.root_cause import language_key
from devassist.error_envelope import COLLECTION_NOT_FOUND, EMBEDDING_FAILED, NO_RESULTS
from devassist.root_causes import queries
from devassist.root_causes.queries import SearchTerms
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool
from toolbox.embedding.failures import EmbeddingFailed, StillLoading

logger = logging.getLogger(__name__)

SEARCH_ERRORS = (NO_RESULTS, EMBEDDING_FAILED, COLLECTION_NOT_FOUND)

_ELSEWHERE = "Say the error's message in other words, or look outside with web_search_wiki."


def nothing_to_search() -> ToolError:
    """Say that the query contains no word."""
    return ToolError(
        NO_RESULTS,
        "query holds nothing to search for",
        suggestion="Send the error message, a description, or a stack trace as query.",
        field="query",
    )


def no_embedding(failed: EmbeddingFailed, *, else_by_words: bool = False) -> ToolError:
    """Say that the embedding model is unavailable. The server's log says why. A search can go by words."""
    retry_with = {"mode": "words"} if else_by_words else None
    if isinstance(failed, StillLoading):
        return ToolError(
            EMBEDDING_FAILED,
            "The embedding model is still being loaded, the server has just started.",
            suggestion="Ask again in a second.",
            retry_after_seconds=1,
            retry_with=retry_with,
        )
    logger.error("a query could not be embedded: %s", failed)
    return ToolError(
        EMBEDDING_FAILED,
        "The embedding model is not available on this server.",
        suggestion=f"{'Search by words' if else_by_words else 'Go on without past root causes'}; "
        "the reason is in the log of this server.",
        retry_with=retry_with,
    )


async def nothing_found(ask: PastErrorsQuestion, *, sought: SearchTerms, reader: Pool) -> ToolError:
    """Say that nothing is relevant, and what less strict filters would find."""
    known = await queries.languages(reader=reader)
    if not known:
        return ToolError(
            COLLECTION_NOT_FOUND,
            "No past root causes are stored.",
            suggestion="Load some with manage.py ingest_rca, or with quickstart.",
        )
    if ask.language and language_key(ask.language) not in known and len(known) < queries.MAX_KINDS:
        return _refuse(
            f"No past root cause is of the language {ask.language[:40]!r}.",
            suggestion=f"Leave language out, or use one of: {', '.join(known)}.",
            details={"languages": known},
            retry_with=_near("language", language_key(ask.language), known),
        )
    return await _without_filters(ask, sought=sought, reader=reader)


async def _without_filters(ask: PastErrorsQuestion, *, sought: SearchTerms, reader: Pool) -> ToolError:
    """Search again without the filters on what is searched, and say what that finds. Filters on trust stay."""
    given = {"language": ask.language, "errorType": ask.error_type}
    wider = replace(sought, language=None, error_key=None, limit=1)
    if any(given.values()) and await queries.search(wider, reader=reader):
        kinds = await queries.error_types(reader=reader) if ask.error_type else []
        return _refuse(
            "Nothing relevant passes the filters; without them something does.",
            suggestion="Leave out errorType and language.",
            details={"errorTypes": kinds} if kinds else {},
            retry_with={name: None for name, value in given.items() if value},
        )
    return _refuse("No past root cause is like this error.", suggestion=_ELSEWHERE)


def _near(field: str, given: str, known: Sequence[str]) -> dict[str, Any]:
    near = get_close_matches(given[:60], known, n=1, cutoff=0.7)
    return {field: near[0]} if near else {}


def _refuse(message: str, *, suggestion: str, details: Any = None, retry_with: Any = None) -> ToolError:
    return ToolError(NO_RESULTS, message, suggestion=suggestion, details=details, retry_with=retry_with)
