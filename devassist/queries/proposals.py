"""SQL that stores a proposed root cause, as the owner."""

from typing import Any, Literal, cast

from toolbox.database.pools import Connection, Pool

Status = Literal["proposed", "validated", "retired"]

_STORE = """
WITH stored AS (
INSERT INTO devassist_root_causes (
  entry_name, status, language, error_type, error_key, error_description, root_cause, solution, fixed_in, confidence,
  source, created_at, changed_at, stored_digest, text_hash, embedded_hash, embedding_model, embedding, word_places,
  word_weights
) VALUES (
  %(entry_name)s, 'proposed', %(language)s, %(error_type)s, %(error_key)s, %(error_description)s, %(root_cause)s,
  %(solution)s, %(fixed_in)s, %(confidence)s, %(source)s, now(), now(), '', %(text_hash)s, %(embedded_hash)s,
  %(embedding_model)s, %(embedding)s::halfvec, %(word_places)s::int[], %(word_weights)s::sparsevec
) ON CONFLICT (entry_name) DO NOTHING
RETURNING word_places
)
INSERT INTO devassist_root_cause_words (place, entries)
SELECT place, 1 FROM stored, unnest(array_append(word_places, 0)) AS place ORDER BY place
ON CONFLICT (place) DO UPDATE SET entries = devassist_root_cause_words.entries + 1
"""
"""The statement also counts the words, since HNSW alone may not find a new proposal without near neighbours."""

_STATUS = "SELECT status FROM devassist_root_causes WHERE entry_name = %(entry_name)s LIMIT 1"


async def store(values: dict[str, Any], *, writer: Pool) -> Status:
    """Store a proposal unless it exists. Returns its status, which a person may have changed since."""

    async def insert(connection: Connection) -> Status:
        async with connection.transaction():
            await connection.execute(_STORE.encode(), values)
            row = await (await connection.execute(_STATUS.encode(), values)).fetchone()
        return cast("Status", row["status"]) if row else "proposed"

    return await writer.run(insert)
