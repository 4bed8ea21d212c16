"""HTTP for uvicorn by httptools, with bounds on headers and on waiting for them, and an end for streams without one."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toolbox import mcp_changes, mcp_stream

LARGEST_HEAD = 65_536
HEAD_SECONDS = 30.0
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHttpProtocol(HttpToolsProtocol):
    """
    Refuse a request whose line and headers pass 64 KiB, and let go of connections that send none for 30 s.

    The parser gathers an endless header in quadratic time, which would stop every other connection of the process.
    uvicorn itself lets go of connections between requests only.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_in_head = True
        self._head_bytes = 0
        self._last_bytes = b""
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_SECONDS, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of the headers, then parse it."""
        if self._is_in_head:
            end = (self._last_bytes + data).find(b"\r\n\r\n")
            self._head_bytes += len(data) if end < 0 else end
            self._last_bytes = data[-3:]
            if self._head_bytes > LARGEST_HEAD:
                self.transport.write(_TOO_LARGE)
                self.transport.close()
                return
        super().data_received(data)
        if self._head_bytes and self._patience is None:
            self._patience = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take the white space around a value for no part of it (RFC 9110, 5.5); the parser leaves what trails."""
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Count no further: what follows is the body, bounded elsewhere."""
        self._is_in_head, self._head_bytes, self._last_bytes = False, 0, b""
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Count again: what follows is the next request."""
        self._is_in_head = True
        super().on_message_complete()

    def _stop_waiting(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def shutdown(self) -> None:
        """End what would go on for ever: lifespan is told of a stop only when no connection is left."""
        super().shutdown()
        mcp_changes.end_streams()
        mcp_stream.end_streams()
