"""
Notify MCP clients of changes: dynamic tools, prompts, and the resources that they watch.

There are three ways: `subscriptions/listen` of the 2026 protocol, the stream of a 2025 session (GET), and the stdio
connection. A stream ends within 5 s after its caller's access.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import mcp_types as types
import orjson
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import ListenHandler, PromptsListChanged, ResourceUpdated, ServerEvent, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Send

from toolbox.access.keys import find_caller, wait_until_revoked
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.http.open_streams import close_at_stop
from toolbox.mcp.client import Context

MAX_STREAMS = 200
"""Open streams of one server in one process; each holds a connection."""
MAX_BUFFERED_CHANGES = 1_000
MAX_WATCHED_DOCUMENTS = 100
MAX_URI_CHARACTERS = 2_048
PING_SECONDS = 15.0
EVENT_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
_LIST_EVENTS: dict[str, ServerEvent] = {"tools": ToolsListChanged(), "prompts": PromptsListChanged()}
_END_OF_STREAM = ""

Listener = Callable[[ServerEvent], None]

_handlers: WeakSet[ListenHandler] = WeakSet()
_session_streams: set[asyncio.Queue[str]] = set()


def may_watch(uri: str, *, caller: Caller, registry: Registry) -> bool:
    """Return whether a resource of this URI can exist and the caller may read it; others get no notification either."""
    return any(caller.has(one.scope) and one.values(uri) is not None for one in registry.resources())


def is_storable_uri(uri: str) -> bool:
    """Return whether a row can hold the URI."""
    return len(uri) <= MAX_URI_CHARACTERS and "\0" not in uri


def end_streams() -> None:
    """End every open stream of this process, as MCP expects of a stopping server; called on its loop."""
    for handler in _handlers:
        handler.close()
    for changes in _session_streams:
        _put(changes, _END_OF_STREAM)


def make_listen_handler(registry: Registry) -> ListenHandler:
    """Build the SDK's handler of `subscriptions/listen`."""
    close_at_stop(end_streams)
    handler = ListenHandler(CatalogueChanges(registry), max_subscriptions=MAX_STREAMS)
    _handlers.add(handler)
    return handler


class CatalogueChanges:
    """
    The SDK's SubscriptionBus over a registry, which every process keeps up to date.

    A listener is called on the loop that it subscribed on, wherever the registry changes.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._listeners: dict[object, Listener] = {}

    async def publish(self, event: ServerEvent) -> None:
        """Call this process's listeners; the registry's own changes need no publishing."""
        for listener in list(self._listeners.values()):
            listener(event)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener at every change; returns the function that unsubscribes it."""
        loop, token = asyncio.get_running_loop(), object()
        self._listeners[token] = listener

        def forward(change: str) -> None:
            with suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(listener, _LIST_EVENTS.get(change) or ResourceUpdated(uri=change))

        stop_forwarding = self._registry.subscribe(forward)

        def unsubscribe() -> None:
            self._listeners.pop(token, None)
            stop_forwarding()

        return unsubscribe


async def serve_session_stream(
    *,
    watches: Callable[[str], Awaitable[bool]],
    registry: Registry,
    credential: str | Caller | None,
    receive: Receive,
    send: Send,
) -> None:
    """Send changes until the client leaves, its access ends, or the server ends the stream."""
    await dynamic_tools.wait_until_loaded()
    loop, changes = asyncio.get_running_loop(), asyncio.Queue[str](MAX_BUFFERED_CHANGES)

    def forward(change: str) -> None:
        loop.call_soon_threadsafe(_put, changes, change)

    async def render(change: str) -> bytes:
        caller = await find_caller(credential)
        if caller and change in _LIST_EVENTS:
            return render_event({"jsonrpc": "2.0", "method": f"notifications/{change}/list_changed"})
        if not caller or not may_watch(change, caller=caller, registry=registry) or not await watches(change):
            return b""
        params = {"uri": change}
        return render_event({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})

    stop_forwarding = registry.subscribe(forward)
    _session_streams.add(changes)
    await send({"type": "http.response.start", "status": 200, "headers": EVENT_STREAM_HEADERS})
    sending = asyncio.create_task(_send_changes(changes, render=render, send=send))
    leaving = asyncio.create_task(_wait_for_disconnect(receive))
    revoking = asyncio.create_task(wait_until_revoked(credential))
    tasks = (sending, leaving, revoking)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop_forwarding()
        _session_streams.discard(changes)
        has_left = leaving.done()
        for task in tasks:
            task.cancel()
    if not has_left:
        await send({"type": "http.response.body", "body": b""})


def has_room_for_session_stream() -> bool:
    """Return whether this process may hold one more stream."""
    return len(_session_streams) < MAX_STREAMS


def render_event(message: dict[str, Any]) -> bytes:
    """Render a JSON-RPC message as a server-sent event."""
    return b"event: message\ndata: %b\n\n" % orjson.dumps(message)


def _put(changes: asyncio.Queue[str], change: str) -> None:
    with suppress(asyncio.QueueFull):  # the client does not read; it reads the resource when it looks again
        changes.put_nowait(change)


async def _send_changes(changes: asyncio.Queue[str], *, render: Callable[[str], Awaitable[bytes]], send: Send) -> None:
    """Send changes until the end of the stream, and a ping after PING_SECONDS without one."""
    part = b": here\n\n"
    while True:
        if part:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        try:
            change = await asyncio.wait_for(changes.get(), PING_SECONDS)
        except TimeoutError:
            part = b": ping\n\n"
            continue
        if change == _END_OF_STREAM:
            return
        part = await render(change)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@dataclass(kw_only=True)
class ConnectionPreferences:
    """
    What the client of a stdio connection wants to receive: the lowest log level, and changes of resources.

    Over HTTP the client's session stores both: toolbox/mcp/protocol_2025.py handles these messages before the SDK.
    """

    registry: Registry
    log_level: str = "info"
    _watched: dict[str, Callable[[], None]] = field(default_factory=dict)

    def register(self, server: Server[Any]) -> None:
        """Register the handlers with the SDK's server."""
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._begin)
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._subscribe)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unsubscribe)

    async def _begin(self, ctx: Context, _: types.NotificationParams | None) -> None:
        """Notify of changes to the catalogue for as long as the connection lasts."""
        if ctx.request is None:
            notify = {"tools": ctx.session.send_tool_list_changed, "prompts": ctx.session.send_prompt_list_changed}
            self._forward(lambda change: notify[change]() if change in notify else None)

    def _forward(self, make_message: Callable[[str], Coroutine[Any, Any, None] | None]) -> Callable[[], None]:
        """Send the message of each change that has one, on this loop; errors of a closed connection are ignored."""
        loop, sending = asyncio.get_running_loop(), set[asyncio.Task[None]]()

        def finish(task: asyncio.Task[None]) -> None:
            sending.discard(task)
            if not task.cancelled():
                task.exception()

        def send(change: str) -> None:
            if (message := make_message(change)) is not None:
                task = loop.create_task(message)
                sending.add(task)
                task.add_done_callback(finish)

        def forward(change: str) -> None:
            with suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(send, change)

        return self.registry.subscribe(forward)

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        if ctx.request is None:
            self.log_level = params.level
        return types.EmptyResult()

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        uri = str(params.uri)
        if not is_storable_uri(uri):
            raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.")
        if ctx.request is None and uri not in self._watched and len(self._watched) < MAX_WATCHED_DOCUMENTS:
            self._watched[uri] = self._forward(
                lambda change: ctx.session.send_resource_updated(uri) if change == uri else None
            )
        return types.EmptyResult()

    async def _unsubscribe(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        if stop_forwarding := self._watched.pop(str(params.uri), None):
            stop_forwarding()
        return types.EmptyResult()
