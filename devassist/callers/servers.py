"""Language servers of this process: one for each workspace and kind, started on demand, stopped when idle."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from devassist.callers.languages import LanguageServer
from devassist.callers.session import Machine, Session

logger = logging.getLogger(__name__)

MAX_STARTS_AT_ONCE = 2
MAX_WAIT_SECONDS = 60.0
STEADY_SECONDS = 60.0
"""After this uptime a server's failures are forgotten."""
_SWEEP_SECONDS = 5.0


class NotNow(Exception):
    """The server has ended too often lately. It is not started again before `seconds` have passed."""

    def __init__(self, why: str, *, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


@dataclass(slots=True)
class _Place:
    """The state of one server on one workspace."""

    session: Session | None = None
    used: float = 0.0
    started: float = 0.0
    failures: int = 0
    not_before: float = 0.0
    why: str = ""
    ending: set[asyncio.Task[None]] = field(default_factory=set)


class Servers:
    """Belongs to one event loop. `close` stops every server; the watchdog does it if we cannot."""

    def __init__(self, machine: Machine, *, most: int, idle_seconds: float) -> None:
        self.clock = time.monotonic
        self._machine = machine
        self._most = most
        self._idle_seconds = idle_seconds
        self._places: dict[tuple[str, str], _Place] = {}
        self._starts = asyncio.Semaphore(MAX_STARTS_AT_ONCE)
        self._sweeping: asyncio.Task[None] | None = None

    def session(self, server: LanguageServer, *, root: str, read: Callable[[str], bytes | None]) -> Session:
        """
        Return the running server of the workspace, starting it if there is none.

        Raises NoCommand where it is not installed, and NotNow where it keeps ending.
        """
        place = self._places.setdefault((server.name, root), _Place())
        self._bury(place)
        place.used = self.clock()
        if place.session is None:
            wait = place.not_before - self.clock()
            if wait > 0:
                raise NotNow(place.why, seconds=wait)
            self._machine.command(server, data="")
            self._make_room()
            place.started = self.clock()
            place.session = Session(server, root=root, machine=self._machine, read=read, starts=self._starts)
            self._sweeping = self._sweeping or asyncio.create_task(self._sweep())
        return place.session

    def list_running(self) -> list[Session]:
        """Return the live sessions."""
        return [place.session for place in self._places.values() if place.session and not place.session.is_gone]

    async def close(self) -> None:
        """Stop every server."""
        if self._sweeping:
            self._sweeping.cancel()
        self._sweeping = None
        for place in self._places.values():
            self._let_go(place, why="the server is closing")
        await self._wait_until_ended()
        self._places.clear()

    def _bury(self, place: _Place) -> None:
        """Remove a server that has ended, and set when the next may start, with a growing delay."""
        session = place.session
        if session is None or not session.is_gone:
            return
        lived = self.clock() - place.started
        place.failures = 1 if lived > STEADY_SECONDS else place.failures + 1
        wait = 0.0 if place.failures == 1 else min(2.0 ** (place.failures - 1), MAX_WAIT_SECONDS)
        place.not_before = self.clock() + wait
        place.why = f"it has ended {place.failures} times in a row"
        self._let_go(place, why="it has ended")

    def _let_go(self, place: _Place, *, why: str) -> None:
        session, place.session = place.session, None
        if session is not None:
            task = asyncio.create_task(session.end(why))
            place.ending.add(task)
            task.add_done_callback(place.ending.discard)

    def _make_room(self) -> None:
        """Stop the least recently used servers if there are too many."""
        living = sorted((place for place in self._places.values() if place.session), key=lambda place: place.used)
        for place in living[: max(len(living) - self._most + 1, 0)]:
            self._let_go(place, why="others are needed more")

    async def tidy(self) -> None:
        """Stop idle servers and remove ended ones."""
        for place in self._places.values():
            self._bury(place)
            if place.session and self.clock() - place.used > self._idle_seconds:
                self._let_go(place, why="nobody asks it")
        await self._wait_until_ended()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            await self.tidy()

    async def _wait_until_ended(self) -> None:
        await asyncio.gather(*(task for place in list(self._places.values()) for task in place.ending))
