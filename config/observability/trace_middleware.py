"""Reads the trace that a request belongs to; outermost middleware, only where TOOLROOM_TRACES is set."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.audit.current_request import current_trace

_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


class TraceMiddleware:
    """An ASGI application in front of another."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Keep the caller's `traceparent`; one that is malformed is none, as W3C has it."""
        sent = dict(scope["headers"]).get(b"traceparent", b"") if scope["type"] == "http" else b""
        current_trace.set(sent.decode() if _TRACEPARENT.fullmatch(sent) else "")
        await self._behind(scope, receive, send)
