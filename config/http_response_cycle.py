"""Answers that are whole are written in one piece; uvicorn writes head and body apart, and tests each line anew."""

from functools import lru_cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

_OF_THE_CONNECTION = frozenset({b"connection", b"transfer-encoding"})


class WholeAnswerCycle(RequestResponseCycle):
    """
    One request and its answer.

    The head of an answer that says its length waits for the body, which comes at once; every other answer, and every
    mistake, is uvicorn's to write.
    """

    _head: dict[str, Any] | None = None

    async def send(self, message: Any) -> None:
        """Take a part of the answer, as ASGI says."""
        head, self._head = self._head, None
        if message["type"] == "http.response.start":  # again: the server's own 500, after a head that nobody saw
            head = None
        if head is None and not self.response_started and _says_length(message):
            self._head = message
        elif head is None or not self._wrote(head, body=message):
            if head:
                await super().send(head)  # type: ignore[arg-type]  # a message, as it came
            await super().send(message)

    def _wrote(self, head: dict[str, Any], *, body: dict[str, Any]) -> bool:
        """Write the whole answer; False where it is not that plain, and nothing was written."""
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
    """Write a header's line; nothing where it changes the connection, or is none."""
    name = name.lower()
    if name in _OF_THE_CONNECTION or HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        return b""
    return b"%b: %b\r\n" % (name, value)
