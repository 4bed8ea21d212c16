"""The lease of a run, and what is written under it: events, the end, and the queue of its conversation."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from agents.queries.findings import describe_cancelled
from agents.queries.rows import Budgets, ClaimedRun, clean
from toolbox.database.pools import Connection, relaxed_pool, work_pool
from toolbox.work.lease import Lease, LeaseLost, Row, WorkKind, register_kind

_CLAIMED = """
SELECT run.key_id,
    extract(epoch FROM run.deadline_at - clock_timestamp())::float AS seconds_left,
    to_char(run.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS asked_on,
    question.number AS question_number, coalesce(owner.username, 'local') AS owner_name,
    conversation.id AS conversation_id, conversation.owner_id, conversation.toolkits, conversation.model,
    conversation.approve_tools, conversation.max_steps, conversation.max_answer_bytes
FROM agents_runs AS run
JOIN agents_messages AS question ON question.id = run.question_id
JOIN agents_conversations AS conversation ON conversation.id = run.conversation_id
LEFT JOIN auth_user AS owner ON owner.id = conversation.owner_id
WHERE run.id = %s AND run.attempt = %s AND run.state = 'running'
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
_LOCK_CONVERSATION = """
SELECT id FROM agents_conversations
WHERE id = (SELECT conversation_id FROM agents_runs WHERE id = %s)
FOR NO KEY UPDATE
"""
"""Everything that locks both locks this before the run's row, which prevents deadlocks."""
_END = """
UPDATE agents_runs
SET state = %(state)s, finished_at = clock_timestamp(), error_code = %(code)s, error = %(error)s, worker = ''
WHERE id = %(run)s AND state IN ('queued', 'running', 'awaiting_approval')
RETURNING conversation_id, question_id, prompt_tokens, completion_tokens, estimated_tokens, cost, step_count
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
_NEXT = """
UPDATE agents_runs SET enqueued_at = clock_timestamp()
WHERE id = (
    SELECT id FROM agents_runs WHERE conversation_id = %s AND state = 'queued' ORDER BY created_at, id LIMIT 1
) AND NOT EXISTS (
    SELECT 1 FROM agents_runs WHERE conversation_id = %s AND state IN ('running', 'awaiting_approval')
)
RETURNING id
"""
_UNWANTED = """
SELECT run.id FROM agents_runs AS run
WHERE run.state IN ('queued', 'running', 'awaiting_approval')
  AND EXISTS (SELECT 1 FROM toolbox_tasks AS task WHERE task.id = run.id AND task.state = 'cancelled')
LIMIT 200
"""


async def load_claimed(lease: Lease) -> ClaimedRun:
    """Return the run as it is when a worker claims it; raises LeaseLost."""
    found = (await work_pool.fetch(_CLAIMED, [lease.id, lease.attempt])).rows
    if not found:
        raise LeaseLost
    row = found[0]
    budgets = {"steps": "max_steps", "answer_bytes": "max_answer_bytes"}
    return ClaimedRun(
        lease=lease,
        budgets=Budgets(**{name: row.pop(column) for name, column in budgets.items()}),
        toolkits=tuple(row.pop("toolkits")),
        approve_tools=frozenset(row.pop("approve_tools")),
        **row,
    )


async def append_event(lease: Lease, *, kind: str, data: Row) -> None:
    """Append an event under the lease, in one statement; raises LeaseLost."""
    parameters = {"run": lease.id, "attempt": lease.attempt, "kind": kind, "data": Jsonb(clean_json(data))}
    if not (await relaxed_pool.fetch(_APPEND, parameters)).rows:
        raise LeaseLost


async def append(connection: Connection, *, run_id: UUID, kind: str, data: Row) -> None:
    """Append an event within a transaction that locks the run's row."""
    parameters = {"run": run_id, "attempt": None, "kind": kind, "data": Jsonb(clean_json(data))}
    await connection.execute(_APPEND, parameters)


def clean_json(value: Any) -> Any:
    """Remove from JSON what jsonb cannot store."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(name)): clean_json(part) for name, part in value.items()}
    return [clean_json(part) for part in value] if isinstance(value, list | tuple) else value


async def finish(lease: Lease, *, state: str, text: str = "", code: str = "", error: str = "") -> UUID | None:
    """End a run with its answer or its error; returns the conversation's next run, if any. Raises LeaseLost."""
    lease.is_ending = True

    async def end(connection: Connection) -> UUID | None:
        return await end_run(connection, run_id=lease.id, state=state, text=text, code=code, error=error)

    return await lease.transact(end, first=_LOCK_CONVERSATION)


async def end_run(
    connection: Connection, *, run_id: UUID, state: str, text: str = "", code: str = "", error: str = ""
) -> UUID | None:
    """
    End a live run in a transaction that locks its conversation; returns the conversation's next run.

    Returns None also if the run had ended. A cancelled run answers with what it had said and found.
    """
    text = text or (await describe_cancelled(connection, run_id=run_id) if state == "cancelled" else "")
    parameters = {"run": run_id, "state": state, "code": code[:60], "error": clean(error)}
    ended = await (await connection.execute(_END, parameters)).fetchone()
    if ended is None:
        return None
    if text:
        answer = {"conversation": ended["conversation_id"], "question": ended["question_id"], "run": run_id}
        await connection.execute(_ANSWER, answer | {"text": clean(text)})
    outcome = {"state": state, "text": text, "errorCode": code, "error": error}
    figures = {
        "steps": ended["step_count"],
        "promptTokens": ended["prompt_tokens"],
        "completionTokens": ended["completion_tokens"],
        "estimatedTokens": ended["estimated_tokens"],
        "cost": f"{ended['cost'].normalize():f}" if ended["cost"] else "0",
    }
    data = {name: value for name, value in outcome.items() if value} | figures
    await append(connection, run_id=run_id, kind="run.finished", data=data)
    following = await connection.execute(_NEXT, [ended["conversation_id"]] * 2)
    row = await following.fetchone()
    return row["id"] if row else None


async def cancel(run_id: UUID) -> UUID | None:
    """Cancel a run in any state; its worker notices that the lease is lost. Returns the conversation's next run."""

    async def end(connection: Connection) -> UUID | None:
        async with connection.transaction():
            await connection.execute(_LOCK_CONVERSATION, [run_id])
            return await end_run(connection, run_id=run_id, state="cancelled")

    return await work_pool.run(end)


async def cancel_unwanted() -> list[UUID]:
    """Cancel runs whose task was cancelled (agents/runs/ask_agent.py); returns the runs that are next."""
    unwanted = [row["id"] for row in (await work_pool.fetch(_UNWANTED)).rows]
    return [following for run_id in unwanted if (following := await cancel(run_id))]


async def _append_taken_back(connection: Connection, row: Row) -> None:
    await append(connection, run_id=row["id"], kind="run.taken_back", data={"attempt": row["attempt"]})


RUNS = register_kind(
    WorkKind(
        table="agents_runs",
        celery_task="agents.carry_on",
        id_argument="run_id",
        stale_seconds=5.0,
        is_ready="""NOT EXISTS (
          SELECT 1 FROM agents_runs AS earlier
          WHERE earlier.conversation_id = work.conversation_id
            AND earlier.state IN ('queued', 'running', 'awaiting_approval')
            AND (earlier.created_at, earlier.id) < (work.created_at, work.id)
        )""",
        on_claim="""
        started_at = coalesce(work.started_at, clock_timestamp()),
        deadline_at = coalesce(
            work.deadline_at + coalesce(clock_timestamp() - work.paused_at, interval '0'),
            clock_timestamp() + make_interval(
                secs => (SELECT max_seconds FROM agents_conversations WHERE id = work.conversation_id)
            )
        ),
        paused_at = NULL""",
        on_progress="""
        streamed_prompt_tokens = %(streamed_prompt_tokens)s,
        streamed_completion_tokens = %(streamed_completion_tokens)s""",
        on_requeue=_append_taken_back,
        on_sweep=cancel_unwanted,
    )
)
