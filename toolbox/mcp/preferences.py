"""What the client of a connection that lasts (stdio) wants to hear; over HTTP its session keeps it."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from toolbox.catalogue.registry import Registry
from toolbox.mcp.sdk_client import Context

MAX_WATCHED = 100
MAX_URI = 2_048


def names_no_document(uri: str) -> bool:
    """Tell whether it is an address that no document can have, and that no row should hold."""
    return len(uri) > MAX_URI or "\0" in uri


@dataclass(kw_only=True)
class Preferences:
    """The least level of log messages, and the documents whose changes are told."""

    registry: Registry
    log_level: str = "info"
    _watched: dict[str, Callable[[], None]] = field(default_factory=dict)

    def offer(self, server: Server[Any]) -> None:
        """Have the server take them; over HTTP toolbox/mcp/protocol_2025.py takes the messages before."""
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._begin)
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._watch)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unwatch)

    async def _begin(self, ctx: Context, _: types.NotificationParams | None) -> None:
        """Tell of changes of the catalogue for as long as the connection lasts."""
        if ctx.request is not None:
            return
        tellers = {"tools": ctx.session.send_tool_list_changed, "prompts": ctx.session.send_prompt_list_changed}
        self._hear(lambda what: tellers[what]() if what in tellers else None)

    def _hear(self, message: Callable[[str], Coroutine[Any, Any, None] | None]) -> Callable[[], None]:
        """Send the message of each change that has one, on this loop; a connection that has ended hears nothing."""
        loop, sent = asyncio.get_running_loop(), set[asyncio.Task[None]]()

        def over(task: asyncio.Task[None]) -> None:
            sent.discard(task)
            if not task.cancelled():
                task.exception()

        def send(what: str) -> None:
            if (work := message(what)) is not None:
                task = loop.create_task(work)
                sent.add(task)
                task.add_done_callback(over)

        def tell(what: str) -> None:
            with suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(send, what)

        return self.registry.on_change(tell)

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        if ctx.request is None:
            self.log_level = params.level
        return types.EmptyResult()

    async def _watch(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        uri = str(params.uri)
        if names_no_document(uri):
            raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.")
        if ctx.request is None and uri not in self._watched and len(self._watched) < MAX_WATCHED:
            self._watched[uri] = self._hear(
                lambda what: ctx.session.send_resource_updated(uri) if what == uri else None
            )
        return types.EmptyResult()

    async def _unwatch(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        if forget := self._watched.pop(str(params.uri), None):
            forget()
        return types.EmptyResult()
