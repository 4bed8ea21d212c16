"""
One address of MCP over HTTP.

Calls of tools are answered here (tool_calls.py), what belongs to a session of 2025 by protocol_2025.py, and what is no
message by jsonrpc_errors.py; every other message goes to the SDK's own transport.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from toolbox.access.keys import identify
from toolbox.audit.current_request import current_request
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import CallInterrupted, ClientChannel, InputRequired, RetriedCall
from toolbox.contract.errors import PAYLOAD_TOO_LARGE, Refusal
from toolbox.contract.tool import Tool
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.dispatch import MAX_ARGUMENTS, Call, Reply
from toolbox.dispatch.entry import render_refusal
from toolbox.http.bodies import BodyError, read_body
from toolbox.mcp import compact, session_stream
from toolbox.mcp.cancellation import cancelled, running_calls
from toolbox.mcp.http_request import McpHttpRequest
from toolbox.mcp.jsonrpc_errors import find_message_error
from toolbox.mcp.protocol_2025 import NO_SESSION, NO_STREAM, Legacy
from toolbox.mcp.server import http_credential, mcp_server, standing
from toolbox.mcp.streamed_calls import StreamedCall
from toolbox.mcp.tool_calls import ToolsCall, begins_plainly, question_body, read_call, result_body, stamp_of
from toolbox.rest.middleware import CancelOnDisconnect, send_reply

TRANSPORT = "mcp"
MAX_BODY = MAX_ARGUMENTS + 16_384
"""Room for the largest arguments, and the protocol's envelope around them."""


@dataclass(frozen=True, kw_only=True)
class McpEndpoint:
    """One address: the tools of a domain, or all, listed or behind three that find, describe and call them."""

    registry: Registry
    domain: str | None
    is_compact: bool = False

    async def take(self, posted: McpHttpRequest) -> None:
        """Answer a posted message: a plain call of a tool here, any other by the SDK, which gets the body again."""
        try:
            body = await read_body(posted.receive, most=MAX_BODY)
        except BodyError as why:
            await send_reply(posted.send, why.reply, request_id=posted.request_id) if why.reply else None
            return
        if body is None:
            await send_reply(posted.send, _TOO_LARGE, request_id=posted.request_id)
            return
        if not _is_text(body):
            await self._hand_on(body, posted=posted)
            return
        call = self._plain_call(body, posted=posted)
        if call and await self._answered_here(call, posted=posted):
            return
        if (call is None or call.is_modern) and (wrong := find_message_error(body)):
            await send_reply(posted.send, wrong, request_id=posted.request_id)
        elif Legacy.speaks(posted.sent):
            await self._take_legacy(body, call=call, posted=posted)
        else:
            await self._hand_on(body, posted=posted)

    async def _hand_on(self, body: bytes, *, posted: McpHttpRequest) -> None:
        manager = self.streaming if posted.takes_stream_of_call else self.manager
        current_request.set(posted.request_id)
        await manager.handle_request(posted.named_scope, posted.again(body), posted.named_send)

    async def _answered_here(self, call: ToolsCall, *, posted: McpHttpRequest) -> bool:
        tool = self.registry.find(call.name, domain=self.domain)
        has_session = b"mcp-session-id" in posted.sent
        is_plain = begins_plainly(call, tool=tool, has_session=has_session)
        return (is_plain or _wants_a_scope(tool, caller=posted.caller)) and await self._answer(call, posted=posted)

    def _plain_call(self, body: bytes, *, posted: McpHttpRequest) -> ToolsCall | None:
        call = read_call(body, sent=posted.sent, lines=posted.scope["headers"])
        if call and self.is_compact and call.name in compact.NAMES:
            return compact.through(call)
        return call

    async def stream(self, posted: McpHttpRequest) -> None:
        """Hold the stream of a 2025 session; there is none without a session."""
        session = (await self._legacy(posted)).session if posted.scope["method"] == "GET" else None
        if session is None or not posted.takes_stream or session_stream.is_full():
            await send_reply(posted.send, NO_STREAM, request_id=posted.request_id)
        else:
            await session_stream.serve(
                session,
                registry=self.registry,
                caller_of=lambda: standing(posted.credential),
                receive=posted.receive,
                send=posted.send,
            )

    async def _legacy(self, posted: McpHttpRequest) -> Legacy:
        if posted.caller is None:
            posted.caller = await run_on_loop(lambda: identify(posted.credential))
        return Legacy(caller=posted.caller, session_id=posted.sent.get(b"mcp-session-id", ""))

    async def _take_legacy(self, body: bytes, *, call: ToolsCall | None, posted: McpHttpRequest) -> None:
        legacy = await self._legacy(posted)
        if legacy.is_of_no_session:
            await send_reply(posted.send, NO_SESSION, request_id=posted.request_id)
        elif call and posted.takes_stream:
            await self._converse(call, legacy=legacy, posted=posted)
        elif call:
            await self._answer(call, posted=posted)
        elif reply := await legacy.reply(body):
            await send_reply(posted.send, reply, request_id=posted.request_id)
        else:
            current_request.set(posted.request_id)
            send = legacy.beginning(body, send=posted.named_send)
            await self.manager.handle_request(posted.named_scope, posted.again(body), send)

    async def _converse(self, asked: ToolsCall, *, legacy: Legacy, posted: McpHttpRequest) -> None:
        """Answer a call whose tool may speak and ask on its way."""
        conversation = StreamedCall(posted.send, request_id=posted.request_id, caller=legacy.caller)
        tool = self.registry.find(asked.name, domain=self.domain)
        call = self._call(asked, posted=posted, client=await legacy.client(asked, conversation=conversation))
        with CancelOnDisconnect(posted.receive) if not (tool and tool.writes) else nullcontext():
            reply = await running_calls.answered(call, session_id=legacy.session_id, call_id=asked.id)
            await conversation.end(result_body(asked, reply=reply, tool=tool) if reply else b"")

    async def _answer(self, asked: ToolsCall, *, posted: McpHttpRequest) -> bool:
        """Answer a call that says nothing on its way; False where it has a question, and nothing was sent."""
        await dynamic_tools.ready()
        tool = self.registry.find(asked.name, domain=self.domain)
        # In the 2025 era a dropped connection is no wish to cancel: what writes is then done to its end.
        is_cancelled = asked.is_modern or not (tool and tool.writes)
        with CancelOnDisconnect(posted.receive) if is_cancelled else nullcontext():
            client = RetriedCall(capabilities=asked.capabilities) if tool and tool.uses_client else None
            session_id = "" if asked.is_modern else posted.sent.get(b"mcp-session-id", "")
            call = self._call(asked, posted=posted, client=client)
            reply = await running_calls.answered(call, session_id=session_id, call_id=asked.id)
            if reply is None:
                await send_reply(posted.send, cancelled(asked.id), request_id=posted.request_id)
                return True
            if client and isinstance(reply.continuation, InputRequired) and not self.is_compact:
                server = self._server.server_info_stamp
                asking = question_body(asked, continuation=reply.continuation, client=client, server=server)
                await send_reply(posted.send, Reply(body=asking), request_id=posted.request_id)
                return True
            if isinstance(reply.continuation, CallInterrupted):
                return False
            if reply.bearer:  # which only HTTP's own refusal tells a client of OAuth
                await posted.refuse(reply)
                return True
            body = result_body(asked, reply=reply, tool=tool, stamp=self._stamp)
            await send_reply(posted.send, Reply(body=body), request_id=posted.request_id)
        return True

    def _call(self, asked: ToolsCall, *, posted: McpHttpRequest, client: ClientChannel | None = None) -> Call:
        tool = self.registry.find(asked.name, domain=self.domain)
        return Call(
            tool=asked.name,
            domain=tool.domain if tool else self.domain,
            arguments=asked.arguments,
            credential=posted.caller or posted.credential,
            transport=TRANSPORT,
            request_id=posted.request_id,
            client=client or ClientChannel(),
        )

    @cached_property
    def manager(self) -> StreamableHTTPSessionManager:
        """The SDK's transport; Host and Origin are checked before it, by the same rules as Django's."""
        return StreamableHTTPSessionManager(
            app=self._server, json_response=True, stateless=True, max_request_body_size=MAX_BODY
        )

    @cached_property
    def streaming(self) -> StreamableHTTPSessionManager:
        """The same for calls whose answer may be a stream of events; of the 2026 era only."""
        return StreamableHTTPSessionManager(app=self._server, stateless=True, max_request_body_size=MAX_BODY)

    @cached_property
    def _stamp(self) -> bytes:
        return stamp_of(self._server.server_info_stamp)

    @cached_property
    def _server(self) -> Server[Any]:
        return mcp_server(
            self.registry,
            transport=TRANSPORT,
            credential_of=http_credential,
            domain=self.domain,
            is_compact=self.is_compact,
        )


def _is_text(body: bytes) -> bool:
    """Tell whether a body is UTF-8; the readers of JSON here do not look at every byte, the SDK's does."""
    try:
        return body.isascii() or bool(body.decode())
    except UnicodeDecodeError:
        return False


def _wants_a_scope(tool: Tool | None, *, caller: Caller | None) -> bool:
    """Tell whether the caller has to fetch a token with another scope first."""
    return tool is not None and caller is not None and bool(caller.issuer) and not caller.has(tool.scope)


_TOO_LARGE = render_refusal(
    Refusal(
        PAYLOAD_TOO_LARGE,
        f"The message is larger than {MAX_BODY:,} bytes.",
        suggestion="Send less: tools take names, ids and short texts.",
    )
)
