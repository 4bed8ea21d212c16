"""MCP: the catalogue and the calls, through the official SDK's low-level server."""

import asyncio
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
from toolbox.access.keys import ACCESS_ENDED, find_caller, identify
from toolbox.access.limits import call_limits
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import BecomeTask, ClientChannel, InputRequired, MissingCapability
from toolbox.contract.errors import DatabaseUnavailable, Refusal
from toolbox.contract.tool import Tool
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.http.headers import decode_headers, read_credential
from toolbox.mcp import tool_listing
from toolbox.mcp.changes import ConnectionPreferences, make_listen_handler, may_watch
from toolbox.mcp.client import get_request_id, make_client_channel, missing_capability_error, render_input_required
from toolbox.mcp.requests import Entry, recorded
from toolbox.mcp.resources import Offers
from toolbox.mcp.results import tool_result
from toolbox.mcp.tasks import begin_task, offer_tasks
from toolbox.mcp.tool_calls import knows_links
from toolbox.mcp.tool_listing import mcp_tool

Context = ServerRequestContext[Any, Any]
Listen = Callable[[Context, types.SubscriptionsListenRequestParams], Awaitable[types.SubscriptionsListenResult]]
CredentialOf = Callable[[Context], str | Caller | None]

STANDING_SECONDS = 4.0
"""How often it is asked whether whoever holds a stream may still."""
INSTRUCTIONS = (
    "Toolroom answers questions from curated data. A refusal says what to change: follow its suggestion once; "
    "if details.retryWith is there, merge it into your arguments and call again."
)


def mcp_server(
    registry: Registry,
    *,
    transport: str,
    credential_of: CredentialOf,
    domain: str | None = None,
    is_compact: bool = False,
) -> Server[Any]:
    """Make an MCP server of the tools that the caller may use: all, one domain's, or all behind three."""

    async def caller_of(ctx: Context) -> Caller:
        return await _caller(credential_of(ctx))

    offers = Offers(registry=registry, caller_of=caller_of, transport=transport, domain=domain)
    likes = ConnectionPreferences(registry=registry)
    tools = _Tools(
        registry=registry,
        credential_of=credential_of,
        transport=transport,
        domain=domain,
        likes=likes,
        is_compact=is_compact,
    )
    server: Server[Any] = _Server(
        "-".join(filter(None, ("toolroom", domain, "compact" if is_compact else None))),
        version=VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_subscriptions_listen=_listening(registry, credential_of=credential_of),
        **offers.handlers(),
    )
    server.add_request_handler("tools/call", types.CallToolRequestParams, tools.call)
    likes.register(server)
    offer_tasks(server, caller_of=caller_of)
    return server


class _Server(Server[Any]):
    """The SDK's, which says what it really tells: tools and prompts change, the list of documents does not."""

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Say what is told of changes, alike in both eras."""
        told = super().get_capabilities(*args, **options)
        lists = {"tools": True, "prompts": True, "resources": False}
        changed = {
            name: getattr(told, name).model_copy(update={"list_changed": is_told}) for name, is_told in lists.items()
        }
        return told.model_copy(update=changed)


@dataclass(frozen=True, kw_only=True)
class _Tools:
    """The tools of one server: all domains', or one's."""

    registry: Registry
    credential_of: CredentialOf
    transport: str
    domain: str | None
    likes: ConnectionPreferences
    is_compact: bool

    async def list(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools that the caller may use."""
        caller = await _caller(self.credential_of(ctx))
        if self.is_compact:
            return types.ListToolsResult(tools=tool_listing.list_compact_tools())
        await dynamic_tools.ready()
        shown = self.registry.visible_to(caller, domain=self.domain)
        return types.ListToolsResult(tools=[mcp_tool(tool) for tool in shown])

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> HandlerResult:
        """Call a tool; one that asks, or goes on as a task, does so in the way of the client's protocol."""
        await dynamic_tools.ready()
        if self.is_compact and params.name in tool_listing.NAMES:
            inner = tool_listing.unwrap_params(params)
            if inner is None:
                return await self._asked(ctx, params)
            params = inner
        tool = self.registry.find(params.name, domain=self.domain)
        caller = await _caller(self.credential_of(ctx)) if tool and tool.talks else None
        client = (
            make_client_channel(ctx, params=params, caller=caller, log_level=self.likes.log_level)
            if caller
            else ClientChannel()
        )
        call = Call(
            tool=params.name,
            domain=tool.domain if tool else self.domain,
            arguments=_json(params.arguments or {}),
            credential=self.credential_of(ctx),
            transport=self.transport,
            request_id=get_request_id(ctx),
            client=client,
        )
        reply = await dispatch(call)
        if caller and isinstance(reply.continuation, InputRequired):
            return render_input_required(reply.continuation, ctx=ctx, client=client, caller=caller)
        if caller and isinstance(reply.continuation, BecomeTask):
            return await begin_task(call, caller=caller)
        if isinstance(reply.continuation, MissingCapability) and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise missing_capability_error(reply.continuation)
        return mcp_result(reply, tool=tool, has_links=knows_links(ctx.protocol_version))

    async def _asked(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer about the catalogue, with an audit row as of any tool."""
        caller = await _caller(self.credential_of(ctx))
        entry = Entry(
            method=params.name, about=params.arguments or {}, caller=caller, transport=self.transport,
            request_id=get_request_id(ctx),
        )  # fmt: skip

        async def work() -> types.CallToolResult:
            body = tool_listing.answer_compact(
                params.name, params.arguments or {}, caller=caller, registry=self.registry
            )
            text = orjson.dumps(body).decode()
            entry.size, entry.code = len(text), body.get("error", {}).get("code", "")
            content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
            return types.CallToolResult(content=content, structured_content=body, is_error="error" in body)

        return await recorded(entry, work=work)


def _listening(registry: Registry, *, credential_of: CredentialOf) -> Listen:
    """Make the way of a known caller to be told of changes of the catalogue."""
    changes = make_listen_handler(registry)

    async def listen(ctx: Context, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
        presented = credential_of(ctx)
        caller = await _caller(presented)
        await dynamic_tools.ready()
        wanted = params.notifications
        uris = wanted.resource_subscriptions or ()
        watched = [uri for uri in uris if may_watch(uri, caller=caller, registry=registry)]
        honoured = wanted.model_copy(update={"resource_subscriptions": watched or None})
        stream = asyncio.ensure_future(changes(ctx, params.model_copy(update={"notifications": honoured})))
        try:
            while not (await asyncio.wait([stream], timeout=STANDING_SECONDS))[0]:
                if await find_caller(presented) is None:
                    raise MCPError(types.INVALID_REQUEST, f"{ACCESS_ENDED} Open it again.")
            return stream.result()
        finally:
            stream.cancel()

    return listen


def mcp_result(reply: Reply, *, tool: Tool | None = None, has_links: bool = True) -> types.CallToolResult:
    """Return a reply as the SDK's type of the result of `tools/call`."""
    result = orjson.loads(tool_result(reply, tool=tool, has_links=has_links))
    return types.CallToolResult.model_validate(result, by_name=False)


def _json(arguments: dict[str, Any]) -> bytes:
    """Write the arguments again as they came: any integer, any script; a lone surrogate is left to be refused."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def http_credential(ctx: Context) -> str | None:
    """Take the key from the HTTP request that carried the message."""
    if ctx.request is None:
        return None
    sent = decode_headers(ctx.request.headers.raw)
    return read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))


async def _counted(presented: str | Caller | None) -> Caller:
    caller = await identify(presented)
    await call_limits.count(caller)
    return caller


async def _caller(presented: str | Caller | None) -> Caller:
    """Find out who asks for the catalogue; a list has no place for a refusal, so it is the protocol's error."""
    try:
        return await run_on_loop(lambda: _counted(presented))
    except Refusal as refusal:
        raise MCPError(types.INVALID_REQUEST, f"{refusal.message} {refusal.suggestion}") from refusal
    except DatabaseUnavailable as away:
        raise MCPError(types.INTERNAL_ERROR, "Database temporarily unavailable. Please try again.") from away
