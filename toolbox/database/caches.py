"""Values kept for a few seconds, and work that runs once for everybody who waits for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Value = TypeVar("Value")

TTL_SECONDS = 4.0
"""The time within which a change in the admin is seen; no restart, no message between processes."""

_caches: "WeakSet[TtlCache[object]]" = WeakSet()


class TtlCache(Generic[Value]):
    """
    Keeps values by key for a few seconds, on a monotonic clock; empties itself when it is full.

    A failure is not kept, nor a value whose loading began before the last `clear`: it may be older than the change
    that was the reason to clear.
    """

    def __init__(self, *, seconds: float = TTL_SECONDS, max_entries: int = 1_000) -> None:
        self.clock = time.monotonic
        self._seconds = seconds
        self._max_entries = max_entries
        self._entries: dict[object, tuple[float, Value]] = {}
        self._generation = 0
        _caches.add(self)  # type: ignore[arg-type]

    async def get(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        """Return the value of the key, loaded anew when it has expired."""
        entry = self._entries.get(key)
        if entry and entry[0] > self.clock():
            return entry[1]
        generation = self._generation
        value = await load()
        if generation != self._generation:
            return value
        if len(self._entries) >= self._max_entries:
            self._entries.clear()
        self._entries[key] = (self.clock() + self._seconds, value)
        return value

    def clear(self) -> None:
        """Drop every value."""
        self._generation += 1
        self._entries.clear()


def clear_all_caches() -> None:
    """Empty every TtlCache of this process: for tests, which change their database under it."""
    for cache in list(_caches):
        cache.clear()


class SingleFlight(Generic[Value]):
    """
    Runs a piece of work once per key at a time; a cancelled caller does not end it for the others.

    A task belongs to the event loop that made it: one of another loop is never waited for.
    """

    def __init__(self) -> None:
        self._tasks: dict[object, asyncio.Task[Value]] = {}

    async def run(self, key: object, start: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """Wait for the running work of this key, started here if there is none; raises what the work raises."""
        task = self._tasks.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.get_running_loop().create_task(start())
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._remove(done, key=key))
        return await asyncio.shield(task)

    def clear(self) -> None:
        """Let the next caller of each key start anew."""
        self._tasks.clear()

    def _remove(self, task: asyncio.Task[Value], *, key: object) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled():
            task.exception()  # an error is for those who waited, if any still do
