"""
MCP over HTTP: `/mcp` for every tool, `/mcp/<domain>` for a domain's, `/mcp/compact` for every tool behind three.

Stateless, so any process serves any call.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.access.keys import identify
from toolbox.catalogue.registry import Registry
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    UNKNOWN_TOOL,
    WRONG_HOST,
    WRONG_ORIGIN,
    DatabaseUnavailable,
    Refusal,
    ToolError,
)
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Reply
from toolbox.dispatch.entry import render_refusal
from toolbox.http.headers import has_allowed_host, is_own_origin
from toolbox.mcp.endpoint import McpEndpoint
from toolbox.mcp.http_request import McpHttpRequest
from toolbox.mcp.protocol_2025 import Legacy

PREFIX = "/mcp"
COMPACT = "compact"


class McpMiddleware:
    """An ASGI application in front of another: takes `/mcp…`, hands everything else on."""

    def __init__(self, behind: ASGIApp, *, registry: Registry) -> None:
        self._behind = behind
        domains = [None, *(toolkit.domain for toolkit in registry.toolkits())]
        self._doors = {_address(domain): McpEndpoint(registry=registry, domain=domain) for domain in domains}
        self._doors[_address(COMPACT)] = McpEndpoint(registry=registry, domain=None, is_compact=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the SDK's session managers, from the server's start to its end."""
        async with AsyncExitStack() as stack:
            for door in self._doors.values():
                await stack.enter_async_context(door.manager.run())
                await stack.enter_async_context(door.streaming.run())
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an MCP request of a known caller; refuse others before the protocol begins."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path != PREFIX and not path.startswith(f"{PREFIX}/"):
            await self._behind(scope, receive, send)
            return
        posted = McpHttpRequest(scope=scope, receive=receive, send=send)
        address = path.rstrip("/")
        refusal = await self._refusal(address, posted=posted)
        if refusal:
            await posted.refuse(refusal)
        elif scope["method"] == "POST":
            await self._doors[address].take(posted)
        elif Legacy.speaks(posted.sent):
            await self._doors[address].stream(posted)
        else:
            await self._doors[address].manager.handle_request(posted.named_scope, receive, posted.named_send)

    async def _refusal(self, path: str, *, posted: McpHttpRequest) -> Reply | None:
        """Refuse a foreign Host or Origin (DNS rebinding), an unknown caller, an address without a server."""
        if not has_allowed_host(posted.sent):
            return render_refusal(
                Refusal(WRONG_HOST, "This is not that host.", suggestion="Add its name to ALLOWED_HOSTS.")
            )
        if not is_own_origin(posted.sent):
            return render_refusal(
                Refusal(WRONG_ORIGIN, "That site may not ask here.", suggestion="Add it to TOOLROOM_BROWSER_ORIGINS.")
            )
        try:
            posted.caller = await run_on_loop(lambda: identify(posted.credential))
        except ToolError as error:
            return render_refusal(error)
        except DatabaseUnavailable:
            return render_refusal(
                ToolError(
                    KERNEL_ENVELOPE.database_down, "The database is not reachable.", suggestion="Please try again."
                )
            )
        if path in self._doors:
            return None
        listed = ", ".join(self._doors)
        return render_refusal(
            Refusal(UNKNOWN_TOOL, "There is no MCP server here.", suggestion=f"Use one of: {listed}.")
        )


def _address(domain: str | None) -> str:
    return f"{PREFIX}/{domain}" if domain else PREFIX
