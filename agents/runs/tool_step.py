"""A step that calls a tool, through the same dispatch() as every transport."""

import asyncio

from agents.contracts import ANSWERED_WITH_ERRORS
from agents.models import Step
from agents.queries.rows import StepRow, ToolReply
from agents.runs.run_policy import reason
from agents.runs.tool_choice import SEARCH_TOOL, ToolQuery
from agents.runs.truncation import truncate_json
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.dispatch.arguments import parse_arguments
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.dispatch.entry import ActiveCall, Operation, perform
from toolbox.text.redaction import MaskedText
from toolbox.tool_search.catalogue import SEARCH_TOOLS, catalogue_search

TRANSPORT = "agents"
MAX_SHOWN = 4_096
MAX_WAIT_SECONDS = 60
MAX_TRIES = 3
_RATE_LIMITED, _UNAVAILABLE = 429, 503


async def call_tool(step: StepRow, *, caller: Caller, most_bytes: int) -> ToolReply:
    """
    Call the step's tool as the caller; cancelling this cancels the tool's statement in the database.

    Rate limits and unavailable parts are waited for, with up to three attempts in all. A tool that writes is called
    once, whatever happens, unless it is declared idempotent.
    """
    clock = asyncio.get_running_loop().time
    started = clock()
    reply = await _reply(step, caller=caller)
    milliseconds = (clock() - started) * 1000
    shown = (
        await asyncio.to_thread(truncate_json, reply.body, most_bytes=most_bytes)
        if len(reply.body) > most_bytes
        else ""
    )
    told = ToolReply(
        state=Step.State.REFUSED if reply.is_refusal else Step.State.ANSWERED,
        answer=reply.body.decode("utf-8", "replace"),
        shown=shown,
        code=reply.code or (ANSWERED_WITH_ERRORS if reply.errors else ""),
        milliseconds=milliseconds,
    )
    told.event.update(_event(step, told=told, reply=reply))
    return told


def shown_arguments(arguments: str) -> str:
    """Return arguments as readers of the stream may see them: shortened, secrets masked."""
    return MaskedText(arguments[: 4 * MAX_SHOWN])[:MAX_SHOWN]


async def _reply(step: StepRow, *, caller: Caller) -> Reply:
    tool = registry.find(step.tool)
    call = Call(
        tool=step.tool,
        arguments=step.effective_arguments.encode(),
        credential=caller,
        transport=TRANSPORT,
        request_id=step.idempotency_key,
    )
    for tries in range(1, MAX_TRIES + 1):
        reply = await (dispatch(call) if tool or step.tool != SEARCH_TOOLS else _search(call, caller=caller))
        if tries == MAX_TRIES or (pause := _pause(reply, tries=tries)) is None or not (tool and tool.may_repeat):
            break
        await asyncio.sleep(pause)
    return reply


async def _search(call: Call, *, caller: Caller) -> Reply:
    """Search the tools that the run may use, with an audit row like any call's."""

    async def answer(_: ActiveCall) -> Reply:
        asked = parse_arguments(SEARCH_TOOL, call.arguments or b"")
        query = asked.query if isinstance(asked, ToolQuery) else ""
        found = await catalogue_search.search(query, tools=registry.visible_to(caller))
        return Reply(body=encode(found), rows=len(found["tools"]))

    return await perform(Operation(name=SEARCH_TOOLS, domain="", scope=None), request=call, work=answer)


def _pause(reply: Reply, *, tries: int) -> float | None:
    """Return how long to wait before the same call is worth a retry; None if it is not."""
    if reply.status == _RATE_LIMITED and (reply.retry_after_seconds or 1) <= MAX_WAIT_SECONDS:
        return float(reply.retry_after_seconds or 1)
    return float(tries) if reply.status == _UNAVAILABLE else None


def _event(step: StepRow, *, told: ToolReply, reply: Reply) -> dict[str, object]:
    data: dict[str, object] = {
        "step": step.number,
        "tool": step.tool,
        "milliseconds": round(told.milliseconds, 1),
        "bytes": len(reply.body),
        "refused": reply.is_refusal,
    }
    if reply.rows is not None:
        data["rows"] = reply.rows
    if told.shown:
        data["shortened"] = True
    if reply.is_refusal:
        message, suggestion = reason(told.answer)
        data |= {"code": reply.code, "message": MaskedText(message), "suggestion": MaskedText(suggestion)}
    return data
