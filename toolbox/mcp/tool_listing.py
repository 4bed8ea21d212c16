"""
How tools are described to MCP clients, and what that costs a model.

The compact catalogue at `/mcp/compact` lists three tools in place of all, for clients that pay for each listed schema:
one finds tools, one describes a tool, one calls it, all within what the key may use. A call through it is the tool's
own, with its own audit row, questions and tasks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import mcp_types as types
import msgspec
import orjson

from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, UNKNOWN_TOOL, Refusal, ToolError
from toolbox.contract.json_schema import strip_descriptions
from toolbox.contract.tool import Tool
from toolbox.dispatch.arguments import find_duplicate_key, may_have_duplicate_keys
from toolbox.mcp.tool_calls import ToolsCall
from toolbox.tool_search.catalogue import SEARCH_DESCRIPTION, SEARCH_TOOLS, catalogue_search

SEARCH, DESCRIBE, CALL = NAMES = SEARCH_TOOLS, "describe_tool", "call_tool"
BYTES_PER_TOKEN = 4
_REFUSAL_SCHEMA = {"type": "object", "required": ["error"]}
"""Every refusal; the full schema would double the catalogue for no gain."""


def mcp_tool(tool: Tool) -> types.Tool:
    """
    Describe a tool to an MCP client.

    The output schema covers answers and refusals, because clients check both against it. It has no descriptions: those
    are a quarter of the whole catalogue, and are in the tool's pages and in OpenAPI.
    """
    output_schema = {"type": "object", "anyOf": [strip_descriptions(tool.output_schema), _REFUSAL_SCHEMA]}
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=None if tool.returns_contents else output_schema,
        annotations=_annotations(
            writes=tool.writes, is_open_world=tool.is_open_world, is_idempotent=tool.is_idempotent
        ),
    )


def _annotations(*, writes: bool, is_open_world: bool, is_idempotent: bool = False) -> types.ToolAnnotations:
    """Return hints on what a call may do; MCP defines two of them for tools that write only."""
    if not writes:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=is_open_world)
    return types.ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=is_idempotent, open_world_hint=is_open_world
    )


class _WrappedCall(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


_wrapped_call = msgspec.json.Decoder(_WrappedCall)


def unwrap_call(call: ToolsCall) -> ToolsCall | None:
    """Return the call that `call_tool` wraps; None if it wraps none or an invalid one."""
    if call.name != CALL:
        return None
    try:
        inner = _wrapped_call.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return None
    arguments = bytes(inner.arguments)
    if may_have_duplicate_keys(call.arguments, names=2 + arguments.count(b":")) and find_duplicate_key(call.arguments):
        return None
    return replace(call, name=inner.name, arguments=arguments) if arguments.startswith(b"{") else None


def unwrap_params(params: types.CallToolRequestParams) -> types.CallToolRequestParams | None:
    """Return the parameters that `call_tool` wraps, of a call that the SDK has parsed; None as above."""
    wrapped = params.arguments or {}
    name, arguments = wrapped.get("name"), wrapped.get("arguments", {})
    is_valid = isinstance(name, str) and isinstance(arguments, dict) and wrapped.keys() <= {"name", "arguments"}
    if params.name != CALL or not is_valid:
        return None
    return params.model_copy(update={"name": name, "arguments": arguments})


def list_compact_tools() -> list[types.Tool]:
    """List the three tools of the compact catalogue."""
    return [
        types.Tool(
            name=name,
            title=name.replace("_", " ").capitalize(),
            description=description,
            input_schema=schema,
            annotations=_annotations(writes=name == CALL, is_open_world=name == CALL),
        )
        for name, (description, schema) in _COMPACT_TOOLS.items()
    ]


async def answer_compact(name: str, *, arguments: dict[str, Any], caller: Caller, registry: Registry) -> dict[str, Any]:
    """Answer a call of `search_tools` or `describe_tool`; raises ToolError."""
    if name == SEARCH and isinstance(arguments.get("query"), str) and arguments.keys() == {"query"}:
        return await catalogue_search.search(arguments["query"], tools=registry.visible_to(caller))
    if name == DESCRIBE and isinstance(arguments.get("name"), str) and arguments.keys() == {"name"}:
        return _describe(arguments["name"], caller=caller, registry=registry)
    expected = ", ".join(f"{part} ({about['type']})" for part, about in _COMPACT_TOOLS[name][1]["properties"].items())
    raise ToolError(
        KERNEL_ENVELOPE.bad_input, f"{name} cannot be called so.", suggestion=f"Send {expected}, and nothing else."
    )


def _describe(name: str, *, caller: Caller, registry: Registry) -> dict[str, Any]:
    tool = registry.find(name)
    if tool is None or not tool.is_listed_for(caller):
        nearest = ", ".join(registry.find_nearest(name, caller=caller)[:3])
        suggestion = f"Nearest: {nearest}." if nearest else "This key may use no tool; ask for scopes."
        raise Refusal(UNKNOWN_TOOL, "There is no tool of that name for this key.", suggestion=suggestion)
    described = {name: value for name, value in _dump(mcp_tool(tool)).items() if name != "outputSchema"}
    return described | {"example": orjson.loads(tool.example_arguments)}


def _object_schema(required: Iterable[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_NAME_SCHEMA = {"type": "string", "description": "The tool's name, as search_tools gives it."}
_COMPACT_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    SEARCH: (
        f"{SEARCH_DESCRIPTION} Begin here.",
        _object_schema(["query"], query={"type": "string", "description": "A few words, as 'league standings'."}),
    ),
    DESCRIBE: (
        "Describe one tool: what it does, its input schema, and an example of its arguments. Read it before a call.",
        _object_schema(["name"], name=_NAME_SCHEMA),
    ),
    CALL: (
        "Call a tool by its name, with arguments as describe_tool shows them. Its answer and its refusals are its own.",
        _object_schema(
            ["name"], name=_NAME_SCHEMA, arguments={"type": "object", "description": "What the tool takes."}
        ),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueCost:
    """
    Bytes of one or several tools, as each transport describes them to a model.

    `request` is the name, description and input schema, which a model sees with every request.
    """

    request: int
    mcp: int
    function: int


def measure_cost(tools: Iterable[Tool]) -> CatalogueCost:
    """Return the bytes of tools."""
    described = [(_dump(mcp_tool(tool)), tool.function_schema) for tool in tools]
    return CatalogueCost(
        request=sum(
            _size({name: one[name] for name in ("name", "description", "inputSchema")}) for one, _ in described
        ),
        mcp=sum(_size(one) for one, _ in described),
        function=sum(_size(function) for _, function in described),
    )


def measure_compact_cost() -> int:
    """Return the bytes of the compact catalogue."""
    return sum(_size(_dump(tool)) for tool in list_compact_tools())


def _dump(tool: types.Tool) -> dict[str, Any]:
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True)


def _size(described: dict[str, Any]) -> int:
    return len(orjson.dumps(described))
