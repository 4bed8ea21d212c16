"""What the catalogue costs a model that is shown it: bytes, and tokens at four bytes each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from toolbox.contract.tool import Tool
from toolbox.mcp import compact
from toolbox.mcp.tool_description import mcp_tool

BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Bytes of one tool, or of several, as each transport describes them; `asking` is without output schemas."""

    asking: int
    mcp: int
    function: int

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> "Cost":
        """Add up what the tools cost."""
        costs = [_cost(tool) for tool in tools]
        return cls(
            asking=sum(cost.asking for cost in costs),
            mcp=sum(cost.mcp for cost in costs),
            function=sum(cost.function for cost in costs),
        )


def compact_cost() -> int:
    """Count the bytes of the compact catalogue."""
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in compact.catalogue()]
    return sum(map(_size, listed))


def _cost(tool: Tool) -> Cost:
    shown = mcp_tool(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
    asking = {name: shown[name] for name in ("name", "description", "inputSchema")}
    return Cost(asking=_size(asking), mcp=_size(shown), function=_size(tool.function_schema))


def _size(described: dict[str, Any]) -> int:
    return len(orjson.dumps(described))
