"""Errors of a search without results."""

from collections.abc import Sequence

from devassist.contracts.web_search_wiki import SourceReport
from devassist.error_envelope import API_ERROR, INVALID_PARAMETERS, NO_RESULTS, RATE_LIMIT_EXCEEDED
from toolbox.contract.errors import ToolError

ERRORS = (NO_RESULTS, RATE_LIMIT_EXCEEDED, API_ERROR)
_ALL = ("docs", "stackoverflow", "github", "mdn")
_SOURCES = f"Leave sources out, or name some of: {', '.join(_ALL)}."
_KNOWN = ("answered", "kept", "off")


def no_words() -> ToolError:
    """Say that the query contains no word to search for."""
    return ToolError(
        INVALID_PARAMETERS,
        "The query holds no words to search for.",
        suggestion="Search for the error's name, its message or a function's name.",
        field="query",
    )


def all_off(asked: Sequence[str]) -> ToolError:
    """Say that the sources are disabled here."""
    return ToolError(
        INVALID_PARAMETERS,
        f"Public sources are not asked here: {', '.join(asked)}.",
        suggestion="Search docs, the pages that were ingested here.",
        field="sources",
        retry_with={"sources": ["docs"]},
    )


def refuse_nothing_found(reports: Sequence[SourceReport], *, asked: Sequence[str]) -> ToolError:
    """
    Say that nothing matches, if every source said so; else say what kept a source from answering.

    "Nothing" is never said where it is not known.
    """
    if not asked:
        return ToolError(NO_RESULTS, "No source was searched: sources is empty.", suggestion=_SOURCES, field="sources")
    if all(report.status == "off" for report in reports):
        return all_off(asked)
    others = ", ".join(name for name in _ALL if name not in asked)
    elsewhere = f" Or search elsewhere too: {others}." if others else ""
    missing = [report for report in reports if report.status not in _KNOWN]
    if not missing:
        said = "Use fewer and more specific words: the error's name, the call that failed." + elsewhere
        return ToolError(NO_RESULTS, f"Nothing was found in {', '.join(asked)}.", suggestion=said)
    notes = " ".join(report.note for report in missing if report.note)
    details = {"sources": [report.model_dump(by_alias=True, exclude_none=True) for report in reports]}
    limits = [report.retry_after_seconds or 1 for report in missing if report.status == "limited"]
    if limits:
        wait = min(limits)
        said = f"Ask again in {wait:,} s.{elsewhere}"
        return ToolError(RATE_LIMIT_EXCEEDED, notes, suggestion=said, details=details, retry_after_seconds=wait)
    late = any(report.status == "late" for report in missing)
    again = "Ask again in a moment: what comes late is remembered." if late else "Ask again later."
    return ToolError(API_ERROR, notes, suggestion=again + elsewhere, details=details)
