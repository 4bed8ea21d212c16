"""Work that is under way, so that those who ask for the same thing meanwhile wait for one answer."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class SingleFlight(Generic[Value]):
    """
    Runs a piece of work once per key at a time; who leaves does not end it for the others.

    A task belongs to the event loop that made it: one left by another loop, ended or not, is never waited for.
    """

    def __init__(self) -> None:
        self._tasks: dict[object, asyncio.Task[Value]] = {}

    async def join(self, key: object, start: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """Wait for the work of this key, started here if nobody did; raises what the work raises."""
        task = self._tasks.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.get_running_loop().create_task(start())
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._ended(done, key=key))
        return await asyncio.shield(task)

    def forget(self) -> None:
        """Let whoever asks next start anew."""
        self._tasks.clear()

    def _ended(self, task: asyncio.Task[Value], *, key: object) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled():
            task.exception()  # an error is for those who waited, if any still do
