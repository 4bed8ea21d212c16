"""One request to MCP over HTTP, and the ways to answer it."""

from dataclasses import dataclass
from functools import cached_property

from starlette.types import Message, Receive, Scope, Send

from toolbox.contract.caller import Caller
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import Sent, decode_headers, read_credential, read_request_id
from toolbox.oauth.server_address import metadata_address, site
from toolbox.rest.middleware import send_reply

_REQUEST_ID = b"x-request-id"


@dataclass(kw_only=True)
class McpHttpRequest:
    """One HTTP request, and the way to answer it; `caller` is set when who asks is known."""

    scope: Scope
    receive: Receive
    send: Send
    caller: Caller | None = None

    @cached_property
    def sent(self) -> Sent:
        """Its headers."""
        return decode_headers(self.scope["headers"])

    @cached_property
    def request_id(self) -> str:
        """Its id, or one of ours."""
        return read_request_id(self.sent.get(b"x-request-id", ""))

    @property
    def named_scope(self) -> Scope:
        """The request under its id, also where it came without one: the SDK's handlers read it from there."""
        lines = [line for line in self.scope["headers"] if line[0].lower() != _REQUEST_ID]
        return {**self.scope, "headers": [*lines, (_REQUEST_ID, self.request_id.encode())]}

    async def named_send(self, message: Message) -> None:
        """Send what the SDK answers, with the request's id."""
        if message["type"] == "http.response.start":
            lines = [*message.get("headers", ()), (_REQUEST_ID, self.request_id.encode())]
            message = {**message, "headers": lines}
        await self.send(message)

    async def refuse(self, reply: Reply) -> None:
        """Send a refusal, with where tokens for this address are had."""
        path = self.scope["path"].rstrip("/")
        metadata = metadata_address(site(self.sent, scheme=self.scope["scheme"]), path=path) if reply.bearer else ""
        await send_reply(self.send, reply, request_id=self.request_id, metadata=metadata)

    @property
    def takes_stream(self) -> bool:
        """Tell whether the client takes a stream of events for an answer."""
        return "text/event-stream" in self.sent.get(b"accept", "").lower()

    @property
    def takes_stream_of_call(self) -> bool:
        """Tell the same, and that it calls a tool: other answers are never streams."""
        return self.takes_stream and self.sent.get(b"mcp-method", "") == "tools/call"

    @cached_property
    def credential(self) -> str | None:
        """The key or token that it came with."""
        return read_credential(self.sent.get(b"authorization", ""), api_key=self.sent.get(b"x-api-key", ""))

    def again(self, body: bytes) -> Receive:
        """Give a body that was read to the one behind, then whatever comes after it."""
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def read() -> Message:
            return unread.pop() if unread else await self.receive()

        return read
