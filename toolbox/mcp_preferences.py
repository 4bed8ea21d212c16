"""What the client of a connection that lasts (stdio) wants to hear; over HTTP its session keeps it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from toolbox.mcp_clients import Context
from toolbox.registry import Registry

MOST_WATCHED = 100
LONGEST_URI = 2_048


def names_no_document(uri: str) -> bool:
    """Tell whether it is an address that no document can have, and that no row should hold."""
    return len(uri) > LONGEST_URI or "\0" in uri


@dataclass(kw_only=True)
class Preferences:
    """The least level of log messages, and the documents whose changes are told."""

    registry: Registry
    log_level: str = "info"
    _watched: dict[str, Callable[[], None]] = field(default_factory=dict)

    def offer(self, server: Server[Any]) -> None:
        """Have the server take them; over HTTP toolbox/mcp_legacy.py takes the messages before."""
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._watch)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unwatch)

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        if ctx.request is None:
            self.log_level = params.level
        return types.EmptyResult()

    async def _watch(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        uri = str(params.uri)
        if names_no_document(uri):
            raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.")
        if ctx.request is None and uri not in self._watched and len(self._watched) < MOST_WATCHED:
            loop = asyncio.get_running_loop()

            def tell(what: str) -> None:
                if what == uri:
                    asyncio.run_coroutine_threadsafe(ctx.session.send_resource_updated(uri), loop)

            self._watched[uri] = self.registry.on_change(tell)
        return types.EmptyResult()

    async def _unwatch(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        if forget := self._watched.pop(str(params.uri), None):
            forget()
        return types.EmptyResult()
