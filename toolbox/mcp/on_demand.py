"""Load MCP's code and SDK with the first request for one of its addresses."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import Context
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX = "/mcp"


def is_mcp(scope: Scope) -> bool:
    """Return whether a request is for one of MCP's addresses."""
    path = scope["path"] if scope["type"] == "http" else ""
    return bool(path == PREFIX or path.startswith(f"{PREFIX}/"))


class McpApplication(Protocol):
    """The loaded application: answers MCP requests while its session managers run."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

    def run_session_managers(self) -> AbstractAsyncContextManager[None]:
        """Run the SDK's session managers."""


class McpOnDemand:
    """
    ASGI middleware that answers `/mcp…` and passes everything else on.

    The models of both protocol eras take a fifth of a process's start and 18 MB. `load` runs in a thread, so that other
    requests are answered meanwhile; the next request retries a failed load.
    """

    def __init__(self, behind: ASGIApp, *, load: Callable[[], McpApplication], when_loaded: Callable[[], None]) -> None:
        self._behind = behind
        self._load = load
        self._when_loaded = when_loaded
        self._serving: asyncio.Task[None] | None = None
        self._is_ending = asyncio.Event()
        self._loaded: asyncio.Future[McpApplication] | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve until the block ends, then close what was loaded."""
        try:
            yield
        finally:
            self._is_ending.set()
            if self._serving:
                await self._serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an MCP request; pass any other on."""
        if is_mcp(scope):
            await (await self._find_application())(scope, receive, send)
        else:
            await self._behind(scope, receive, send)

    async def _find_application(self) -> McpApplication:
        if self._loaded is None or (self._loaded.done() and self._loaded.exception()):
            self._loaded = asyncio.get_running_loop().create_future()
            # Without the context of the request that happens to come first.
            self._serving = asyncio.create_task(self._serve(self._loaded), context=Context())
        return await asyncio.shield(self._loaded)

    async def _serve(self, loaded: asyncio.Future[McpApplication]) -> None:
        """Load the application and run its session managers; the same task must begin and end them."""
        try:
            application = await asyncio.to_thread(self._load)
            async with application.run_session_managers():
                self._when_loaded()
                loaded.set_result(application)
                await self._is_ending.wait()
        except Exception as failure:
            if loaded.done():
                raise
            loaded.set_exception(failure)
