"""Text on its way to watchers: gathered for a moment, so that a token does not cost a row."""

import asyncio
from types import TracebackType
from typing import Self

from agents.queries import leases
from agents.queries.rows import Held, RunLost
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.model import Retrying

GATHER_SECONDS = 0.05


class Teller:
    """
    Streams one step's text as `text` events, the first piece at once, then what came within 50 ms together.

    Leaving the block sends what is left, unless it is left by an error. Raises RunLost from `discard` and at the end;
    until then a run that is lost is found out by the heartbeat.
    """

    def __init__(self, held: Held, *, step: int) -> None:
        self._held = held
        self._step = step
        self._waiting: list[str] = []
        self._sending: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self._is_first = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self._flush()
        elif self._sending:
            self._sending.cancel()
            await asyncio.wait([self._sending])

    def say(self, text: str) -> None:
        """Take a piece of text; it is sent soon."""
        self._waiting.append(text)
        if self._sending is None or self._sending.done():
            delay, self._is_first = (0.0 if self._is_first else GATHER_SECONDS), False
            self._sending = asyncio.get_running_loop().create_task(self._send_soon(delay))

    async def discard(self, retrying: Retrying) -> None:
        """Tell watchers that what came of this step is void, and why it comes again."""
        await self._flush()
        data = {
            "step": self._step,
            "reason": retrying.reason,
            "delaySeconds": round(retrying.delay_seconds, 2),
            "attempt": retrying.attempt,
        }
        await leases.tell(self._held, kind="model.retrying", data=data)
        self._is_first = True

    async def _flush(self) -> None:
        if self._sending:
            await self._sending
        if self._failure:
            raise self._failure
        await self._send()

    async def _send_soon(self, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self._send()
        except (RunLost, DatabaseUnavailable) as failure:  # for whoever waits for the end
            self._failure = failure

    async def _send(self) -> None:
        pieces, self._waiting = self._waiting, []
        if pieces:
            await leases.tell(self._held, kind="text", data={"step": self._step, "text": "".join(pieces)})
