"""Django, whose addresses a web process loads after it has begun to listen."""

import asyncio

from django.urls import get_resolver
from starlette.types import ASGIApp, Receive, Scope, Send


class PagesApplication:
    """
    Django's ASGI application, which answers once the addresses of all pages are loaded.

    They take as long to load as all else of a start. Tool calls, MCP and /healthz need none of them; requests for pages
    wait. Loading that fails is tried again by the next request.
    """

    def __init__(self, django: ASGIApp) -> None:
        self._django = django
        self._is_loaded = False
        self._loading: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not self._is_loaded:
            await self.load()
        await self._django(scope, receive, send)

    async def load(self) -> None:
        """Load the addresses in a thread, so that other requests are answered meanwhile."""
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load())
        await asyncio.shield(self._loading)

    async def _load(self) -> None:
        await asyncio.to_thread(lambda: get_resolver().url_patterns)
        self._is_loaded = True
