"""Scripted answers of the model server: one Turn per request."""

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


class Gate:
    """
    A place where an answer waits until the test opens it.

    `reached` is set when the answer has reached the gate, `left` when the client disconnected while it waited.
    """

    def __init__(self) -> None:
        self.reached, self.left, self._open = threading.Event(), threading.Event(), asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Let everything pass from now on; from any thread."""
        if self._loop is None:
            self._open.set()
        else:
            self._loop.call_soon_threadsafe(self._open.set)

    async def wait_until_open(self) -> None:
        """Wait until the gate is open; the server's side of it."""
        self._loop = asyncio.get_running_loop()
        self.reached.set()
        await self._open.wait()


@dataclass(frozen=True, kw_only=True)
class Call:
    """One tool call as the model writes it: `arguments` is text, which need not be JSON."""

    tool: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """
    One answer.

    `gate` holds it before its head is sent, `gate_after` after so many pieces of text instead. `dies_after` breaks the
    connection after so many pieces. A `status` other than 200 is an error with the text `error`. `garbled` sends a
    piece that is not JSON, `fault` an error in the middle of the stream, as vLLM does. `endless` names a field of the
    delta that repeats without end, `ignores_limit` writes more than `max_tokens`, `usage` is sent instead of a true
    count.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    status: int = 200
    error: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    input_tokens: int = 100
    output_tokens: int = 20
    gate: Gate | None = None
    gate_after: int | None = None
    dies_after: int | None = None
    garbled: bool = False
    fault: str = ""
    seconds_between: float = 0.0
    seconds_before: float = 0.0
    endless: str = ""
    ignores_limit: bool = False
    usage: Mapping[str, Any] | None = None

    def pieces(self) -> list[str]:
        """Split the text at its blanks, as tokens arrive."""
        words = self.text.split(" ")
        return [f"{word} " for word in words[:-1]] + words[-1:] if self.text else []

    def at(self, gate: Gate, *, after: int | None = None) -> "Turn":
        """Hold this answer at a gate: before anything is sent, or after some pieces."""
        return replace(self, gate=gate, gate_after=after)


def says(text: str, **how: Any) -> Turn:
    """Answer with text and no call."""
    return Turn(text=text, **how)


def calls(tool: str, arguments: Mapping[str, Any] | str, *, text: str = "", **how: Any) -> Turn:
    """Call one tool; arguments given as text are sent unchanged."""
    return Turn(text=text, calls=(call(tool, arguments),), **how)


def call(tool: str, arguments: Mapping[str, Any] | str) -> Call:
    """Write one call, for a Turn with several."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Call(tool=tool, arguments=written)


def slow(text: str, *, seconds: float) -> Turn:
    """Answer with a pause between any two pieces."""
    return Turn(text=text, seconds_between=seconds)


def never() -> Turn:
    """Accept the request, and answer nothing until the client disconnects."""
    return Turn(gate=Gate())


def dies(text: str, *, after: int) -> Turn:
    """Break the connection in the middle of the stream."""
    return Turn(text=text, dies_after=after)


def refuses(status: int, *, message: str = "refused by the script", retry_after: str = "", code: str = "") -> Turn:
    """Answer with an HTTP error, in OpenAI's form."""
    error = {"message": message, "type": "scripted", "param": None, "code": code or None}
    return Turn(status=status, error=error, headers={"Retry-After": retry_after} if retry_after else {})


def report_overrun(limit: int = 8192) -> Turn:
    """Answer that the messages exceed the model's context, in the words of OpenAI and vLLM."""
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {limit * 2} tokens."
        " Please reduce the length of the messages."
    )
    return refuses(400, message=message, code="context_length_exceeded")
