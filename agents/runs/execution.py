"""
Execute a run from the state of its rows, step after step, until it ends or a person must decide.

Each step is committed before the next begins. Every write names the attempt of the run's lease (toolbox/work), so a
worker that lost the run changes nothing. A run whose key has ended fails within 5 s, even in the middle of a model's
answer.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

import orjson

from agents.budgets import BudgetUsedUp
from agents.models import Run, Step
from agents.queries import conversations, leases
from agents.queries import steps as rows
from agents.queries.findings import has_findings
from agents.queries.rows import ClaimedRun, ModelReply, StepRow, ToolReply
from agents.runs import run_caller, transcript
from agents.runs.answer_numbers import mark_unfounded
from agents.runs.model_step import PROVIDER, ModelStep, choose_model, find_guidance
from agents.runs.run_listeners import ENDINGS, run_listeners
from agents.runs.run_policy import AskModel, AskPerson, End, Repeat, RunPolicy, UseTools, end_partially
from agents.runs.tool_choice import ToolChoice
from agents.runs.tool_step import call_tool, shown_arguments
from toolbox.answering.provider import AnswererModel
from toolbox.audit.spans import record
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.model import ContextOverrun, Message, ModelFailure, ModelMisbehaved
from toolbox.work.lease import Lease, LeaseLost
from toolbox.work.publisher import enqueue

logger = logging.getLogger(__name__)

AGENT = "toolroom"
KEY_CHECK_SECONDS = 1.0
KEY_ENDED = End(
    state=Run.State.FAILED,
    code="KEY_ENDED",
    error="The API key that this run acts with has ended, or its owner may not log in any more.",
)
CONCLUDED = {"STEPS_USED_UP", "TOKENS_USED_UP", "COST_USED_UP", "TIME_OVER"}
"""Error codes of runs that may take a last turn."""
LAST_TURN_SECONDS, LAST_TURN_SHARE = 15.0, 0.2
"""The smaller of both is kept from a run's time for the last turn."""
_FAILURES = ((ContextOverrun, "CONTEXT_OVERRUN"), (ModelMisbehaved, "MODEL_MISBEHAVED"))


async def carry_out(lease: Lease) -> None:
    """Execute a run within its time until it ends or a person must decide."""
    run = await leases.load_claimed(lease)
    attempt = Attempt(run)
    lease.on_drain = attempt.leave
    with (
        run_listeners.subscribe(lease.id, kinds=ENDINGS, notified=lease.news),
        record(f"invoke_agent {AGENT}", attributes=_describe_span(run)) as span,
    ):
        end = await _end_of(attempt)
        if end is None:
            return
        span.error = end.code
        await _save_progress(lease)
        following = await leases.finish(lease, state=end.state, text=end.text, code=end.code, error=end.error)
    if following:
        enqueue(leases.RUNS, work_id=following)


def _describe_span(run: ClaimedRun) -> dict[str, str | int]:
    """Return the span's attributes by OpenTelemetry's conventions for agents; each attempt at a run is a span."""
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": PROVIDER,
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": str(run.conversation_id),
        "toolroom.run_id": str(run.lease.id),
        "toolroom.attempt": run.lease.attempt,
    }


async def _end_of(attempt: "Attempt") -> End | None:
    run = attempt.run
    if run.lease.is_hopeless:
        error = f"{run.lease.losses} workers were lost over this run; it is not tried again."
        return End(state=Run.State.FAILED, code="WORKERS_LOST", error=error)
    until = asyncio.get_running_loop().time() + max(run.seconds_left, 0.0)
    try:
        end = await _go_on_in_time(attempt, until=until)
        if end and not end.text and end.code in CONCLUDED and attempt.has_findings:
            end = await _while_key_is_good(run, attempt.conclude(end, until=until))
        return end and await attempt.doubt(end)
    except (LeaseLost, DatabaseUnavailable):
        raise
    except Exception:  # the entry point of every run: logged here, ended without details
        logger.exception("run %s failed", run.lease.id)
    error = "The run failed in a way nobody planned; the server's log has more."
    return End(state=Run.State.FAILED, code="INTERNAL_ERROR", error=error)


async def _save_progress(lease: Lease) -> None:
    """Write what an interrupted answer has used so far, so that it is counted when its reservation ends."""
    if lease.progress:
        await lease.heartbeat()
        lease.progress = {}


async def _go_on_in_time(attempt: "Attempt", *, until: float) -> End | None:
    """Execute until the run's time is over; with findings, only until the time of a last turn is left."""
    loop = asyncio.get_running_loop()
    held_back = min(LAST_TURN_SECONDS, (until - loop.time()) * LAST_TURN_SHARE)
    limit = asyncio.timeout_at(until)

    def end_early() -> None:
        if attempt.has_findings and not limit.expired():
            limit.reschedule(loop.time())

    early = loop.call_at(until - held_back, end_early)
    try:
        async with limit:
            return await _while_key_is_good(attempt.run, attempt.go_on())
    except TimeoutError:
        if not limit.expired():
            raise
        return End(state=Run.State.TIMED_OUT, code="TIME_OVER", error="The time of this run is over.")
    finally:
        early.cancel()


async def _while_key_is_good(run: ClaimedRun, work: Coroutine[Any, Any, End | None]) -> End | None:
    """Run the work while the run's key is valid."""
    going = asyncio.create_task(work)
    watching = asyncio.create_task(_watch_key(run))
    try:
        await asyncio.wait({going, watching}, return_when=asyncio.FIRST_COMPLETED)
        if going.done():
            return going.result()
        watching.result()
        return KEY_ENDED
    finally:
        watching.cancel()
        going.cancel()
        await asyncio.wait({going})


async def _watch_key(run: ClaimedRun) -> None:
    """Return when the run's key has ended."""
    while True:
        await asyncio.sleep(KEY_CHECK_SECONDS)
        try:
            if await run_caller.resolve_caller(run) is None:
                return
        except DatabaseUnavailable as away:
            logger.warning("run %s: %s", run.lease.id, away)


class ApprovalVoid(Exception):
    """A call's approval is for another call, or was used before."""

    def __init__(self, step: StepRow) -> None:
        super().__init__(step.tool)
        self.step = step


class Attempt:
    """
    The state of a run that this worker holds.

    Every step raises LeaseLost and DatabaseUnavailable.
    """

    def __init__(self, run: ClaimedRun) -> None:
        self.run = run
        self._is_leaving = False
        self._asking: asyncio.Task[Any] | None = None
        self._steps: list[StepRow] = []
        self._caller: Caller | None = None
        self._guidance: Sequence[Message] | None = None
        self._choice = ToolChoice(run)
        self._policy = RunPolicy(
            budgets=run.budgets, writes=_writes, may_repeat=_may_repeat, needs_approval=self._needs_approval
        )

    def leave(self) -> None:
        """Stop before the next step; at once while the model is asked, which another worker can repeat."""
        self._is_leaving = True
        if self._asking:
            self._asking.cancel()

    async def go_on(self) -> End | None:
        """Execute the run until it ends; None if it waits for a person."""
        await dynamic_tools.wait_until_loaded()
        self._steps = await rows.load_steps(self.run.lease.id)
        await leases.append_event(self.run.lease, kind="run.started", data={"attempt": self.run.lease.attempt})
        while True:
            if self._is_leaving:
                raise asyncio.CancelledError
            self._caller = await run_caller.resolve_caller(self.run)
            if self._caller is None:
                return KEY_ENDED
            action = self._policy.next_action(self._steps)
            if isinstance(action, AskPerson):
                await self._pause(action)
                return None
            try:
                end = await self._perform(action, caller=self._caller)
            except ApprovalVoid as void:
                await self._pause(AskPerson(step=void.step, is_void=True))
                return None
            if end:
                return end

    async def _perform(self, action: AskModel | UseTools | Repeat | End, *, caller: Caller) -> End | None:
        """Perform an action; return the end if it is one or leads to one."""
        match action:
            case End():
                return action
            case AskModel(number=number):
                return await self._ask_model(number, caller=caller)
            case UseTools(steps=steps):
                await self._use_tools(steps, caller=caller)
            case Repeat():
                await self._repeat(action)
        return None

    async def _ask_model(self, number: int, *, caller: Caller) -> End | None:
        model, tools = choose_model(self.run.model), registry.visible_to(caller)
        if not isinstance(model, AnswererModel):
            tools = await self._choice.choose(tools, steps=self._steps)
        if self._guidance is None:
            self._guidance = await find_guidance(self.run, model=model, tools=tools)
        step = ModelStep(self.run, number=number, model=model, guidance=self._guidance)
        self._asking = asyncio.current_task()
        try:
            reply = await step.execute(self._steps, tools=tools)
        except BudgetUsedUp as refused:
            return End(state=Run.State.FAILED, code=refused.code, error=str(refused))
        except ModelFailure as failure:
            code = next((code for kind, code in _FAILURES if isinstance(failure, kind)), "MODEL_UNAVAILABLE")
            return End(state=Run.State.FAILED, code=code, error=str(failure))
        finally:
            self._asking = None
        await self._save_reply(number, reply=reply)
        return None

    @property
    def has_findings(self) -> bool:
        """Return whether a partial answer would have content."""
        return has_findings(self._steps)

    async def conclude(self, end: End, *, until: float) -> End:
        """Take the last turn of a run that must end: a partial answer by the model, or a list of what was found."""
        await _save_progress(self.run.lease)
        open_steps = (step.number for step in self._steps if step.is_model and not step.is_over)
        number = next(open_steps, len(self._steps) + 1)
        model = choose_model(self.run.model)
        asked = transcript.last_turn_message(end.error)
        step = ModelStep(self.run, number=number, model=model, guidance=(), last_turn=asked)
        self._asking = asyncio.current_task()
        try:
            async with asyncio.timeout_at(until):
                reply = await step.execute(self._steps, tools=())
        except (ModelFailure, BudgetUsedUp, TimeoutError) as failure:
            logger.info("run %s: no last turn: %r", self.run.lease.id, failure)
            return end_partially(end, said=step.text, steps=self._steps)
        finally:
            self._asking = None
        ends = {"state": end.state, "code": end.code, "error": end.error}
        await self._save_reply(number, reply=replace(reply, calls=(), ends=ends))
        concluded = self._policy.next_action(self._steps)
        return concluded if isinstance(concluded, End) else end

    async def doubt(self, end: End) -> End:
        """Append the numbers of a language model's answer that have no source, also as an event."""
        if not end.said or isinstance(choose_model(self.run.model), AnswererModel):
            return end
        before = await conversations.find_messages_until(self.run.conversation_id, question=self.run.question_number)
        doubt = await asyncio.to_thread(
            mark_unfounded, end.said, steps=self._steps, before=before, today=self.run.asked_on
        )
        if doubt:
            await leases.append_event(self.run.lease, kind="text", data={"step": len(self._steps), "text": doubt})
        return replace(end, text=end.text + doubt)

    async def _save_reply(self, number: int, *, reply: ModelReply) -> None:
        await rows.save_model_reply(self.run.lease, number=number, reply=reply)
        before = [known for known in self._steps if known.number != number]
        self._steps = [*before, *rows.build_reply_steps(self.run.lease, number=number, reply=reply)]

    async def _use_tools(self, steps: Sequence[StepRow], *, caller: Caller) -> None:
        """Call the tools concurrently; each answer is saved as it arrives."""
        for step in steps:
            arguments = shown_arguments(step.effective_arguments)
            data = {"step": step.number, "tool": step.tool, "arguments": arguments}
            if not await rows.begin_tool(self.run.lease, step=step, data=data):
                raise ApprovalVoid(step)
        calling = [asyncio.create_task(self._use_tool(step, caller=caller)) for step in steps]
        try:
            await asyncio.gather(*calling)
        finally:
            for call in calling:
                call.cancel()
            await asyncio.wait(calling)

    async def _use_tool(self, step: StepRow, *, caller: Caller) -> None:
        reply = await call_tool(step, caller=caller, most_bytes=self.run.budgets.answer_bytes)
        await self._keep(step, reply=reply)

    async def _repeat(self, repeat: Repeat) -> None:
        """Answer a repeated call with a note instead of calling again, so that a model in a loop may notice."""
        note = (
            f"This very call was made before, as step {repeat.earlier.number}; its answer stands above. "
            "It was not made again. Answer with what is known, or ask something else."
        )
        data = {"step": repeat.step.number, "tool": repeat.step.tool, "repeated": repeat.earlier.number}
        await self._keep(
            repeat.step,
            reply=ToolReply(
                state=Step.State.ANSWERED, answer=orjson.dumps({"note": note}).decode(), code="REPEATED", event=data
            ),
        )

    async def _keep(self, step: StepRow, *, reply: ToolReply) -> None:
        await rows.save_tool_reply(self.run.lease, step=step, reply=reply)
        done = replace(step, state=reply.state, answer=reply.answer, shown=reply.shown, code=reply.code)
        self._steps = [done if known.number == step.number else known for known in self._steps]

    async def _pause(self, asked: AskPerson) -> None:
        step = asked.step
        why = f"{step.tool} waits for your approval."
        if asked.is_unsure:
            why = (
                f"A worker was lost while it called {step.tool}, which may have been done already. "
                "Approve to do it again."
            )
        if asked.is_void:
            why = f"{step.tool} was approved for other arguments, or was called already. Approve to call it with these."
        arguments = shown_arguments(step.effective_arguments)
        data = {"step": step.number, "tool": step.tool, "arguments": arguments, "reason": why, "digest": step.digest}
        await rows.pause(self.run.lease, step=step, data=data)

    def _needs_approval(self, name: str) -> bool:
        """Return whether a person must approve the call; not if it will be refused anyway."""
        tool = registry.find(name)
        if tool is None or self._caller is None or not self._caller.has(tool.scope):
            return False
        return tool.writes or name in self.run.approve_tools


def _writes(name: str) -> bool:
    tool = registry.find(name)
    return tool is not None and tool.writes


def _may_repeat(name: str) -> bool:
    tool = registry.find(name)
    return tool is None or tool.may_repeat
