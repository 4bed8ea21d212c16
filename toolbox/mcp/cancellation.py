"""
`notifications/cancelled` of the 2025 protocols over HTTP: the wish comes as a request of its own, to any process.

Only calls of a session can be meant: two clients without one may number their calls alike. A process that does not
know the call passes the wish on by NOTIFY.
"""

import asyncio
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call, Reply, dispatch

CHANNEL = "toolroom_cancelled_calls"


@dataclass(slots=True)
class _Running:
    """A call under way; `is_cancelled` once its client wished so."""

    task: asyncio.Task[Any]
    is_cancelled: bool = False


class RunningCalls:
    """The calls of sessions that this process answers."""

    def __init__(self) -> None:
        self._running: dict[str, _Running] = {}
        dynamic_tools.hear(CHANNEL, hearer=self._heard)

    async def answered(self, call: Call, *, session_id: str, call_id: int | str) -> Reply | None:
        """Answer a call; None if its client cancelled it, and with it the statement in the database."""
        task = asyncio.current_task()
        if task is None or not session_id:
            return await dispatch(call)
        name, running = _name(session_id, call_id=call_id), _Running(task)
        self._running[name] = running
        try:
            return await dispatch(call)
        except asyncio.CancelledError:
            if not running.is_cancelled or task.uncancel():
                raise
            return None
        finally:
            if self._running.get(name) is running:
                del self._running[name]

    async def cancel(self, session_id: str, *, call_id: int | str) -> None:
        """Cancel the call, here or in another process; one that has ended or never was is nobody's trouble."""
        name = _name(session_id, call_id=call_id)
        if not self._cancel(name):
            await owner_pool.fetch("SELECT pg_notify(%s, %s)", [CHANNEL, name])

    def _heard(self, name: str) -> None:
        self._cancel(name)

    def _cancel(self, name: str) -> bool:
        running = self._running.get(name)
        if running:
            running.task.get_loop().call_soon_threadsafe(self._end, name, running)
        return running is not None

    def _end(self, name: str, running: _Running) -> None:
        if self._running.get(name) is running and not running.is_cancelled:
            running.is_cancelled = True
            running.task.cancel()


def cancelled(call_id: int | str) -> Reply:
    """Give what ends the connection of a call that was cancelled, where no stream does; the SDK says the same."""
    error = {"code": 0, "message": "Request cancelled"}
    return Reply(body=json.dumps({"jsonrpc": "2.0", "id": call_id, "error": error}).encode())


def _name(session_id: str, *, call_id: int | str) -> str:
    return hashlib.sha256(json.dumps([session_id, call_id]).encode()).hexdigest()


running_calls = RunningCalls()
