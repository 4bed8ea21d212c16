"""Connections that stall: half requests, half bodies, a thousand at once."""

import asyncio
import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from config import http_protocol
from config.http_protocol import BoundedHttpProtocol
from tests.conftest import running_server
from tests.toolbox.transports import A_TOOL, address
from toolbox.audit.log import audit
from toolbox.http import asgi as bodies
from toolbox.models import ToolCall
from toolbox.rest.middleware import ToolCallMiddleware

IDLE, STREAMS = 600, 400
OPEN_FILES = 2_048
"""What the test and its server need each: a thousand sockets, and what they hold besides."""


@pytest.fixture
def roomy_server(cast: SimpleNamespace) -> Iterator[str]:
    """Run a server for one test, with room for a thousand connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != hard < OPEN_FILES:
        pytest.skip(f"a process may open {hard} files at most here; a thousand connections need {OPEN_FILES}")
    if resource.RLIM_INFINITY != soft < OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))
    with running_server() as address_of_it:
        yield address_of_it
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def _nothing_more() -> dict[str, Any]:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_body_that_does_not_come_whole_in_time_is_refused_and_recorded(
    database_access: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.01)
    parts = [{"type": "http.request", "body": b'{"limit":', "more_body": True}]
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return parts.pop() if parts else await _nothing_more()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"x-request-id", mark.encode())]
    scope = {"type": "http", "method": "POST", "path": address(A_TOOL), "headers": headers}
    await ToolCallMiddleware(send)(scope, receive, send)  # type: ignore[arg-type]

    assert sent[0]["status"] == 408
    await audit.flush()
    row = await ToolCall.objects.aget(request_id=mark)
    assert (row.tool, row.caller, row.outcome, row.code) == (A_TOOL.name, "", "refused", "REQUEST_TIMEOUT")
    assert (b"connection", b"close") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["error"]["code"] == "REQUEST_TIMEOUT"


async def test_unfinished_bodies_have_a_bound_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_UNFINISHED", 10)
    parts = [{"type": "http.request", "body": b"12345678", "more_body": True}] * 2

    async def receive() -> Any:
        return parts.pop()

    with pytest.raises(bodies.BodyError) as full:
        await bodies.read_body(receive, most=100)

    assert full.value.reply
    assert full.value.reply.status == 503
    assert bodies._UnfinishedBodies.held == 0


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\nHost: local"])
async def test_a_connection_that_sends_no_request_is_let_go(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.05)
    config = Config(app=lambda *_: None, http=BoundedHttpProtocol)
    config.load()
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(
        lambda: BoundedHttpProtocol(config=config, server_state=ServerState(), app_state={}), "127.0.0.1", 0
    )
    async with listening, asyncio.timeout(60):
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(begun)
        came = await reader.read()
        writer.close()

    assert came == b""


@pytest.mark.slow
def test_a_thousand_connections_hold_up_nobody_and_their_places_return(
    roomy_server: str, cast: SimpleNamespace
) -> None:
    """Some say nothing, the others want a stream of events each, of which a process holds two hundred."""
    key = {"Authorization": f"Bearer {cast.alice}"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    begun = httpx.post(f"{roomy_server}/mcp", json=initialize, headers=key | {"Accept": "application/json"})
    lines = key | {
        "Host": "127.0.0.1", "Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25",
        "Mcp-Session-Id": begun.headers["mcp-session-id"],
    }  # fmt: skip
    head = "GET /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"

    with ExitStack() as stack:
        connect = _connector(roomy_server, stack)
        for _ in range(IDLE):
            connect()
        told = [_status(connect(), said=head) for _ in range(STREAMS)]
        asked, body = f"{roomy_server}{address(A_TOOL)}", A_TOOL.example_arguments
        meanwhile = httpx.post(asked, content=body, headers=key, timeout=60)
    with ExitStack() as stack:
        again = _when_free(_connector(roomy_server, stack), said=head)

    assert (told.count("200"), told.count("405")) == (200, 200)
    assert meanwhile.status_code == 200
    assert again == "200"


def _connector(server: str, stack: ExitStack) -> Callable[[], socket.socket]:
    port = int(server.rpartition(":")[2])
    return lambda: stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))


def _when_free(connect: Callable[[], socket.socket], *, said: str) -> str:
    """Ask until there is room, for at most twenty seconds: the server notices disconnections with a delay."""
    for _ in range(200):
        if (status := _status(connect(), said=said)) != "405":
            return status
        time.sleep(0.1)
    return "405"


def _status(connection: socket.socket, *, said: str) -> str:
    connection.sendall(said.encode())
    return connection.recv(4_096).decode()[9:12]
