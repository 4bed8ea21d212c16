"""An event loop whose clock jumps to the next timer, so that minutes pass in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Deadlock(Exception):
    """Nothing is ready and no timer is set."""


class _NoFiles(selectors.SelectSelector):
    """A selector that only waits for time, and lets it pass at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Deadlock
        self.now += max(timeout, 0.0)
        return []


def run_in_virtual_time(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end; raises Deadlock if it waits for something that never happens."""
    selector = _NoFiles()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]
    try:
        return loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
