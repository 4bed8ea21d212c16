"""OpenAI functions: a tool as Chat Completions wants to hear of it."""

from typing import Any

from toolbox.contract.tool import Tool


def function_schema(tool: Tool) -> dict[str, Any]:
    """Describe a tool as a `function` of the Chat Completions API."""
    described = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": described}
