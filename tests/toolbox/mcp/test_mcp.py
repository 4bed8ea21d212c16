"""MCP as clients meet it: over HTTP on a real server, and over standard input and output."""

import asyncio
import json
import sys
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from django.conf import settings
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.conftest import server_environment
from tests.toolbox.transports import A_TOOL, CATALOGUE, TOOLS, mcp_in_memory, mcp_over_http, text_of, without_timings
from toolbox.catalogue.registry import registry
from toolbox.mcp.server import INSTRUCTIONS

TOOL = A_TOOL
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def _post(server: str, key: str | None, *, path: str = "/mcp", message: Any = LIST, **headers: str) -> httpx.Response:
    sent = HEADERS | headers | ({"Authorization": f"Bearer {key}"} if key else {})
    return httpx.post(f"{server}{path}", json=message, headers=sent, timeout=60)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_both_eras_of_the_protocol_are_served(server: str, cast: SimpleNamespace, mode: str) -> None:
    async with mcp_over_http(server, key=cast.alice, mode=mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        instructions, version = client.instructions, client.protocol_version

    assert names == {tool.name for tool in CATALOGUE}
    assert instructions == INSTRUCTIONS
    assert (version < "2026") is (mode == "legacy")


@pytest.mark.parametrize("domain", [toolkit.domain for toolkit in registry.toolkits()])
async def test_a_domain_s_address_shows_that_domain_s_tools(server: str, cast: SimpleNamespace, domain: str) -> None:
    async with mcp_over_http(server, key=cast.alice, path=f"/mcp/{domain}") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}

    assert names == {tool.name for tool in CATALOGUE if tool.domain == domain}


async def test_what_is_listed_says_what_a_client_needs(server: str, cast: SimpleNamespace) -> None:
    async with mcp_over_http(server, key=cast.alice) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    for tool in TOOLS:
        shown = listed[tool.name]
        assert (shown.description or "").startswith(tool.documentation)  # live figures may follow
        assert shown.input_schema == tool.input_schema
        assert shown.output_schema
        assert shown.annotations
        assert shown.output_schema["type"] == "object"
        assert shown.annotations.read_only_hint is not tool.writes


@pytest.mark.parametrize("path", ["/mcp", "/mcp/linescore", "/mcp/no-domain"])
@pytest.mark.parametrize("key", [None, "tr_nobody"])
@pytest.mark.parametrize("message", [LIST, {"jsonrpc": "2.0"}, "nonsense"], ids=["list", "no method", "nonsense"])
def test_without_a_key_the_protocol_does_not_begin(server: str, path: str, key: str | None, message: Any) -> None:
    answered = _post(server, key, path=path, message=message)

    assert answered.status_code == 401
    assert answered.headers["www-authenticate"].startswith("Bearer")
    assert answered.json()["error"]["code"] == "UNAUTHENTICATED"


def test_an_address_of_no_domain_names_those_there_are(server: str, cast: SimpleNamespace) -> None:
    answered = _post(server, cast.alice, path="/mcp/no-domain")

    assert answered.status_code == 404
    assert "/mcp/linescore" in answered.json()["error"]["suggestion"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_another_host_is_refused(server: str, cast: SimpleNamespace, host: str) -> None:
    assert _post(server, cast.alice, Host=host).status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
def test_another_origin_is_refused(server: str, cast: SimpleNamespace, origin: str) -> None:
    assert _post(server, cast.alice, Origin=origin).status_code == 403


def test_the_own_origin_is_let_in(server: str, cast: SimpleNamespace) -> None:
    assert _post(server, cast.alice, Origin=server).status_code == 200


def test_a_key_may_come_in_its_own_header(server: str, cast: SimpleNamespace) -> None:
    answered = _post(server, None, **{"X-API-Key": cast.bob})

    assert [tool["name"] for tool in answered.json()["result"]["tools"]] == [TOOL.name, "list_game_results"]


@pytest.mark.parametrize(
    "message",
    ["nonsense", [], {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
     {"jsonrpc": "2.0", "id": 1, "method": "tools/none"}, {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
     {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}},
     {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": TOOL.name, "arguments": [1]}}],
    ids=str,
)  # fmt: skip
def test_a_message_that_is_none_is_an_error_of_the_protocol(server: str, cast: SimpleNamespace, message: Any) -> None:
    answered = _post(server, cast.alice, message=message)

    assert 400 <= answered.status_code < 500 or answered.status_code == 200
    assert answered.json()["error"]["code"] in (-32700, -32600, -32601, -32602)
    assert "Traceback" not in answered.text


async def test_a_refusal_is_an_error_with_the_contract_s_body_as_text_and_as_content() -> None:
    async with mcp_in_memory() as client:
        told = await client.call_tool(TOOL.name, {"teamCode": "XYZ"})

    assert told.is_error is True
    assert told.structured_content["error"]["details"]["code"] == "INVALID_TEAM_CODE"
    assert orjson.loads(text_of(told)) == told.structured_content


def _stdio(*arguments: str, **environment: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["manage.py", "mcp", *arguments], cwd=str(settings.BASE_DIR),
        env=server_environment() | environment,
    )  # fmt: skip


@pytest.mark.slow
async def test_the_local_operator_lists_and_calls_over_stdio(cast: SimpleNamespace) -> None:
    async with Client(_stdio()) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        told = await client.call_tool(TOOL.name, orjson.loads(TOOL.example_arguments))
    async with mcp_in_memory() as client:
        expected = await client.call_tool(TOOL.name, orjson.loads(TOOL.example_arguments))

    assert TOOL.name in names
    assert without_timings(told.structured_content) == without_timings(expected.structured_content)


@pytest.mark.slow
async def test_over_stdio_a_key_s_scopes_count(cast: SimpleNamespace) -> None:
    async with Client(_stdio(TOOLROOM_API_KEY=cast.charlie), mode="legacy") as client:
        listed = await client.list_tools()

    assert listed.tools == []


async def test_over_stdio_nothing_but_the_protocol_is_written(cast: SimpleNamespace) -> None:
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": TOOL.name, "arguments": {"limit": 1}}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": TOOL.name, "arguments": {"limit": "x"}}},
    ]  # fmt: skip
    parameters = _stdio()
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, cwd=parameters.cwd, env=parameters.env,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=2**24,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    written = []
    for message in messages:
        process.stdin.write(json.dumps(message).encode() + b"\n")
        if "id" in message:
            written.append(json.loads(await asyncio.wait_for(process.stdout.readline(), 60)))
    process.stdin.write(b"this is no message\n")
    process.stdin.close()
    rest = await asyncio.wait_for(process.stdout.read(), 60)

    assert [line["id"] for line in written] == [1, 2, 3, 4]
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert await process.wait() == 0
