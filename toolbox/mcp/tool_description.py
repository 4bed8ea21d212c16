"""A tool as MCP's clients read of it."""

from typing import Any

import mcp_types as types

from toolbox.contract.json_schema import strip_descriptions
from toolbox.contract.tool import Tool


def mcp_tool(tool: Tool) -> types.Tool:
    """Describe a tool to an MCP client; the output schema covers refusals too, because clients check both by it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=None if tool.returns_contents else _output_schema(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes,
            idempotent_hint=not tool.writes,
            open_world_hint=False,
        ),
    )


_REFUSAL = {"type": "object", "required": ["error"], "description": "Why there is no answer, and what to do next."}
"""What every refusal is, the kernel's and every dialect's; in full it would double the catalogue for no gain."""


def _output_schema(tool: Tool) -> dict[str, Any]:
    """
    Describe a success, and a refusal, which clients check by the same schema.

    In shapes alone: programs check by it, and what the fields mean, a quarter of the whole catalogue, is in the tool's
    pages and in OpenAPI.
    """
    return {"type": "object", "anyOf": [strip_descriptions(tool.output_schema), _REFUSAL]}
