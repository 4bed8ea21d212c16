"""The compact catalogue: three tools that find, describe and call the others, for who may use them."""

from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from mcp_types import CallToolRequestParams

from tests.toolbox.transports import A_TOOL, mcp_over_http, without_timings
from toolbox.mcp.tool_calls import ToolsCall
from toolbox.mcp.tool_listing import (
    BYTES_PER_TOKEN,
    CALL,
    NAMES,
    measure_compact_cost,
    unwrap_call,
    unwrap_params,
)

MAX_TOKENS = 500
both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])


def test_it_costs_a_fraction() -> None:
    assert measure_compact_cost() / BYTES_PER_TOKEN < MAX_TOKENS


@both_eras
async def test_a_call_through_is_the_tool_s_own_call(server: str, cast: SimpleNamespace, mode: str) -> None:
    arguments = orjson.loads(A_TOOL.example_arguments)
    async with mcp_over_http(server, key=cast.alice, path="/mcp/compact", mode=mode) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        through = await client.call_tool(CALL, {"name": A_TOOL.name, "arguments": arguments})
        wrong = await client.call_tool(CALL, {"name": A_TOOL.name, "arguments": {"surely": 1}})
    async with mcp_over_http(server, key=cast.alice, mode=mode) as client:
        direct = await client.call_tool(A_TOOL.name, arguments)

    assert listed == list(NAMES)
    assert without_timings(through.structured_content) == without_timings(direct.structured_content)
    assert wrong.is_error is True
    assert wrong.structured_content["error"]["type"] == "VALIDATION_ERROR"


@both_eras
async def test_a_key_finds_describes_and_calls_what_it_may_use(server: str, cast: SimpleNamespace, mode: str) -> None:
    async with mcp_over_http(server, key=cast.bob, path="/mcp/compact", mode=mode) as client:
        found = (await client.call_tool("search_tools", {"query": "goals of games by period"})).structured_content
        nothing = (await client.call_tool("search_tools", {"query": "read a file of the workspace"})).structured_content
        hidden = await client.call_tool("describe_tool", {"name": "read_file"})
        shown = (await client.call_tool("describe_tool", {"name": A_TOOL.name})).structured_content
        refused = await client.call_tool(CALL, {"name": "read_file", "arguments": {"filePath": "a.kt"}})

    assert {tool["name"] for tool in found["tools"]} == {A_TOOL.name, "list_game_results"}
    assert nothing["tools"] == []
    assert hidden.structured_content["error"]["code"] == "UNKNOWN_TOOL"
    assert shown["inputSchema"] == A_TOOL.input_schema
    assert refused.structured_content["error"]["code"] == "FORBIDDEN"


@both_eras
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("search_tools", {}), ("search_tools", {"query": 7}), ("describe_tool", {"name": "x", "more": 1}),
     (CALL, {}), (CALL, {"name": 7}), (CALL, {"name": "read_file", "arguments": [1]}), (CALL, {"name": CALL})],
)  # fmt: skip
async def test_what_is_not_asked_rightly_says_how(
    server: str, cast: SimpleNamespace, mode: str, name: str, arguments: dict[str, Any]
) -> None:
    async with mcp_over_http(server, key=cast.alice, path="/mcp/compact", mode=mode) as client:
        told = await client.call_tool(name, arguments)

    assert told.is_error is True
    assert told.structured_content["error"]["code"] in ("INVALID_PARAMETERS", "UNKNOWN_TOOL")


def test_both_lanes_unwrap_the_same_calls() -> None:
    sound: list[tuple[dict[str, Any], bool]] = [
        ({"name": "x", "arguments": {"a": 1}}, True),
        ({"name": "x"}, True),
        ({"name": "x", "arguments": None}, False),
        ({"name": "x", "more": 1}, False),
    ]
    for arguments, is_sound in sound:
        call = ToolsCall(id=1, name=CALL, arguments=orjson.dumps(arguments), is_modern=True)
        params = CallToolRequestParams(name=CALL, arguments=arguments)

        assert (unwrap_call(call) is not None) == (unwrap_params(params) is not None) == is_sound
