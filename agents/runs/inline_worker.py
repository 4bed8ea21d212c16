"""Following a run from the process that asked, which does the work itself where no worker takes it up."""

import asyncio
from typing import Any
from uuid import UUID

from agents.queries import events, run_requests
from agents.runs import execution
from agents.runs.messenger import enqueue
from agents.runs.run_listeners import bells
from agents.runs.terminal import Terminal
from agents.tasks import worker_name
from toolbox.contract.caller import Caller

PATIENCE_SECONDS = 1.0
"""How long a worker has to take the run up before this process does."""


async def follow(run_id: UUID, *, caller: Caller, terminal: Terminal) -> str:
    """Show a run's events to its end, asking the person what must be decided; gives the state it ended in."""
    number, is_taken = 0, False
    own: asyncio.Task[None] | None = None
    with bells.hung(run_id) as bell:
        enqueue(run_id)
        try:
            while True:
                for event in await events.after(run_id, number=number):
                    number = event["number"]
                    terminal.show(event)
                    is_taken = _is_taken(event["kind"], before=is_taken)
                    if event["kind"] == "run.finished":
                        return str(event["data"]["state"])
                    if event["kind"] == "approval.needed":
                        await _decide(run_id, data=event["data"], caller=caller, terminal=terminal)
                is_rung = await bell.wait(seconds=PATIENCE_SECONDS)
                if not is_rung and not is_taken and (own is None or own.done()):
                    own = asyncio.create_task(execution.execute(run_id, worker=worker_name()))
        finally:
            if own:
                await asyncio.wait([own], timeout=PATIENCE_SECONDS)
                own.cancel()


def _is_taken(kind: str, *, before: bool) -> bool:
    """Tell whether somebody is at work after this event."""
    if kind in ("run.queued", "run.taken_back", "approval.given", "approval.refused"):
        return False
    return before or kind == "run.started"


async def _decide(run_id: UUID, *, data: dict[str, Any], caller: Caller, terminal: Terminal) -> None:
    is_approved, word = await terminal.decision(data)
    if is_approved:
        await run_requests.approve(run_id, number=data["step"], caller=caller, arguments=word)
    else:
        await run_requests.reject(run_id, number=data["step"], word=word)
    enqueue(run_id)
