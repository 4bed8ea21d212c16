"""The server's HTTP protocol with private parts of uvicorn: whole responses in one write, one timer per connection."""

from functools import lru_cache
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

from config.http_protocol import BoundedHttpProtocol

_OF_A_PROXY = frozenset({b"x-forwarded-for", b"x-forwarded-proto"})
_OF_THE_CONNECTION = frozenset({b"connection", b"transfer-encoding"})


class WholeAnswerCycle(RequestResponseCycle):
    """
    One request and its answer.

    The head of an answer with a content-length waits for the body, which follows at once; uvicorn writes every other
    answer and every error.
    """

    _head: dict[str, Any] | None = None

    async def send(self, message: Any) -> None:
        """Send a part of the answer, as ASGI defines it."""
        head, self._head = self._head, None
        if message["type"] == "http.response.start":  # a second start: the server's own 500, before the head was sent
            head = None
        if head is None and not self.response_started and _says_length(message):
            self._head = message
        elif head is None or not self._wrote(head, body=message):
            if head:
                await super().send(head)  # type: ignore[arg-type]  # the message, unchanged
            await super().send(message)

    def _wrote(self, head: dict[str, Any], *, body: dict[str, Any]) -> bool:
        """Write the whole answer; False, with nothing written, if it is not a plain one."""
        content = body.get("body", b"")
        is_ready = self.keep_alive and not self.access_log and not self.disconnected and not self.flow.write_paused
        if body.get("more_body") or not is_ready or self.scope["method"] == "HEAD":
            return False
        lines = [_line(name, value) for name, value in self.default_headers + head["headers"]]
        if b"" in lines or b"content-length: %d\r\n" % len(content) not in lines:
            return False
        self.transport.write(b"".join((STATUS_LINE[head["status"]], *lines, b"\r\n", content)))
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.message_event.set()
        self.on_response()
        return True


def _says_length(start: dict[str, Any]) -> bool:
    headers = start.get("headers")
    return type(headers) is list and b"content-length" in [name for name, _ in headers]


@lru_cache(maxsize=1024)
def _line(name: bytes, value: bytes) -> bytes:
    """Format a header line; b"" if it affects the connection or is invalid."""
    name = name.lower()
    if name in _OF_THE_CONNECTION or HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        return b""
    return b"%b: %b\r\n" % (name, value)


class PrivateHttpProtocol(BoundedHttpProtocol):
    """Skips the proxy middleware without a proxy's headers, writes whole responses, and keeps one idle timer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._whole_app = self.app
        self._bare_app = self.app.app if isinstance(self.app, ProxyHeadersMiddleware) else self.app
        self._idle_since: float | None = None

    def on_headers_complete(self) -> None:
        """Choose the application, and replace uvicorn's cycle by ours before its task begins."""
        is_of_a_proxy = any(name in _OF_A_PROXY for name, _ in self.headers)
        self.app = self._whole_app if is_of_a_proxy else self._bare_app
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.cycle.__class__ = WholeAnswerCycle

    def on_response_complete(self) -> None:
        """Start the next request, or wait for it with the timer that still runs."""
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
        """Close after the idle time; otherwise set the timer again for the rest of it."""
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
        self._idle_since = None
