"""What owners do with runs; each function answers one address."""

from typing import Any

import orjson

from agents.contracts import (
    NOT_AWAITING,
    RUN_OVER,
    UNKNOWN_STEP,
    Approval,
    Cancelled,
    Decided,
    Rejection,
    RunAnswer,
    StepAnswer,
    WholeStep,
)
from agents.queries import ending, run_requests
from agents.rest.event_stream import EventStream, refuse_too_many
from agents.rest.replies import conversation_id as parsed_conversation
from agents.rest.replies import run_id as parsed_run
from agents.rest.replies import success, unknown_run
from agents.rest.request_bodies import page_number
from agents.runs.messenger import enqueue
from agents.runs.tool_step import shown_arguments
from agents.step_access import hide_contents, hide_requested_calls, require_scope
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import Refusal
from toolbox.dispatch.dispatch import Reply

_MAX_NUMBER = 2**31 - 1


async def show(conversation_id: str, *, run_id: str, caller: Caller) -> Reply:
    """Say where a run stands, what it did and what it cost."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    await dynamic_tools.ready()
    steps = [_step(step, caller=caller) for step in await run_requests.steps(row["id"])]
    cost = f"{row['cost'].normalize():f}" if row["cost"] else "0"
    texts = {name: row[name] or None for name in ("error_code", "error", "model")}
    return success(RunAnswer(**row | texts | {"cost": cost, "steps": steps}))


async def step(conversation_id: str, *, run_id: str, number: str, caller: Caller) -> Reply:
    """Give one step's whole answer; raises ScopeMissing where the caller may not use its tool."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    wanted = int(number) if number.isascii() and number.isdigit() and len(number) < len(str(_MAX_NUMBER)) else 0
    found = await run_requests.step(row["id"], number=wanted) if wanted else None
    if found is None:
        raise Refusal(
            UNKNOWN_STEP, "This run has no such step.", suggestion="GET the run; it lists its steps by number."
        )
    await dynamic_tools.ready()
    require_scope(caller, tool=found["tool"], code=found["code"])
    answer = _json(found["answer"])
    if found["kind"] == "model":
        answer = hide_requested_calls(answer, caller=caller)
    return success(WholeStep(number=wanted, answer=answer, shown=found["shown"] or None))


async def events(conversation_id: str, *, run_id: str, last: str, after: str, caller: Caller) -> EventStream:
    """Open the stream of a run's events: from after `last` (the header Last-Event-ID), else after `after`."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    refuse_too_many()
    read = int(last) if last.isascii() and last.isdigit() and len(last) < len(str(_MAX_NUMBER)) else None
    usual = page_number(after, name="after", usual=0, most=_MAX_NUMBER, least=0)
    await dynamic_tools.ready()
    return EventStream(row["id"], after=usual if read is None else read, caller=caller)


async def cancel(conversation_id: str, *, run_id: str, caller: Caller) -> Reply:
    """Stop a run; its worker finds out at once. A run that was cancelled already is answered alike."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    if following := await ending.cancel(row["id"]):
        enqueue(following)
    state = (await owned(conversation_id, run_id=run_id, caller=caller))["state"]
    if state != "cancelled":
        raise Refusal(RUN_OVER, f"The run has ended already: {state}.", suggestion="GET the run; it has its answer.")
    return success(Cancelled(state="cancelled"))


async def approve(conversation_id: str, *, run_id: str, word: Approval, caller: Caller) -> Reply:
    """Approve the call that waits, with other arguments where some are given; it takes the scope of the call."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    arguments = "" if word.arguments is None else encode(word.arguments).decode()
    number = await run_requests.approve(row["id"], number=word.step, caller=caller, arguments=arguments)
    return await _decided(row, number=number)


async def reject(conversation_id: str, *, run_id: str, word: Rejection, caller: Caller) -> Reply:
    """Have the call that waits not be made; the model goes on, knowing why."""
    row = await owned(conversation_id, run_id=run_id, caller=caller)
    return await _decided(row, number=await run_requests.reject(row["id"], number=word.step, word=word.word))


async def owned(conversation_id: str, *, run_id: str, caller: Caller) -> dict[str, Any]:
    """Give the run's row, if it is of the caller's conversation; raises Refusal."""
    wanted = parsed_conversation(conversation_id)
    row = await run_requests.owned_run(parsed_run(run_id), owner_id=caller.owner_id, conversation_id=wanted)
    if row is None:
        raise unknown_run()
    return row


async def _decided(row: dict[str, Any], *, number: int | None) -> Reply:
    if number is None:
        raise Refusal(
            NOT_AWAITING,
            f"Nothing of this run waits for that: it is {row['state']}.",
            suggestion="GET the run; a step that waits is awaiting_approval.",
        )
    enqueue(row["id"])
    return success(Decided(step=number, state="queued"))


def _step(row: dict[str, Any], *, caller: Caller) -> StepAnswer:
    if row["kind"] == "model":
        return StepAnswer(**row | {"tool": None, "arguments": None, "code": None})
    shown = row | {"arguments": shown_arguments(row["arguments"]), "code": row["code"] or None}
    return StepAnswer(**hide_contents(shown, caller=caller))


def _json(answer: str) -> Any:
    try:
        return orjson.loads(answer)
    except ValueError:
        return answer
