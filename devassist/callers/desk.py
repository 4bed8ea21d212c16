"""Where questions for callers are taken: each answered within its time, and carried on behind it."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from devassist.callers.inquiry import Asked, Inquiry, reasons_said
from devassist.callers.reading import Reading
from devassist.callers.servers import Servers
from devassist.callers.walk import Caller

MOST_OPEN = 64
KEPT_SECONDS = 120.0
MOST_ROOTS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Callers in a steady order, and why there may be more."""

    callers: list[Caller]
    reason: str | None


@dataclass(slots=True)
class _Kept:
    inquiry: Inquiry
    task: asyncio.Task[None]
    begun: float


class Desk:
    """
    Takes questions for one process. Belongs to the event loop of its servers.

    A question that outlasts its asker is kept: who asks the same again joins it, or takes its result, if no file has
    changed since.
    """

    def __init__(self, servers: Servers) -> None:
        self.clock = time.monotonic
        self.servers = servers
        self._kept: OrderedDict[object, _Kept] = OrderedDict()
        self._readings: OrderedDict[str, Reading] = OrderedDict()

    def reading(self, root: str) -> Reading:
        """Give the files below a root; their parses are shared by questions."""
        reading = self._readings.setdefault(root, Reading(root))
        self._readings.move_to_end(root)
        while len(self._readings) > MOST_ROOTS:
            self._readings.popitem(last=False)
        return reading

    async def ask(self, asked: Asked, *, root: str, seconds: float) -> Found:
        """Answer within `seconds`, with what is known by then; raises NoCommand and NotNow."""
        kept = await self._inquiry(asked, root=root)
        done, _ = await asyncio.wait({kept.task}, timeout=seconds)
        reasons = list(kept.inquiry.reasons)
        if done:
            self._kept.pop((root, asked), None)
            kept.task.result()
        else:
            reasons.append(kept.inquiry.whereabouts())
        return Found(callers=_ordered(kept.inquiry), reason=reasons_said(reasons))

    async def close(self) -> None:
        """Give up every question, and end the servers."""
        for kept in self._kept.values():
            kept.task.cancel()
        self._kept.clear()
        await self.servers.close()

    async def _inquiry(self, asked: Asked, *, root: str) -> _Kept:
        key = (root, asked)
        kept = self._kept.get(key)
        if kept and not (kept.task.done() and await self._is_stale(kept)):
            return kept
        inquiry = Inquiry(asked, self.servers, self.reading(root))
        task = asyncio.create_task(inquiry.run())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._kept[key] = kept = _Kept(inquiry, task, self.clock())
        while len(self._kept) > MOST_OPEN:
            self._kept.popitem(last=False)[1].task.cancel()
        return kept

    async def _is_stale(self, kept: _Kept) -> bool:
        """Tell whether a finished question has to be asked anew."""
        session = kept.inquiry.session
        failed = kept.task.cancelled() or kept.task.exception() is not None
        if failed or session is None or session.gone or self.clock() - kept.begun > KEPT_SECONDS:
            return True
        return (await session.keep_up()).files != kept.inquiry.files.files


def _ordered(inquiry: Inquiry) -> list[Caller]:
    callers = list(inquiry.walk.callers.values())
    for caller in callers:
        caller.lines.sort()
    return sorted(callers, key=lambda caller: (caller.depth, caller.path, caller.lines[0], caller.name))
