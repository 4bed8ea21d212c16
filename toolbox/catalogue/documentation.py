"""Markdown pages of the domains' tools. Pure, so that `tooldocs --check` can compare."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import orjson

from toolbox.contract.errors import KERNEL_CODES, ErrorCode
from toolbox.contract.json_schema import Schema
from toolbox.contract.resources import Resource
from toolbox.contract.tool import Tool, Toolkit


def render_domain_page(toolkit: Toolkit) -> str:
    """Render the page of one domain."""
    parts = [
        f"# {toolkit.domain}",
        toolkit.summary,
        "Written by `manage.py tooldocs` from the code; edit that instead. JSON Schemas: [schemas.json](schemas.json).",
        *(render_tool_section(tool) for tool in toolkit.tools),
        "## What any tool may answer",
        "Before a call reaches the domain, the kernel may refuse it: `{error: {code, message, suggestion}}`.",
        _codes(KERNEL_CODES),
    ]
    return "\n\n".join(parts) + "\n"


def render_tool_section(tool: Tool) -> str:
    """Render one tool: parameters, answer and error codes."""
    facts = (
        f"`POST /api/tools/{tool.domain}/{tool.name}` · MCP `{tool.name}` at `/mcp` and `/mcp/{tool.domain}` · "
        f"scope `{tool.scope}` · version {tool.version} · deadline {tool.deadline_seconds:g} s"
    )
    example = json.dumps(orjson.loads(tool.example_arguments), indent=2, ensure_ascii=False)
    return "\n\n".join(
        [
            f"## {tool.name}",
            facts,
            tool.documentation,
            "### Parameters",
            _parameters(tool.input_schema),
            f"```json\n{example}\n```",
            "### Answer",
            _table(["Field", "Type", "What it says"], iterate_fields(tool.success_schema)),
            "### Refusals",
            _codes(tool.codes),
        ]
    )


def _parameters(schema: Schema) -> str:
    if not schema.get("properties"):
        return "None."
    required = schema.get("required", [])
    rows = [
        [f"`{name}`", describe_type(part), "yes" if name in required else "", describe_property(part)]
        for name, part in schema["properties"].items()
    ]
    return _table(["Name", "Type", "Required", "What it means"], rows)


def describe_property(part: Schema) -> str:
    """Return a parameter's description, with default, bounds and pattern if the schema has them."""
    notes = [part.get("description", "")]
    if "default" in part:
        notes.append(f"Default `{json.dumps(part['default'])}`.")
    bounds = [f"{word} {part[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in part]
    if bounds:
        notes.append(f"{' '.join(bounds).capitalize()}.")
    if "pattern" in part:
        notes.append(f"Pattern `{part['pattern']}`.")
    return " ".join(notes)


def iterate_fields(schema: Schema, *, path: str = "") -> Iterator[list[str]]:
    """Yield a table row for every field; nested fields are named by their path."""
    for name, part in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        absent = "" if name in schema.get("required", []) else " May be absent."
        yield [f"`{here}`", describe_type(part), part.get("description", "") + absent]
        yield from iterate_fields(part, path=here)
        if isinstance(part.get("items"), dict):
            yield from iterate_fields(part["items"], path=f"{here}[]")


def describe_type(part: Schema) -> str:
    """Describe which values a schema allows."""
    if "enum" in part:
        return ", ".join(f"`{json.dumps(value)}`" for value in part["enum"])
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    kinds = part.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _codes(codes: Iterable[ErrorCode]) -> str:
    rows = [[f"`{code.code}`", str(code.status), code.meaning] for code in codes]
    return _table(["Code", "HTTP", "When"], rows)


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines: list[Any] = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


GUIDE_TTL_SECONDS = 3_600


def make_guide(toolkit: Toolkit) -> Resource:
    """Build the domain's guide, `toolroom://guides/<domain>`; it changes only with the server's version."""

    @cache
    def page() -> str:
        return render_domain_page(toolkit)

    async def read() -> str:
        return page()

    read.__name__ = f"{toolkit.domain}_guide"
    read.__doc__ = f"{toolkit.summary} Every tool: what it takes, answers and refuses."
    return Resource(
        domain=toolkit.domain,
        function=read,
        uri=f"toolroom://guides/{toolkit.domain}",
        title=f"Guide to {toolkit.domain}",
        mime_type="text/markdown",
        ttl_seconds=GUIDE_TTL_SECONDS,
        measure=lambda: len(page().encode()),
    )
