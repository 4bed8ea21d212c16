"""
Queries of MCP tasks: calls that a worker executes, as their callers see them (toolbox/mcp/task_worker.py).

A task is visible only to the key that created it.
"""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import Answers
from toolbox.database.pools import writer
from toolbox.dispatch.dispatch import Call
from toolbox.work.lease import Row, WorkKind, register_kind

MAX_PROGRESS_CHARACTERS = 300

TASKS = register_kind(
    WorkKind(
        table="toolbox_tasks",
        celery_task="toolbox.work_on",
        id_argument="task_id",
        stale_seconds=15.0,
        claimed=(
            "work.caller, work.key_id, work.domain, work.tool, work.arguments, work.transport, work.request_id, "
            "work.capabilities, work.answers"
        ),
        on_progress=(
            "progress = %(progress)s::text, "
            "changed_at = CASE WHEN progress = %(progress)s::text THEN changed_at ELSE now() END"
        ),
        on_finish="changed_at = now()",
    )
)

_STATUS = "CASE WHEN state IN ('queued', 'running') THEN 'working' ELSE state END AS status"
_SHOWN = f"id, {_STATUS}, progress, inquiries, outcome, created_at, changed_at, keep_seconds"
_OWN = "id = %(id)s AND caller = %(caller)s AND key_id IS NOT DISTINCT FROM %(key_id)s"
_CREATE = f"""
INSERT INTO toolbox_tasks (id, caller, key_id, domain, tool, arguments, transport, request_id, state, capabilities,
  inquiries, answers, outcome, progress, created_at, changed_at, enqueued_at, attempt, keep_seconds)
VALUES (%(id)s, %(caller)s, %(key_id)s, %(domain)s, %(tool)s, %(arguments)s, %(transport)s, %(request_id)s, 'queued',
  %(capabilities)s, '{{}}', %(answers)s, '', '', now(), now(), now(), 0, %(keep_seconds)s)
RETURNING {_SHOWN}
"""
_READ = f"SELECT {_SHOWN} FROM toolbox_tasks WHERE {_OWN}"
_ANSWER = f"""
UPDATE toolbox_tasks SET
  answers = answers || (SELECT coalesce(jsonb_object_agg(key, value), '{{}}') FROM jsonb_each(%(given)s)
    WHERE inquiries ? key),
  inquiries = inquiries - ARRAY(SELECT jsonb_object_keys(%(given)s)),
  state = CASE WHEN inquiries - ARRAY(SELECT jsonb_object_keys(%(given)s)) = '{{}}' THEN 'queued' ELSE state END,
  enqueued_at = now(), enqueues = 0, changed_at = now()
WHERE {_OWN} AND state = 'input_required'
RETURNING state
"""
_CANCEL = """
UPDATE toolbox_tasks
SET state = 'cancelled', worker = '', inquiries = '{}', answers = '{}', arguments = '', changed_at = now()
WHERE id = %(id)s AND state IN ('queued', 'running', 'input_required')
"""
_FORGET = "DELETE FROM toolbox_tasks WHERE changed_at < now() - make_interval(secs => keep_seconds)"


async def create(task_id: UUID, *, call: Call, caller: Caller, keep_seconds: int) -> Row:
    """Store a call that continues as a task; durable when this returns."""
    values = {
        "domain": call.domain or "",
        "tool": call.tool,
        "arguments": (call.arguments or b"{}").decode(),
        "transport": call.transport,
        "request_id": call.request_id,
        "capabilities": Jsonb(dict(call.client.capabilities)),
        "answers": Jsonb(call.client.answers),
        "keep_seconds": keep_seconds,
    }
    return (await _rows(_CREATE, _owner_parameters(task_id, caller) | values))[0]


async def read(task_id: UUID, *, caller: Caller) -> Row | None:
    """Return the caller's task, or None."""
    return _first(await _rows(_READ, _owner_parameters(task_id, caller)))


async def tell(task_id: UUID, *, given: Answers, caller: Caller) -> bool:
    """Store answers to the task's questions, ignoring others; True if it can continue."""
    answered = _first(await _rows(_ANSWER, _owner_parameters(task_id, caller) | {"given": Jsonb(given)}))
    return answered is not None and answered["state"] == "queued"


async def cancel(task_id: UUID, *, caller: Caller) -> None:
    """Cancel the caller's task, unless it has ended."""
    await _rows(f"{_CANCEL} AND {_OWN}", _owner_parameters(task_id, caller))


async def cancel_any(task_id: UUID) -> bool:
    """Cancel any caller's task, for administrators; False if it had ended."""
    return bool(await _rows(f"{_CANCEL} RETURNING id", {"id": task_id}))


async def forget_old() -> None:
    """Delete expired tasks."""
    await _rows(_FORGET, {})


def _owner_parameters(task_id: UUID, caller: Caller) -> Row:
    return {"id": task_id, "caller": caller.name, "key_id": caller.key_id}


def _first(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None


async def _rows(statement: str, values: Row) -> list[Row]:
    async def work(connection: Any) -> list[Row]:
        cursor = await connection.execute(statement, values)
        rows: list[Row] = await cursor.fetchall() if cursor.description else []
        return rows

    return await writer.run(work)
