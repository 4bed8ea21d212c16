"""Tools as OpenAI functions, for every tool there is."""

import jsonschema
import orjson
import pytest

from toolbox.catalogue.registry import registry
from toolbox.contract.tool import Tool

TOOLS = [pytest.param(tool, id=tool.name) for tool in registry.tools()]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_function_says_what_the_tool_says(tool: Tool) -> None:
    function = tool.function_schema["function"]

    assert tool.function_schema["type"] == "function"
    assert (function["name"], function["description"]) == (tool.name, tool.description)
    jsonschema.Draft202012Validator.check_schema(function["parameters"])
    jsonschema.validate(orjson.loads(tool.example_arguments), function["parameters"])


@pytest.mark.parametrize("tool", TOOLS)
def test_its_name_and_description_fit_the_limits_of_the_api(tool: Tool) -> None:
    function = tool.function_schema["function"]

    assert len(function["name"]) <= 64
    assert len(function["description"]) <= 1024
