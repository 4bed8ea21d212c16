"""The server's entry: tool calls and MCP first, then Django."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # noqa: E402 - settings come first
from django.core.asgi import get_asgi_application  # noqa: E402

django = get_asgi_application()

from config.postgres.cluster import ensure_running  # noqa: E402 - apps are ready from here on
from toolbox import home  # noqa: E402
from toolbox.fast_lane import Application, FastLane, Receive, Scope, Send  # noqa: E402
from toolbox.mcp_http import McpLane  # noqa: E402
from toolbox.registry import registry  # noqa: E402

logger = logging.getLogger(__name__)


class Server:
    """The ASGI application: lifespan here, HTTP in lanes."""

    def __init__(self) -> None:
        if settings.TOOLROOM_DATABASE_IS_EMBEDDED:
            ensure_running(settings.TOOLROOM_VAR)
        self._mcp = McpLane(django, registry=registry)
        self._lanes: Application = FastLane(self._mcp) if settings.TOOLROOM_FAST_LANE else self._mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection of whatever kind the server hands over."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._lanes(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        home.claim()
        try:
            async with self._mcp.running():
                yield
        finally:
            await home.close()


application = Server()
