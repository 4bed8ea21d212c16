"""Search of one public source: a cached answer or a request, within the time of the call."""

import asyncio
import hashlib
import logging
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from devassist.contracts.web_search_wiki import SourceName, Status
from devassist.web import queries
from devassist.web.parts import Part
from devassist.web.source_answers import Hit, SourceAnswer, SourceFailed, SourceLimited
from devassist.web.sources import Source
from devassist.web.words import SearchTerms
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.caches import SingleFlight
from toolbox.database.pools import writer

logger = logging.getLogger(__name__)

WAIT_SECONDS = 1.5
"""How long a call waits for a source, within the contract's 2 s."""
MAX_UNDER_WAY = 8
_MAX_TEXT = 2_000

_under_way: SingleFlight[list[Hit]] = SingleFlight()
_busy: Counter[str] = Counter()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebRules:
    """The enabled sources, and how long answers are fresh. Without sources no request is sent."""

    sources: dict[str, Source]
    fresh_seconds: float
    keep_days: int


def digest(words: SearchTerms) -> str:
    """Return the cache key of a search: its words, ignoring case."""
    return hashlib.sha256(" ".join(words).lower().encode()).hexdigest()


async def ask_source(kept: queries.Row, *, words: SearchTerms, rules: WebRules) -> Part:
    """
    Return a fresh cached answer, else the source's answer, else a stale cached one.

    What comes too late for this call is kept for the next. `kept` is a row of queries.kept.
    """
    name: SourceName = kept["source"]
    age: float | None = kept["age_seconds"]
    old = _old(kept) if age is not None and age <= rules.keep_days * 86_400 else None
    if old is not None and age is not None and age <= rules.fresh_seconds:
        return Part(source=name, status="kept", hits=old, age_seconds=int(age))
    part = await _ask(kept, words=words, source=rules.sources.get(name), rules=rules)
    if part.status == "answered" or not old:
        return part
    return replace(part, status="stale", hits=old, age_seconds=int(age or 0))


async def _ask(kept: queries.Row, *, words: SearchTerms, source: Source | None, rules: WebRules) -> Part:
    name: SourceName = kept["source"]
    pause = kept["pause_seconds"] or 0
    status: Status
    if source is None:
        return Part(source=name, status="off", note="Searching the web is turned off here.")
    if pause > 0:
        status = "limited" if kept["is_limited"] else "failed"
        return Part(source=name, status=status, note=f"{name}: {kept['state']}.", retry_after_seconds=pause)
    if _busy[name] >= MAX_UNDER_WAY:
        return Part(source=name, status="late", note=f"{name}: too many searches wait for it.")
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            hits = await _under_way.run((name, digest(words)), lambda: _ask_and_keep(source, words=words, rules=rules))
    except TimeoutError:
        return Part(source=name, status="late", note=f"{name} did not answer within {WAIT_SECONDS:g} s.")
    except SourceFailed as failed:
        status = "limited" if isinstance(failed, SourceLimited) else "failed"
        again = failed.pause_seconds or None
        return Part(source=name, status=status, note=f"{name}: {failed}.", retry_after_seconds=again)
    return Part(source=name, status="answered", hits=tuple(hits))


async def _ask_and_keep(source: Source, *, words: SearchTerms, rules: WebRules) -> list[Hit]:
    _busy[source.name] += 1
    try:
        reading = await source.ask(words)
    except SourceFailed as failed:
        await _note_failure(source, failed=failed)
        raise
    finally:
        _busy[source.name] -= 1
    hits = [Hit(title=hit.title, url=hit.url, text=hit.text[:_MAX_TEXT]) for hit in reading.hits]
    await _store(source, words=words, hits=hits, reading=reading, keep_days=rules.keep_days)
    return hits


async def _store(source: Source, *, words: SearchTerms, hits: list[Hit], reading: SourceAnswer, keep_days: int) -> None:
    answer: queries.Row = {
        "source": source.name,
        "digest": digest(words),
        "words": " ".join(words)[:300],
        "hits": [[hit.title, hit.url, hit.text] for hit in hits],
    }
    try:
        await queries.keep(answer, keep_days=keep_days, writer=writer)
        await queries.note(_state(source, pause=reading.pause_seconds, quota=reading.quota_remaining), writer=writer)
    except DatabaseUnavailable:
        logger.warning("What %s answered could not be kept", source.name)


async def _note_failure(source: Source, *, failed: SourceFailed) -> None:
    try:
        await queries.note(_state(source, pause=failed.pause_seconds, failed=failed), writer=writer)
    except DatabaseUnavailable:
        logger.warning("How %s is doing could not be noted", source.name)


def _state(source: Source, *, pause: int, quota: int | None = None, failed: SourceFailed | None = None) -> queries.Row:
    state: dict[str, Any] = {"source": source.name, "pause_seconds": pause or None, "quota": quota}
    is_limited = isinstance(failed, SourceLimited) or (failed is None and pause > 0)
    said = str(failed) if failed else "it wants to be left alone for a while" if pause else ""
    return state | {"is_limited": is_limited, "state": said[:200], "answered": failed is None}


def _old(kept: queries.Row) -> tuple[Hit, ...]:
    return tuple(Hit(title=title, url=url, text=text) for title, url, text in kept["hits"])
