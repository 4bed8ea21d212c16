"""Calls of tools over MCP: our answers are those of the SDK's transport, which gets everything else."""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.toolbox.transports import A_TOOL, PLAIN_HTTP, TOOLS, tool_id, without_timings
from toolbox.contract.tool import Tool
from toolbox.mcp.tool_calls import ToolsCall, read_call

MODERN = "2026-07-28"
ERAS = [None, *HANDSHAKE_PROTOCOL_VERSIONS, MODERN]
every_era = pytest.mark.parametrize("era", ERAS)


def _headers(era: str | None, *, name: str) -> dict[str, str]:
    sent = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    if era:
        sent["mcp-protocol-version"] = era
    return sent | ({"mcp-method": "tools/call", "mcp-name": name} if era == MODERN else {})


def _message(era: str | None, *, tool: Tool = A_TOOL, **changes: Any) -> dict[str, Any]:
    params: dict[str, Any] = {"name": tool.name, "arguments": orjson.loads(tool.example_arguments)}
    if era == MODERN:
        client = {"name": "tests", "version": "1"}
        params["_meta"] = {
            PROTOCOL_VERSION_META_KEY: MODERN,
            CLIENT_CAPABILITIES_META_KEY: {},
            CLIENT_INFO_META_KEY: client,
        }
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params} | changes


def _read(body: bytes, sent: dict[str, str]) -> ToolsCall | None:
    lines = [(name.encode(), value.encode()) for name, value in sent.items()]
    return read_call(body, sent={name: value.decode() for name, value in lines}, lines=lines)


@pytest.fixture
def client(server: str, cast: SimpleNamespace) -> Iterator[httpx.Client]:
    """Yield alice's client of the real server."""
    headers = {"Authorization": f"Bearer {cast.alice}"}
    with httpx.Client(base_url=server, headers=headers, timeout=60, verify=PLAIN_HTTP) as client:
        yield client


def _both(client: httpx.Client, era: str | None, message: dict[str, Any]) -> list[Any]:
    """Post a message that we answer, then the same for the SDK, with an `id` of 2**70."""
    answers = []
    for number in (7, 2**70):
        body = re.sub(rb'"id":7\b', b'"id":%d' % number, orjson.dumps(message))
        answered = client.post("/mcp", content=body, headers=_headers(era, name=message["params"]["name"]))
        assert answered.status_code == 200, answered.text
        told = orjson.loads(answered.content.replace(b"%d" % number, b"7"))
        for part in told["result"]["content"]:
            if part["type"] == "text":
                part["text"] = without_timings(orjson.loads(part["text"]))
        answers.append(without_timings(told))
    return answers


def _tools_in_eras() -> Iterator[Any]:
    """Yield every tool in every era; among the quick tests, one tool in all eras and all tools in the latest."""
    for tool in TOOLS:
        for era in ERAS:
            is_quick = tool is A_TOOL or era == MODERN
            yield pytest.param(tool, era, id=f"{tool_id(tool)}-{era}", marks=() if is_quick else pytest.mark.slow)


@pytest.mark.parametrize(("tool", "era"), list(_tools_in_eras()))
def test_an_answer_is_the_sdk_s(client: httpx.Client, tool: Tool, era: str | None) -> None:
    message = _message(era, tool=tool)
    assert _read(orjson.dumps(message), _headers(era, name=tool.name))

    ours, theirs = _both(client, era, message)

    assert ours == theirs


@every_era
def test_a_refusal_is_the_sdk_s(client: httpx.Client, era: str | None) -> None:
    message = _message(era)
    message["params"]["arguments"] = {"surely_no_parameter": 1}

    ours, theirs = _both(client, era, message)

    assert ours == theirs
    assert ours["result"]["isError"] is True


def test_numbers_arrive_to_the_digit(client: httpx.Client) -> None:
    body = orjson.dumps(_message(MODERN))

    told = client.post("/mcp", content=body, headers=_headers(MODERN, name=A_TOOL.name)).content

    text = orjson.loads(told)["result"]["content"][0]["text"]
    assert b'"structuredContent":' + text.encode() in told


LEFT_TO_THE_SDK = {
    "another method": {"method": "tools/list"},
    "no version of JSON-RPC": {"jsonrpc": "1.0"},
    "no id": {"id": None},
    "a huge id": {"id": "2**70"},
    "more than a request": {"result": {}},
    "no name": {"params": {"arguments": {}}},
    "arguments that are a list": {"params": {"name": "x", "arguments": []}},
    "null arguments": {"params": {"name": "x", "arguments": None}},
    "a task": {"params": {"name": "x", "arguments": {}, "task": {"ttl": 1}}},
}


@pytest.mark.parametrize("change", LEFT_TO_THE_SDK.values(), ids=list(LEFT_TO_THE_SDK))
def test_what_is_no_plain_call_is_left_to_the_sdk(change: dict[str, Any]) -> None:
    body = orjson.dumps(_message(None, **change)).replace(b'"2**70"', b"%d" % 2**70)

    assert _read(body, _headers(None, name=A_TOOL.name)) is None


WRONG_HEADERS = {
    "no JSON accepted": {"accept": "text/event-stream"},
    "another type of body": {"content-type": "text/plain"},
    "an unknown version": {"mcp-protocol-version": "2099-01-01"},
    "another method": {"mcp-method": "tools/list"},
    "another name": {"mcp-name": "other"},
    "a parameter as a header": {"mcp-param-x": "1"},
}


@pytest.mark.parametrize("change", WRONG_HEADERS.values(), ids=list(WRONG_HEADERS))
def test_headers_that_disagree_are_left_to_the_sdk(change: dict[str, str]) -> None:
    sent = _headers(MODERN, name=A_TOOL.name) | change

    assert _read(orjson.dumps(_message(MODERN)), sent) is None


@pytest.mark.parametrize("meta", [{}, {PROTOCOL_VERSION_META_KEY: MODERN}, "text", {"x": "y" * 5000}])
def test_an_envelope_that_the_era_does_not_allow_is_left_to_the_sdk(meta: Any) -> None:
    message = _message(MODERN)
    message["params"]["_meta"] = meta

    assert _read(orjson.dumps(message), _headers(MODERN, name=A_TOOL.name)) is None


def test_a_message_too_large_is_refused_in_our_words(client: httpx.Client) -> None:
    answered = client.post("/mcp", content=b"[" * 1_100_000, headers=_headers(None, name="x"))

    assert (answered.status_code, answered.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
