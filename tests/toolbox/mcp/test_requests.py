"""Every MCP request passes the one entry, and leaves one row, whether it is answered, refused, or fails."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, get_args

import httpx
import mcp_types as types
import pytest
from mcp.server.context import CallNext, ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolbox.audit.log import CallRecord, audit
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.mcp.endpoint import McpMiddleware
from toolbox.mcp.protocol_2025 import Request2025
from toolbox.mcp.requests import LONG_LIVED, OPERATIONS, WITHOUT_ENTRY, make_entry
from toolbox.mcp.server import mcp_server

SOMEBODY = Caller(name="somebody", scopes=frozenset({"linescore:read"}))
every_method = pytest.mark.parametrize("method", sorted(OPERATIONS.keys() - LONG_LIVED))


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> list[CallRecord]:
    """Collect the audit log's records."""
    collected: list[CallRecord] = []
    monkeypatch.setattr(audit, "record", collected.append)
    return collected


async def _enter(method: str, call_next: CallNext, *, credential: str | Caller | None = SOMEBODY) -> Any:
    context: ServerRequestContext[Any, Any] = ServerRequestContext(
        session=None,  # type: ignore[arg-type]  # the entry sends nothing
        lifespan_context={},
        protocol_version="2025-11-25",
        method=method,
        params={"name": "x", "_meta": {"secret": "y"}},
        request_id=1,
    )
    return await make_entry(transport="memory", credential_of=lambda _: credential)(context, call_next)


def _endings(records: list[CallRecord]) -> list[tuple[str, str, str]]:
    return [(record.tool, record.outcome, record.code) for record in records]


@every_method
@pytest.mark.usefixtures("database_access")  # what writes is journaled
async def test_an_answered_request_leaves_one_row(records: list[CallRecord], method: str) -> None:
    async def answer(ctx: Any) -> dict[str, Any]:
        return {"caller": ctx.lifespan_context.caller.name}

    assert await _enter(method, answer) == {"caller": "somebody"}
    assert _endings(records) == [(method, "answered", "")]
    assert records[0].arguments == b'{"name": "x"}'


@every_method
@pytest.mark.usefixtures("database_access")  # what writes is journaled
async def test_an_error_of_the_protocol_is_given_as_it_is_and_leaves_one_row(
    records: list[CallRecord], method: str
) -> None:
    async def refuse(_: Any) -> None:
        raise MCPError(types.METHOD_NOT_FOUND, "no")

    with pytest.raises(MCPError, match="no") as raised:
        await _enter(method, refuse)

    assert raised.value.code == types.METHOD_NOT_FOUND
    assert _endings(records) == [(method, "refused", "INVALID_PARAMETERS")]


@every_method
@pytest.mark.usefixtures("database_access")  # what writes is journaled
async def test_a_crash_says_no_details_and_leaves_one_row(records: list[CallRecord], method: str) -> None:
    async def crash(_: Any) -> None:
        raise RuntimeError("the password is 1234")

    with pytest.raises(MCPError) as raised:
        await _enter(method, crash)

    assert raised.value.code == types.INTERNAL_ERROR
    assert "1234" not in raised.value.message
    assert _endings(records) == [(method, "failed", "INTERNAL_ERROR")]


@pytest.mark.parametrize("method", [*sorted(OPERATIONS), "tools/made-up"])
async def test_a_refused_request_counts_against_the_limit_and_leaves_one_row(
    records: list[CallRecord], method: str
) -> None:
    async def refuse(_: Any) -> None:
        raise MCPError(types.INVALID_PARAMS, "no")

    once = Caller(name="once", scopes=frozenset(), key_id=-len(method), calls_per_minute=1)
    with pytest.raises(MCPError):
        await _enter(method, refuse, credential=once)
    with pytest.raises(MCPError, match="may call 1 times a minute"):
        await _enter(method, refuse, credential=once)

    assert [record.tool for record in records] == [method, method]
    assert records[1].code == "RATE_LIMITED"
    assert records[1].is_known is (method in OPERATIONS)


def test_every_request_that_a_client_can_send_is_an_operation_or_named_as_none() -> None:
    server = mcp_server(registry, transport="memory", credential_of=lambda _: SOMEBODY)
    declared = {get_args(request.model_fields["method"].annotation)[0] for request in get_args(types.ClientRequest)}
    served = {method for method in declared if server.get_request_handler(method)} | {"initialize"}

    assert served <= OPERATIONS.keys() | WITHOUT_ENTRY
    assert {method for method in OPERATIONS if server.get_request_handler(method)} | {"initialize"} == OPERATIONS.keys()


@asynccontextmanager
async def _over_http(key: str) -> AsyncIterator[httpx.AsyncClient]:
    """Connect to MCP over HTTP, with the SDK's transport running."""

    async def fail(*_: Any) -> None:
        raise AssertionError

    application = McpMiddleware(fail, registry=registry)
    headers = {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    transport = httpx.ASGITransport(application)
    async with (
        application.run_session_managers(),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=30) as client,
    ):
        yield client


INVALID = {
    "no JSON": (b"{", 400),
    "no text": (b'{"jsonrpc":"2.0","id":1,"method":"tools/list\xff"}', 400),
    "a batch": (b"[]", 400),
    "a key that comes twice": (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', 400),
    "too large": (b"[" * 1_100_000, 413),
}


@pytest.mark.parametrize(("body", "status"), INVALID.values(), ids=list(INVALID))
async def test_an_invalid_message_is_refused_by_the_transport_and_leaves_one_row(
    cast: SimpleNamespace, records: list[CallRecord], body: bytes, status: int
) -> None:
    async with _over_http(cast.alice) as alice:
        answer = await alice.post("/mcp", content=body)

    assert answer.status_code == status
    assert [(record.tool, record.outcome, record.status) for record in records] == [("mcp message", "refused", status)]
    assert records[0].caller


@pytest.mark.parametrize("path", ["/mcp", "/mcp/compact", "/mcp/no-domain"])
@pytest.mark.parametrize("key", ["", "Bearer tr_nobody"])
async def test_an_unknown_caller_is_refused_before_the_protocol_and_leaves_one_row(
    cast: SimpleNamespace, records: list[CallRecord], path: str, key: str
) -> None:
    async with _over_http(cast.alice) as alice:
        answer = await alice.post(path, content=b"{", headers={"Authorization": key})

    assert answer.status_code == 401
    assert [(record.tool, record.code, record.caller) for record in records] == [("mcp message", "UNAUTHENTICATED", "")]


METHODS = {
    "tools/list": {},
    "resources/subscribe": {"uri": "linescore://a"},
    "resources/unsubscribe": {"uri": "linescore://a"},
    "logging/setLevel": {"level": "error"},
    "ping": {},
    "tools/call": {"name": "query_linescore_data", "arguments": {}},
}


@pytest.mark.parametrize("method", METHODS)
async def test_over_http_a_request_of_a_session_leaves_one_row(
    cast: SimpleNamespace, records: list[CallRecord], method: str
) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    async with _over_http(cast.alice) as alice:
        begun = await alice.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        notified = await alice.post("/mcp", json=notice, headers=session)
        message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": METHODS[method]}
        answer = await alice.post("/mcp", json=message, headers=session)

    expected = {"ping": [], "tools/call": ["query_linescore_data"]}.get(method, [method])
    assert (answer.status_code, notified.status_code) == (200, 202)
    assert [record.tool for record in records] == ["initialize", *expected]


async def test_a_stream_of_no_session_leaves_one_row(cast: SimpleNamespace, records: list[CallRecord]) -> None:
    async with _over_http(cast.alice) as alice:
        answer = await alice.get("/mcp")

    assert answer.status_code == 405
    assert _endings(records) == [("sessions/stream", "refused", "INVALID_MESSAGE")]


async def test_changes_of_a_session_count_against_the_limit(records: list[CallRecord]) -> None:
    once = Caller(name="once", scopes=frozenset(), key_id=-1000, calls_per_minute=1)
    request = Request2025(caller=once, session_id="", transport="mcp", request_id="any")
    message = b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}'

    first, second = await request.reply(message), await request.reply(message)

    assert first is not None
    assert second is not None
    assert (first.status, second.status) == (200, 429)
    assert _endings(records) == [("logging/setLevel", "answered", ""), ("logging/setLevel", "refused", "RATE_LIMITED")]
