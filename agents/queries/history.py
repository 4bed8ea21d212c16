"""Conversations as pages show them: searched, shared, with their runs and steps."""

from typing import Any
from uuid import UUID

from toolbox.database.pools import work_pool, writer

PAGE = 25
QUESTIONS = 30
MAX_STEPS = 1_000
MAX_ANSWER = 2_000_000

_SEARCHED = """
SELECT talk.id, talk.title, talk.message_count, talk.is_shared, talk.updated_at, (
    SELECT state FROM agents_runs WHERE conversation_id = talk.id ORDER BY created_at DESC LIMIT 1
) AS state
FROM agents_conversations AS talk
WHERE talk.owner_id = %(owner)s
  AND (%(before)s::timestamptz IS NULL OR talk.updated_at < %(before)s)
  AND (%(like)s = '' OR talk.title ILIKE %(like)s OR EXISTS (
    SELECT 1 FROM agents_messages AS said WHERE said.conversation_id = talk.id AND said.text ILIKE %(like)s
  ))
ORDER BY talk.updated_at DESC, talk.id
LIMIT %(limit)s
"""
_READABLE = """
SELECT talk.id, talk.title, talk.toolkits, talk.model, talk.message_count, talk.is_shared, talk.created_at,
    talk.forked_from_id, talk.owner_id, owner.username AS owner
FROM agents_conversations AS talk
JOIN auth_user AS owner ON owner.id = talk.owner_id
WHERE talk.id = %(id)s AND (talk.owner_id = %(reader)s OR talk.is_shared)
LIMIT 1
"""
_EXCHANGES = """
SELECT said.number, said.text AS question, said.created_at AS asked_at, run.*,
    coalesce(answer.text, '') AS answer, answer.number AS answer_number, tries.count AS tries
FROM (
    SELECT id, number, text, created_at FROM agents_messages
    WHERE conversation_id = %(id)s AND role = 'user'
      AND (%(before)s::int IS NULL OR number < %(before)s) AND (%(run)s::uuid IS NULL OR id = (
        SELECT question_id FROM agents_runs WHERE id = %(run)s AND conversation_id = %(id)s
      ))
    ORDER BY number DESC
    LIMIT %(limit)s
) AS said
LEFT JOIN LATERAL (
    SELECT id AS run_id, state, error_code, error, model, started_at, finished_at, event_count, prompt_tokens,
        completion_tokens, cost, state = 'queued' AND started_at IS NULL
            AND created_at < now() - interval '8 seconds' AND NOT EXISTS (
                SELECT 1 FROM agents_runs AS earlier
                WHERE earlier.conversation_id = mine.conversation_id
                  AND earlier.state IN ('queued', 'running', 'awaiting_approval')
                  AND (earlier.created_at, earlier.id) < (mine.created_at, mine.id)
            ) AS is_waiting_long
    FROM agents_runs AS mine
    WHERE question_id = said.id AND (%(run)s::uuid IS NULL OR id = %(run)s)
    ORDER BY created_at DESC, id LIMIT 1
) AS run ON true
LEFT JOIN LATERAL (
    SELECT number, text FROM agents_messages
    WHERE answers_id = said.id AND (run.run_id IS NULL OR agents_messages.run_id = run.run_id)
    ORDER BY number DESC LIMIT 1
) AS answer ON true
CROSS JOIN LATERAL (SELECT count(*) FROM agents_runs WHERE question_id = said.id) AS tries
ORDER BY said.number
LIMIT 100
"""
_STEPS = """
SELECT run_id, number, kind, state, tool,
    left(
        coalesce(nullif(edited_arguments, ''), arguments),
        CASE state WHEN 'awaiting_approval' THEN 2000000 ELSE 16384 END
    ) AS arguments,
    code, milliseconds, octet_length(answer) AS answer_bytes,
    CASE WHEN kind = 'model' AND octet_length(answer) < 100000 THEN answer ELSE '' END AS said
FROM agents_steps WHERE run_id = ANY(%s) ORDER BY run_id, number LIMIT 1000
"""
_STEP = """
SELECT step.number, step.kind, step.state, step.tool, step.arguments, step.edited_arguments, step.word,
    left(step.answer, 2000000) AS answer, octet_length(step.answer) AS answer_bytes, left(step.shown, 50000) AS shown,
    step.code, step.milliseconds
FROM agents_steps AS step
JOIN agents_runs AS run ON run.id = step.run_id
WHERE run.conversation_id = %s AND step.run_id = %s AND step.number = %s
LIMIT 1
"""
_SHARE = "UPDATE agents_conversations SET is_shared = %s WHERE id = %s AND owner_id = %s RETURNING id"
Row = dict[str, Any]


async def search(*, owner_id: int, words: str = "", before: Any = None) -> list[Row]:
    """Return the owner's conversations with these words, the latest first; one more than a page if there are more."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    wanted = {"owner": owner_id, "before": before, "like": f"%{escaped}%" if words else "", "limit": PAGE + 1}
    return (await work_pool.fetch(_SEARCHED, wanted)).rows


async def find_readable(conversation_id: UUID, *, reader_id: int) -> Row | None:
    """Return a conversation that is the reader's own or shared, or None."""
    found = await work_pool.fetch(_READABLE, {"id": conversation_id, "reader": reader_id})
    return found.rows[0] if found.rows else None


async def find_exchanges(conversation_id: UUID, *, before: int | None = None, run_id: UUID | None = None) -> list[Row]:
    """Return the latest questions, each with its latest run (or that of `run_id`) and the answer."""
    wanted = {"id": conversation_id, "before": before, "run": run_id, "limit": QUESTIONS}
    return (await work_pool.fetch(_EXCHANGES, wanted)).rows


async def find_steps(run_ids: list[UUID]) -> list[Row]:
    """Return the steps of runs with what the model said; tools' answers are read by `find_step`."""
    return (await work_pool.fetch(_STEPS, [run_ids])).rows if run_ids else []


async def find_step(conversation_id: UUID, *, run_id: UUID, number: int) -> Row | None:
    """Return a step with its answer. Does not check who may read the conversation."""
    found = await work_pool.fetch(_STEP, [conversation_id, run_id, number])
    return found.rows[0] if found.rows else None


async def share(conversation_id: UUID, *, owner_id: int, is_shared: bool) -> bool:
    """Let everyone who is logged in read it, or only the owner again; returns whether it is the owner's."""
    return bool((await writer.fetch(_SHARE, [is_shared, conversation_id, owner_id])).rows)
