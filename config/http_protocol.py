"""HTTP for uvicorn by httptools, with a bound on headers, and an end for streams that have none."""

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from toolbox import mcp_changes, mcp_stream

LARGEST_HEAD = 65_536
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHttpProtocol(HttpToolsProtocol):
    """
    Refuse a request whose line and headers pass 64 KiB.

    The parser gathers an endless header in quadratic time, which would stop every other connection of the process.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_in_head = True
        self._head_bytes = 0
        self._last_bytes = b""

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

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take the white space around a value for no part of it (RFC 9110, 5.5); the parser leaves what trails."""
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Count no further: what follows is the body, bounded elsewhere."""
        self._is_in_head, self._head_bytes, self._last_bytes = False, 0, b""
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Count again: what follows is the next request."""
        self._is_in_head = True
        super().on_message_complete()

    def shutdown(self) -> None:
        """End what would go on for ever: lifespan is told of a stop only when no connection is left."""
        super().shutdown()
        mcp_changes.end_streams()
        mcp_stream.end_streams()
