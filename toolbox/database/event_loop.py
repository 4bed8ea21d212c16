"""
The event loop that owns this process's database pools.

Under ASGI, the server's loop is adopted. Elsewhere (WSGI, Celery, commands, tests) a thread runs one, started when it
is first needed and so after any fork. Coroutines on other loops, and synchronous code, send their work there.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_STOP_SECONDS = 5.0

_loop: asyncio.AbstractEventLoop | None = None
_starting = threading.Lock()
_closers: list[Callable[[], Awaitable[None]]] = []


def adopt_running_loop() -> None:
    """Make the running loop the process's event loop; the server calls this once, before its first request."""
    global _loop
    _loop = asyncio.get_running_loop()


def get_loop() -> asyncio.AbstractEventLoop:
    """Return the process's event loop; starts one in a thread if no server has adopted its own."""
    global _loop
    if _loop is None or _loop.is_closed():
        with _starting:
            if _loop is None or _loop.is_closed():
                _loop = asyncio.new_event_loop()
                threading.Thread(target=_loop.run_forever, name="toolroom-event-loop", daemon=True).start()
                atexit.register(_stop, _loop)
    return _loop


async def run_on_loop(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run the coroutine that `work` makes on the process's event loop; cancelling here cancels it there."""
    if asyncio.get_running_loop() is _loop:
        return await work()
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), get_loop()))


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """
    Run a coroutine on the process's event loop and wait for it, from synchronous code outside that loop.

    Raises RuntimeError on that loop itself, where waiting would never end.
    """
    if _is_own_loop():
        work.close()
        raise RuntimeError("event_loop.run would wait for itself: this code runs on that loop; await the coroutine")
    return asyncio.run_coroutine_threadsafe(work, get_loop()).result()


def _is_own_loop() -> bool:
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def on_shutdown(closer: Callable[[], Awaitable[None]]) -> None:
    """Register a closer to be awaited at shutdown; the last registered runs first."""
    _closers.append(closer)


async def close() -> None:
    """Await every closer; the server calls this at shutdown."""
    for closer in reversed(_closers):
        await closer()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    if loop is _loop and loop.is_running():
        future = asyncio.run_coroutine_threadsafe(close(), loop)
        try:
            future.result(_STOP_SECONDS)
        finally:
            loop.call_soon_threadsafe(loop.stop)


def _forget() -> None:
    """Start without a loop in a forked child: the parent's loop does not run there."""
    global _loop, _starting
    _loop, _starting = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
