"""
CORS for MCP clients that run in pages of other sites.

Only for pages of TOOLROOM_BROWSER_ORIGINS, at the addresses that such a client needs, and without cookies: a page must
send its own token. Host and Origin are checked further in, as for every request.
"""

import re
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolbox.http.headers import decode_headers, has_allowed_host

_ADDRESSES = re.compile(r"/mcp(/.*)?|/\.well-known/.+|/oauth/(token|register|revoke)/.*")
_NAMES = re.compile(r"[A-Za-z0-9\-, ]{1,1000}")
_OURS = (b"access-control-", b"vary")
_READABLE = b"WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After"
MAX_AGE_SECONDS = b"600"


class CorsMiddleware:
    """ASGI middleware that lets pages of these origins read answers."""

    def __init__(self, behind: ASGIApp, *, origins: Collection[str]) -> None:
        self._behind = behind
        self._origins = {origin.encode() for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight request; add CORS headers to other answers."""
        origin = next((value for name, value in scope.get("headers", ()) if name == b"origin"), None)
        is_theirs = scope["type"] == "http" and origin in self._origins and _ADDRESSES.fullmatch(scope["path"])
        sent = decode_headers(scope["headers"]) if is_theirs else {}
        if origin is None or not is_theirs or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
        elif scope["method"] == "OPTIONS" and b"access-control-request-method" in sent:
            await _answer_preflight(send, origin=origin, names=sent.get(b"access-control-request-headers", ""))
        else:
            await self._behind(scope, receive, _add_cors_headers(send, origin=origin))


async def _answer_preflight(send: Send, *, origin: bytes, names: str) -> None:
    """Allow any well-formed header name: tools' parameters may be sent as headers too."""
    lines = [
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-methods", b"GET, POST, DELETE"),
        (b"access-control-max-age", MAX_AGE_SECONDS),
        (b"vary", b"Origin, Access-Control-Request-Headers"),
    ]
    if _NAMES.fullmatch(names):
        lines.append((b"access-control-allow-headers", names.encode()))
    await send({"type": "http.response.start", "status": 204, "headers": lines})
    await send({"type": "http.response.body", "body": b""})


def _add_cors_headers(send: Send, *, origin: bytes) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            lines = list(message.get("headers", ()))
            kept = [line for line in lines if not line[0].lower().startswith(_OURS)]
            varies = [line[1] for line in lines if line[0].lower() == b"vary"]
            ours = [
                (b"access-control-allow-origin", origin),
                (b"access-control-expose-headers", _READABLE),
                (b"vary", b", ".join([*varies, b"Origin"])),
            ]
            message = {**message, "headers": [*kept, *ours]}
        await send(message)

    return send_with_headers
