"""MCP over HTTP: `/mcp` for every tool, `/mcp/<domain>` for a domain's. Stateless, so any process serves any call."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.answer import LARGEST_ARGUMENTS, Reply
from toolbox.dialect import KERNEL
from toolbox.encoding import encode
from toolbox.errors import UNKNOWN_TOOL, WRONG_HOST, WRONG_ORIGIN, DatabaseUnavailable, Refusal, ToolError
from toolbox.fast_lane import send_reply
from toolbox.home import at_home
from toolbox.keys import identify
from toolbox.mcp_face import http_credential, mcp_server
from toolbox.registry import Registry
from toolbox.wire import credential, is_own_origin, names_this_host, request_id, sent_headers

FACE = "mcp"
PREFIX = "/mcp"
ROOM_FOR_THE_ENVELOPE = 16_384


class McpLane:
    """An ASGI application in front of another: takes `/mcp…`, hands everything else on."""

    def __init__(self, behind: ASGIApp, *, registry: Registry) -> None:
        self._behind = behind
        domains = [None, *(toolkit.domain for toolkit in registry.toolkits())]
        self._managers = {_address(domain): _manager(registry, domain=domain) for domain in domains}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the SDK's session managers, from the server's start to its end."""
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an MCP request of a known caller; refuse others before the protocol begins."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path != PREFIX and not path.startswith(f"{PREFIX}/"):
            await self._behind(scope, receive, send)
            return
        sent = sent_headers(scope["headers"])
        refusal = await self._refusal(path.rstrip("/"), sent)
        if refusal:
            await send_reply(send, refusal, request_id=request_id(sent.get(b"x-request-id", "")))
            return
        await self._managers[path.rstrip("/")].handle_request(scope, receive, send)

    async def _refusal(self, path: str, sent: dict[bytes, str]) -> Reply | None:
        """Refuse a foreign Host or Origin (DNS rebinding), an unknown caller, an address without a server."""
        if not names_this_host(sent):
            return _reply(Refusal(WRONG_HOST, "This is not that host.", suggestion="Add its name to ALLOWED_HOSTS."))
        if not is_own_origin(sent):
            return _reply(
                Refusal(WRONG_ORIGIN, "That site may not ask here.", suggestion="Add it to CSRF_TRUSTED_ORIGINS.")
            )
        key = credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", ""))
        try:
            await at_home(lambda: identify(key))
        except ToolError as error:
            return _reply(error)
        except DatabaseUnavailable:
            return _reply(
                ToolError(KERNEL.database_down, "The database is not reachable.", suggestion="Please try again.")
            )
        if path in self._managers:
            return None
        listed = ", ".join(self._managers)
        return _reply(Refusal(UNKNOWN_TOOL, "There is no MCP server here.", suggestion=f"Use one of: {listed}."))


def _address(domain: str | None) -> str:
    return f"{PREFIX}/{domain}" if domain else PREFIX


def _manager(registry: Registry, *, domain: str | None) -> StreamableHTTPSessionManager:
    """Run the SDK's manager; Host and Origin are checked before it, by the same rules as Django's."""
    return StreamableHTTPSessionManager(
        app=mcp_server(registry, face=FACE, credential_of=http_credential, domain=domain),
        json_response=True,
        stateless=True,
        max_request_body_size=LARGEST_ARGUMENTS + ROOM_FOR_THE_ENVELOPE,
    )


def _reply(error: ToolError) -> Reply:
    return Reply(body=encode(KERNEL.refusal(error)), status=error.code.status, code=error.code.code)
