"""MCP: the catalogue and the calls, through the official SDK's low-level server."""

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from toolbox import VERSION
from toolbox.answer import Call, Reply, answer
from toolbox.callers import Caller
from toolbox.dialect import KERNEL
from toolbox.errors import DatabaseUnavailable, Refusal
from toolbox.home import at_home
from toolbox.keys import identify
from toolbox.registry import Registry
from toolbox.tool import Tool
from toolbox.wire import credential, request_id

Context = ServerRequestContext[Any, Any]
CredentialOf = Callable[[Context], str | Caller | None]

INSTRUCTIONS = (
    "Toolroom answers questions from curated data. A refusal says what to change: follow its suggestion once; "
    "if details.retryWith is there, merge it into your arguments and call again."
)


def mcp_server(registry: Registry, *, face: str, credential_of: CredentialOf, domain: str | None = None) -> Server[Any]:
    """Make an MCP server of the tools that the caller may use: all, or one domain's."""

    async def list_tools(ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        caller = await _caller(credential_of(ctx))
        return types.ListToolsResult(tools=[mcp_tool(tool) for tool in registry.visible_to(caller, domain=domain)])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = registry.find(params.name, domain=domain)
        call = Call(
            tool=params.name,
            domain=tool.domain if tool else domain,
            arguments=json.dumps(params.arguments or {}).encode(),
            credential=credential_of(ctx),
            face=face,
            request_id=_request_id(ctx),
        )
        return mcp_result(await answer(call))

    return Server(
        "toolroom" if domain is None else f"toolroom-{domain}",
        version=VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def mcp_tool(tool: Tool) -> types.Tool:
    """Describe a tool to an MCP client; the output schema covers refusals too, because clients check both by it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=_output_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes,
            idempotent_hint=not tool.writes,
            open_world_hint=False,
        ),
    )


def mcp_result(reply: Reply) -> types.CallToolResult:
    """Give a reply as text, to the byte, and as structured content; what is no object goes under `result`."""
    body = orjson.loads(reply.body)
    structured = body if isinstance(body, dict) else {"result": body}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.body.decode())],
        structured_content=structured,
        is_error=reply.is_refusal,
    )


def http_credential(ctx: Context) -> str | None:
    """Take the key from the HTTP request that carried the message."""
    if ctx.request is None:
        return None
    sent = ctx.request.headers
    return credential(sent.get("authorization", ""), api_key=sent.get("x-api-key", ""))


async def _caller(presented: str | Caller | None) -> Caller:
    """Find out who asks for the catalogue; a list has no place for a refusal, so it is the protocol's error."""
    try:
        return await at_home(lambda: identify(presented))
    except Refusal as refusal:
        raise MCPError(types.INVALID_REQUEST, f"{refusal.message} {refusal.suggestion}") from refusal
    except DatabaseUnavailable as away:
        raise MCPError(types.INTERNAL_ERROR, "Database temporarily unavailable. Please try again.") from away


def _request_id(ctx: Context) -> str:
    return request_id(ctx.request.headers.get("x-request-id", "") if ctx.request is not None else "")


def _output_schema(tool: Tool) -> dict[str, Any]:
    """Describe success, the dialect's refusal, and the kernel's, which any call may meet."""
    refusals = [tool.dialect.refusal_schema(), KERNEL.refusal_schema()]
    distinct = [schema for number, schema in enumerate(refusals) if schema not in refusals[:number]]
    return {"type": "object", "anyOf": [tool.output_schema, *distinct]}
