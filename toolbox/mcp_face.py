"""MCP: the catalogue and the calls, through the official SDK's low-level server."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolbox import VERSION
from toolbox.answer import Call, Reply, answer
from toolbox.callers import Caller
from toolbox.client import CannotAsk, Client, InputNeeded, TaskWanted
from toolbox.errors import DatabaseUnavailable, Refusal
from toolbox.home import at_home
from toolbox.keys import identify
from toolbox.limits import call_limits
from toolbox.mcp_changes import listening
from toolbox.mcp_clients import client_of, interim, missing
from toolbox.mcp_offers import Offers
from toolbox.mcp_preferences import Preferences
from toolbox.mcp_tasks import begin_task, offer_tasks
from toolbox.registry import Registry
from toolbox.schema import shape
from toolbox.tool import Tool
from toolbox.watch import watcher
from toolbox.wire import credential, request_id, sent_headers

Context = ServerRequestContext[Any, Any]
Listen = Callable[[Context, types.SubscriptionsListenRequestParams], Awaitable[types.SubscriptionsListenResult]]
CredentialOf = Callable[[Context], str | Caller | None]

INSTRUCTIONS = (
    "Toolroom answers questions from curated data. A refusal says what to change: follow its suggestion once; "
    "if details.retryWith is there, merge it into your arguments and call again."
)


def mcp_server(registry: Registry, *, face: str, credential_of: CredentialOf, domain: str | None = None) -> Server[Any]:
    """Make an MCP server of the tools that the caller may use: all, or one domain's."""

    async def caller_of(ctx: Context) -> Caller:
        return await _caller(credential_of(ctx))

    offers = Offers(registry=registry, caller_of=caller_of, face=face, domain=domain)
    likes = Preferences(registry=registry)
    tools = _Tools(registry=registry, credential_of=credential_of, face=face, domain=domain, likes=likes)
    server: Server[Any] = Server(
        "toolroom" if domain is None else f"toolroom-{domain}",
        version=VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_subscriptions_listen=_listening(registry, credential_of=credential_of),
        **offers.handlers(),
    )
    server.add_request_handler("tools/call", types.CallToolRequestParams, tools.call)
    likes.offer(server)
    offer_tasks(server, caller_of=caller_of)
    return server


@dataclass(frozen=True, kw_only=True)
class _Tools:
    """The tools of one server: all domains', or one's."""

    registry: Registry
    credential_of: CredentialOf
    face: str
    domain: str | None
    likes: Preferences

    async def list(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools that the caller may use."""
        caller = await _caller(self.credential_of(ctx))
        await watcher.ready()
        shown = self.registry.visible_to(caller, domain=self.domain)
        return types.ListToolsResult(tools=[mcp_tool(tool) for tool in shown])

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> HandlerResult:
        """Call a tool; one that asks, or goes on as a task, does so in the way of the client's protocol."""
        await watcher.ready()
        tool = self.registry.find(params.name, domain=self.domain)
        caller = await _caller(self.credential_of(ctx)) if tool and tool.talks else None
        client = client_of(ctx, params=params, caller=caller, log_level=self.likes.log_level) if caller else Client()
        call = Call(
            tool=params.name,
            domain=tool.domain if tool else self.domain,
            arguments=_json(params.arguments or {}),
            credential=self.credential_of(ctx),
            face=self.face,
            request_id=_request_id(ctx),
            client=client,
        )
        reply = await answer(call)
        if caller and isinstance(reply.turn, InputNeeded):
            return interim(reply.turn, ctx=ctx, client=client, caller=caller)
        if caller and isinstance(reply.turn, TaskWanted):
            return await begin_task(call, caller=caller)
        if isinstance(reply.turn, CannotAsk) and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise missing(reply.turn)
        return mcp_result(reply, tool=tool)


def _listening(registry: Registry, *, credential_of: CredentialOf) -> Listen:
    """Make the way of a known caller to be told of changes of the catalogue."""
    changes = listening(registry)

    async def listen(ctx: Context, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
        await _caller(credential_of(ctx))
        await watcher.ready()
        return await changes(ctx, params)

    return listen


def mcp_tool(tool: Tool) -> types.Tool:
    """Describe a tool to an MCP client; the output schema covers refusals too, because clients check both by it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=None if tool.gives_contents else _output_schema(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes,
            idempotent_hint=not tool.writes,
            open_world_hint=False,
        ),
    )


def mcp_result(reply: Reply, *, tool: Tool | None = None) -> types.CallToolResult:
    """Give a reply as text, to the byte, and as structured content; or the blocks that the tool answers with."""
    body = orjson.loads(reply.body)
    if tool and tool.gives_contents and not reply.is_refusal:
        return types.CallToolResult.model_validate(body, by_name=False)
    structured = {"result": body} if tool and tool.wraps and not reply.is_refusal else body
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.body.decode())],
        structured_content=structured,
        is_error=reply.is_refusal,
    )


def _json(arguments: dict[str, Any]) -> bytes:
    """Write the arguments again as they came: any integer, any script; a lone surrogate is left to be refused."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def http_credential(ctx: Context) -> str | None:
    """Take the key from the HTTP request that carried the message."""
    if ctx.request is None:
        return None
    sent = sent_headers(ctx.request.headers.raw)
    return credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))


async def _counted(presented: str | Caller | None) -> Caller:
    caller = await identify(presented)
    await call_limits.count(caller)
    return caller


async def _caller(presented: str | Caller | None) -> Caller:
    """Find out who asks for the catalogue; a list has no place for a refusal, so it is the protocol's error."""
    try:
        return await at_home(lambda: _counted(presented))
    except Refusal as refusal:
        raise MCPError(types.INVALID_REQUEST, f"{refusal.message} {refusal.suggestion}") from refusal
    except DatabaseUnavailable as away:
        raise MCPError(types.INTERNAL_ERROR, "Database temporarily unavailable. Please try again.") from away


def _request_id(ctx: Context) -> str:
    return request_id(ctx.request.headers.get("x-request-id", "") if ctx.request is not None else "")


_REFUSAL = {"type": "object", "required": ["error"], "description": "Why there is no answer, and what to do next."}
"""What every refusal is, the kernel's and every dialect's; in full it would double the catalogue for no gain."""


def _output_schema(tool: Tool) -> dict[str, Any]:
    """
    Describe a success, and a refusal, which clients check by the same schema.

    In shapes alone: programs check by it, and what the fields mean, a quarter of the whole catalogue, is in the tool's
    pages and in OpenAPI.
    """
    return {"type": "object", "anyOf": [shape(tool.output_schema), _REFUSAL]}
