"""Conversations and their messages, as their owners see them: every statement checks the owner."""

from typing import Any
from uuid import UUID

from toolbox.database.pools import Connection, work_pool, writer
from toolbox.text.redaction import MaskedText

MAX_LISTED = 100
MAX_MESSAGES = 1_000

_COLUMNS = """
id, title, toolkits, model, max_steps, max_tokens, max_cost, max_total_tokens, max_total_cost, max_seconds,
max_answer_bytes, approve_tools, second_message, message_count, forked_from_id, created_at, updated_at
"""
_CREATE = f"""
INSERT INTO agents_conversations (id, owner_id, title, toolkits, model, max_steps, max_tokens, max_cost,
    max_total_tokens, max_total_cost, max_seconds, max_answer_bytes, approve_tools, second_message, message_count,
    created_at, updated_at)
VALUES (gen_random_uuid(), %(owner)s, %(title)s, %(toolkits)s, %(model)s, %(max_steps)s, %(max_tokens)s, %(max_cost)s,
    %(max_total_tokens)s, %(max_total_cost)s, %(max_seconds)s,
    %(max_answer_bytes)s, %(approve_tools)s, %(second_message)s, 0, clock_timestamp(),
    clock_timestamp())
RETURNING {_COLUMNS}
"""
_ONE = f"""
SELECT {_COLUMNS} FROM agents_conversations WHERE id = %s AND owner_id IS NOT DISTINCT FROM %s LIMIT 1
"""
_LIST = f"""
SELECT {_COLUMNS} FROM agents_conversations
WHERE owner_id IS NOT DISTINCT FROM %(owner)s
  AND (%(before)s::timestamptz IS NULL OR updated_at < %(before)s)
ORDER BY updated_at DESC, id
LIMIT %(limit)s
"""
_RENAME = f"""
UPDATE agents_conversations SET title = %s, updated_at = clock_timestamp()
WHERE id = %s AND owner_id IS NOT DISTINCT FROM %s
RETURNING {_COLUMNS}
"""
_USED_TOOLS = """
SELECT step.tool, max(step.created_at) AS used_at
FROM agents_steps AS step
JOIN agents_runs AS run ON run.id = step.run_id
WHERE run.conversation_id = %s AND step.kind = 'tool' AND step.state = 'answered'
GROUP BY step.tool ORDER BY used_at DESC, step.tool LIMIT 8
"""
_MESSAGES = """
SELECT number, role, text, run_id, created_at, answers
FROM (
    SELECT said.number, said.role, said.text, coalesce(said.run_id, asked.id) AS run_id, said.created_at,
        question.number AS answers
    FROM agents_messages AS said
    LEFT JOIN agents_messages AS question ON question.id = said.answers_id
    LEFT JOIN LATERAL (
        SELECT id FROM agents_runs WHERE question_id = said.id ORDER BY created_at DESC, id LIMIT 1
    ) AS asked ON said.role = 'user'
    WHERE said.conversation_id = %s AND said.number > %s
    ORDER BY said.number
    LIMIT %s
) AS page
ORDER BY number
LIMIT 1000
"""
_SAID_BEFORE = """
SELECT said.number, said.role, said.text, question.number AS answers
FROM agents_messages AS said
LEFT JOIN agents_messages AS question ON question.id = said.answers_id
WHERE said.conversation_id = %s AND coalesce(question.number, said.number) <= %s
ORDER BY said.number DESC
LIMIT 400
"""
_FORK = f"""
INSERT INTO agents_conversations (id, owner_id, title, toolkits, model, max_steps, max_tokens, max_cost,
    max_total_tokens, max_total_cost, max_seconds, max_answer_bytes, approve_tools, second_message, message_count,
    forked_from_id, created_at, updated_at)
SELECT gen_random_uuid(), %(owner)s::int, %(title)s, toolkits, model, max_steps, max_tokens, max_cost,
    max_total_tokens, max_total_cost, max_seconds, max_answer_bytes, approve_tools, second_message,
    least(message_count, %(number)s), id, clock_timestamp(),
    clock_timestamp()
FROM agents_conversations
WHERE id = %(conversation)s AND message_count >= %(number)s
  AND (owner_id IS NOT DISTINCT FROM %(owner)s OR (is_shared AND %(by_reader)s))
RETURNING {_COLUMNS}
"""
_COPY = """
WITH copied AS (
    INSERT INTO agents_messages (conversation_id, number, role, text, answers_id, run_id, created_at)
    SELECT %(fork)s, number, 'user', text, NULL, NULL, created_at
    FROM agents_messages
    WHERE conversation_id = %(conversation)s AND number <= %(number)s AND role = 'user'
    RETURNING id, number
)
INSERT INTO agents_messages (conversation_id, number, role, text, answers_id, run_id, created_at)
SELECT %(fork)s, said.number, 'assistant', said.text, copied.id, NULL, said.created_at
FROM agents_messages AS said
JOIN agents_messages AS question ON question.id = said.answers_id
JOIN copied ON copied.number = question.number
WHERE said.conversation_id = %(conversation)s AND said.number <= %(number)s AND said.role = 'assistant'
"""
_LOCK = "SELECT id FROM agents_conversations WHERE id = %s AND owner_id IS NOT DISTINCT FROM %s FOR UPDATE"
_LOCK_RUNS = """
SELECT count(*) AS runs FROM (SELECT id FROM agents_runs WHERE conversation_id = %s ORDER BY id FOR UPDATE) AS held
"""
"""A worker that holds a run may still add rows to it. Only a statement that begins after it has ended sees them."""
_DELETE = """
WITH gone AS (SELECT id FROM agents_runs WHERE conversation_id = %(id)s),
events AS (DELETE FROM agents_events WHERE run_id IN (SELECT id FROM gone)),
steps AS (DELETE FROM agents_steps WHERE run_id IN (SELECT id FROM gone)),
messages AS (DELETE FROM agents_messages WHERE conversation_id = %(id)s),
runs AS (DELETE FROM agents_runs WHERE conversation_id = %(id)s),
forks AS (UPDATE agents_conversations SET forked_from_id = NULL WHERE forked_from_id = %(id)s)
DELETE FROM agents_conversations WHERE id = %(id)s
"""

Row = dict[str, Any]


async def create(settings: Row, *, owner_id: int | None) -> Row:
    """Create a conversation."""
    return (await writer.fetch(_CREATE, settings | {"owner": owner_id, "title": MaskedText(settings["title"])})).rows[0]


async def find(conversation_id: UUID, *, owner_id: int | None) -> Row | None:
    """Return a conversation of the owner, or None."""
    found = await work_pool.fetch(_ONE, [conversation_id, owner_id])
    return found.rows[0] if found.rows else None


async def find_page(*, owner_id: int | None, before: Any = None, limit: int = 50) -> list[Row]:
    """Return the owner's conversations, the latest first; `before` is the last updated_at of the previous page."""
    wanted = {"owner": owner_id, "before": before, "limit": min(limit, MAX_LISTED)}
    return (await work_pool.fetch(_LIST, wanted)).rows


async def rename(conversation_id: UUID, *, owner_id: int | None, title: str) -> Row | None:
    """Rename a conversation; None if it is not the owner's."""
    found = await work_pool.fetch(_RENAME, [MaskedText(title), conversation_id, owner_id])
    return found.rows[0] if found.rows else None


async def find_messages(conversation_id: UUID, *, after: int = 0, limit: int = 200) -> list[Row]:
    """Return the messages after a number, in order. Does not check the owner."""
    return (await work_pool.fetch(_MESSAGES, [conversation_id, after, min(limit, MAX_MESSAGES)])).rows


async def find_messages_until(conversation_id: UUID, *, question: int) -> list[Row]:
    """Return the latest messages up to a question, in order; at most 400. Does not check the owner."""
    return (await work_pool.fetch(_SAID_BEFORE, [conversation_id, question])).rows[::-1]


async def find_used_tools(conversation_id: UUID) -> list[str]:
    """Return the tools that answered in a conversation, the latest used first; at most 8."""
    return [row["tool"] for row in (await work_pool.fetch(_USED_TOOLS, [conversation_id])).rows]


async def fork(
    conversation_id: UUID, *, owner_id: int | None, number: int, title: str, by_reader: bool = False
) -> Row | None:
    """
    Create a conversation with this one's messages up to `number`; None if there is no such message.

    The original is the owner's own or, with `by_reader`, a shared one, of which the reader gets a copy.
    """
    wanted = {
        "conversation": conversation_id, "owner": owner_id, "number": number, "title": MaskedText(title),
        "by_reader": by_reader,
    }  # fmt: skip

    async def copy(connection: Connection) -> Row | None:
        async with connection.transaction():
            made = await (await connection.execute(_FORK.encode(), wanted)).fetchone()
            if made is not None:
                await connection.execute(_COPY, wanted | {"fork": made["id"]})
            return made

    return await writer.run(copy)


async def delete(conversation_id: UUID, *, owner_id: int | None) -> bool:
    """Delete a conversation with its messages and runs; the database notifies the workers of running ones."""

    async def remove(connection: Connection) -> bool:
        async with connection.transaction():
            if await (await connection.execute(_LOCK, [conversation_id, owner_id])).fetchone() is None:
                return False
            await connection.execute(_LOCK_RUNS, [conversation_id])
            await connection.execute(_DELETE, {"id": conversation_id})
            return True

    return await work_pool.run(remove)
