"""Execute a task: run its tool from the beginning with the answers so far, until it ends or asks again."""

import orjson
from psycopg.types.json import Jsonb

from toolbox.access.keys import find_caller_by_key_id
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.client_channel import InputRequired, TaskChannel
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.mcp.results import tool_result
from toolbox.text.redaction import MaskedText
from toolbox.work.lease import Lease
from toolbox.work.task_queries import MAX_PROGRESS_CHARACTERS

_INTERNAL_ERROR = -32603


class _LeasedChannel(TaskChannel):
    """The channel of a task that a worker executes; progress is written with the next heartbeat."""

    lease: Lease

    async def progress(self, done: float, *, total: float | None = None, message: str = "") -> None:
        """Hand the progress to the lease."""
        await super().progress(done, total=total, message=message)
        self.lease.progress = {"progress": MaskedText(self.progress_text)[:MAX_PROGRESS_CHARACTERS]}


async def carry_out(lease: Lease) -> None:
    """
    Call the task's tool and store the outcome: a result, a question to the client, or an error.

    A tool's refusal is a result; only a crash makes the task fail.
    """
    row = lease.row
    caller = LOCAL_OPERATOR if row["key_id"] is None else await find_caller_by_key_id(row["key_id"])
    if caller is None:
        await _fail(lease, "The key of this task has ended.")
        return
    if lease.is_hopeless:
        await _fail(lease, "Its workers died, again and again.")
        return
    client = _LeasedChannel(capabilities=row["capabilities"], answers=row["answers"], task_id=lease.id)
    client.lease = lease
    call = Call(
        tool=row["tool"],
        domain=row["domain"] or None,
        arguments=row["arguments"].encode(),
        credential=caller,
        transport=row["transport"],
        request_id=row["request_id"],
        client=client,
    )
    reply = await dispatch(call)
    tool = registry.find(call.tool, domain=call.domain)
    if isinstance(reply.continuation, InputRequired):
        requests = {name: request.to_json() for name, request in reply.continuation.client_requests.items()}
        await lease.finish(state="input_required", inquiries=Jsonb(requests), answers=Jsonb(client.answers))
    elif tool and reply.code == tool.envelope.crash.code:
        await _fail(lease, "The tool failed in a way nobody planned.")
    else:
        outcome = tool_result(reply, tool=tool).decode()
        await _finish(lease, state="completed", outcome=MaskedText(outcome) if reply.is_refusal else outcome)


async def _fail(lease: Lease, message: str) -> None:
    await _finish(lease, state="failed", outcome=orjson.dumps({"code": _INTERNAL_ERROR, "message": message}).decode())


async def _finish(lease: Lease, *, state: str, outcome: str) -> None:
    """End the task; its arguments are kept as in the audit log, and what the client was asked is not kept."""
    arguments = MaskedText(lease.row["arguments"])
    await lease.finish(state=state, outcome=outcome, arguments=arguments, answers=Jsonb({}))
