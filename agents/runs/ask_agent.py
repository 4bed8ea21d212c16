"""
A run as a tool: `ask_agent` starts one or returns to one.

As an MCP task, the run's row is the task: it has the task's id, the task's worker executes it, and the sweep cancels it
with the task (toolbox/work/lease.py). Otherwise another worker executes it, and the call waits for a while.
"""

import asyncio
from typing import Any
from uuid import UUID

from agents.ask_agent_contracts import AgentAnswer, AgentQuestion, WaitsFor
from agents.contracts import CONVERSATION_BUSY, UNKNOWN_CONVERSATION, UNKNOWN_RUN, NewConversation
from agents.models import FINAL
from agents.queries import conversations, events, run_requests
from agents.queries.leases import RUNS
from agents.runs import execution
from agents.runs.run_caller import refuse_unknown, usable_toolkits
from agents.runs.run_listeners import RunListener, run_listeners
from agents.step_access import hide_contents, missing_scope
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientChannel, make_form_request
from toolbox.contract.errors import Refusal
from toolbox.work import worker
from toolbox.work.publisher import enqueue

AGAIN_SECONDS = 1.0
_SETTLED = (*FINAL, "awaiting_approval")
_NEWS = frozenset({"run.started", "model.asked", "tool.called", "approval.needed", "run.finished", "run.taken_back"})


async def answer_question(ask: AgentQuestion, *, client: ClientChannel) -> AgentAnswer:
    """Start or find the run and wait for it; approvals are asked of a client that supports forms."""
    if ask.run_id is None:
        refuse_unknown("toolkits", names=ask.toolkits, known=usable_toolkits())
        await client.continue_as_task()
    run_id = ask.run_id or await _start_run(ask, client=client)
    clock = asyncio.get_running_loop().time
    until = None if client.task_id else clock() + ask.wait_seconds
    while True:
        row = await _follow_run(run_id, client=client, until=until, is_ours=client.task_id == run_id)
        may_ask = client.task_id is not None or ask.run_id is not None  # otherwise the second call would start a run
        if row["state"] != "awaiting_approval" or not (may_ask and await _request_decision(run_id, client=client)):
            return await _build_answer(row, caller=client.caller)


async def _start_run(ask: AgentQuestion, *, client: ClientChannel) -> UUID:
    """Start the run; a task that runs again finds the run that it started."""
    caller = client.caller
    if client.task_id and await run_requests.owned_run(client.task_id, owner_id=caller.owner_id):
        return client.task_id
    if client.answers:
        raise _unknown_run()
    conversation_id = ask.conversation_id or await _create_conversation(ask, caller=caller)
    if await run_requests.has_others(caller.key_id, conversation_id=conversation_id):
        raise _unknown_conversation()
    posted = await run_requests.post_message(
        conversation_id,
        owner_id=caller.owner_id,
        key_id=caller.key_id,
        text=ask.question or "",
        run_id=client.task_id,
    )
    if posted == "unknown":
        raise _unknown_conversation()
    if not isinstance(posted, run_requests.PostedMessage):
        raise Refusal(
            CONVERSATION_BUSY,
            "Other messages of this conversation wait.",
            suggestion="Ask again once they are answered.",
        )
    if not client.task_id:
        enqueue(RUNS, work_id=posted.run_id)
    return posted.run_id


async def _create_conversation(ask: AgentQuestion, *, caller: Caller) -> UUID:
    wanted = NewConversation(toolkits=ask.toolkits)
    begun: UUID = (await conversations.create(wanted.model_dump(), owner_id=caller.owner_id))["id"]
    return begun


async def _follow_run(run_id: UUID, *, client: ClientChannel, until: float | None, is_ours: bool) -> run_requests.Row:
    """Report the run's steps to the client until it ends, waits for a person, or the time is over."""
    clock = asyncio.get_running_loop().time
    progress = _ProgressReporter()
    own: asyncio.Task[None] | None = None
    with run_listeners.subscribe(run_id, kinds=_NEWS) as listener:
        try:
            while True:
                await progress.report(run_id, client=client)
                row = await _load_run(run_id, caller=client.caller)
                if row["state"] in _SETTLED or (until is not None and clock() >= until):
                    return row
                if is_ours and (own is None or own.done()):
                    own = asyncio.create_task(worker.execute(RUNS, work_id=run_id, work=execution.carry_out))
                await _wait_for_news(
                    listener, own=own, seconds=min(AGAIN_SECONDS, (until or clock() + AGAIN_SECONDS) - clock())
                )
        finally:
            await _stop(own)


async def _wait_for_news(listener: RunListener, *, own: asyncio.Task[None] | None, seconds: float) -> None:
    """Wait for an event, the end of our own execution, or the time."""
    waiting = asyncio.create_task(listener.wait(seconds=max(seconds, 0.01)))
    try:
        await asyncio.wait({waiting, own} if own and not own.done() else {waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


async def _stop(own: asyncio.Task[None] | None) -> None:
    """Let our own execution end; if this process is told to end, wait for the current tool call."""
    if own is None or own.done():
        return
    await asyncio.wait([own], timeout=None if worker.is_draining() else AGAIN_SECONDS)
    if not own.done():
        own.cancel()
        await asyncio.wait([own])


class _ProgressReporter:
    """Reports a run's progress from its events."""

    def __init__(self) -> None:
        self._number = self._steps = 0

    async def report(self, run_id: UUID, *, client: ClientChannel) -> None:
        """Report the events since the last call."""
        message = ""
        for event in await events.load_events(run_id, number=self._number):
            self._number = event["number"]
            if event["kind"] == "model.asked":
                self._steps, message = self._steps + 1, "asks the model"
            elif event["kind"] == "tool.called":
                self._steps, message = self._steps + 1, f"calls {event['data']['tool']}"
        if message:
            await client.progress(self._steps, message=message)


async def _request_decision(run_id: UUID, *, client: ClientChannel) -> bool:
    """Ask the client's user to approve; False if the client supports no forms or the user decides nothing."""
    needed = await events.find_approval_event(run_id)
    if needed is None or not client.supports_forms:
        return False
    data = needed["data"]
    if missing_scope(client.caller, tool=data["tool"], right="write"):
        return False
    client_request = make_form_request(
        f"{data['reason']}\n{data['tool']} {data['arguments']}",
        fields={
            "approve": {"type": "boolean", "title": "Make this call?"},
            "word": {"type": "string", "title": "Why not, for the model to read", "maxLength": 2_000},
        },
        required=["approve"],
    )
    name = f"approval-{run_id}-{needed['number']}"  # the number tells two questions about the same call apart
    given = (await client.ask({name: client_request}))[name]
    if given.get("action") not in ("accept", "decline"):
        return False
    content = given.get("content") or {}
    if given["action"] == "accept" and content.get("approve") is True:
        await run_requests.approve(run_id, number=data["step"], caller=client.caller, digest=data.get("digest", ""))
    else:
        await run_requests.reject(run_id, number=data["step"], word=str(content.get("word") or "")[:2_000])
    if client.task_id != run_id:
        enqueue(RUNS, work_id=run_id)
    return True


async def _load_run(run_id: UUID, *, caller: Caller) -> run_requests.Row:
    """Return the run if this very key started it; raises Refusal."""
    row = await run_requests.owned_run(run_id, owner_id=caller.owner_id)
    if row is None or await run_requests.has_others(caller.key_id, run_id=run_id):
        raise _unknown_run()
    return row


async def _build_answer(row: run_requests.Row, *, caller: Caller) -> AgentAnswer:
    is_waiting = row["state"] == "awaiting_approval"
    needed = await events.find_approval_event(row["id"]) if is_waiting else None
    page = f"/c/{row['conversation']}/"
    goes_on = {
        "awaiting_approval": f"A person approves or rejects the call at {page}; then call ask_agent with this runId.",
        "queued": "Call ask_agent with this runId to wait on; a worker takes it up.",
        "running": "Call ask_agent with this runId to wait on.",
    }
    return AgentAnswer(
        state=row["state"],
        answer=row["text"],
        error_code=row["error_code"] or None,
        error=row["error"] or None,
        waits_for=_waits_for(needed["data"], caller=caller) if needed else None,
        next=goes_on.get(row["state"]),
        run_id=row["id"],
        conversation_id=row["conversation"],
        page=page,
        steps=row["steps_done"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        cost=f"{row['cost'].normalize():f}" if row["cost"] else "0",
    )


def _waits_for(data: dict[str, Any], *, caller: Caller) -> WaitsFor:
    shown = hide_contents(data, caller=caller)
    return WaitsFor(tool=data["tool"], arguments=shown.get("arguments", ""), reason=data["reason"])


def _unknown_run() -> Refusal:
    return Refusal(
        UNKNOWN_RUN, "There is no such run of this key.", suggestion="Give the runId that ask_agent answered with."
    )


def _unknown_conversation() -> Refusal:
    return Refusal(
        UNKNOWN_CONVERSATION,
        "There is no such conversation, or not of this key alone.",
        suggestion="Leave conversationId out to begin a new one.",
    )
