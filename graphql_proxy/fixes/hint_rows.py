"""Hints that are rows, matched against the text of an error. A broken row never changes the error."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial

import regex

from graphql_proxy import queries
from graphql_proxy.fixes.contract_text import CONTRACT_HINTS, MessageHint
from graphql_proxy.fixes.schema_lookups import Context, look_up
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader

logger = logging.getLogger(__name__)

MAX_HINTS = 10
MAX_EXPLAINED = 10
"""The maximum distinct errors of one answer, since a slow pattern may use its time limit for each."""
MAX_ERROR = 2_000
MAX_GROUP = 100
MATCH_SECONDS = 0.05

Groups = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A row of ErrorHint."""

    name: str
    matcher: str
    pattern: str
    layer: str
    lookup: str
    hint: str
    upstream_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A hint that matches an error, with its text."""

    hint: Hint
    said: str


_rows: TtlCache[list[Hint]] = TtlCache()


async def load_hint_rows(upstream_id: int | None) -> list[Hint]:
    """Load the enabled hints of an upstream in order, cached for 4 s. Empty while the database is away."""

    async def read() -> list[Hint]:
        names = Hint.__dataclass_fields__
        return [Hint(**{name: row[name] for name in names}) for row in await queries.hints(reader=reader)]

    try:
        hints = await _rows.get("all", read)
    except (DatabaseUnavailable, StatementTimeout) as away:
        logger.warning("hints are left out: %s", away)
        return []
    return [hint for hint in hints if hint.upstream_id in (None, upstream_id)]


def message_hints(hints: Iterable[Hint]) -> list[MessageHint]:
    """Return the contract's own hints, which are always on, and the rows of that layer."""
    rows = [hint for hint in hints if hint.layer == "message" and hint.hint.strip()]
    return [*CONTRACT_HINTS, *(MessageHint(text=hint.hint, fits=partial(_fits, hint)) for hint in rows)]


def collect_hints(errors: Iterable[str], *, hints: Iterable[Hint], context: Context) -> list[str]:
    """Return the hints for the first ten distinct errors, without duplicates, ten at most."""
    rows = [hint for hint in hints if hint.layer == "beside"]
    different = list(dict.fromkeys(errors))[:MAX_EXPLAINED]
    said = (fit.said for error in different for fit in fits(error, hints=rows, context=context))
    return list(dict.fromkeys(said))[:MAX_HINTS]


def fits(error: str, *, hints: Iterable[Hint], context: Context) -> list[Fit]:
    """Return the hints that match one error, with their texts."""
    found = []
    for hint in hints:
        groups = match(hint.matcher, pattern=hint.pattern, error=error)
        said = None if groups is None else _fill_hint(hint, groups, context=context)
        if said:
            found.append(Fit(hint=hint, said=said))
    return found


def match(matcher: str, *, pattern: str, error: str) -> Groups | None:
    """
    Return the named groups of a match. None if the pattern does not match or cannot be used.

    A pattern that takes longer than 50 ms is given up: backtracking can be endless.
    """
    text = error[:MAX_ERROR]
    if matcher == "contains":
        return {} if pattern.lower() in text.lower() else None
    compiled = _compile(pattern)
    if compiled is None:
        return None
    try:
        found = compiled.search(text, timeout=MATCH_SECONDS)
    except TimeoutError:
        logger.warning("the pattern %r of a hint takes too long and is passed over", pattern)
        return None
    return {name: value[:MAX_GROUP] for name, value in found.groupdict("").items()} if found else None


def problem_of(pattern: str) -> str | None:
    """Say why a regular expression cannot be used."""
    try:
        regex.compile(pattern)
    except regex.error as wrong:
        return str(wrong)
    return None


def _fits(hint: Hint, text: str) -> bool:
    return match(hint.matcher, pattern=hint.pattern, error=text) is not None


def _fill_hint(hint: Hint, groups: Groups, *, context: Context) -> str | None:
    if hint.lookup:
        found = look_up(hint.lookup, groups=groups, context=context)
        if found is None:
            return None
        groups = {**groups, "found": found}
    said = hint.hint
    for name, value in groups.items():
        said = said.replace(f"{{{name}}}", value)
    return said


@lru_cache(maxsize=1_024)
def _compile(pattern: str) -> "regex.Pattern[str] | None":
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as wrong:
        logger.warning("the pattern %r of a hint cannot be used: %s", pattern, wrong)
        return None
