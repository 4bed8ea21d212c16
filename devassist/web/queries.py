"""SQL of cached answers and the state of sources. Ages and pauses use the database's clock, shared by all processes."""

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from toolbox.database.pools import Connection, Pool

Row = dict[str, Any]

_KEPT = """
SELECT
  name AS source, answer.hits, source.is_limited, source.state,
  extract(epoch FROM now() - answer.fetched_at)::float AS age_seconds,
  ceil(extract(epoch FROM source.paused_until - now()))::int AS pause_seconds
FROM unnest(%(sources)s::text[]) AS name
LEFT JOIN devassist_web_sources AS source USING (name)
LEFT JOIN devassist_web_answers AS answer ON answer.source = name AND answer.digest = %(digest)s
LIMIT 10
"""

_KEEP = """
INSERT INTO devassist_web_answers (source, digest, words, hits, fetched_at)
VALUES (%(source)s, %(digest)s, %(words)s, %(hits)s, now())
ON CONFLICT (source, digest) DO UPDATE
SET words = excluded.words, hits = excluded.hits, fetched_at = excluded.fetched_at
"""

_FORGET = """
DELETE FROM devassist_web_answers WHERE id IN (
  SELECT id FROM devassist_web_answers
  WHERE fetched_at < now() - make_interval(days => %(keep_days)s)
  ORDER BY fetched_at LIMIT 500
)
"""

# An answer ends the pause of a source that was down; a limit stays as long as it was said to last.
_STATE = """
INSERT INTO devassist_web_sources (name, paused_until, is_limited, state, quota_remaining, answered_at)
VALUES (
  %(source)s, now() + make_interval(secs => %(pause_seconds)s), %(is_limited)s, %(state)s, %(quota)s,
  CASE WHEN %(answered)s THEN now() END
)
ON CONFLICT (name) DO UPDATE SET
  paused_until = CASE WHEN devassist_web_sources.is_limited
    THEN greatest(devassist_web_sources.paused_until, excluded.paused_until) ELSE excluded.paused_until END,
  is_limited = excluded.is_limited OR (devassist_web_sources.is_limited AND devassist_web_sources.paused_until > now()),
  state = excluded.state,
  quota_remaining = coalesce(excluded.quota_remaining, devassist_web_sources.quota_remaining),
  answered_at = coalesce(excluded.answered_at, devassist_web_sources.answered_at)
"""


async def fetch_stored(digest: str, *, sources: Sequence[str], reader: Pool) -> list[Row]:
    """Return the cached answer of each source to these words, and whether it is paused."""
    return (await reader.fetch(_KEPT, {"digest": digest, "sources": list(sources)})).rows


async def keep(answer: Row, *, keep_days: int, writer: Pool) -> None:
    """Store an answer, and delete those older than any that is served."""

    async def work(connection: Connection) -> None:
        await connection.execute(_KEEP, answer | {"hits": Jsonb(answer["hits"])})
        await connection.execute(_FORGET, {"keep_days": keep_days})

    await writer.run(work)


async def note(state: Row, *, writer: Pool) -> None:
    """Store the state of a source."""

    async def work(connection: Connection) -> None:
        await connection.execute(_STATE, state)

    await writer.run(work)
