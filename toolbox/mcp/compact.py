"""
The compact catalogue, at `/mcp/compact`: three tools in place of all, for clients that pay for each schema they list.

One finds tools by words, one describes a tool, one calls it. What may be found, described and called is what the key
may use; a call through is the tool's own, with its own audit row, questions and tasks.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log
from typing import Any

import mcp_types as types
import msgspec
import orjson

from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, UNKNOWN_TOOL, ErrorCode, Refusal
from toolbox.contract.tool import Tool
from toolbox.dispatch.duplicate_keys import find_duplicate_key, may_have_duplicate_keys
from toolbox.mcp.requests import Entry
from toolbox.mcp.tool_calls import ToolsCall
from toolbox.mcp.tool_description import mcp_tool

SEARCH, DESCRIBE, CALL = NAMES = "search_tools", "describe_tool", "call_tool"
MAX_FOUND = 10
MAX_QUERY = 400
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_BY_NAME, _BY_DOMAIN, _BY_TEXT, _BY_PARAMETER, _AKIN = 3.0, 2.0, 1.0, 0.5, 0.5
_SHORTEST = 3


class _Through(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


_through = msgspec.json.Decoder(_Through)


def through(call: ToolsCall) -> ToolsCall | None:
    """Give the call that is wrapped in this one; None where it is none, or not sound."""
    if call.name != CALL:
        return None
    try:
        inner = _through.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return None
    arguments = bytes(inner.arguments)
    if may_have_duplicate_keys(call.arguments, names=2 + arguments.count(b":")) and find_duplicate_key(call.arguments):
        return None
    return replace(call, name=inner.name, arguments=arguments) if arguments.startswith(b"{") else None


def unwrapped(params: types.CallToolRequestParams) -> types.CallToolRequestParams | None:
    """Do the same with a call that the SDK has read."""
    given = params.arguments or {}
    name, arguments = given.get("name"), given.get("arguments", {})
    is_sound = isinstance(name, str) and isinstance(arguments, dict) and given.keys() <= {"name", "arguments"}
    if params.name != CALL or not is_sound:
        return None
    return params.model_copy(update={"name": name, "arguments": arguments})


def catalogue() -> list[types.Tool]:
    """Give the three tools."""
    return [_tool(name, description, schema) for name, (description, schema) in _TOOLS.items()]


def answered(params: types.CallToolRequestParams, *, entry: Entry, registry: Registry) -> types.CallToolResult:
    """Answer a search or a wish for a description, and refuse what is neither; the entry is told."""
    body = _body(params.name, params.arguments or {}, caller=entry.caller, registry=registry)
    text = orjson.dumps(body).decode()
    entry.size, entry.code = len(text), body.get("error", {}).get("code", "")
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=body, is_error="error" in body)


def _body(name: str, given: dict[str, Any], *, caller: Caller, registry: Registry) -> dict[str, Any]:
    if name == SEARCH and isinstance(given.get("query"), str) and given.keys() == {"query"}:
        return _found(given["query"][:MAX_QUERY], caller=caller, registry=registry)
    if name == DESCRIBE and isinstance(given.get("name"), str) and given.keys() == {"name"}:
        return _described(given["name"], caller=caller, registry=registry)
    wanted = ", ".join(f"{part} ({about['type']})" for part, about in _TOOLS[name][1]["properties"].items())
    return _refused(
        KERNEL_ENVELOPE.bad_input, f"{name} cannot be called so.", suggestion=f"Send {wanted}, and nothing else."
    )


def _found(query: str, *, caller: Caller, registry: Registry) -> dict[str, Any]:
    tools = registry.visible_to(caller)
    ranked = rank(query, tools=tools)
    shown = [
        {"name": tool.name, "domain": tool.domain, "summary": _SENTENCE.split(tool.described)[0], "writes": tool.writes}
        for tool in (ranked or tools)[:MAX_FOUND]
    ]
    nothing = {"note": "No tool has these words; here are the first of all."} if tools and not ranked else {}
    return {"tools": shown, "total": len(tools)} | nothing


def rank(query: str, *, tools: Sequence[Tool]) -> list[Tool]:
    """Order the tools that have words of the query by how telling those are; empty where none has."""
    wanted = _words(query)
    weighed = [_weights(tool) for tool in tools]
    holding = {word: sum(_weight(word, weights) > 0 for weights in weighed) for word in wanted}
    rarity = {word: log(1 + len(tools) / count) for word, count in holding.items() if count}
    scores = [sum(_weight(word, weights) * rare for word, rare in rarity.items()) for weights in weighed]
    order = sorted(range(len(tools)), key=lambda place: -scores[place])
    return [tools[place] for place in order if scores[place] > 0]


def _weights(tool: Tool) -> dict[str, float]:
    """Weigh the words that say what a tool is, by where they stand."""
    parameters = tool.input_schema.get("properties", {})
    texts = (
        (_BY_PARAMETER, " ".join(f"{name} {part.get('description', '')}" for name, part in parameters.items())),
        (_BY_TEXT, tool.described),
        (_BY_DOMAIN, tool.domain),
        (_BY_NAME, tool.name),
    )
    return {word: weight for weight, text in texts for word in _words(text)}


def _weight(word: str, weights: dict[str, float]) -> float:
    """Weigh a word that is there, or begins or ends one that is there, as `game` does `games`."""
    if word in weights:
        return weights[word]
    akin = [weight for known, weight in weights.items() if known.startswith(word) or word.startswith(known)]
    return max(akin, default=0.0) * _AKIN if len(word) > _SHORTEST else 0.0  # shorter ones begin many


def _words(text: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return {word for word in (found.lower() for found in _WORD.findall(apart)) if len(word) >= _SHORTEST} - _EMPTY


_EMPTY = frozenset(
    ("the", "and", "for", "with", "that", "what", "which", "how", "did", "does", "are", "was", "were", "this", "from",
     "into", "have", "has", "all", "any")
)  # fmt: skip


def _described(name: str, *, caller: Caller, registry: Registry) -> dict[str, Any]:
    tool = registry.find(name)
    if tool is None or not tool.is_offered_to(caller):
        near = ", ".join(registry.nearest(name, caller=caller)[:3])
        suggestion = f"Nearest: {near}." if near else "This key may use no tool; ask for scopes."
        return _refused(UNKNOWN_TOOL, "There is no tool of that name for this key.", suggestion=suggestion)
    shown = mcp_tool(tool).model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"output_schema"})
    return shown | {"example": orjson.loads(tool.example_arguments)}


def _refused(code: ErrorCode, message: str, *, suggestion: str) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(encode(KERNEL_ENVELOPE.refusal(Refusal(code, message, suggestion=suggestion))))
    return body


def _object(required: Iterable[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_NAME = {"type": "string", "description": "The tool's name, as search_tools gives it."}
_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    SEARCH: (
        f"Find tools by what they are for: up to {MAX_FOUND}, the likeliest first, each with a sentence. Begin here.",
        _object(["query"], query={"type": "string", "description": "A few words, as 'league standings'."}),
    ),
    DESCRIBE: (
        "Describe one tool: what it does, its input schema, and an example of its arguments. Read it before a call.",
        _object(["name"], name=_NAME),
    ),
    CALL: (
        "Call a tool by its name, with arguments as describe_tool shows them. Its answer and its refusals are its own.",
        _object(["name"], name=_NAME, arguments={"type": "object", "description": "What the tool takes."}),
    ),
}


def _tool(name: str, description: str, schema: dict[str, Any]) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=name != CALL, destructive_hint=name == CALL, idempotent_hint=name != CALL, open_world_hint=False
    )
    title = name.replace("_", " ").capitalize()
    return types.Tool(name=name, title=title, description=description, input_schema=schema, annotations=hints)
