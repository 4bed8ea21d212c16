"""
A run's events as server-sent events: what has happened, then what happens, to the end of the run.

What a stream has not sent yet lies in the database, not here: a reader that is slow costs one page of events, one that
has vanished costs nothing once its connection is found dead.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Any
from uuid import UUID

import orjson

from agents.queries import events
from agents.runs.run_listeners import RunListener, bells
from agents.step_access import hide_contents
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import UNAVAILABLE, DatabaseUnavailable, Refusal
from toolbox.database.event_loop import run_on_loop

logger = logging.getLogger(__name__)

MAX_STREAMS = 2_000
"""Of one process."""
SILENCE_SECONDS = 15.0
"""A comment is sent after so long, so that proxies keep the line and a dead one is noticed."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
CONTENT_TYPE = "text/event-stream"
_FIRST = b"retry: 1000\n\n"
_STILL_HERE = b": still here\n\n"

_open = 0


class EventStream:
    """One reader of one run; lives on the home loop whatever loop it is read from."""

    def __init__(self, run_id: UUID, *, after: int, caller: Caller) -> None:
        self._run_id = run_id
        self._caller = caller
        self._number = after
        self._stack = ExitStack()
        self._bell: RunListener | None = None
        self._is_over = False

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Give pieces of the stream until the run is over; Last-Event-ID takes it up again after any end."""
        await run_on_loop(self._begin)
        try:
            yield _FIRST
            while not self._is_over:
                yield await run_on_loop(self._piece)
        except DatabaseUnavailable as away:
            logger.warning("a stream of run %s ends, its reader will come back: %s", self._run_id, away)
        finally:
            await run_on_loop(self._end)

    async def _begin(self) -> None:
        global _open
        _open += 1
        self._bell = self._stack.enter_context(bells.hung(self._run_id))

    async def _piece(self) -> bytes:
        """Give the next events together, a comment where none came for a while, nothing at the end."""
        assert self._bell  # noqa: S101 - made by _begin
        while True:
            if page := await events.after(self._run_id, number=self._number):
                self._number = page[-1]["number"]
                self._is_over = page[-1]["kind"] == "run.finished"
                return b"".join(rendered(event, caller=self._caller) for event in page)
            if await events.is_over(self._run_id, number=self._number):
                self._is_over = True
                return b""
            if not await self._bell.wait(seconds=SILENCE_SECONDS):
                return _STILL_HERE

    async def _end(self) -> None:
        global _open
        _open -= 1
        self._stack.close()


def refuse_too_many() -> None:
    """Raise Refusal where this process holds as many streams as it may."""
    if _open >= MAX_STREAMS:
        raise Refusal(
            UNAVAILABLE,
            "This server process holds as many event streams as it may.",
            suggestion="Close those you do not read, or try again in some seconds.",
            retry_after_seconds=5,
        )


def rendered(event: dict[str, Any], *, caller: Caller) -> bytes:
    """Write an event as server-sent events do, with what the caller may see; its data is one line of JSON."""
    data = orjson.dumps(hide_contents(event["data"], caller=caller) | {"at": format_timestamp(event["at"])})
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event["number"], event["kind"].encode(), data)
