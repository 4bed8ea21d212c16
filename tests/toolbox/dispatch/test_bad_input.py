"""Whatever comes over the wire, to the real server: a planned refusal with a suggestion, and a server that lives on."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest

from tests.toolbox.transports import ONE_OF_EACH_ENVELOPE, TOOLS, address, mcp_over_http, text_of, tool_id
from toolbox.catalogue.registry import registry
from toolbox.contract.errors import ToolError
from toolbox.contract.tool import Tool
from toolbox.dispatch.arguments import parse_arguments

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=tool_id)
every_envelope = pytest.mark.parametrize("tool", ONE_OF_EACH_ENVELOPE, ids=tool_id)
PYTHON_S_OWN = ("Traceback", 'File "', "Value error", "ValueError", "ValidationError")
RAW_BODIES = {
    "not JSON": b"{limit: 1}",
    "cut JSON": b'{"a": [1, 2',
    "not an object": b"[1, 2]",
    "a string": b'"SELECT 1"',
    "null": b"null",
    "an unknown parameter": b'{"surely_no_parameter": 1}',
    "a NUL in a name": b'{"a\\u0000b": 1}',
    "a lone surrogate in a name": b'{"a\\udfff": 1}',
    "a lone surrogate in a value": b'{"surely_no_parameter": "\\ud800"}',
    "invalid UTF-8": b'{"surely_no_parameter": "\xff\xfe"}',
    "100,000 brackets": b'{"surely_no_parameter": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "100,000 unknown parameters": b'{"0": 1' + b"".join(b',"%d":1' % number for number in range(1, 75_000)) + b"}",
    "a name of 100,000 letters": b'{"' + b"a" * 100_000 + b'": 1}',
    "a huge number": b'{"surely_no_parameter": 1' + b"0" * 400 + b"}",
    "infinity": b'{"surely_no_parameter": Infinity}',
    "another way to say infinity": b'{"surely_no_parameter": 1e999}',
}
VALUES = {
    "a NUL": '"a\\u0000b"',
    "a lone surrogate": '"\\ud800"',
    "SQL": '"\'; DROP TABLE toolbox_api_keys; --"',
    "a format string": '"%s %(most)s {0} ${x}"',
    "markup": '"<script>alert(1)</script>"',
    "half a megabyte": '"' + "x" * 500_000 + '"',
    "right to left": '"\\u202eabc\\u0007"',
    "a number": "1",
    "a huge number": "1" + "0" * 30,
    "a number of 5,000 digits": "9" * 5_000,
    "minus zero": "-0.0",
    "a fraction": "2.5",
    "infinity": "1e999",
    "true": "true",
    "a list": "[]",
    "an object": '{"$ne": null}',
    "nesting": "[" * 300 + "]" * 300,
}


def _string_parameters(tool: Tool) -> list[str]:
    properties = tool.input_schema["properties"].items()
    return [name for name, part in properties if "string" in (part.get("type"), *(part.get("type") or ()))]


PARAMETERS = [
    pytest.param(tool, name, id=f"{tool_id(tool)}-{name}", marks=pytest.mark.slow if place else ())
    for tool in TOOLS
    for place, name in enumerate(tool.input_schema["properties"])
]
"""Each of every tool; quickly, the first of each."""


def _suggests(body: dict[str, Any]) -> bool:
    error = body["error"]
    text = orjson.dumps(body).decode()
    suggestion = error.get("suggestion") or error["details"]["suggestion"]  # where the contract's error has room for it
    return bool(error["message"] and suggestion) and not any(sign in text for sign in PYTHON_S_OWN)


def _is_failure(answer: httpx.Response) -> bool:
    """Return whether the reply is a failure, by its status or, for contracts that fail with 200, by its body."""
    body = answer.json()
    return answer.status_code != 200 or (isinstance(body, dict) and isinstance(body.get("error"), str))


@pytest.fixture(scope="module")
def rest(server: str, cast: SimpleNamespace) -> Iterator[httpx.Client]:
    """Yield alice's synchronous client of the real server, shared because each client builds a TLS context."""
    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {cast.alice}"}, timeout=60) as client:
        yield client


def _over_mcp(rest: httpx.Client, tool: Tool, arguments: bytes) -> httpx.Response:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}'
    headers = {
        "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
        "MCP-Protocol-Version": "2025-06-18",
    }  # fmt: skip
    return rest.post("/mcp", content=body % (tool.name.encode(), arguments), headers=headers)


@pytest.mark.parametrize("name", RAW_BODIES)
@every_envelope
def test_a_bad_body_is_refused_on_rest(rest: httpx.Client, tool: Tool, name: str) -> None:
    answer = rest.post(address(tool), content=RAW_BODIES[name])

    assert answer.status_code == 400, answer.text[:300]
    assert _suggests(answer.json())
    assert len(answer.content) < 10_000


@pytest.mark.parametrize("name", [name for name in RAW_BODIES if name != "null"])
@every_envelope
def test_a_bad_body_is_refused_on_mcp(rest: httpx.Client, tool: Tool, name: str) -> None:
    """By the tool, or by the protocol where the message is none."""
    answer = _over_mcp(rest, tool, RAW_BODIES[name])

    body = answer.json()
    assert answer.status_code in (200, 400), answer.text[:300]
    assert len(answer.content) < 30_000
    if "result" in body:
        assert body["result"]["isError"] is True
        assert _suggests(body["result"]["structuredContent"])
    else:
        assert body["error"]["code"] in (-32700, -32600, -32602)


def _is_planned(answer: httpx.Response) -> bool:
    refused = answer.status_code != 200
    return answer.status_code < 500 and not (
        refused and (len(answer.content) >= 10_000 or not _suggests(answer.json()))
    )


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
def test_any_value_of_any_parameter_is_answered_or_refused(rest: httpx.Client, tool: Tool, parameter: str) -> None:
    sent = {name: b'{"%s": %s}' % (parameter.encode(), value.encode()) for name, value in VALUES.items()}

    answers = {name: rest.post(address(tool), content=body) for name, body in sent.items()}

    assert {name: answer.text[:300] for name, answer in answers.items() if not _is_planned(answer)} == {}


def _is_alike(over_rest: httpx.Response, over_mcp: httpx.Response) -> bool:
    body = over_mcp.json()
    if over_mcp.status_code not in (200, 400):
        return False
    if "result" in body:
        return body["result"]["isError"] is _is_failure(over_rest)
    return body["error"]["code"] in (-32700, -32600, -32602)


@every_envelope
def test_any_value_is_answered_or_refused_on_mcp_as_on_rest(rest: httpx.Client, tool: Tool) -> None:
    parameter = next(iter(tool.input_schema["properties"]), "surely_no_parameter")
    sent = {name: b'{"%s": %s}' % (parameter.encode(), value.encode()) for name, value in VALUES.items()}

    told = {name: (rest.post(address(tool), content=body), _over_mcp(rest, tool, body)) for name, body in sent.items()}

    assert {name: both[1].text[:300] for name, both in told.items() if not _is_alike(*both)} == {}


@every_tool
def test_a_nul_in_any_text_is_refused_by_name(rest: httpx.Client, tool: Tool) -> None:
    for parameter in _string_parameters(tool):
        answer = rest.post(address(tool), json=orjson.loads(tool.example_arguments) | {parameter: "a\x00b"})

        assert answer.status_code == 400, parameter
        assert parameter in answer.text
        assert "\\u0000" not in answer.text


@every_envelope
def test_ten_megabytes_are_refused_and_the_server_lives_on(rest: httpx.Client, tool: Tool) -> None:
    large = b'{"surely_no_parameter": "' + b"x" * 10_000_000 + b'"}'

    over_rest, over_mcp = rest.post(address(tool), content=large), _over_mcp(rest, tool, large)
    after = rest.post(address(tool), content=tool.example_arguments)

    assert over_rest.status_code == 413
    assert _suggests(over_rest.json())
    assert over_mcp.status_code == 413
    assert after.status_code == 200


@every_envelope
def test_the_larger_of_two_values_of_one_name_does_not_slip_through(rest: httpx.Client, tool: Tool) -> None:
    answer = rest.post(address(tool), content=b'{"surely_no_parameter": 1, "surely_no_parameter": 2}')

    assert answer.status_code == 400


@every_tool
async def test_the_refusal_on_mcp_is_the_refusal_on_rest(
    fast_client: httpx.AsyncClient, server: str, cast: SimpleNamespace, tool: Tool
) -> None:
    ask = {"surely_no_parameter": 1}

    over_rest = await fast_client.post(address(tool), json=ask)
    async with mcp_over_http(server, key=cast.alice) as client:
        told = await client.call_tool(tool.name, ask)

    assert told.is_error is True
    assert told.structured_content == over_rest.json()
    assert text_of(told) == over_rest.text


async def test_an_unknown_tool_is_refused_on_mcp_with_those_there_are(server: str, cast: SimpleNamespace) -> None:
    async with mcp_over_http(server, key=cast.alice) as client:
        told = await client.call_tool("no_such_tool", {})

    assert told.is_error is True
    assert told.structured_content["error"]["code"] == "UNKNOWN_TOOL"
    assert TOOLS[0].name in told.structured_content["error"]["suggestion"]


@pytest.mark.parametrize("name", ["", "\x00", "x" * 5_000, "../admin", "🏒", "query_linescore_data "])
async def test_a_tool_of_any_name_is_refused_on_mcp(server: str, cast: SimpleNamespace, name: str) -> None:
    async with mcp_over_http(server, key=cast.alice) as client:
        told = await client.call_tool(name, {})

    assert told.structured_content["error"]["code"] == "UNKNOWN_TOOL"


def test_a_rule_between_parameters_is_refused_in_its_own_words() -> None:
    [ask_agent] = [tool for tool in registry.tools() if tool.name == "ask_agent"]

    with pytest.raises(ToolError) as refused:
        parse_arguments(ask_agent, b'{"waitSeconds": 0}')

    assert refused.value.message == "Give a question, or the runId of one asked before."
    assert (refused.value.suggestion or "").startswith("Send a JSON object such as {")
