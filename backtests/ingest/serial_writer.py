"""Writers of batches: synchronous, or in a background thread while the next batch is read."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from django.db import connection


class SerialWriter:
    """Stores each batch before the next is read."""

    def do(self, work: Callable[[], None]) -> None:
        """Run the work now."""
        work()

    def run_all(self, works: Iterable[Callable[[], None]]) -> None:
        """Run works that do not depend on each other."""
        for work in works:
            work()

    def wait(self) -> None:
        """Return at once: no work is in progress."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class BackgroundWriter(SerialWriter):
    """Stores batches one at a time in a thread of its own; the next call raises an error of the previous one."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._under_way: Future[None] | None = None

    def do(self, work: Callable[[], None]) -> None:
        """Start the work when the previous work is done."""
        self.wait()
        self._under_way = self._pool.submit(work)

    def run_all(self, works: Iterable[Callable[[], None]]) -> None:
        """Run works that do not depend on each other, two at a time."""
        self.wait()
        waiting = deque(works)
        self._under_way = self._pool.submit(_drain, waiting)
        try:
            _drain(waiting)
        finally:
            waiting.clear()  # after an interruption the thread takes no more of them
        self.wait()

    def wait(self) -> None:
        """Wait for the work in progress."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def close(self) -> None:
        """End the thread and close its connection."""
        self._pool.submit(_disconnect)
        self._pool.shutdown()


def _drain(works: deque[Callable[[], None]]) -> None:
    while True:
        try:
            work = works.popleft()
        except IndexError:
            return
        work()


def _disconnect() -> None:
    """Close the connection of the current thread: Django has one per thread."""
    connection.close()
