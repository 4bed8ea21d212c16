"""
A worker's side of tasks: the tool runs from its beginning with the answers so far, until it ends or asks again.

The row is the truth. What the broker does not hear, or a worker that died does not finish, the sweep brings up again.
"""

import asyncio
import logging
from uuid import UUID

import orjson
import psycopg
from kombu.exceptions import OperationalError

from toolbox.access.keys import find_caller_by_key_id
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.client_channel import InputRequired, TaskChannel
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.contract.tool import Tool
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.mcp.results import tool_result
from toolbox.work import task_queries

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
SWEEP_SECONDS = 5.0
_INTERNAL_ERROR = -32603
_telling: set[asyncio.Future[None]] = set()
_at_work: set[asyncio.Future[Reply]] = set()
_is_leaving = False


def enqueue(task_id: UUID) -> None:
    """Ask for a worker, in a thread: nobody waits for a broker that is away. Called on a loop."""
    told = asyncio.get_running_loop().run_in_executor(None, _publish, task_id)
    _telling.add(told)
    told.add_done_callback(_telling.discard)


async def drain() -> None:
    """Give every task of this process back, and take none from now on, because it is told to end."""
    global _is_leaving
    _is_leaving = True
    for working in list(_at_work):
        working.cancel()


async def work_on(task_id: UUID) -> None:
    """Take the task as far as it goes; nothing where it is another worker's or over."""
    row = None if _is_leaving else await task_queries.claim(task_id)
    if row is None:
        return
    caller = await _caller(row)
    if caller is None or row["tries"] > task_queries.MAX_TRIES:
        why = "The key of this task has ended." if caller is None else "Its workers died, again and again."
        await task_queries.end(task_id, status="failed", outcome=_error(why))
        return
    client = TaskChannel(capabilities=row["capabilities"], answers=row["answers"], task_id=task_id)
    call = Call(
        tool=row["tool"],
        domain=row["domain"] or None,
        arguments=row["arguments"].encode(),
        credential=caller,
        transport=row["transport"],
        request_id=row["request_id"],
        client=client,
    )
    reply = await _while_wanted(call, client=client)
    if reply and isinstance(reply.continuation, InputRequired):
        asked = {name: client_request.to_json() for name, client_request in reply.continuation.client_requests.items()}
        await task_queries.park(task_id, client_requests=asked, answers=client.answers)
    elif reply:
        await _end(task_id, reply, tool=registry.find(call.tool, domain=call.domain))


async def sweep() -> None:
    """Ask for workers for the tasks that no worker is at."""
    for task_id in await task_queries.waiting():
        enqueue(task_id)


async def sweep_for_ever() -> None:
    """Sweep every 5 s, on the home loop, whatever becomes of one sweep."""
    while True:
        try:
            await sweep()
        except (DatabaseUnavailable, psycopg.Error) as away:
            logger.warning("tasks are not swept for now: %s", away)
        except Exception:  # a sweep that ends for good is found out when a worker dies, which is too late
            logger.exception("a sweep of tasks failed")
        await asyncio.sleep(SWEEP_SECONDS)


async def _while_wanted(call: Call, *, client: TaskChannel) -> Reply | None:
    """Call the tool, and say every second how far it is; None where the task was cancelled, or is another worker's."""
    task_id = client.task_id or UUID(int=0)
    working = asyncio.ensure_future(dispatch(call))
    _at_work.add(working)
    try:
        while not (await asyncio.wait([working], timeout=BEAT_SECONDS))[0]:
            if not await task_queries.heartbeat(task_id, progress=client.progress_text):
                return None
        if working.cancelled() and _is_leaving:
            await task_queries.release(task_id)
            enqueue(task_id)
            return None
        return working.result()
    finally:
        _at_work.discard(working)
        working.cancel()


async def _end(task_id: UUID, reply: Reply, *, tool: Tool | None) -> None:
    """Keep the result; a tool's refusal is one too, only a crash is a failure of the task."""
    if tool and reply.code == tool.envelope.crash.code:
        message = "The tool failed in a way nobody planned."
        await task_queries.end(task_id, status="failed", outcome=_error(message))
    else:
        await task_queries.end(task_id, status="completed", outcome=tool_result(reply, tool=tool).decode())


async def _caller(row: task_queries.Row) -> Caller | None:
    return LOCAL_OPERATOR if row["key_id"] is None else await find_caller_by_key_id(row["key_id"])


def _error(message: str) -> str:
    return orjson.dumps({"code": _INTERNAL_ERROR, "message": message}).decode()


def _publish(task_id: UUID) -> None:
    from toolbox.tasks import work_on as job  # noqa: PLC0415 - jobs know this module

    try:
        job.apply_async(kwargs={"task_id": str(task_id)}, retry=False)
    except (OperationalError, OSError) as away:
        logger.warning("the broker is away, a task waits for the sweep: %s", type(away).__name__)
