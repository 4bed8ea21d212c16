"""Caller searches with a time limit; a search continues in the background, and repeats share it."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from devassist.callers.search import CallerQuestion, Search, join_reasons
from devassist.callers.servers import Servers
from devassist.callers.source_files import SourceFiles
from devassist.callers.traversal import Caller

MAX_OPEN = 64
KEPT_SECONDS = 120.0
"""How long results are reused. Changes outside of the workspace are not noticed meanwhile."""
MAX_ROOTS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCallers:
    """Callers in a stable order, and the reason why there may be more."""

    callers: list[Caller]
    reason: str | None


@dataclass(slots=True)
class _RunningSearch:
    inquiry: Search
    task: asyncio.Task[None]
    begun: float


class CallerSearch:
    """
    Searches for callers, for one process; bound to the event loop of its language servers.

    A search continues when its caller has left. The same question joins it, or gets what it found, for a while
    and as long as no file has changed; what stopped short of an end is asked anew.
    """

    def __init__(self, servers: Servers) -> None:
        self.clock = time.monotonic
        self.servers = servers
        self._kept: OrderedDict[object, _RunningSearch] = OrderedDict()
        self._readings: OrderedDict[str, SourceFiles] = OrderedDict()

    def get_source_files(self, root: str) -> SourceFiles:
        """Return the files below a root. Searches share their parsed trees."""
        reading = self._readings.setdefault(root, SourceFiles(root))
        self._readings.move_to_end(root)
        while len(self._readings) > MAX_ROOTS:
            self._readings.popitem(last=False)
        return reading

    async def ask(self, asked: CallerQuestion, *, root: str, seconds: float) -> FoundCallers:
        """Return what is known within `seconds`. Raises NoCommand and NotNow."""
        kept = await self._inquiry(asked, root=root)
        done, _ = await asyncio.wait({kept.task}, timeout=seconds)
        reasons = list(kept.inquiry.reasons)
        if kept.task.cancelled():
            reasons.append("It was given up for other questions; ask again.")
        elif done:
            if kept.task.exception() or kept.inquiry.is_passing:
                self._forget(kept, key=(root, asked))
            kept.task.result()
        else:
            reasons.append(kept.inquiry.whereabouts())
        return FoundCallers(callers=_sort_callers(kept.inquiry), reason=join_reasons(reasons))

    async def close(self) -> None:
        """Cancel every search and stop the servers."""
        for kept in self._kept.values():
            kept.task.cancel()
        self._kept.clear()
        await self.servers.close()

    async def _inquiry(self, asked: CallerQuestion, *, root: str) -> _RunningSearch:
        key = (root, asked)
        while kept := self._kept.get(key):
            if not await self._is_stale(kept):
                self._kept.move_to_end(key)
                return kept
            self._forget(kept, key=key)
        inquiry = Search(asked, self.servers, self.get_source_files(root))
        task = asyncio.create_task(inquiry.run())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._kept[key] = kept = _RunningSearch(inquiry, task, self.clock())
        self._make_room()
        return kept

    def _make_room(self) -> None:
        """Evict the least recently used searches if there are many, running ones last."""
        by_use = sorted(self._kept.items(), key=lambda item: not item[1].task.done())
        for key, kept in by_use[: max(len(by_use) - MAX_OPEN, 0)]:
            del self._kept[key]
            kept.task.cancel()

    def _forget(self, kept: _RunningSearch, *, key: object) -> None:
        if self._kept.get(key) is kept:
            del self._kept[key]

    async def _is_stale(self, kept: _RunningSearch) -> bool:
        """Return whether a search has to run again. A running one has not."""
        if not kept.task.done():
            return False
        if kept.task.cancelled() or kept.task.exception() or self.clock() - kept.begun > KEPT_SECONDS:
            return True
        return not await asyncio.to_thread(kept.inquiry.is_current)


def _sort_callers(inquiry: Search) -> list[Caller]:
    callers = list(inquiry.walk.callers.values())
    for caller in callers:
        caller.lines.sort()
    return sorted(callers, key=lambda caller: (caller.depth, caller.path, caller.lines[0], caller.name))
