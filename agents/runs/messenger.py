"""
Telling the broker that there is work, from a thread of its own, so that nobody waits for a broker that is away.

It is only told: the run's row is the truth. What a broker does not hear, because it is away or because this process
ends first, the sweep tells it again within seconds (agents/runs/sweeper.py).
"""

import logging
import os
import threading
from collections import deque
from uuid import UUID

from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAX_WAITING = 1_000


class Messenger:
    """A thread that publishes; started at first need, and so after any fork."""

    def __init__(self) -> None:
        self._waiting: deque[UUID] = deque(maxlen=MAX_WAITING)
        self._is_due = threading.Condition()
        self._thread: threading.Thread | None = None
        os.register_at_fork(after_in_child=self._forget)

    def start(self) -> None:
        """Have the thread ready before the first message comes."""
        with self._is_due:
            if self._thread is None:
                self._thread = threading.Thread(target=self._publish, name="toolroom-jobs", daemon=True)
                self._thread.start()

    def take(self, run_id: UUID) -> None:
        """Publish soon; past 1,000 that wait, the oldest are left to the sweep."""
        self.start()
        with self._is_due:
            self._waiting.append(run_id)
            self._is_due.notify()

    def _publish(self) -> None:
        from agents.tasks import carry_on  # noqa: PLC0415 - tasks know the engine, which enqueues

        while True:
            with self._is_due:
                self._is_due.wait_for(lambda: self._waiting)
                run_id = self._waiting.popleft()
            try:
                carry_on.apply_async(kwargs={"run_id": str(run_id)}, retry=False)
            except (OperationalError, OSError) as away:
                with self._is_due:
                    self._waiting.clear()
                logger.warning("the broker is away, runs wait for the sweep: %s", type(away).__name__)

    def _forget(self) -> None:
        """In a forked child nothing waits, and no thread runs."""
        self._waiting, self._is_due, self._thread = deque(maxlen=MAX_WAITING), threading.Condition(), None


messenger = Messenger()


def enqueue(run_id: UUID) -> None:
    """Ask for a worker; returns at once."""
    messenger.take(run_id)
