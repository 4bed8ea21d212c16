"""A stream ends within 5 s after the access that it was opened with."""

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from mcp.client import Client
from mcp.client.subscriptions import SubscriptionLost
from starlette.types import Message

from toolbox.access import keys
from toolbox.access.keys import run_until_revoked
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import AuthenticationRequired
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Call, Reply
from toolbox.mcp import changes
from toolbox.mcp.endpoint import McpEndpoint, McpHttpRequest
from toolbox.mcp.protocol_2025 import Request2025, running_calls
from toolbox.mcp.server import mcp_server
from toolbox.mcp.tool_calls import ToolsCall

HOLDER = Caller(name="holder", scopes=frozenset({"linescore:read"}), key_id=-7)
CREDENTIAL = "tr_holder"


@pytest.fixture
def revoke(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Use one credential that is valid until it is revoked, with no cache and instant look-ups."""
    is_revoked = False

    async def identify(credential: str | Caller | None) -> Caller:
        if is_revoked or credential != CREDENTIAL:
            raise AuthenticationRequired("revoked", suggestion="")
        return HOLDER

    def end() -> None:
        nonlocal is_revoked
        is_revoked = True

    monkeypatch.setattr(keys, "identify", identify)
    monkeypatch.setattr("toolbox.dispatch.entry.identify", identify)
    monkeypatch.setattr(keys, "RECHECK_SECONDS", 0)
    return end


def test_the_memory_of_look_ups_and_the_time_between_two_are_below_5_s() -> None:
    assert keys.CACHE_SECONDS + keys.RECHECK_SECONDS < 5


class _Connection:
    """The ASGI side of a server: a client that stays, and what is sent to it."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.has_begun = asyncio.Event()

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        self.has_begun.set()

    @property
    def is_complete(self) -> bool:
        return not self.sent[-1].get("more_body")


async def test_the_stream_of_a_session_ends(django_db_setup: None, revoke: Callable[[], None]) -> None:
    connection = _Connection()

    async def watches(uri: str) -> bool:
        return True

    streaming = asyncio.create_task(
        changes.serve_session_stream(
            watches=watches,
            registry=registry,
            credential=CREDENTIAL,
            receive=connection.receive,
            send=connection.send,
        )
    )
    await connection.has_begun.wait()
    revoke()

    await asyncio.wait_for(streaming, 10)
    assert connection.is_complete


@pytest.mark.parametrize("message", ["working", ""], ids=["after a message", "before any"])
async def test_a_call_that_streams_ends_and_its_tool_is_cancelled(
    django_db_setup: None, monkeypatch: pytest.MonkeyPatch, revoke: Callable[[], None], message: str
) -> None:
    connection, began, cancelled = _Connection(), asyncio.Event(), asyncio.Event()

    async def dispatch(call: Call, **_: Any) -> Reply:
        if message:
            await call.client.log(message)
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    monkeypatch.setattr(running_calls, "dispatch", dispatch)
    headers = [(b"authorization", f"Bearer {CREDENTIAL}".encode()), (b"host", b"localhost")]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "scheme": "http", "headers": headers}
    request = McpHttpRequest(scope=scope, receive=connection.receive, send=connection.send)
    request.caller = HOLDER
    legacy = Request2025(caller=HOLDER, session_id="", transport="mcp", request_id=request.id)
    call = ToolsCall(id=7, name="query_linescore_data", arguments=b"{}", is_modern=False)

    endpoint = McpEndpoint(registry=registry, domain=None)
    calling = asyncio.create_task(endpoint._stream_call(call, legacy=legacy, request=request))
    await began.wait()
    revoke()
    await asyncio.wait_for(calling, 10)

    assert cancelled.is_set()
    assert connection.is_complete
    if message:
        error = orjson.loads(connection.sent[-2]["body"].partition(b"data: ")[2])
        assert (error["id"], error["error"]["code"]) == (7, -32600)
    else:
        assert connection.sent[0]["status"] == 401


async def test_a_subscription_of_2026_ends(django_db_setup: None, revoke: Callable[[], None]) -> None:
    server = mcp_server(registry, transport="memory", credential_of=lambda _: CREDENTIAL)

    async def read_to_the_end(client: Client) -> None:
        async with client.listen(tools_list_changed=True) as subscription, asyncio.timeout(60):
            revoke()
            async for _ in subscription:
                pass

    async with Client(server, mode="auto") as client:
        with pytest.raises(SubscriptionLost):
            await read_to_the_end(client)


async def test_work_that_ends_first_gives_its_result(revoke: Callable[[], None]) -> None:
    async def work() -> int:
        return 7

    assert await run_on_loop(lambda: run_until_revoked(work(), credential=CREDENTIAL)) == 7
