"""uvicorn's HTTP by httptools, with limits on headers, on waiting for them, and on streams at shutdown."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toolbox.http.open_streams import close_streams

MAX_HEAD_BYTES = 65_536
HEAD_SECONDS = 30.0
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHttpProtocol(HttpToolsProtocol):
    """
    Refuses a request whose line and headers exceed 64 KiB, and closes connections that send none for 30 s.

    The parser gathers an endless header in quadratic time, which would stop every other connection of the process.
    uvicorn itself closes idle connections only between requests.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_in_head = True
        self._head_bytes = 0
        self._last_bytes = b""
        self._bytes_beside_body = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end_waiting)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, which would keep this object alive until they fire."""
        super().connection_lost(exc)
        self._cancel_head_timer()
        if self.timeout_keep_alive_task:
            self.timeout_keep_alive_task.cancel()

    def data_received(self, data: bytes) -> None:
        """Count the bytes up to the end of the headers, then parse them."""
        if self._is_in_head:
            if self._head_bytes + len(data) > MAX_HEAD_BYTES and self._exceeds_limit(data):
                self.transport.write(_TOO_LARGE)
                self.transport.close()
                return
            self._head_bytes += len(data)
            self._last_bytes = data[-3:]
        else:
            self._bytes_beside_body += len(data)
        super().data_received(data)
        if self._bytes_beside_body > MAX_HEAD_BYTES:
            self.transport.close()
        if self._head_bytes and self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end_waiting)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Strip optional whitespace around the value (RFC 9110, 5.5); ignore trailers."""
        if self._is_in_head:
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Stop counting: the body follows, which is limited elsewhere."""
        self._is_in_head, self._head_bytes, self._last_bytes = False, 0, b""
        self._cancel_head_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """
        Restart the count of bytes beside the body.

        These are chunk extensions and trailers, which the parser buffers as it does headers.
        """
        self._bytes_beside_body = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Count again: the next request follows."""
        self._is_in_head, self._bytes_beside_body = True, 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """End endless streams, because the lifespan shutdown waits until no connection is left."""
        super().shutdown()
        close_streams()

    def _exceeds_limit(self, data: bytes) -> bool:
        end = (self._last_bytes + data).find(b"\r\n\r\n")
        return self._head_bytes + (len(data) if end < 0 else end) > MAX_HEAD_BYTES

    def _end_waiting(self) -> None:
        """Close, but not during a response: the client may have sent a stray line after its body."""
        self._head_timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end_waiting)

    def _cancel_head_timer(self) -> None:
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None
