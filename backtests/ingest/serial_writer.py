"""When a batch is stored: before the next is read, or meanwhile."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from django.db import connection


class SerialWriter:
    """Stores each batch before the next is read."""

    def do(self, work: Callable[[], None]) -> None:
        """Do it now."""
        work()

    def wait(self) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is held."""


class BackgroundWriter(SerialWriter):
    """Stores a batch in a thread of its own, one at a time; what fails there is raised here, at the next call."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._under_way: Future[None] | None = None

    def do(self, work: Callable[[], None]) -> None:
        """Begin it, when what was begun before is done."""
        self.wait()
        self._under_way = self._pool.submit(work)

    def wait(self) -> None:
        """Wait for what is under way."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def close(self) -> None:
        """End the thread and its connection."""
        self._pool.submit(_disconnect)
        self._pool.shutdown()


def _disconnect() -> None:
    """Close the connection of the thread that runs this: Django keeps one a thread."""
    connection.close()
