"""HTTP for uvicorn by httptools: bounds on headers and waiting, an end for endless streams, fewer steps a call."""

import asyncio
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from config.http_response_cycle import WholeAnswerCycle

MAX_HEAD = 65_536
HEAD_SECONDS = 30.0
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_OF_A_PROXY = frozenset({b"x-forwarded-for", b"x-forwarded-proto"})


class BoundedHttpProtocol(HttpToolsProtocol):
    """
    Refuse a request whose line and headers pass 64 KiB, and let go of connections that send none for 30 s.

    The parser gathers an endless header in quadratic time, which would stop every other connection of the process.
    uvicorn itself lets go of connections between requests only.

    What uvicorn does for every request and few need is done for those: reading a proxy's headers, a new timer for the
    next request.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_in_head = True
        self._head_bytes = 0
        self._last_bytes = b""
        self._beside_body = 0
        self._patience: asyncio.TimerHandle | None = None
        self._whole_app = self.app
        self._bare_app = self.app.app if isinstance(self.app, ProxyHeadersMiddleware) else self.app
        self._is_of_a_proxy = False
        self._idle_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_SECONDS, self._lose_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the timers, which would keep this object until they ring."""
        super().connection_lost(exc)
        self._stop_waiting()
        if self.timeout_keep_alive_task:
            self.timeout_keep_alive_task.cancel()

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of the headers, then parse it."""
        if self._is_in_head:
            if self._head_bytes + len(data) > MAX_HEAD and self._is_too_large(data):
                self.transport.write(_TOO_LARGE)
                self.transport.close()
                return
            self._head_bytes += len(data)
            self._last_bytes = data[-3:]
        else:
            self._beside_body += len(data)
        super().data_received(data)
        if self._beside_body > MAX_HEAD:
            self.transport.close()
        if self._head_bytes and self._patience is None:
            self._patience = self.loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _is_too_large(self, data: bytes) -> bool:
        end = (self._last_bytes + data).find(b"\r\n\r\n")
        return self._head_bytes + (len(data) if end < 0 else end) > MAX_HEAD

    def on_header(self, name: bytes, value: bytes) -> None:
        """Strip optional whitespace around header values (RFC 9110, 5.5); the parser strips only what leads."""
        if not self._is_in_head:
            return  # a trailer, which nobody here reads
        name, value = name.lower(), value.strip(b" \t")
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        if name in _OF_A_PROXY:
            self._is_of_a_proxy = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Count no further: what follows is the body, bounded elsewhere."""
        self._is_in_head, self._head_bytes, self._last_bytes = False, 0, b""
        self._stop_waiting()
        self.app = self._whole_app if self._is_of_a_proxy else self._bare_app
        self._is_of_a_proxy = False
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.cycle.__class__ = WholeAnswerCycle  # uvicorn has no place to say which; its task has not begun

    def on_body(self, body: bytes) -> None:
        """Count anew what is no body: a chunk's extensions and trailers, which the parser gathers as it does heads."""
        self._beside_body = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Count again: what follows is the next request."""
        self._is_in_head, self._beside_body = True, 0
        super().on_message_complete()

    def _lose_patience(self) -> None:
        """Hang up, but not on an answer that is still to come: the client may have sent a stray line after its body."""
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self._patience = self.loop.call_later(HEAD_SECONDS, self._lose_patience)

    def _stop_waiting(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def on_response_complete(self) -> None:
        """Go on with the next request, or wait for it, by the timer of the last wait where that still runs."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            return
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_again_in(self.timeout_keep_alive)

    def timeout_keep_alive_handler(self) -> None:
        """Hang up when nothing came for long enough; else look again when that could be."""
        self.timeout_keep_alive_task = None
        if self._idle_since is None:
            return
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._look_again_in(left)
        else:
            super().timeout_keep_alive_handler()

    def _look_again_in(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _unset_keepalive_if_required(self) -> None:
        """Be busy; the timer finds that out."""
        self._idle_since = None

    def shutdown(self) -> None:
        """End what would go on for ever: lifespan is told of a stop only when no connection is left."""
        # With several workers uvicorn reads this file before the application, so before Django's apps are there.
        from toolbox.mcp.changes import end_streams  # noqa: PLC0415

        super().shutdown()
        end_streams()
