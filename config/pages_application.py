"""Django's ASGI application; the web process loads its addresses only after it listens."""

import asyncio

from django.urls import get_resolver
from starlette.types import ASGIApp, Receive, Scope, Send


class PagesApplication:
    """
    Django's ASGI application, which answers once the addresses of all pages are loaded.

    They take as long to load as the rest of a start. Tool calls, MCP and /healthz do not need them; requests for pages
    wait. If loading fails, the next request tries again.
    """

    def __init__(self, django: ASGIApp) -> None:
        self._django = django
        self._is_loaded = False
        self._loading: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, after loading the addresses if needed."""
        if not self._is_loaded:
            await self.load()
        await self._django(scope, receive, send)

    async def load(self) -> None:
        """Load the addresses in a thread, so that other requests are answered meanwhile; raises what loading raised."""
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load())
        await asyncio.shield(self._loading)

    async def _load(self) -> None:
        await asyncio.to_thread(lambda: get_resolver().url_patterns)
        self._is_loaded = True
