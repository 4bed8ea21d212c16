"""
The extension io.modelcontextprotocol/tasks: calls that workers carry on, looked after by whoever made them.

Only clients that declare the extension get a task, or may ask about one; a task of another caller is not there.
"""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import mcp_types as types
import orjson
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from pydantic import Field

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import TASKS, Answers, MissingCapability
from toolbox.contract.encoding import timestamp
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Call
from toolbox.mcp.client import Context, missing_capability_error
from toolbox.work import task_queries
from toolbox.work.task_worker import enqueue

KEEP_SECONDS = 86_400
"""How long a task can be asked about after its last change."""
POLL_MILLISECONDS = 500

CallerOf = Callable[[Context], Awaitable[Caller]]


class TaskParams(types.RequestParams):
    """Which task."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Answers to what a task asks."""

    input_responses: Answers = Field(alias="inputResponses")


def offer_tasks(server: Server[Any], *, caller_of: CallerOf) -> None:
    """Have the server know the extension."""

    async def get(ctx: Context, params: TaskParams) -> dict[str, Any]:
        task_id, caller = await _asked(ctx, params, caller_of=caller_of)
        row = await run_on_loop(lambda: task_queries.read(task_id, caller=caller))
        return _detailed(_found(row))

    async def update(ctx: Context, params: UpdateParams) -> dict[str, Any]:
        task_id, caller = await _asked(ctx, params, caller_of=caller_of)
        _found(await task_queries.read(task_id, caller=caller))
        if await task_queries.tell(task_id, given=params.input_responses, caller=caller):
            enqueue(task_id)
        return {"resultType": "complete"}

    async def cancel(ctx: Context, params: TaskParams) -> dict[str, Any]:
        task_id, caller = await _asked(ctx, params, caller_of=caller_of)
        _found(await task_queries.read(task_id, caller=caller))
        await task_queries.cancel(task_id, caller=caller)
        return {"resultType": "complete"}

    server.extensions[TASKS] = {}
    server.add_request_handler("tasks/get", TaskParams, get)
    server.add_request_handler("tasks/update", UpdateParams, update)
    server.add_request_handler("tasks/cancel", TaskParams, cancel)


async def begin_task(call: Call, *, caller: Caller) -> dict[str, Any]:
    """Have a worker go on with the call, and give the task, which is there when this returns."""
    row = await task_queries.create(uuid4(), call=call, caller=caller, keep_seconds=KEEP_SECONDS)
    enqueue(row["id"])
    return _task(row) | {"resultType": "task"}


async def _asked(ctx: Context, params: TaskParams, *, caller_of: CallerOf) -> tuple[UUID, Caller]:
    meta = (ctx.params or {}).get("_meta") or {}
    declared = meta.get(types.CLIENT_CAPABILITIES_META_KEY) or {}
    if TASKS not in (declared.get("extensions") or {}):
        raise missing_capability_error(MissingCapability({"extensions": {TASKS: {}}}, what=f"knows tasks ({TASKS})"))
    named = ctx.request.headers.get(MCP_NAME_HEADER) if ctx.request is not None else None
    if named is not None and decode_header_value(named) != params.task_id:
        raise MCPError(types.HEADER_MISMATCH, "mcp-name header does not match the request body's 'taskId' parameter")
    caller = await caller_of(ctx)
    try:
        return UUID(params.task_id), caller
    except ValueError:
        raise _no_task() from None


def _found(row: task_queries.Row | None) -> task_queries.Row:
    if row is None:
        raise _no_task()
    return row


def _no_task() -> MCPError:
    return MCPError(types.INVALID_PARAMS, "There is no such task: it is unknown, another caller's, or was forgotten.")


def _task(row: task_queries.Row) -> dict[str, Any]:
    return {
        "taskId": str(row["id"]),
        "status": row["status"],
        "createdAt": timestamp(row["created_at"]),
        "lastUpdatedAt": timestamp(row["changed_at"]),
        "ttlMs": row["keep_seconds"] * 1000,
        "pollIntervalMs": POLL_MILLISECONDS,
    } | ({"statusMessage": row["progress"]} if row["progress"] else {})


def _detailed(row: task_queries.Row) -> dict[str, Any]:
    known = _task(row)
    if row["status"] == "completed":
        return known | {"result": orjson.loads(row["outcome"])}
    if row["status"] == "failed":
        return known | {"error": orjson.loads(row["outcome"])}
    return known | ({"inputRequests": row["inquiries"]} if row["status"] == "input_required" else {})
