"""A cache with a time to live, and work shared by everyone who waits for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Value = TypeVar("Value")

TTL_SECONDS = 4.0
"""Within this time a change in the admin is seen, without restarts or messages between processes."""

_caches: "WeakSet[TtlCache[object]]" = WeakSet()


class TtlCache(Generic[Value]):
    """
    Keeps values by key for a few seconds, on a monotonic clock; empties itself when it is full.

    Failures are not cached, nor values whose loading began before the last `clear`: they may be older than the change
    that caused it.
    """

    def __init__(self, *, seconds: float = TTL_SECONDS, max_entries: int = 1_000) -> None:
        self.clock = time.monotonic
        self._seconds = seconds
        self._max_entries = max_entries
        self._entries: dict[object, tuple[float, Value]] = {}
        self._generation = 0
        _caches.add(self)  # type: ignore[arg-type]

    async def get(self, key: object, load: Callable[[], Awaitable[Value]]) -> Value:
        """Return the value of the key; loads it if it is missing or expired."""
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
    """Empty every TtlCache of this process; for tests, which change the database behind its back."""
    for cache in list(_caches):
        cache.clear()


class SingleFlight(Generic[Value]):
    """
    Runs work once per key at a time; a cancelled caller does not end it for the others.

    A task belongs to its event loop: a caller on another loop starts its own.
    """

    def __init__(self) -> None:
        self._tasks: dict[object, asyncio.Task[Value]] = {}

    async def run(self, key: object, start: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """Await the running work of this key, or start it; raises what the work raises."""
        task = self._tasks.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.get_running_loop().create_task(start())
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._remove(done, key=key))
        return await asyncio.shield(task)

    def clear(self) -> None:
        """Forget the running work, so that the next caller of each key starts its own."""
        self._tasks.clear()

    def _remove(self, task: asyncio.Task[Value], *, key: object) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled():
            task.exception()  # mark the error as seen: it concerns only those who waited
