"""SQL of root causes for tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings

from devassist.root_causes.ranking import FLOOR, WORDS_SHARE, following_floor
from devassist.root_causes.vector_source import BUILT_IN, VectorSource
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.caches import TtlCache
from toolbox.database.pools import Connection, Pool

Row = dict[str, Any]

NEAR, WORDED = 50, 50
"""Rows that the searches by meaning and by words bring to be fetch_ranked."""
SEARCH_WIDTH, FILTERED_WIDTH = 120, 60
"""The HNSW candidate list sizes. With filters the scan continues in steps of this size until enough rows pass."""

MAX_KINDS = 30
PLANNED_FOR_ALL = 0.7
"""The contract's default confidence, up to which one plan serves every question without further filters."""

_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(width)s, true),
  set_config('plan_cache_mode', %(plans)s, true)
"""

_HOLDING = """
SELECT place, entries FROM devassist_root_cause_words WHERE place = ANY(%(places)s) LIMIT 1001
"""

# A condition with IS TRUE uses no index. Else the planner reads every entry of the language beside the few hundred that
# have one of the words.
_SEARCH = """
WITH found AS (
  {by_meaning}
  (SELECT {measured} FROM {all} WHERE {has_vector}({filters}) IS TRUE AND word_places && %(places)s::int[]
   ORDER BY word_weights <#> %(weights)s::sparsevec LIMIT {worded})
), scored AS (
  SELECT id, similarity, coverage,
    similarity * %(scale)s + %(shift)s + %(words_share)s * coverage * coverage AS score
  FROM found
), fetch_ranked AS (
  SELECT id, similarity, coverage, score, max(score) OVER () AS best_score FROM scored
), best AS MATERIALIZED (
  SELECT id, similarity, coverage, score, count(*) OVER () AS total_found FROM fetch_ranked
  WHERE best_score >= %(floor)s AND score >= %(following_floor)s
  ORDER BY score DESC, id LIMIT %(limit)s
)
SELECT r.id, entry_name, error_description, root_cause, solution, language, error_type, confidence, status,
  created_at, fixed_in, similarity, coverage, score, total_found
FROM best JOIN devassist_root_causes AS r USING (id)
ORDER BY score DESC, id LIMIT %(limit)s
"""
_BY_MEANING = """
  (SELECT {measured} FROM {near_to} WHERE {has_vector}{filters}
   ORDER BY {distance} LIMIT {near})
  UNION
"""
_COVERAGE = "-(word_weights <#> %(weights)s::sparsevec) / %(whole)s"
_MEASURED_BY_WORDS = f"r.id, {_COVERAGE} AS similarity, {_COVERAGE} AS coverage"
_MEASURED = """r.id, coalesce(1 - ({distance}), 0) AS similarity,
    -(word_weights <#> %(weights)s::sparsevec) / %(whole)s AS coverage"""

_SERVING = """
SELECT name AS model, dimensions, scale, shift FROM devassist_embedding_models WHERE state = 'serving'
ORDER BY name = %(wanted)s DESC, updated_at DESC LIMIT 1
"""

_KINDS = """
SELECT DISTINCT {column} AS name FROM devassist_root_causes WHERE status <> 'retired' ORDER BY name LIMIT {most}
"""

_COUNT_USES = """
INSERT INTO devassist_root_cause_uses (root_cause_id, times, last_used_at)
SELECT id, times, now() FROM unnest(%(ids)s::bigint[], %(times)s::bigint[]) AS counted (id, times)
WHERE EXISTS (SELECT FROM devassist_root_causes AS r WHERE r.id = counted.id)
ORDER BY id
ON CONFLICT (root_cause_id) DO UPDATE
SET times = devassist_root_cause_uses.times + excluded.times, last_used_at = excluded.last_used_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerms:
    """The terms of a search: a vector, weighted words, and filters. Words alone without a vector."""

    vector: Sequence[float] | None
    weights: str
    places: Sequence[int]
    whole: float
    limit: int
    language: str | None = None
    error_key: str | None = None
    min_confidence: float = 0.0
    include_unvalidated: bool = False
    floor: float = FLOOR
    words_share: float = WORDS_SHARE
    source: VectorSource = BUILT_IN

    @property
    def statement(self) -> str:
        """Return the SQL of the search. Values are parameters."""
        parts = (BUILT_IN if self.vector is None else self.source).sql
        parts |= {"filters": self.filters, "near": str(NEAR), "worded": str(WORDED)}
        parts["measured"] = _MEASURED.format(**parts)
        if self.vector is None:
            parts |= {"measured": _MEASURED_BY_WORDS, "has_vector": ""}
        by_meaning = "" if self.vector is None else _BY_MEANING.format(**parts)
        return _SEARCH.format(by_meaning=by_meaning, **parts)

    @property
    def filters(self) -> str:
        """Return the conditions. Values are parameters."""
        status = "status <> 'retired'" if self.include_unvalidated else "status = 'validated'"
        language = " AND language = %(language)s" if self.language else ""
        error = " AND error_key = %(error_key)s" if self.error_key else ""
        return f"{status} AND confidence >= %(min_confidence)s{language}{error}"

    @property
    def settings(self) -> dict[str, str]:
        """Return how wide to search, and whether to plan again: filters differ in how much they exclude."""
        if self.language or self.error_key or self.min_confidence > PLANNED_FOR_ALL:
            return {"width": str(FILTERED_WIDTH), "plans": "force_custom_plan"}
        return {"width": str(SEARCH_WIDTH), "plans": "force_generic_plan"}

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters."""
        vector = {} if self.vector is None else {"vector": "[" + ",".join(f"{one:.6g}" for one in self.vector) + "]"}
        return vector | {
            "weights": self.weights, "places": list(self.places), "whole": max(self.whole, 1e-6),
            "limit": self.limit, "language": self.language, "error_key": self.error_key,
            "min_confidence": self.min_confidence, "floor": self.floor, "model": self.source.model,
            "scale": self.source.scale if self.vector is not None else 1.0,
            "shift": self.source.shift if self.vector is not None else 0.0,
            "words_share": self.words_share, "following_floor": following_floor(self.floor),
        }  # fmt: skip


_sources: TtlCache[VectorSource] = TtlCache()


async def find_vector_source(*, reader: Pool) -> VectorSource:
    """Return the vectors that searches use now, cached for some seconds."""
    if not settings.EMBEDDING_MODEL:
        return BUILT_IN
    return await _sources.get(settings.EMBEDDING_MODEL, lambda: _load_source(reader))


async def _load_source(reader: Pool) -> VectorSource:
    rows = (await reader.fetch(_SERVING, {"wanted": settings.EMBEDDING_MODEL})).rows
    return VectorSource(**rows[0]) if rows else BUILT_IN


async def count_entries(places: Sequence[int], *, reader: Pool) -> Mapping[int, int]:
    """Return how many entries contain each word, omitting words of none. Index 0 counts the entries."""
    rows = (await reader.fetch(_HOLDING, {"places": [0, *places]})).rows
    return {row["place"]: row["entries"] for row in rows}


async def search(sought: SearchTerms, *, reader: Pool) -> list[Row]:
    """
    Return the matches, the most relevant first. Raises DatabaseUnavailable and StatementTimeout.

    Settings and statement go in one round trip; without a transaction of ours they are one all the same, up to the
    pipeline's end, so the settings are gone after it.
    """
    statement = sought.statement.encode()

    async def fetch_ranked(connection: Connection) -> list[Row]:
        async with connection.pipeline():
            await connection.execute(_SETTINGS.encode(), sought.settings, prepare=True)
            cursor = await connection.execute(statement, sought.parameters, prepare=True)
        return await cursor.fetchall()

    try:
        return await reader.run(fetch_ranked)
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as behind:
        raise DatabaseUnavailable(f"the database is behind the code; run manage.py migrate: {behind}") from behind


async def languages(*, reader: Pool) -> list[str]:
    """Return the languages of the entries, at most MAX_KINDS."""
    return [row["name"] for row in (await reader.fetch(_KINDS.format(column="language", most=MAX_KINDS))).rows]


async def error_types(*, reader: Pool) -> list[str]:
    """Return the error types of the entries, at most MAX_KINDS."""
    return [row["name"] for row in (await reader.fetch(_KINDS.format(column="error_type", most=MAX_KINDS))).rows]


async def count_uses(uses: Mapping[int, int], *, writer: Pool) -> None:
    """Add to the use counts of entries. Deleted entries are skipped."""
    values = {"ids": list(uses), "times": list(uses.values())}

    async def add(connection: Connection) -> None:
        await connection.execute(_COUNT_USES.encode(), values)

    await writer.run(add)
