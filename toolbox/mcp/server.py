"""The SDK's low-level server with our catalogue and tool calls, for every transport."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import HandlerResult
from mcp.server.lowlevel.server import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolbox import VERSION
from toolbox.access.keys import find_caller, run_until_revoked
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.client_channel import BecomeTask, ClientChannel, InputRequired, MissingCapability
from toolbox.contract.encoding import encode
from toolbox.contract.errors import AuthenticationRequired
from toolbox.contract.tool import Tool
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.dispatch.entry import ActiveCall, Operation, perform, render_refusal
from toolbox.mcp import tool_listing
from toolbox.mcp.changes import ConnectionPreferences, make_listen_handler, may_watch
from toolbox.mcp.client import (
    Context,
    get_request_id,
    make_client_channel,
    missing_capability_error,
    render_input_required,
)
from toolbox.mcp.requests import SCOPE_KEY, CredentialOf, make_entry, make_request
from toolbox.mcp.resources import ResourceHandlers
from toolbox.mcp.results import tool_result
from toolbox.mcp.tasks import begin_task, register_tasks
from toolbox.mcp.tool_calls import knows_links

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
    """Build an MCP server of the tools that the caller may use: all, one domain's, or all behind the compact ones."""
    preferences = ConnectionPreferences(registry=registry)
    tools = _ToolHandlers(
        registry=registry,
        credential_of=credential_of,
        transport=transport,
        domain=domain,
        preferences=preferences,
        is_compact=is_compact,
    )
    changes = make_listen_handler(registry)

    async def listen(ctx: Context, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
        await dynamic_tools.wait_until_loaded()
        wanted, caller = params.notifications, ctx.lifespan_context.caller
        uris = [uri for uri in wanted.resource_subscriptions or () if may_watch(uri, caller=caller, registry=registry)]
        allowed = wanted.model_copy(update={"resource_subscriptions": uris or None})
        return await changes(ctx, params.model_copy(update={"notifications": allowed}))

    def find_input_schema(name: str) -> dict[str, Any] | None:
        """Return the schema that parameters in headers are checked against; else the SDK runs `tools/list`."""
        tool = None if is_compact else registry.find(name, domain=domain)
        return tool.input_schema if tool else None

    server: Server[Any] = _Server(
        "-".join(filter(None, ("toolroom", domain, "compact" if is_compact else None))),
        version=VERSION,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=find_input_schema,
        on_list_tools=tools.list,
        on_subscriptions_listen=listen,
        **ResourceHandlers(registry=registry, domain=domain).by_name(),
    )
    server.middleware.append(make_entry(transport=transport, credential_of=credential_of))
    server.add_request_handler("tools/call", types.CallToolRequestParams, tools.call)
    preferences.register(server)
    register_tasks(server)
    return server


class _Server(Server[Any]):
    """The SDK's server with correct capabilities: the lists of tools and prompts change, that of resources does not."""

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Declare which lists send changes, the same in both eras."""
        capabilities = super().get_capabilities(*args, **options)
        lists = {"tools": True, "prompts": True, "resources": False}
        changed = {
            name: getattr(capabilities, name).model_copy(update={"list_changed": is_sent})
            for name, is_sent in lists.items()
        }
        return capabilities.model_copy(update=changed)


@dataclass(frozen=True, kw_only=True)
class _ToolHandlers:
    """The handlers of `tools/…` of one server."""

    registry: Registry
    credential_of: CredentialOf
    transport: str
    domain: str | None
    preferences: ConnectionPreferences
    is_compact: bool

    async def list(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools that the caller may use."""
        if self.is_compact:
            return types.ListToolsResult(tools=tool_listing.list_compact_tools())
        await dynamic_tools.wait_until_loaded()
        visible = self.registry.visible_to(ctx.lifespan_context.caller, domain=self.domain)
        return types.ListToolsResult(tools=[tool_listing.mcp_tool(tool) for tool in visible])

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> HandlerResult:
        """Call a tool; one that asks or becomes a task does so in the way of the client's protocol."""
        await dynamic_tools.wait_until_loaded()
        if self.is_compact and params.name in tool_listing.NAMES:
            inner = tool_listing.unwrap_params(params)
            if inner is None:
                return await self._call_compact(ctx, params)
            params = inner
        credential = self.credential_of(ctx)
        tool = self.registry.find(params.name, domain=self.domain)
        # Only a tool that uses its client needs the caller here; without one, the dispatch refuses the call.
        caller = await find_caller(credential) if tool and tool.uses_client else None
        client = ClientChannel()
        if caller:
            client = make_client_channel(ctx, params=params, caller=caller, log_level=self.preferences.log_level)
        call = Call(
            tool=params.name,
            domain=tool.domain if tool else self.domain,
            # Unchanged: any integer, any script; a lone surrogate is left for the tool to refuse.
            arguments=json.dumps(params.arguments or {}, ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            ),
            credential=credential,
            transport=self.transport,
            request_id=get_request_id(ctx),
            upstream_credentials=_find_upstream_credentials(ctx),
            client=client,
        )
        try:
            reply = await (run_until_revoked(dispatch(call), credential=credential) if caller else dispatch(call))
        except AuthenticationRequired as ended:
            reply = render_refusal(ended)
        if caller and isinstance(reply.continuation, InputRequired):
            return render_input_required(reply.continuation, ctx=ctx, client=client, caller=caller)
        if caller and isinstance(reply.continuation, BecomeTask):
            return await begin_task(call, caller=caller)
        if isinstance(reply.continuation, MissingCapability) and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise missing_capability_error(reply.continuation)
        return mcp_result(reply, tool=tool, has_links=knows_links(ctx.protocol_version))

    async def _call_compact(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Answer `search_tools` or `describe_tool`, with an audit row like any tool's."""
        operation = Operation(name=params.name, domain="", scope=None)
        request = make_request(
            params.arguments,
            credential=self.credential_of(ctx),
            transport=self.transport,
            request_id=get_request_id(ctx),
        )

        async def answer(call: ActiveCall) -> Reply:
            arguments = params.arguments or {}
            body = await tool_listing.answer_compact(
                params.name, arguments=arguments, caller=call.caller, registry=self.registry
            )
            return Reply(body=encode(body))

        return mcp_result(await perform(operation, request=request, work=answer))


def mcp_result(reply: Reply, *, tool: Tool | None = None, has_links: bool = True) -> types.CallToolResult:
    """Convert a reply to the SDK's result of `tools/call`."""
    result = orjson.loads(tool_result(reply, tool=tool, has_links=has_links))
    return types.CallToolResult.model_validate(result, by_name=False)


def _find_upstream_credentials(ctx: Context) -> Mapping[str, str]:
    """Return the caller's own credentials for other servers; none over stdio."""
    request: Any = ctx.request
    found: Mapping[str, str] = request.scope[SCOPE_KEY].upstream_credentials if request is not None else {}
    return found


def http_credential(ctx: Context) -> str | None:
    """Return the key or token of the HTTP request that carried the message."""
    request: Any = ctx.request
    credential: str | None = request.scope[SCOPE_KEY].credential
    return credential
