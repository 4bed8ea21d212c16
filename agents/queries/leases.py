"""Taking up a run, keeping it, and writing only as long as it is ours."""

from collections.abc import Awaitable, Callable
from typing import Any, LiteralString, TypeVar
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from agents.queries.pools import passing, store
from agents.queries.rows import Budgets, Claimed, Held, RunLost, clean
from toolbox.database.pools import Connection

Result = TypeVar("Result")

_CLAIM = """
WITH free AS (
    SELECT mine.id
    FROM agents_runs AS mine
    WHERE mine.id = %(run)s
      AND (mine.state = 'queued' OR (mine.state = 'running' AND mine.worker = %(worker)s))
      AND NOT EXISTS (
          SELECT 1 FROM agents_runs AS earlier
          WHERE earlier.conversation_id = mine.conversation_id
            AND earlier.state IN ('queued', 'running', 'awaiting_approval')
            AND (earlier.created_at, earlier.id) < (mine.created_at, mine.id)
      )
    FOR UPDATE SKIP LOCKED
)
UPDATE agents_runs AS run
SET state = 'running',
    attempt = run.attempt + 1,
    worker = %(worker)s,
    heartbeat_at = clock_timestamp(),
    started_at = coalesce(run.started_at, clock_timestamp()),
    deadline_at = coalesce(
        run.deadline_at + coalesce(clock_timestamp() - run.paused_at, interval '0'),
        clock_timestamp() + make_interval(secs => conversation.max_seconds)
    ),
    paused_at = NULL,
    enqueues = 0
FROM free, agents_messages AS question, agents_conversations AS conversation
LEFT JOIN auth_user AS owner ON owner.id = conversation.owner_id
WHERE run.id = free.id AND question.id = run.question_id AND conversation.id = run.conversation_id
RETURNING run.id, run.attempt, run.losses, run.key_id, run.prompt_tokens + run.completion_tokens AS tokens,
    extract(epoch FROM run.deadline_at - clock_timestamp())::float AS seconds_left,
    to_char(run.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS asked_on,
    question.number AS question_number, coalesce(owner.username, 'local') AS owner_name,
    conversation.id AS conversation_id, conversation.owner_id, conversation.toolkits, conversation.model,
    conversation.approve_tools, conversation.max_steps, conversation.max_tokens, conversation.max_answer_bytes
"""
_HOLD = "SELECT id FROM agents_runs WHERE id = %s AND attempt = %s AND state = 'running' FOR UPDATE"
_BEAT = """
UPDATE agents_runs SET heartbeat_at = clock_timestamp()
WHERE id = %s AND attempt = %s AND state = 'running'
RETURNING id
"""
_APPEND = """
WITH counted AS (
    UPDATE agents_runs SET event_count = event_count + 1
    WHERE id = %(run)s AND (%(attempt)s::int IS NULL OR (attempt = %(attempt)s AND state = 'running'))
    RETURNING event_count
)
INSERT INTO agents_events (run_id, number, kind, data, at)
SELECT %(run)s, event_count, %(kind)s, %(data)s, clock_timestamp() FROM counted
RETURNING number
"""


async def claim(run_id: UUID, *, worker: str) -> Claimed | None:
    """
    Take up a queued run whose turn it is, or one that this very worker lost sight of; None where it is not free.

    Rows another worker is just taking are passed over, not waited for.
    """
    try:
        found = await store.fetch(_CLAIM, {"run": run_id, "worker": worker})
    except psycopg.errors.UniqueViolation:  # an earlier run of the conversation was taken up a moment before
        return None
    return _claimed(found.rows[0]) if found.rows else None


async def heartbeat(held: Held) -> bool:
    """Say that the worker lives; False when the run is no longer its own."""
    return bool((await passing.fetch(_BEAT, [held.run_id, held.attempt])).rows)


async def as_holder(
    held: Held, *, work: Callable[[Connection], Awaitable[Result]], first: LiteralString = ""
) -> Result:
    """Do `work` in one transaction that keeps others from the run; `first` locks what goes before. Raises RunLost."""

    async def transact(connection: Connection) -> Result:
        async with connection.transaction():
            if first:
                await connection.execute(first, [held.run_id])
            cursor = await connection.execute(_HOLD, [held.run_id, held.attempt])
            if await cursor.fetchone() is None:
                raise RunLost
            return await work(connection)

    return await store.run(transact)


async def tell(held: Held, *, kind: str, data: dict[str, Any]) -> None:
    """Append an event in one statement; raises RunLost."""
    parameters = {"run": held.run_id, "attempt": held.attempt, "kind": kind, "data": Jsonb(cleaned(data))}
    if not (await passing.fetch(_APPEND, parameters)).rows:
        raise RunLost


async def append(connection: Connection, *, run_id: UUID, kind: str, data: dict[str, Any]) -> None:
    """Append an event within a transaction that holds the run's row."""
    parameters = {"run": run_id, "attempt": None, "kind": kind, "data": Jsonb(cleaned(data))}
    await connection.execute(_APPEND, parameters)


def cleaned(value: Any) -> Any:
    """Take out of JSON what jsonb cannot hold."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(name)): cleaned(part) for name, part in value.items()}
    return [cleaned(part) for part in value] if isinstance(value, list | tuple) else value


def _claimed(row: dict[str, Any]) -> Claimed:
    return Claimed(
        held=Held(run_id=row["id"], attempt=row["attempt"]),
        conversation_id=row["conversation_id"],
        question_number=row["question_number"],
        owner_id=row["owner_id"],
        owner_name=row["owner_name"],
        key_id=row["key_id"],
        toolkits=tuple(row["toolkits"]),
        model=row["model"],
        approve_tools=frozenset(row["approve_tools"]),
        budgets=Budgets(steps=row["max_steps"], tokens=row["max_tokens"], answer_bytes=row["max_answer_bytes"]),
        losses=row["losses"],
        tokens=row["tokens"],
        seconds_left=row["seconds_left"],
        asked_on=row["asked_on"],
    )
