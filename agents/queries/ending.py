"""How runs end: by their worker, by a person's word, by the sweep."""

from typing import Any
from uuid import UUID

from agents.queries.leases import append, as_holder
from agents.queries.pools import store
from agents.queries.rows import Held, clean
from toolbox.database.pools import Connection

_FIRST = """
SELECT id FROM agents_conversations
WHERE id = (SELECT conversation_id FROM agents_runs WHERE id = %s)
FOR NO KEY UPDATE
"""
"""Taken before the run's row, by all who take both, so that none waits for the other."""
_END = """
UPDATE agents_runs
SET state = %(state)s, finished_at = clock_timestamp(), error_code = %(code)s, error = %(error)s, worker = ''
WHERE id = %(run)s AND state IN ('queued', 'running', 'awaiting_approval')
RETURNING conversation_id, question_id, prompt_tokens, completion_tokens, cost, step_count
"""
_ANSWER = """
WITH counted AS (
    UPDATE agents_conversations SET message_count = message_count + 1, updated_at = clock_timestamp()
    WHERE id = %(conversation)s
    RETURNING message_count
)
INSERT INTO agents_messages (conversation_id, number, role, text, answers_id, run_id, created_at)
SELECT %(conversation)s, message_count, 'assistant', %(text)s, %(question)s, %(run)s, clock_timestamp() FROM counted
"""
_GIVE_BACK = "UPDATE agents_runs SET state = 'queued', worker = '', enqueued_at = clock_timestamp() WHERE id = %s"
_NEXT = """
UPDATE agents_runs SET enqueued_at = clock_timestamp()
WHERE id = (
    SELECT id FROM agents_runs WHERE conversation_id = %s AND state = 'queued' ORDER BY created_at, id LIMIT 1
) AND NOT EXISTS (
    SELECT 1 FROM agents_runs WHERE conversation_id = %s AND state IN ('running', 'awaiting_approval')
)
RETURNING id
"""


async def finish(held: Held, *, state: str, text: str = "", code: str = "", error: str = "") -> UUID | None:
    """End a run with its answer or its reason; gives the conversation's next run, if one waits."""

    async def end(connection: Connection) -> UUID | None:
        return await end_run(connection, run_id=held.run_id, state=state, text=text, code=code, error=error)

    return await as_holder(held, work=end, first=_FIRST)


async def release(held: Held) -> None:
    """Queue a run again whose worker is told to end; raises RunLost."""

    async def queue(connection: Connection) -> None:
        await connection.execute(_GIVE_BACK, [held.run_id])
        await append(connection, run_id=held.run_id, kind="run.taken_back", data={"attempt": held.attempt})

    await as_holder(held, work=queue)


async def end_run(
    connection: Connection, *, run_id: UUID, state: str, text: str = "", code: str = "", error: str = ""
) -> UUID | None:
    """
    End a live run within a transaction that holds its conversation; gives the conversation's next run.

    None also where the run had ended.
    """
    parameters = {"run": run_id, "state": state, "code": code[:60], "error": clean(error)}
    ended = await (await connection.execute(_END, parameters)).fetchone()
    if ended is None:
        return None
    if text:
        answer = {"conversation": ended["conversation_id"], "question": ended["question_id"], "run": run_id}
        await connection.execute(_ANSWER, answer | {"text": clean(text)})
    said = {"state": state, "text": text, "errorCode": code, "error": error}
    await append(connection, run_id=run_id, kind="run.finished", data=_without_empty(said) | _figures(ended))
    following = await connection.execute(_NEXT, [ended["conversation_id"]] * 2)
    row = await following.fetchone()
    return row["id"] if row else None


async def cancel(run_id: UUID) -> UUID | None:
    """Cancel a run wherever it stands; its worker finds that it is no longer its own. Gives the next run."""

    async def end(connection: Connection) -> UUID | None:
        async with connection.transaction():
            await connection.execute(_FIRST, [run_id])
            return await end_run(connection, run_id=run_id, state="cancelled")

    return await store.run(end)


def _without_empty(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value}


def _figures(ended: dict[str, Any]) -> dict[str, Any]:
    return {
        "steps": ended["step_count"],
        "promptTokens": ended["prompt_tokens"],
        "completionTokens": ended["completion_tokens"],
        "cost": f"{ended['cost'].normalize():f}" if ended["cost"] else "0",
    }
