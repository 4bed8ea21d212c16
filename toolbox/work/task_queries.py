"""
The SQL of tasks: each change is one statement that says from which state it may be made, so that two cannot clash.

A task belongs to the key that began it; to others it is not there.
"""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import Answers
from toolbox.database.pools import writer
from toolbox.dispatch.dispatch import Call

Row = dict[str, Any]

STALE_SECONDS = 15.0
"""A worker says every second that it lives; silent for so long, it is taken for dead, and another takes its task."""
MAX_TRIES = 5
MAX_PROGRESS = 300

_SHOWN = "id, status, progress, inquiries, outcome, created_at, changed_at, keep_seconds"
_OWN = "id = %(id)s AND caller = %(caller)s AND key_id IS NOT DISTINCT FROM %(key_id)s"
_CREATE = f"""
INSERT INTO toolbox_tasks (id, caller, key_id, domain, tool, arguments, transport, request_id, status, capabilities,
  inquiries, answers, outcome, progress, created_at, changed_at, tries, keep_seconds)
VALUES (%(id)s, %(caller)s, %(key_id)s, %(domain)s, %(tool)s, %(arguments)s, %(transport)s, %(request_id)s, 'working',
  %(capabilities)s, '{{}}', %(answers)s, '', '', now(), now(), 0, %(keep_seconds)s)
RETURNING {_SHOWN}
"""
_READ = f"SELECT {_SHOWN} FROM toolbox_tasks WHERE {_OWN}"
_TELL = f"""
UPDATE toolbox_tasks SET
  answers = answers || (SELECT coalesce(jsonb_object_agg(key, value), '{{}}') FROM jsonb_each(%(given)s)
    WHERE inquiries ? key),
  inquiries = inquiries - ARRAY(SELECT jsonb_object_keys(%(given)s)),
  status = CASE WHEN inquiries - ARRAY(SELECT jsonb_object_keys(%(given)s)) = '{{}}' THEN 'working' ELSE status END,
  beat_at = NULL, changed_at = now()
WHERE {_OWN} AND status = 'input_required'
RETURNING status
"""
_CANCEL_ANY = """
UPDATE toolbox_tasks SET status = 'cancelled', inquiries = '{}', changed_at = now()
WHERE id = %(id)s AND status IN ('working', 'input_required')
"""
_CANCEL = f"{_CANCEL_ANY} AND {_OWN}"
_TAKE = """
UPDATE toolbox_tasks SET beat_at = now(), tries = tries + 1
WHERE id = %(id)s AND status = 'working' AND (beat_at IS NULL OR beat_at < now() - make_interval(secs => %(stale)s))
RETURNING id, caller, key_id, domain, tool, arguments, transport, request_id, capabilities, answers, tries
"""
_BEAT = """
UPDATE toolbox_tasks SET beat_at = now(), progress = %(progress)s::text,
  changed_at = CASE WHEN progress = %(progress)s::text THEN changed_at ELSE now() END
WHERE id = %(id)s AND status = 'working'
RETURNING id
"""
_GIVE_BACK = """
UPDATE toolbox_tasks SET beat_at = NULL, tries = greatest(tries - 1, 0) WHERE id = %(id)s AND status = 'working'
"""
_PARK = """
UPDATE toolbox_tasks SET status = 'input_required', inquiries = %(inquiries)s, answers = %(answers)s, changed_at = now()
WHERE id = %(id)s AND status = 'working'
"""
_END = """
UPDATE toolbox_tasks SET status = %(status)s, outcome = %(outcome)s, changed_at = now()
WHERE id = %(id)s AND status = 'working'
"""
_WAITING = """
SELECT id FROM toolbox_tasks
WHERE status = 'working' AND coalesce(beat_at, changed_at) < now() - make_interval(secs => %(stale)s)
LIMIT 100
"""
_FORGET = "DELETE FROM toolbox_tasks WHERE changed_at < now() - make_interval(secs => keep_seconds)"


async def create(task_id: UUID, *, call: Call, caller: Caller, keep_seconds: int) -> Row:
    """Keep a call that goes on as a task; durable when this returns."""
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
    return (await _rows(_CREATE, _own(task_id, caller) | values))[0]


async def read(task_id: UUID, *, caller: Caller) -> Row | None:
    """Give the caller's task."""
    return _first(await _rows(_READ, _own(task_id, caller)))


async def tell(task_id: UUID, *, given: Answers, caller: Caller) -> bool:
    """Keep answers to what it asks, and nothing else; True when it can go on."""
    told = _first(await _rows(_TELL, _own(task_id, caller) | {"given": Jsonb(given)}))
    return told is not None and told["status"] == "working"


async def cancel(task_id: UUID, *, caller: Caller) -> None:
    """End it, unless it has ended."""
    await _rows(_CANCEL, _own(task_id, caller))


async def cancel_any(task_id: UUID) -> bool:
    """End it, whosever it is, as an administrator may; False where it had ended."""
    return bool(await _rows(f"{_CANCEL_ANY} RETURNING id", {"id": task_id}))


async def claim(task_id: UUID) -> Row | None:
    """Take it up, if it waits or its worker is silent; None where there is nothing to do."""
    return _first(await _rows(_TAKE, {"id": task_id, "stale": STALE_SECONDS}))


async def heartbeat(task_id: UUID, *, progress: str = "") -> bool:
    """Say that its worker lives, and how far it is; False where it is over, as when it was cancelled."""
    return bool(await _rows(_BEAT, {"id": task_id, "progress": progress[:MAX_PROGRESS]}))


async def release(task_id: UUID) -> None:
    """Leave it to another worker, because this one is told to end."""
    await _rows(_GIVE_BACK, {"id": task_id})


async def park(task_id: UUID, *, client_requests: Row, answers: Answers) -> None:
    """Have it wait for answers, with nobody at work."""
    await _rows(_PARK, {"id": task_id, "inquiries": Jsonb(client_requests), "answers": Jsonb(answers)})


async def end(task_id: UUID, *, status: str, outcome: str) -> None:
    """Keep what came of it, unless it was cancelled meanwhile."""
    await _rows(_END, {"id": task_id, "status": status, "outcome": outcome})


async def waiting() -> list[UUID]:
    """Name up to 100 tasks that no worker is at."""
    return [row["id"] for row in await _rows(_WAITING, {"stale": STALE_SECONDS})]


async def forget_old() -> None:
    """Delete those whose time is over."""
    await _rows(_FORGET, {})


def _own(task_id: UUID, caller: Caller) -> Row:
    return {"id": task_id, "caller": caller.name, "key_id": caller.key_id}


def _first(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None


async def _rows(statement: str, values: Row) -> list[Row]:
    async def work(connection: Any) -> list[Row]:
        cursor = await connection.execute(statement, values)
        rows: list[Row] = await cursor.fetchall() if cursor.description else []
        return rows

    return await writer.run(work)
