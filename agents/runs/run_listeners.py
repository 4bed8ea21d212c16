"""
Listeners of runs' events, on the event loop of the pools.

A notification carries no data: the listener reads the rows again. When notifications may have been missed
(toolbox/database/notifications.py), every listener is notified, so nothing is missed for long.
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

from toolbox.database.notifications import Listener, Notifications, notifications

CHANNEL = "agents_runs"
ENDINGS = frozenset({"run.finished", "run.taken_back", "run.deleted"})
"""Events after which a worker may have lost its run."""


class RunListener:
    """Notified of every event of its run, or of those of the given kinds."""

    def __init__(self, *, kinds: frozenset[str] = frozenset(), notified: asyncio.Event | None = None) -> None:
        self._kinds = kinds
        self._notified = notified or asyncio.Event()

    def notify(self, *, kind: str = "") -> None:
        """Wake the waiting task if the kind is one of ours; an empty kind wakes every listener."""
        if not kind or not self._kinds or kind in self._kinds:
            self._notified.set()

    async def wait(self, *, seconds: float) -> bool:
        """Wait for a notification; False if none came within the given seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._notified.wait()
        except TimeoutError:
            return False
        self._notified.clear()
        return True


class RunListeners:
    """The listeners of one process; lives on the event loop of the pools."""

    def __init__(self, heard: Notifications = notifications) -> None:
        self._listeners: dict[str, set[RunListener]] = {}
        self._notifications = heard
        os.register_at_fork(after_in_child=self._listeners.clear)  # those of the parent
        heard.add_listener(CHANNEL, listener=Listener(receive=self._receive, poll=self._notify_all))

    @contextmanager
    def subscribe(
        self, run_id: object, *, kinds: frozenset[str] = frozenset(), notified: asyncio.Event | None = None
    ) -> Iterator[RunListener]:
        """Subscribe to the events of a run for as long as the block lasts."""
        listener, key = RunListener(kinds=kinds, notified=notified), str(run_id)
        self._listeners.setdefault(key, set()).add(listener)
        self._notifications.start()
        try:
            yield listener
        finally:
            self._listeners[key].discard(listener)
            if not self._listeners[key]:
                del self._listeners[key]

    def _receive(self, payload: str) -> None:
        key, _, kind = payload.partition(" ")
        for listener in self._listeners.get(key, ()):
            listener.notify(kind=kind)

    def _notify_all(self) -> None:
        for listener in [listener for listeners in self._listeners.values() for listener in listeners]:
            listener.notify()


run_listeners = RunListeners()
