"""
The extension io.modelcontextprotocol/tasks: calls that workers continue, for the callers that made them.

Only clients that declare the extension get tasks or may ask about them. Another caller's task is reported as unknown.
"""

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
from toolbox.contract.encoding import format_timestamp
from toolbox.dispatch.dispatch import Call
from toolbox.mcp.client import Context, missing_capability_error
from toolbox.work import task_queries
from toolbox.work.lease import Row
from toolbox.work.publisher import enqueue

KEEP_SECONDS = 86_400
"""How long a task is kept after its last change."""
POLL_MILLISECONDS = 500


class TaskParams(types.RequestParams):
    """Which task."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Answers to what a task asks."""

    input_responses: Answers = Field(alias="inputResponses")


def register_tasks(server: Server[Any]) -> None:
    """Register the extension's handlers."""

    async def get(ctx: Context, params: TaskParams) -> dict[str, Any]:
        return _render_details(await _find_task(ctx, params))

    async def update(ctx: Context, params: UpdateParams) -> dict[str, Any]:
        task_id = (await _find_task(ctx, params))["id"]
        if await task_queries.tell(task_id, given=params.input_responses, caller=ctx.lifespan_context.caller):
            enqueue(task_queries.TASKS, work_id=task_id)
        return {"resultType": "complete"}

    async def cancel(ctx: Context, params: TaskParams) -> dict[str, Any]:
        task_id = (await _find_task(ctx, params))["id"]
        await task_queries.cancel(task_id, caller=ctx.lifespan_context.caller)
        return {"resultType": "complete"}

    server.extensions[TASKS] = {}
    server.add_request_handler("tasks/get", TaskParams, get)
    server.add_request_handler("tasks/update", UpdateParams, update)
    server.add_request_handler("tasks/cancel", TaskParams, cancel)


async def begin_task(call: Call, *, caller: Caller) -> dict[str, Any]:
    """Store a task for a worker to continue the call, and return it."""
    row = await task_queries.create(uuid4(), call=call, caller=caller, keep_seconds=KEEP_SECONDS)
    enqueue(task_queries.TASKS, work_id=row["id"])
    return _render_task(row) | {"resultType": "task"}


async def _find_task(ctx: Context, params: TaskParams) -> Row:
    """Return the caller's task if the client declares the extension; raises MCPError otherwise."""
    meta = (ctx.params or {}).get("_meta") or {}
    declared = meta.get(types.CLIENT_CAPABILITIES_META_KEY) or {}
    if TASKS not in (declared.get("extensions") or {}):
        raise missing_capability_error(MissingCapability({"extensions": {TASKS: {}}}, what=f"knows tasks ({TASKS})"))
    named = ctx.request.headers.get(MCP_NAME_HEADER) if ctx.request is not None else None
    if named is not None and decode_header_value(named) != params.task_id:
        raise MCPError(types.HEADER_MISMATCH, "mcp-name header does not match the request body's 'taskId' parameter")
    unknown = MCPError(
        types.INVALID_PARAMS, "There is no such task: it is unknown, another caller's, or was forgotten."
    )
    try:
        task_id = UUID(params.task_id)
    except ValueError:
        raise unknown from None
    row = await task_queries.read(task_id, caller=ctx.lifespan_context.caller)
    if row is None:
        raise unknown
    return row


def _render_task(row: Row) -> dict[str, Any]:
    return {
        "taskId": str(row["id"]),
        "status": row["status"],
        "createdAt": format_timestamp(row["created_at"]),
        "lastUpdatedAt": format_timestamp(row["changed_at"]),
        "ttlMs": row["keep_seconds"] * 1000,
        "pollIntervalMs": POLL_MILLISECONDS,
    } | ({"statusMessage": row["progress"]} if row["progress"] else {})


def _render_details(row: Row) -> dict[str, Any]:
    task = _render_task(row)
    if row["status"] == "completed":
        return task | {"result": orjson.loads(row["outcome"])}
    if row["status"] == "failed":
        return task | {"error": orjson.loads(row["outcome"])}
    return task | ({"inputRequests": row["inquiries"]} if row["status"] == "input_required" else {})
