"""Tool calls that a model writes as text: the instructions for it, and parsing them."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import regex
from pydantic_core import from_json

from toolbox.contract.errors import Schema
from toolbox.contract.tool import Tool
from toolbox.model.protocol import ToolRequest

USAGE = '{\n  "tool": "tool_name",\n  "parameters": { ... }\n}'
_TOOL_NAMES = ("tool", "name", "function", "tool_name", "action")
_PARAMETER_NAMES = ("parameters", "arguments", "args", "params", "input")
_ANSWER_NAMES = ("answer", "final_answer", "response")
_BEGINS = regex.compile(
    r'(?:```\w*\s*|<tool_call>\s*)?\{\s*"(?:' + "|".join((*_TOOL_NAMES, *_ANSWER_NAMES)) + r')"\s*:'
)
_MAX_BRACES = 50
_KEPT = {"type", "properties", "required", "items", "enum", "anyOf", "additionalProperties"}


def write_tool_instructions(tools: Sequence[Tool], *, with_answer_form: bool) -> str:
    """Return instructions that describe the tools and how to call one."""
    listed = json.dumps({tool.name: _describe_tool(tool) for tool in tools}, indent=2, ensure_ascii=False)
    finish = (
        'answer {"answer": "..."} with what you know' if with_answer_form else "answer in plain words, without JSON"
    )
    return (
        f"AVAILABLE TOOLS:\n{listed}\n\nUSAGE FORMAT:\n{USAGE}\n\n"
        "To use a tool, answer with that JSON and nothing else; the tool's answer comes in the next message. "
        f"Use one tool at a time, only those above. When no tool is needed any more, {finish}."
    )


def make_step_schema(tools: Sequence[Tool]) -> Schema:
    """Build the JSON Schema of one step: a call of one of the tools, or an answer."""
    branches = [
        _make_object_schema(
            {"tool": {"type": "string", "enum": [tool.name]}, "parameters": simplify_schema(tool.input_schema)}
        )
        for tool in tools
    ]
    return {"type": "object", "anyOf": [*branches, _make_object_schema({"answer": {"type": "string"}})]}


def simplify_schema(schema: Schema) -> Schema:
    """
    Keep the parts of a JSON Schema that every server's grammar supports.

    Patterns, formats and bounds are dropped: some servers turn them into grammars that forbid good answers, and the
    tool checks them anyway.
    """
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if "properties" in kept:
        kept["properties"] = {name: simplify_schema(part) for name, part in kept["properties"].items()}
    if isinstance(kept.get("items"), dict):
        kept["items"] = simplify_schema(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [simplify_schema(part) for part in kept["anyOf"]]
    return kept


def find_call_start(text: str) -> int:
    """Return where a written call or answer begins or may be beginning; the text's length if there is none."""
    for found in re.finditer(r"[`<{]", text):
        if _BEGINS.match(text, pos=found.start(), partial=True):
            return found.start()
    return len(text)


def parse_call(text: str, *, tools: Sequence[Tool], call_id: str, may_name_unknown: bool) -> ToolRequest | None:
    """
    Parse the first tool call from text: bare, fenced, or after words.

    A model that was told to write calls may name an unknown tool under `tool`, and is then told so. Otherwise only an
    offered tool's name makes a call: an object with a name is usually something else.
    """
    tool_names = {tool.name for tool in tools}
    for written in _find_objects(text):
        name = next((written[key] for key in _TOOL_NAMES if isinstance(written.get(key), str)), None)
        if name is None or not (name in tool_names or (may_name_unknown and "tool" in written)):
            continue
        given: Any = next((written[key] for key in _PARAMETER_NAMES if key in written), {})
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        return ToolRequest(id=call_id, name=name, arguments=arguments)
    return None


def parse_answer(text: str) -> str | None:
    """Parse an answer from text with a JSON object; None if it has none."""
    for written in _find_objects(text):
        return next((written[key] for key in _ANSWER_NAMES if isinstance(written.get(key), str)), None)
    return None


def parse_object(text: str) -> dict[str, Any] | None:
    """Parse the first JSON object from text, after the model's thinking."""
    return next(_find_objects(text.rpartition("</think>")[2]), None)


def _find_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text; an unfinished one is completed."""
    end = tries = 0
    for found in re.finditer(r"\{", text):
        if found.start() < end or tries >= _MAX_BRACES:
            continue
        tries += 1
        with suppress(ValueError, RecursionError):
            written, end = json.JSONDecoder(strict=False).raw_decode(text, found.start())
            yield written
            continue
        with suppress(ValueError):
            written = from_json(_repair_json(text[found.start() :]), allow_partial="trailing-strings")
            if isinstance(written, dict) and written:
                end = len(text)
                yield written


def _repair_json(text: str) -> str:
    """Remove what follows an unfinished object, and commas before a bracket."""
    return re.sub(r",(\s*[}\]])", r"\1", re.sub(r"(```|</tool_call>).*", "", text, flags=re.S))


def _describe_tool(tool: Tool) -> dict[str, Any]:
    schema = tool.input_schema
    required = schema.get("required", [])
    parameters = {
        name: _describe_parameter(part, is_required=name in required)
        for name, part in schema.get("properties", {}).items()
    }
    return {"description": " ".join(tool.description.split()), "parameters": parameters}


def _describe_parameter(part: Schema, *, is_required: bool) -> str:
    need = "required" if is_required else "optional"
    choices = [str(choice) for choice in part.get("enum", part.get("items", {}).get("enum", [])) if choice is not None]
    one_of = f" One of: {', '.join(choices)}." if choices else ""
    return f"{_describe_type(part)} ({need}) - {part.get('description', '')}{one_of}".rstrip(" -")


def _describe_type(part: Schema) -> str:
    kinds = part.get("type", [_describe_type(branch) for branch in part.get("anyOf", [])] or "any")
    named = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
    if named == ["array"]:
        return f"array of {_describe_type(part.get('items', {}))}"
    return " or ".join(dict.fromkeys(named))


def _make_object_schema(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
