"""The steps of a run: loaded when a worker claims the run, then written one by one."""

from typing import Any
from uuid import UUID

import orjson
from psycopg.types.json import Jsonb

from agents.budgets import ModelCall
from agents.models import Step
from agents.queries.budgets import reserve_tokens
from agents.queries.leases import append, clean_json
from agents.queries.rows import ModelReply, StepRow, ToolReply, clean
from toolbox.database.pools import Connection, Pool, relaxed_pool, work_pool
from toolbox.work.lease import Lease, LeaseLost

MAX_STEPS = 10_000

_ALL = """
SELECT number, kind, state, idempotency_key, call_id, tool, arguments, edited_arguments, word, answer, shown, code
FROM agents_steps WHERE run_id = %s ORDER BY number LIMIT 10000
"""
_HELD = """
WITH held AS (
    SELECT id FROM agents_runs WHERE id = %(run)s AND attempt = %(attempt)s AND state = 'running' FOR UPDATE
)"""
_APPEND_EVENT = """
appended AS (
    INSERT INTO agents_events (run_id, number, kind, data, at)
    SELECT %(run)s, event_count, %(event)s, %(data)s, clock_timestamp() FROM counted
)
SELECT id FROM held LIMIT 1
"""
_COLUMNS = """
run_id, number, kind, state, attempt, idempotency_key, call_id, tool, arguments, edited_arguments, word, answer, shown,
code, prompt_tokens, completion_tokens, created_at
"""
_BEGIN_MODEL = f"""
{_HELD}, begun AS (
    INSERT INTO agents_steps ({_COLUMNS})
    SELECT id, %(number)s, 'model', 'started', %(attempt)s, %(key)s, '', '', '', '', '', '', '', '', 0, 0,
        clock_timestamp()
    FROM held
    ON CONFLICT (run_id, number) DO UPDATE SET attempt = excluded.attempt
), counted AS (
    UPDATE agents_runs AS run SET event_count = event_count + 1 FROM held WHERE run.id = held.id RETURNING event_count
), {_APPEND_EVENT}
"""
_SAVE_MODEL_REPLY = f"""
{_HELD}, finished AS (
    UPDATE agents_steps
    SET state = 'answered', answer = %(answer)s, milliseconds = %(milliseconds)s,
        prompt_tokens = prompt_tokens + %(prompt_tokens)s,
        completion_tokens = completion_tokens + %(completion_tokens)s,
        is_estimated = is_estimated OR %(is_estimated)s, finished_at = clock_timestamp()
    FROM held WHERE run_id = held.id AND number = %(number)s AND state = 'started'
    RETURNING run_id
), planned AS (
    INSERT INTO agents_steps ({_COLUMNS})
    SELECT run_id, call.number, 'tool', 'planned', %(attempt)s, call.key, call.id, call.name, call.arguments, '', '',
        '', '', '', 0, 0, clock_timestamp()
    FROM finished, jsonb_to_recordset(%(calls)s) AS call(number int, key text, id text, name text, arguments text)
    ON CONFLICT (run_id, number) DO UPDATE SET attempt = excluded.attempt
), counted AS (
    UPDATE agents_runs
    SET streamed_prompt_tokens = %(prompt_tokens)s, streamed_completion_tokens = %(completion_tokens)s,
        streamed_is_estimated = %(is_estimated)s, reserved_on = NULL, model = %(model)s,
        step_count = step_count + 1, event_count = event_count + 1
    FROM finished WHERE id = run_id
    RETURNING event_count
), {_APPEND_EVENT}
"""
_BEGIN_TOOL = f"""
{_HELD}, begun AS (
    UPDATE agents_steps AS step
    SET state = 'started', attempt = %(attempt)s,
        approval_used_at = CASE WHEN step.state = 'approved' THEN clock_timestamp() ELSE approval_used_at END
    FROM held
    WHERE run_id = held.id AND number = %(number)s
      AND (step.state IN ('planned', 'started')
           OR (step.state = 'approved' AND approval_digest = %(digest)s AND approval_used_at IS NULL))
    RETURNING run_id
), counted AS (
    UPDATE agents_runs AS run SET event_count = event_count + 1 FROM begun WHERE run.id = run_id RETURNING event_count
), appended AS (
    INSERT INTO agents_events (run_id, number, kind, data, at)
    SELECT %(run)s, event_count, %(event)s, %(data)s, clock_timestamp() FROM counted
)
SELECT id, EXISTS (SELECT 1 FROM begun) AS is_begun FROM held LIMIT 1
"""
_SAVE_TOOL_REPLY = f"""
{_HELD}, finished AS (
    UPDATE agents_steps
    SET state = %(state)s, answer = %(answer)s, shown = %(shown)s, code = %(code)s, milliseconds = %(milliseconds)s,
        finished_at = clock_timestamp()
    FROM held WHERE run_id = held.id AND number = %(number)s AND finished_at IS NULL
    RETURNING run_id
), counted AS (
    UPDATE agents_runs SET step_count = step_count + 1, event_count = event_count + 1
    FROM finished WHERE id = run_id
    RETURNING event_count
), {_APPEND_EVENT}
"""
_AWAIT_STEP = "UPDATE agents_steps SET state = 'awaiting_approval' WHERE run_id = %s AND number = %s"
_AWAIT_RUN = """
UPDATE agents_runs SET state = 'awaiting_approval', paused_at = clock_timestamp(), worker = '' WHERE id = %s
"""


async def load_steps(run_id: UUID) -> list[StepRow]:
    """Return every step of a run, in order."""
    found = await work_pool.fetch(_ALL, [run_id])
    return [StepRow(**row) for row in found.rows]


async def begin_model(lease: Lease, *, number: int, call: ModelCall) -> int:
    """
    Record that the model is being asked, and reserve its tokens; returns the limit of the answer in tokens.

    Asking again after a crash reuses the step. Raises BudgetUsedUp without beginning anything.
    """
    values = {"number": number, "key": _key(lease, number=number), "event": "model.asked", "data": {"step": number}}
    if not call.prompt_tokens:  # answerers use no tokens, so there is no budget
        await _write(_BEGIN_MODEL, pool=relaxed_pool, lease=lease, **values)
        return call.max_tokens

    async def begin(connection: Connection) -> int:
        reservation = await reserve_tokens(connection, run_id=lease.id, call=call)
        await connection.execute(_BEGIN_MODEL, _parameters(lease, values))
        return reservation.max_tokens

    return await lease.transact(begin)


async def save_model_reply(lease: Lease, *, number: int, reply: ModelReply) -> None:
    """Save the model's reply and plan the calls that it requests, in one statement; a saved reply is never changed."""
    calls = [
        {"number": place, "key": _key(lease, number=place), **call}
        for place, call in enumerate(reply.calls, start=number + 1)
    ]
    tokens = {"promptTokens": reply.prompt_tokens, "completionTokens": reply.completion_tokens}
    await _write(
        _SAVE_MODEL_REPLY, pool=work_pool, lease=lease, number=number, answer=_message(reply), calls=Jsonb(calls),
        is_estimated=reply.is_estimated, model=reply.model, milliseconds=reply.milliseconds,
        prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens, event="model.answered",
        data={"step": number, "milliseconds": round(reply.milliseconds, 1), "calls": len(reply.calls)} | tokens,
    )  # fmt: skip


async def begin_tool(lease: Lease, *, step: StepRow, data: dict[str, Any]) -> bool:
    """
    Record that a tool is being called; `data` goes to the event.

    This uses up an approval. Returns False, without beginning, if the approval is for another call or was used before.
    """
    values = {"number": step.number, "digest": step.digest, "event": "tool.called", "data": data}
    return bool((await _write(_BEGIN_TOOL, pool=work_pool, lease=lease, **values))["is_begun"])


async def save_tool_reply(lease: Lease, *, step: StepRow, reply: ToolReply) -> None:
    """Save a tool's answer; a saved reply is never changed."""
    await _write(
        _SAVE_TOOL_REPLY, pool=work_pool, lease=lease, number=step.number, state=reply.state,
        answer=clean(reply.answer), shown=clean(reply.shown), code=reply.code[:60],
        milliseconds=reply.milliseconds, event="tool.answered", data=reply.event,
    )  # fmt: skip


async def pause(lease: Lease, *, step: StepRow, data: dict[str, Any]) -> None:
    """Let the run wait for a person's decision on a step; this frees the worker."""

    async def wait(connection: Connection) -> None:
        await connection.execute(_AWAIT_STEP, [lease.id, step.number])
        await connection.execute(_AWAIT_RUN, [lease.id])
        await append(connection, run_id=lease.id, kind="approval.needed", data=data)

    lease.is_ending = True
    await lease.transact(wait)


def build_reply_steps(lease: Lease, *, number: int, reply: ModelReply) -> list[StepRow]:
    """Build the rows that `save_model_reply` writes: the model's step and the planned calls."""
    asked = _new(lease, number=number, kind=Step.Kind.MODEL, state=Step.State.ANSWERED)
    rows = [StepRow(**_row(asked), answer=_message(reply))]
    for place, call in enumerate(reply.calls, start=number + 1):
        planned = _new(lease, number=place, kind=Step.Kind.TOOL, state=Step.State.PLANNED)
        rows.append(StepRow(**_row(planned | _call_columns(call))))
    return rows


def _row(new: dict[str, Any]) -> dict[str, Any]:
    names = ("number", "kind", "state", "call_id", "tool", "arguments")
    return {name: new[name] for name in names} | {"idempotency_key": new["key"]}


def _message(reply: ModelReply) -> str:
    said: dict[str, Any] = {"text": reply.text, "calls": list(reply.calls), "reason": reply.reason}
    beside = {name: value for name, value in (("ends", reply.ends), ("details", reply.details)) if value}
    return clean(orjson.dumps(said | beside).decode())


def _new(lease: Lease, *, number: int, kind: str, state: str) -> dict[str, Any]:
    return {
        "run": lease.id,
        "number": number,
        "kind": kind,
        "state": state,
        "attempt": lease.attempt,
        "key": _key(lease, number=number),
        "call_id": "",
        "tool": "",
        "arguments": "",
    }


def _call_columns(call: dict[str, str]) -> dict[str, Any]:
    """Return a requested call as its step's columns."""
    return {"call_id": call["id"], "tool": call["name"], "arguments": call["arguments"]}


def _key(lease: Lease, *, number: int) -> str:
    return f"{lease.id.hex}-{number}"


async def _write(statement: str, *, pool: Pool, lease: Lease, **values: Any) -> dict[str, Any]:
    """Write under the lease, in one statement and so one round trip; raises LeaseLost."""
    found = (await pool.fetch(statement, _parameters(lease, values))).rows
    if not found:
        raise LeaseLost
    return found[0]


def _parameters(lease: Lease, values: dict[str, Any]) -> dict[str, Any]:
    return values | {"run": lease.id, "attempt": lease.attempt, "data": Jsonb(clean_json(values["data"]))}
