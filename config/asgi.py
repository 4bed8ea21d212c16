"""The ASGI application: tool calls and MCP first, then Django."""

import asyncio
import gc
import logging
import os
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
gc.disable()  # During imports: collections took a quarter of that time and found nothing.

from django.conf import settings
from django.core.asgi import get_asgi_application
from starlette.types import ASGIApp, Receive, Scope, Send

django: ASGIApp = get_asgi_application()  # type: ignore[assignment]  # Django types its messages more narrowly

from agents.event_stream import EventStreamMiddleware
from backtests.uploads.middleware import UploadMiddleware
from config.embedded.broker import BrokerDidNotStart
from config.gc_tuning import freeze_startup_objects
from config.observability.health_middleware import HealthMiddleware
from config.observability.traces import TraceMiddleware
from config.pages_application import PagesApplication
from config.embedded.components import leave_embedded, revive_embedded, start_embedded
from config.postgres.cluster import PostgresDidNotStart
from config.topology.presence import WEB, presence
from toolbox.embedding.embedder import embedder
from toolbox.database import event_loop
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.work.publisher import publisher
from toolbox.rest.middleware import ToolCallMiddleware
from toolbox.mcp.on_demand import McpOnDemand
from toolbox.oauth.cors import CorsMiddleware
from toolbox.database.notifications import notifications
from toolbox.database.pools import reader
from toolbox.catalogue.registry import registry

if TYPE_CHECKING:
    from toolbox.mcp.endpoint import McpMiddleware


# Expected: whitenoise reads files with a synchronous iterator, which Django runs in a thread.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")


logger = logging.getLogger(__name__)

WATCH_SECONDS = 2.0


class Server:
    """The ASGI application: lifespan events here, HTTP requests in middleware."""

    def __init__(self) -> None:
        start_embedded()
        is_fast = settings.TOOLROOM_FAST_LANE
        self._pages = PagesApplication(django)
        behind = UploadMiddleware(EventStreamMiddleware(self._pages)) if is_fast else self._pages
        self._mcp = McpOnDemand(behind, load=lambda: _load_mcp(behind), when_loaded=freeze_startup_objects)
        application = ToolCallMiddleware(self._mcp) if is_fast else self._mcp
        self._application: ASGIApp = HealthMiddleware(
            TraceMiddleware(application) if settings.TOOLROOM_TRACES else application
        )
        if settings.TOOLROOM_BROWSER_ORIGINS:
            self._application = CorsMiddleware(self._application, origins=settings.TOOLROOM_BROWSER_ORIGINS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._application(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._run_services():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _run_services(self) -> AsyncIterator[None]:
        event_loop.adopt_running_loop()
        with suppress(DatabaseUnavailable):  # it may start later; calls report it until then
            await reader.fetch("SELECT 1")
        notifications.start()
        presence.start(WEB)
        publisher.start()
        watch, later = asyncio.create_task(_watch_parts()), asyncio.create_task(self._load_pages_and_models())
        try:
            async with self._mcp.run():
                yield
        finally:
            later.cancel()
            await event_loop.close()
            watch.cancel()
            # Here and not only at exit: uvicorn ends by the signal that stopped it, which skips exit handlers.
            await asyncio.to_thread(leave_embedded)

    async def _load_pages_and_models(self) -> None:
        """Load what tool calls do not need, while the first ones are answered; then freeze objects and warm models."""
        try:
            await self._pages.load()
        except Exception:  # requests for pages raise it too
            logger.exception("the pages cannot be loaded")
        freeze_startup_objects()
        if settings.DEVASSIST_WARM:
            from devassist.warmer import warming  # noqa: PLC0415 - language servers and grammars

            warming.start()
        embedder.warm()


def _load_mcp(behind: ASGIApp) -> "McpMiddleware":
    from toolbox.mcp.endpoint import McpMiddleware  # noqa: PLC0415 - a fifth of the start, for the first MCP request

    for tool in registry.tools():  # now, or the first list would build all schemas on the event loop
        _ = tool.input_schema, tool.output_schema
    return McpMiddleware(behind, registry=registry)


async def _watch_parts() -> None:
    """Restart embedded parts that have died, checking every 2 s; calls are refused until then."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            await asyncio.to_thread(revive_embedded)
        except (PostgresDidNotStart, BrokerDidNotStart):
            logger.exception("An embedded part has died and does not start again")


application = Server()
gc.enable()
