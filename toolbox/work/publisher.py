"""
Publish work to the broker from a separate thread, so that nobody waits for an unavailable broker.

If a message is lost, because the broker is unavailable or this process ends first, the sweep enqueues the work again.
"""

import logging
import os
import threading
from collections import deque

from toolbox.work.broker import BrokerAway, send_task
from toolbox.work.lease import WorkId, WorkKind

logger = logging.getLogger(__name__)

MAX_WAITING = 1_000


class Publisher:
    """A thread that publishes; started when first needed, and so after any fork."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[WorkKind, WorkId]] = deque(maxlen=MAX_WAITING)
        self._is_due = threading.Condition()
        self._thread: threading.Thread | None = None
        os.register_at_fork(after_in_child=self._forget)

    def start(self) -> None:
        """Start the thread unless it runs."""
        with self._is_due:
            if self._thread is None:
                self._thread = thread = threading.Thread(target=self._publish, name="toolroom-jobs", daemon=True)
                thread.start()

    def take(self, kind: WorkKind, *, work_id: WorkId) -> None:
        """Publish soon; with more than 1,000 waiting, the oldest are left to the sweep."""
        self.start()
        with self._is_due:
            self._waiting.append((kind, work_id))
            self._is_due.notify()

    def _publish(self) -> None:
        while True:
            with self._is_due:
                self._is_due.wait_for(lambda: self._waiting)
                kind, work_id = self._waiting.popleft()
            value = work_id if isinstance(work_id, int) else str(work_id)
            try:
                send_task(kind.celery_task, arguments={kind.id_argument: value})
            except BrokerAway as away:
                with self._is_due:
                    self._waiting.clear()
                logger.warning("the broker is away, work waits for the sweep: %s", away)

    def _forget(self) -> None:
        """Reset in a forked child: no thread runs there."""
        self._waiting, self._is_due, self._thread = deque(maxlen=MAX_WAITING), threading.Condition(), None


publisher = Publisher()


def enqueue(kind: WorkKind, *, work_id: WorkId) -> None:
    """Publish a message for a worker; returns at once."""
    publisher.take(kind, work_id=work_id)
