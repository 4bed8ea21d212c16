"""The published input schema and what is accepted are the same: jsonschema is the judge, for each field."""

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from tests.toolbox.transports import CATALOGUE, tool_id
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.errors import ToolError
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, dispatch

every_tool = pytest.mark.parametrize("tool", CATALOGUE, ids=tool_id)
pytestmark = pytest.mark.usefixtures("cast")
CLAMPED_BY_CONTRACT = {("query_linescore_data", "limit"), ("list_game_results", "limit")}
"""The contract publishes the bounds, and says that values outside are moved to them."""
PLAIN = [None, True, False, 0, 1, -1, 5.0, 2.5, 10**6, "", " ", "x", "1", "null", [], ["x"], [None], [1], {}, {"x": 1}]


def is_accepted(tool: Tool, arguments: dict[str, Any]) -> bool | None:
    """Return whether the arguments are accepted; None if a contract rule refuses them by its own code."""
    try:
        tool.question.from_json(orjson.dumps(arguments))
    except ValidationError as invalid:
        # A rule between parameters, or on the text of one, is no schema's: its message says it.
        return None if {problem["type"] for problem in invalid.errors()} <= {"value_error"} else False
    except ToolError:
        return None
    return True


def edges(part: dict[str, Any]) -> Iterator[Any]:
    """Yield values at and beside the limits of a schema."""
    yield from part.get("enum", ())
    for name, step in (("minimum", -1), ("maximum", 1)):
        if name in part:
            yield from (part[name], part[name] + step)
    if "maxLength" in part and part["maxLength"] <= 5_000:
        yield from ("x" * part["maxLength"], "x" * (part["maxLength"] + 1))
    if "minLength" in part:
        yield "x" * max(0, part["minLength"] - 1)
    if "maxItems" in part and part["maxItems"] <= 500:
        item = next(iter(edges(part.get("items", {}))), "x")
        yield from ([item] * part["maxItems"], [item] * (part["maxItems"] + 1))
    if "items" in part:
        yield from ([value] for value in edges(part["items"]))
    for branch in part.get("anyOf", ()):
        yield from edges(branch)


def nested_values(part: dict[str, Any]) -> Iterator[Any]:
    """Yield values of every type in each place below the parameter itself."""
    for branch in part.get("anyOf", ()):
        yield from nested_values(branch)
    if "items" in part:
        yield from ([value] for value in (*PLAIN, *nested_values(part["items"])))
    needed = {name: make_value(part["properties"][name]) for name in part.get("required", ())}
    for name, inner in part.get("properties", {}).items():
        yield from (needed | {name: value} for value in (*PLAIN, *edges(inner), *nested_values(inner)))
    if isinstance(inner := part.get("additionalProperties"), dict):
        yield from ({"x": value} for value in (*PLAIN, *nested_values(inner)))


def make_value(part: dict[str, Any]) -> Any:
    """Return a value that a schema accepts, of its first type."""
    if "enum" in part:
        return part["enum"][0]
    kind = part.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        return {name: make_value(part["properties"][name]) for name in part.get("required", ())}
    return {"integer": part.get("minimum", 1), "number": 1, "boolean": True, "array": []}.get(kind, "2025-02-01")


def differences(tool: Tool, arguments: dict[str, Any]) -> str:
    judged = Draft202012Validator(tool.input_schema).is_valid(arguments)
    accepted = is_accepted(tool, arguments)
    if accepted and not judged:  # the function may still refuse it
        call = Call(
            tool=tool.name, arguments=orjson.dumps(arguments), credential=LOCAL_OPERATOR, transport="test",
            request_id="schemas",
        )  # fmt: skip
        accepted = not event_loop.run(dispatch(call)).code
    has_format = "format" in json.dumps(tool.input_schema)
    if accepted is None or accepted == judged or (has_format and judged and _fails_by_format(tool, arguments)):
        return ""
    return f"{json.dumps(arguments)[:200]}: the schema {'accepts' if judged else 'refuses'} it"


def _fails_by_format(tool: Tool, arguments: dict[str, Any]) -> bool:
    checker = Draft202012Validator(tool.input_schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return not checker.is_valid(arguments)


@every_tool
def test_each_parameter_is_accepted_as_published(tool: Tool) -> None:
    example = orjson.loads(tool.example_arguments)
    found = []
    for name, part in tool.input_schema.get("properties", {}).items():
        values = [*PLAIN, *edges(part), *nested_values(part)]
        if (tool.name, name) in CLAMPED_BY_CONTRACT:
            values = [value for value in values if not isinstance(value, int) or isinstance(value, bool)]
        found += [differences(tool, example | {name: value}) for value in values]
        found.append(differences(tool, {key: value for key, value in example.items() if key != name}))
    found.append(differences(tool, example | {"noSuchParameter": 1}))

    assert [one for one in found if one] == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@every_tool
@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_any_arguments_are_accepted_as_published(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from(list(tool.input_schema.get("properties", {})) or ["none"])
    changes = {
        name: value
        for name, value in data.draw(st.dictionaries(names, json_values, max_size=3)).items()
        if (tool.name, name) not in CLAMPED_BY_CONTRACT
    }

    assert differences(tool, orjson.loads(tool.example_arguments) | changes) == ""
