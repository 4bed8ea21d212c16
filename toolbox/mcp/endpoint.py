"""
MCP over HTTP: `/mcp` for every tool, `/mcp/<domain>` for one domain's, `/mcp/compact` for every tool behind three.

Stateless, so any process serves any call. Tool calls are answered here (tool_calls.py), sessions of 2025 by
protocol_2025.py, and malformed messages by jsonrpc.py; every other message goes to the SDK's transport.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolbox.access.keys import identify, run_until_revoked
from toolbox.audit.current_request import current_request, current_session
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import AddressedToken, Caller
from toolbox.contract.client_channel import CallInterrupted, ClientChannel, InputRequired, RetriedCall
from toolbox.contract.errors import (
    KERNEL_ENVELOPE,
    PAYLOAD_TOO_LARGE,
    UNKNOWN_TOOL,
    WRONG_HOST,
    WRONG_ORIGIN,
    AuthenticationRequired,
    DatabaseUnavailable,
    Refusal,
)
from toolbox.contract.tool import Tool
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import MAX_ARGUMENTS, Call, Reply, dispatch
from toolbox.dispatch.entry import ActiveCall, Request, perform, record_unread, render_refusal
from toolbox.http.asgi import BodyError, cancel_on_disconnect, read_body, send_reply
from toolbox.http.headers import (
    decode_headers,
    has_allowed_host,
    is_own_origin,
    read_credential,
    read_request_id,
    read_upstream_credentials,
)
from toolbox.http.server_address import metadata_address, site
from toolbox.mcp import changes, tool_listing
from toolbox.mcp.jsonrpc import find_message_error
from toolbox.mcp.on_demand import PREFIX, is_mcp
from toolbox.mcp.protocol_2025 import (
    NO_SESSION,
    NO_STREAM,
    Request2025,
    StreamedCall,
    is_2025_protocol,
    render_cancelled,
    running_calls,
)
from toolbox.mcp.requests import INVALID_MESSAGE, SCOPE_KEY, SESSION_STREAM
from toolbox.mcp.server import http_credential, mcp_server
from toolbox.mcp.sessions import HEADER as SESSION_HEADER
from toolbox.mcp.sessions import find_session
from toolbox.mcp.tool_calls import (
    ToolsCall,
    is_plain_call,
    read_call,
    render_question,
    render_result,
    render_stamp,
)

TRANSPORT = "mcp"
COMPACT = "compact"
MAX_BODY_BYTES = MAX_ARGUMENTS + 16_384
"""The largest arguments plus MCP's envelope around them."""
_REQUEST_ID = b"x-request-id"


class McpMiddleware:
    """ASGI middleware that answers `/mcp…` and passes everything else on."""

    def __init__(self, behind: ASGIApp, *, registry: Registry) -> None:
        self._behind = behind
        self._endpoints = {PREFIX: McpEndpoint(registry=registry, domain=None)}
        for toolkit in registry.toolkits():
            self._endpoints[f"{PREFIX}/{toolkit.domain}"] = McpEndpoint(registry=registry, domain=toolkit.domain)
        self._endpoints[f"{PREFIX}/{COMPACT}"] = McpEndpoint(registry=registry, domain=None, is_compact=True)

    @asynccontextmanager
    async def run_session_managers(self) -> AsyncIterator[None]:
        """Run the SDK's session managers until the server ends."""
        async with AsyncExitStack() as stack:
            for endpoint in self._endpoints.values():
                await stack.enter_async_context(endpoint.manager.run())
                await stack.enter_async_context(endpoint.streaming_manager.run())
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an MCP request of an identified caller; refuse others before MCP begins."""
        if not is_mcp(scope):
            await self._behind(scope, receive, send)
            return
        request = McpHttpRequest(scope=scope, receive=receive, send=send)
        try:
            endpoint = await self._admit(request)
        except Refusal as refusal:
            await request.refuse(await record_unread(INVALID_MESSAGE, request=request.for_entry(None), refusal=refusal))
            return
        if scope["method"] == "POST":
            await endpoint.handle_post(request)
        elif is_2025_protocol(request.sent):
            await endpoint.serve_session_stream(request)
        else:
            await endpoint.delegate_to_sdk(b"", request=request)

    async def _admit(self, request: "McpHttpRequest") -> "McpEndpoint":
        """Refuse a foreign Host or Origin (DNS rebinding), an unknown caller, and an unknown address."""
        if not has_allowed_host(request.sent):
            raise Refusal(
                WRONG_HOST, "This server does not answer to that Host.", suggestion="Add its name to ALLOWED_HOSTS."
            )
        if not is_own_origin(request.sent):
            raise Refusal(
                WRONG_ORIGIN,
                "Requests from that Origin are not allowed.",
                suggestion="Add it to TOOLROOM_BROWSER_ORIGINS.",
            )
        try:
            request.caller = await run_on_loop(lambda: identify(request.credential))
        except DatabaseUnavailable as away:
            raise Refusal(
                KERNEL_ENVELOPE.database_down, "The database is not reachable.", suggestion="Please try again."
            ) from away
        endpoint = self._endpoints.get(request.scope["path"].rstrip("/"))
        if endpoint is None:
            addresses = ", ".join(self._endpoints)
            raise Refusal(UNKNOWN_TOOL, "There is no MCP server here.", suggestion=f"Use one of: {addresses}.")
        return endpoint


class McpHttpRequest:
    """
    One HTTP request and the ways to answer it; `caller` is set once it is identified.

    `sent` are its headers; `id` is its own id or a new one; `session_id` is the 2025 session that it names, empty for
    none. `is_recorded` means that the message behind it has passed the entry, or is a notification.
    """

    caller: Caller

    def __init__(self, *, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self.send = scope, receive, send
        sent = self.sent = decode_headers(scope["headers"])
        self.id = read_request_id(sent.get(_REQUEST_ID, ""))
        token = read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))
        self.credential = AddressedToken(token, path=scope["path"].rstrip("/")) if token else None
        self.upstream_credentials = read_upstream_credentials(sent)
        self.session_id = sent.get(SESSION_HEADER, "")
        current_session.set((self.session_id, sent.get(MCP_PROTOCOL_VERSION_HEADER.encode(), "")))
        self.is_recorded = False

    @property
    def accepts_stream(self) -> bool:
        """Return whether the client accepts an event stream as the answer."""
        return "text/event-stream" in self.sent.get(b"accept", "").lower()

    def for_entry(self, caller: Caller | None) -> Request:
        """Return the entry's request for a message whose content is not read."""
        return Request(credential=caller, transport=TRANSPORT, request_id=self.id)

    @property
    def sdk_scope(self) -> Scope:
        """Return the scope for the SDK's transport, with the request's id and this object for the handlers."""
        lines = [line for line in self.scope["headers"] if line[0].lower() != _REQUEST_ID]
        return {**self.scope, "headers": [*lines, (_REQUEST_ID, self.id.encode())], SCOPE_KEY: self}

    async def send_from_sdk(self, message: Message) -> None:
        """Send an answer of the SDK's transport with the request's id; errors of the transport are audited here."""
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (_REQUEST_ID, self.id.encode())]}
            is_refused = HTTPStatus.BAD_REQUEST <= message["status"] < HTTPStatus.INTERNAL_SERVER_ERROR
            if is_refused and not self.is_recorded:
                await self._record(Reply(body=b"", status=message["status"], code="INVALID_MESSAGE"))
        await self.send(message)

    async def reject(self, reply: Reply) -> None:
        """Send an MCP error through the entry, which may refuse the message for another reason."""
        await self.refuse(await self._record(reply))

    async def _record(self, reply: Reply) -> Reply:
        async def work(_: ActiveCall) -> Reply:
            return reply

        return await perform(INVALID_MESSAGE, request=self.for_entry(self.caller), work=work)

    async def reply(self, reply: Reply) -> None:
        """Send a reply."""
        await send_reply(self.send, reply, request_id=self.id)

    async def refuse(self, reply: Reply) -> None:
        """Send a refusal with the address of the metadata that names the issuer of tokens for this address."""
        path = self.scope["path"].rstrip("/")
        metadata = metadata_address(site(self.sent, scheme=self.scope["scheme"]), path=path) if reply.bearer else ""
        await send_reply(self.send, reply, request_id=self.id, metadata=metadata)

    def replay(self, body: bytes) -> Receive:
        """Return a `receive` that repeats a body already read, then passes on what comes after it."""
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return unread.pop() if unread else await self.receive()

        return receive


@dataclass(frozen=True, kw_only=True)
class McpEndpoint:
    """One address: the tools of one domain or of all, listed or behind the three compact tools."""

    registry: Registry
    domain: str | None
    is_compact: bool = False

    async def handle_post(self, request: McpHttpRequest) -> None:
        """Answer a posted message: a plain tool call here, any other by the SDK, which gets the body again."""
        try:
            body = await read_body(request.receive, most=MAX_BODY_BYTES)
        except BodyError as failure:
            await request.reject(failure.reply) if failure.reply else None
            return
        if body is None:
            await request.reject(_TOO_LARGE)
            return
        if not _is_utf8(body):
            await self.delegate_to_sdk(body, request=request)
            return
        call = read_call(body, sent=request.sent, lines=request.scope["headers"])
        if call and self.is_compact and call.name in tool_listing.NAMES:
            call = tool_listing.unwrap_call(call)
        if call:
            await dynamic_tools.wait_until_loaded()
            tool = self.registry.find(call.name, domain=self.domain)
            # Refused by an HTTP status: an OAuth client must first fetch a token with another scope.
            needs_scope = tool and request.caller.issuer and not request.caller.has(tool.scope)
            is_plain = needs_scope or is_plain_call(call, tool=tool, has_session=bool(request.session_id))
            if is_plain and await self._answer(call, tool=tool, request=request):
                return
        if (call is None or call.is_modern) and (error := find_message_error(body)):
            await request.reject(error)
        elif is_2025_protocol(request.sent):
            await self._handle_2025(body, call=call, request=request)
        else:
            await self.delegate_to_sdk(body, request=request)

    async def delegate_to_sdk(self, body: bytes, *, request: McpHttpRequest, send: Send | None = None) -> None:
        """Let the SDK's transport answer; only a tool call of the 2026 era may be answered by an event stream."""
        is_tool_call = request.sent.get(b"mcp-method", "") == "tools/call" and send is None
        manager = self.streaming_manager if request.accepts_stream and is_tool_call else self.manager
        current_request.set(request.id)
        await manager.handle_request(request.sdk_scope, request.replay(body), send or request.send_from_sdk)

    async def serve_session_stream(self, request: McpHttpRequest) -> None:
        """Serve the stream of a 2025 session (GET); refused without a session."""
        session = find_session(request.session_id, caller=request.caller)
        is_get = request.scope["method"] == "GET"
        has_room = changes.has_room_for_session_stream()

        async def admit(_: ActiveCall) -> Reply | None:
            return None if session and is_get and request.accepts_stream and has_room else NO_STREAM

        refusal = await perform(SESSION_STREAM, request=request.for_entry(request.caller), work=admit)
        if refusal or not session:
            await request.refuse(refusal or NO_STREAM)
            return
        await changes.serve_session_stream(
            watches=session.watches,
            registry=self.registry,
            credential=request.credential,
            receive=request.receive,
            send=request.send,
        )

    async def _answer(self, call: ToolsCall, *, tool: Tool | None, request: McpHttpRequest) -> bool:
        """Answer a call by one JSON object; False, with nothing sent, if it continues in a way that needs more."""
        # In the 2025 era a dropped connection is no cancellation: a tool that writes finishes.
        is_cancellable = call.is_modern or not (tool and tool.writes)
        with cancel_on_disconnect(request.receive) if is_cancellable else nullcontext():
            client = RetriedCall(capabilities=call.capabilities) if tool and tool.uses_client else None
            tool_call = self._make_call(call, tool=tool, request=request, client=client)
            if call.is_modern or not request.session_id:
                reply: Reply | None = await dispatch(tool_call)
            else:
                reply = await running_calls.dispatch(tool_call, session_id=request.session_id, call_id=call.id)
            if reply is None:
                await request.reply(render_cancelled(call.id))
            elif client and isinstance(reply.continuation, InputRequired) and not self.is_compact:
                server = self._server.server_info_stamp
                body = render_question(call, continuation=reply.continuation, client=client, server=server)
                await request.reply(Reply(body=body))
            elif isinstance(reply.continuation, CallInterrupted):
                return False
            elif reply.bearer:  # only an HTTP refusal tells an OAuth client
                await request.refuse(reply)
            else:
                body = render_result(call, reply=reply, tool=tool, stamp=self._stamp)
                await request.reply(Reply(body=body))
        return True

    async def _handle_2025(self, body: bytes, *, call: ToolsCall | None, request: McpHttpRequest) -> None:
        legacy = Request2025(
            caller=request.caller, session_id=request.session_id, transport=TRANSPORT, request_id=request.id
        )
        if legacy.session_id and legacy.session is None:
            await request.reject(NO_SESSION)
        elif call and request.accepts_stream:
            await self._stream_call(call, legacy=legacy, request=request)
        elif call:
            await self._answer(call, tool=self.registry.find(call.name, domain=self.domain), request=request)
        elif reply := await legacy.reply(body):
            await (request.reject(reply) if reply.is_refusal else request.reply(reply))
        else:
            send = legacy.add_session_id(body, send=request.send_from_sdk)
            await self.delegate_to_sdk(body, request=request, send=send)

    async def _stream_call(self, call: ToolsCall, *, legacy: Request2025, request: McpHttpRequest) -> None:
        """Answer a call whose tool may send messages and questions while it runs."""
        stream = StreamedCall(request.send, request_id=request.id, caller=legacy.caller)
        tool = self.registry.find(call.name, domain=self.domain)
        client = await legacy.make_client_channel(call, stream=stream)
        tool_call = self._make_call(call, tool=tool, request=request, client=client)
        with cancel_on_disconnect(request.receive) if not (tool and tool.writes) else nullcontext():
            answering = running_calls.dispatch(tool_call, session_id=legacy.session_id, call_id=call.id)
            try:
                reply = await run_until_revoked(answering, credential=request.credential)
            except AuthenticationRequired as ended:
                await stream.refuse(ended, call_id=call.id)
            else:
                await stream.end(render_result(call, reply=reply, tool=tool) if reply else b"")

    def _make_call(
        self, call: ToolsCall, *, tool: Tool | None, request: McpHttpRequest, client: ClientChannel | None
    ) -> Call:
        return Call(
            tool=call.name,
            domain=tool.domain if tool else self.domain,
            arguments=call.arguments,
            credential=request.caller,
            transport=TRANSPORT,
            request_id=request.id,
            upstream_credentials=request.upstream_credentials,
            client=client or ClientChannel(),
        )

    @cached_property
    def manager(self) -> StreamableHTTPSessionManager:
        """Return the SDK's transport for JSON answers; Host and Origin are checked before it, by Django's rules."""
        return StreamableHTTPSessionManager(
            app=self._server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )

    @cached_property
    def streaming_manager(self) -> StreamableHTTPSessionManager:
        """Return the SDK's transport for answers by event streams, in the 2026 era only."""
        return StreamableHTTPSessionManager(app=self._server, stateless=True, max_request_body_size=MAX_BODY_BYTES)

    @cached_property
    def _stamp(self) -> bytes:
        return render_stamp(self._server.server_info_stamp)

    @cached_property
    def _server(self) -> Server[Any]:
        return mcp_server(
            self.registry,
            transport=TRANSPORT,
            credential_of=http_credential,
            domain=self.domain,
            is_compact=self.is_compact,
        )


def _is_utf8(body: bytes) -> bool:
    """Return whether a body is UTF-8; the JSON parsers here do not check every byte, the SDK's does."""
    try:
        return body.isascii() or bool(body.decode())
    except UnicodeDecodeError:
        return False


_TOO_LARGE = render_refusal(
    Refusal(
        PAYLOAD_TOO_LARGE,
        f"The message is larger than {MAX_BODY_BYTES:,} bytes.",
        suggestion="Send less: tools take names, ids and short texts.",
    )
)
