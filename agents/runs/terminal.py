"""
A run in a terminal: the answer on standard output, everything else on standard error.

The process executes the run itself if no worker claims it.
"""

import asyncio
import json
import sys
from typing import Any, TextIO
from uuid import UUID

from agents.queries import events, run_requests
from agents.queries.leases import RUNS
from agents.runs import execution
from agents.runs.run_listeners import run_listeners
from toolbox.contract.caller import Caller
from toolbox.work import worker
from toolbox.work.publisher import enqueue

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_MAX_NOTE = 300
PATIENCE_SECONDS = 1.0
"""How long a worker has to claim the run before this process does."""


class Terminal:
    """Writes events as they arrive, and asks for a person's decisions."""

    def __init__(self, out: TextIO, beside: TextIO) -> None:
        self._out = out
        self._beside = beside
        self._is_in_line = False

    def show(self, event: dict[str, Any]) -> None:
        """Write one event."""
        data = event["data"]
        match event["kind"]:
            case "text":
                self._out.write(data["text"])
                self._out.flush()
                self._is_in_line = not data["text"].endswith("\n")
            case "tool.called":
                self.note(f"-> {data['tool']} {data['arguments']}")
            case "tool.answered":
                self.note(f"<- {_describe_answer(data)}")
            case "model.retrying":
                self.note(f"what came so far is void: {data['reason']} Asking again in {data['delaySeconds']} s.")
            case "run.taken_back":
                self.note("the worker was lost; another goes on")
            case "run.finished":
                self._finish(data)

    def note(self, text: str) -> None:
        """Write a line beside the answer."""
        self._end_line()
        cut = text if len(text) <= _MAX_NOTE else f"{text[:_MAX_NOTE]}…"
        self._beside.write(f"{_DIM}{cut}{_PLAIN}\n" if self._beside.isatty() else f"{cut}\n")
        self._beside.flush()

    async def ask(self, prompt: str) -> str:
        """Read a line; empty at the end of the input."""
        if sys.stdin.isatty():
            self._beside.write(prompt)
            self._beside.flush()
        return await asyncio.to_thread(sys.stdin.readline)

    async def decision(self, data: dict[str, Any]) -> tuple[bool, str]:
        """Ask whether a call may be made; returns the decision, and other arguments or the reason of a rejection."""
        self.note(f"{data['reason']}\n   {data['tool']} {data['arguments']}")
        word = (await self.ask("y to approve, a JSON object for other arguments, or why not: ")).strip()
        if word.lower() in ("y", "yes"):
            return True, ""
        return (True, word) if _is_object(word) else (False, word)

    def _finish(self, data: dict[str, Any]) -> None:
        self._end_line()
        if data["state"] != "succeeded":
            self.note(f"{data['state']}: {data.get('error', 'no answer')}")
            if data.get("text"):
                self._out.write(f"{data['text']}\n")
        tokens = data["promptTokens"] + data["completionTokens"]
        self.note(
            f"{data['steps']} steps, {tokens:,} tokens" + (f", cost {data['cost']}" if data["cost"] != "0" else "")
        )

    def _end_line(self) -> None:
        if self._is_in_line:
            self._out.write("\n")
            self._out.flush()
            self._is_in_line = False


def _describe_answer(data: dict[str, Any]) -> str:
    if "repeated" in data:
        return f"the same as step {data['repeated']}; not called again"
    if data["refused"]:
        return f"{data['code']}: {data['message']} {data['suggestion']}"
    rows = f"{data['rows']:,} rows, " if "rows" in data else ""
    return f"{rows}{data['bytes']:,} bytes in {data['milliseconds']} ms"


def _is_object(word: str) -> bool:
    try:
        return isinstance(json.loads(word), dict)
    except ValueError:
        return False


async def follow(run_id: UUID, *, caller: Caller, terminal: Terminal) -> str:
    """Show a run's events until it ends, asking for decisions; returns its final state."""
    number, is_taken = 0, False
    own: asyncio.Task[None] | None = None
    with run_listeners.subscribe(run_id) as listener:
        enqueue(RUNS, work_id=run_id)
        try:
            while True:
                for event in await events.load_events(run_id, number=number):
                    number = event["number"]
                    terminal.show(event)
                    is_taken = _is_taken(event["kind"], before=is_taken)
                    if event["kind"] == "run.finished":
                        return str(event["data"]["state"])
                    if event["kind"] == "approval.needed":
                        await _decide(run_id, data=event["data"], caller=caller, terminal=terminal)
                is_notified = await listener.wait(seconds=PATIENCE_SECONDS)
                if not is_notified and not is_taken and (own is None or own.done()):
                    own = asyncio.create_task(worker.execute(RUNS, work_id=run_id, work=execution.carry_out))
        finally:
            if own:
                await asyncio.wait([own], timeout=PATIENCE_SECONDS)
                own.cancel()


def _is_taken(kind: str, *, before: bool) -> bool:
    """Return whether a worker holds the run after this event."""
    if kind in ("run.queued", "run.taken_back", "approval.given", "approval.refused"):
        return False
    return before or kind == "run.started"


async def _decide(run_id: UUID, *, data: dict[str, Any], caller: Caller, terminal: Terminal) -> None:
    is_approved, word = await terminal.decision(data)
    if is_approved:
        await run_requests.approve(
            run_id, number=data["step"], caller=caller, arguments=word, digest=data.get("digest", "")
        )
    else:
        await run_requests.reject(run_id, number=data["step"], word=word)
    enqueue(RUNS, work_id=run_id)
