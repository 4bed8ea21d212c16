"""Our HTTP writes to the byte what uvicorn's writes, within limits of its own."""

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from config.http_protocol import HEAD_SECONDS, BoundedHttpProtocol

PROJECT = Path(__file__).parents[2]
PLAIN = [(b"content-type", b"text/plain"), (b"Content-Length", b"2"), (b"content-length", b"2")]
POST = b"POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
REQUESTS = {
    "one": [POST],
    "in pieces": [POST[:10], POST[10:40], POST[40:]],
    "head": [b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"],
    "that ends": [b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    "of 1.0": [b"GET / HTTP/1.0\r\nHost: h\r\n\r\n"],
    "that waits": [b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", b"ab"],
    "three at once": [POST * 3],
    "of a proxy": [b"GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n"],
    "broken": [b"GET / HTTP/1.1\r\nHo st: h\r\n\r\n"],
}
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "whole": [{"headers": PLAIN[2:]}, {"body": b"ab"}],
    "in parts": [{"headers": PLAIN[2:]}, {"body": b"a", "more_body": True}, {"body": b"b"}],
    "refused": [{"headers": PLAIN[2:], "status": 403}, {"body": b"no"}],
}


class Line(asyncio.Transport):
    """The transport of a connection, which records what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[bytes] = []
        self.is_over = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 8000) if name in ("peername", "sockname") else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.got.append(bytes(data))

    def is_closing(self) -> bool:
        return self.is_over

    def close(self) -> None:
        self.is_over = True

    def pause_reading(self) -> None:
        """Nothing reads here."""

    def resume_reading(self) -> None:
        """Nothing reads here."""


async def _exchange(kind: type[HttpToolsProtocol], *, pieces: list[bytes], answer: list[dict[str, Any]]) -> Any:
    """Return the bytes written, whether the connection ended, and what the application saw."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (asked := await receive()).get("more_body"):
            seen.append(asked)
        seen.append((scope["method"], scope["path"], scope["scheme"], scope["client"], scope["headers"], asked))
        for part, name in zip(answer, ["start", *["body"] * len(answer)], strict=False):
            await send({"type": f"http.response.{name}", "status": 200} | part)

    config = Config(app, log_config=None, access_log=False)  # as it is served; with it, uvicorn writes every answer
    config.load()
    state, line = ServerState(), Line()
    state.default_headers = [(b"server", b"s"), (b"date", b"d")]
    protocol = kind(config, state, {}, _loop=asyncio.get_running_loop())
    protocol.connection_made(line)
    for piece in pieces:
        if not line.is_over:
            protocol.data_received(piece)
        for _ in range(20):
            await asyncio.sleep(0)
    is_over = line.is_over
    protocol.connection_lost(None)
    return b"".join(line.got), is_over, seen


@pytest.mark.internal
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("pieces", REQUESTS.values(), ids=REQUESTS)
async def test_the_same_is_written_and_seen_as_by_uvicorn(
    pieces: list[bytes], answer: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    ours = await _exchange(BoundedHttpProtocol, pieces=pieces, answer=answer)

    assert ours == await _exchange(HttpToolsProtocol, pieces=pieces, answer=answer)


def test_it_is_read_before_django_is_set_up_as_uvicorn_does_with_several_workers() -> None:
    bare = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}

    read = subprocess.run(
        [sys.executable, "-c", "import config.http_protocol"], cwd=PROJECT, env=bare, capture_output=True, check=False
    )

    assert read.stderr == b""
    assert read.returncode == 0


class Clock:
    """A loop's clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[list[Any]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Any) -> Any:
        timer = [self.now + delay, callback]
        self.timers.append(timer)
        return self

    def cancel(self) -> None:
        self.timers.clear()

    def pass_to(self, moment: float) -> None:
        self.now = moment
        due, self.timers = [t for t in self.timers if t[0] <= moment], [t for t in self.timers if t[0] > moment]
        for _, callback in due:
            callback()


def _connect() -> tuple[Clock, Line, BoundedHttpProtocol]:
    """Return a new connection whose timers are fired by hand."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Do nothing: never called."""

    config = Config(app, log_config=None, timeout_keep_alive=5)
    config.load()
    clock, line = Clock(), Line()
    protocol = BoundedHttpProtocol(config, ServerState(), {}, _loop=clock)
    protocol.connection_made(line)
    return clock, line, protocol


async def test_a_head_is_waited_for_and_an_answer_is_not_cut_by_that() -> None:
    clock, line, protocol = _connect()
    answering: Any = SimpleNamespace(response_complete=False)
    protocol.cycle = answering  # a stray line came after the body of a long call

    clock.pass_to(HEAD_SECONDS)
    assert not line.is_over
    answering.response_complete = True
    clock.pass_to(2 * HEAD_SECONDS)

    assert line.is_over


CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("beside", [b"0\r\nX: ", b"1;a="], ids=["a trailer", "a chunk's extension"])
async def test_what_is_neither_head_nor_body_is_bounded_as_well(beside: bytes) -> None:
    pieces = [CHUNKED, beside, *[b"a" * 1000] * 70]

    _, is_over, _ = await _exchange(BoundedHttpProtocol, pieces=pieces, answer=[{"headers": PLAIN}])

    assert is_over


async def test_a_body_of_many_chunks_is_no_trouble() -> None:
    pieces = [CHUNKED, *[b"3e8;a=b\r\n" + b"a" * 1000 + b"\r\n"] * 100, b"0\r\nX: y\r\n\r\n"]

    _, is_over, seen = await _exchange(BoundedHttpProtocol, pieces=pieces, answer=next(iter(ANSWERS.values())))

    assert not is_over
    assert len(seen) > 0
