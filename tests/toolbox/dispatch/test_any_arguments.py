"""Hypothesis writes the arguments: whatever they are, a call ends in a planned Reply."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.toolbox.transports import ONE_OF_EACH_ENVELOPE, TOOLS, tool_id
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.errors import ToolError
from toolbox.contract.models import ToolInput
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.dispatch.arguments import parse_arguments
from toolbox.dispatch.dispatch import Call, dispatch

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=tool_id)
every_envelope = pytest.mark.parametrize("tool", ONE_OF_EACH_ENVELOPE, ids=tool_id)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
likely_values = st.sampled_from(
    ["2025-02-01", "2025-02-30", "CAR", "car", "WIN", "2024-2025", "null", "", 0, -1, 10**9]
)


def _arguments(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    known = st.sampled_from(list(tool.input_schema["properties"]) or ["surely_no_parameter"])
    return st.dictionaries(known | known | st.text(), likely_values | json_values, max_size=5)


def _read(tool: Tool, arguments: bytes) -> ToolInput | ToolError:
    try:
        return parse_arguments(tool, arguments)
    except ToolError as refusal:
        return refusal


@every_envelope
@given(sent=st.binary(max_size=200))
def test_reading_any_bytes_gives_a_question_or_a_planned_refusal(tool: Tool, sent: bytes) -> None:
    outcome = _read(tool, sent)

    assert isinstance(outcome, ToolInput) or outcome.code in tool.codes


@pytest.mark.slow
@pytest.mark.usefixtures("cast")
@every_tool
@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_call_ends_in_a_planned_reply_and_never_in_a_crash(tool: Tool, data: st.DataObject) -> None:
    arguments = json.dumps(data.draw(_arguments(tool))).encode()

    outcome = _read(tool, arguments)
    reply = event_loop.run(
        dispatch(
            Call(
                tool=tool.name, arguments=arguments, credential=LOCAL_OPERATOR, transport="test",
                request_id="hypothesis",
            )
        )
    )  # fmt: skip

    if isinstance(outcome, ToolError):
        assert outcome.code in tool.codes
        assert outcome.message
        assert outcome.suggestion
        assert reply.is_refusal
    assert reply.status < 500
    assert reply.is_refusal or reply.status == 200
    assert orjson.loads(reply.body)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        pytest.param(tool, name, id=f"{tool_id(tool)}-{name}")
        for tool in TOOLS
        for name in tool.input_schema["properties"]
    ],
)
def test_a_value_of_another_type_than_published_is_refused_by_name(tool: Tool, name: str) -> None:
    kinds = tool.input_schema["properties"][name].get("type", [])
    wrong = {"string": 7, "number": "seven", "integer": "seven", "boolean": "yes", "array": "x", "object": "x"}
    values = [value for kind, value in wrong.items() if kind in ([kinds] if isinstance(kinds, str) else kinds)]

    for value in values:
        with pytest.raises(ToolError) as refused:
            parse_arguments(tool, json.dumps(json.loads(tool.example_arguments) | {name: value}).encode())
        assert refused.value.field == name
