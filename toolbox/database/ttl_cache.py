"""Values remembered for a few seconds, so that rows which change seldom are not read for every call."""

import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakSet

Value = TypeVar("Value")

MEMORY_SECONDS = 4.0
"""How long a change in the admin may take to be seen; no restart, no message between processes."""

_memories: "WeakSet[TtlCache[object]]" = WeakSet()


class TtlCache(Generic[Value]):
    """
    Remembers values by key for a few seconds, on a monotonic clock.

    What cannot be made is not remembered, nor what was begun before the last `forget`: it may be of before the change
    that was the reason to forget.
    """

    def __init__(self, *, seconds: float = MEMORY_SECONDS, most: int = 1_000) -> None:
        self.clock = time.monotonic
        self._seconds = seconds
        self._most = most
        self._kept: dict[object, tuple[float, Value]] = {}
        self._forgotten = 0
        _memories.add(self)  # type: ignore[arg-type]

    async def get(self, key: object, make: Callable[[], Awaitable[Value]]) -> Value:
        """Give the value of the key, made anew when it is too old."""
        known = self._kept.get(key)
        if known and known[0] > self.clock():
            return known[1]
        forgotten = self._forgotten
        value = await make()
        if forgotten != self._forgotten:
            return value
        if len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[key] = (self.clock() + self._seconds, value)
        return value

    def forget(self) -> None:
        """Forget all."""
        self._forgotten += 1
        self._kept.clear()


def clear_all_caches() -> None:
    """Empty every memory of this process: for tests, which change their database under it."""
    for memory in list(_memories):
        memory.forget()
