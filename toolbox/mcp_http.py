"""MCP over HTTP: `/mcp` for every tool, `/mcp/<domain>` for a domain's. Stateless, so any process serves any call."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from django.conf import settings
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.answer import LARGEST_ARGUMENTS, Reply
from toolbox.dialect import KERNEL
from toolbox.encoding import encode
from toolbox.errors import UNKNOWN_TOOL, DatabaseUnavailable, Refusal, ToolError
from toolbox.fast_lane import send_reply
from toolbox.home import at_home
from toolbox.keys import identify
from toolbox.mcp_face import http_credential, mcp_server
from toolbox.registry import Registry
from toolbox.wire import credential, request_id

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
        sent = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = await self._refusal(path.rstrip("/"), sent)
        if refusal:
            await send_reply(send, refusal, request_id=request_id(sent.get("x-request-id", "")))
            return
        await self._managers[path.rstrip("/")].handle_request(scope, receive, send)

    async def _refusal(self, path: str, sent: dict[str, str]) -> Reply | None:
        key = credential(sent.get("authorization", ""), api_key=sent.get("x-api-key", ""))
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
    server = mcp_server(registry, face=FACE, credential_of=http_credential, domain=domain)
    hosts = [pattern for host in settings.ALLOWED_HOSTS for pattern in (host, f"{host}:*")]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    return StreamableHTTPSessionManager(
        app=server,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection="*" not in settings.ALLOWED_HOSTS,
            allowed_hosts=hosts,
            allowed_origins=origins + settings.CSRF_TRUSTED_ORIGINS,
        ),
        max_request_body_size=LARGEST_ARGUMENTS + ROOM_FOR_THE_ENVELOPE,
    )


def _reply(error: ToolError) -> Reply:
    return Reply(body=encode(KERNEL.refusal(error)), status=error.code.status, code=error.code.code)
