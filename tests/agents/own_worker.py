"""A worker inside the test's process, with a scripted model."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from typing import Any
from uuid import UUID

from agents.queries.leases import RUNS
from agents.runs import execution
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.model import CallRequested, Message, ModelEvent, StepEnd, TextDelta, ToolRequest, Used
from toolbox.work import worker

LINESCORE = "query_linescore_data"
FEBRUARY = '{"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}'


class Script:
    """A model with given steps that records its messages. A step may be an exception or end in one."""

    name = "script"

    def __init__(self, *steps: list[ModelEvent | Exception] | Exception) -> None:
        self._steps = list(steps)
        self.told: list[list[Message]] = []
        self.tools: list[list[str]] = []
        self.limits: list[int | None] = []
        self.estimated: list[list[str]] = []
        self.prompt_tokens = 10
        self.is_closed = False

    def estimate_tokens(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> int:
        """Return what the test set."""
        self.estimated.append([tool.name for tool in tools])
        return self.prompt_tokens

    async def turn(
        self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), max_tokens: int | None = None
    ) -> AsyncGenerator[ModelEvent, None]:
        """Yield the next step; one without an end never ends."""
        self.limits.append(max_tokens)
        self.told.append(list(messages))
        self.tools.append([tool.name for tool in tools])
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        for event in step:
            if isinstance(event, Exception):
                raise event
            yield event
        if not any(isinstance(event, StepEnd) for event in step):
            try:
                await asyncio.Event().wait()
            finally:
                self.is_closed = True

    async def complete_structured(self, *args: Any, **options: Any) -> Any:
        """Fail: no test asks for this."""
        raise NotImplementedError


Scripted = Callable[..., Script]
"""What the fixture `scripted_as` gives: has the engine ask a script of these steps."""


def says(text: str, *, prompt_tokens: int = 10, completion_tokens: int = 5) -> list[ModelEvent]:
    """Build a step that answers."""
    return [TextDelta(text=text), Used(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens), _end("stop")]


def calls(*arguments: str, tool: str = LINESCORE) -> list[ModelEvent]:
    """Build a step that requests a tool, once for each of the arguments."""
    requests = [ToolRequest(id=f"c{secrets.token_hex(4)}", name=tool, arguments=given) for given in arguments]
    wanted: list[ModelEvent] = [CallRequested(request=request) for request in requests]
    return [*wanted, Used(prompt_tokens=10, completion_tokens=5), _end("calls")]


def hangs() -> list[ModelEvent]:
    """Build a step that begins and never ends."""
    return [TextDelta(text="Well")]


def work_on(run_id: UUID) -> None:
    """Execute a run as far as it goes."""
    begin_work_on(run_id).result(30)


def begin_work_on(run_id: UUID) -> "Future[None]":
    """Start to execute a run."""
    work = worker.execute(RUNS, work_id=run_id, work=execution.carry_out)
    return asyncio.run_coroutine_threadsafe(work, event_loop.get_loop())


def _end(reason: Any) -> StepEnd:
    return StepEnd(reason=reason)
