"""What a call looks like over HTTP: credentials and ids in, headers out. Both lanes use it, so they cannot differ."""

import re
import secrets
from collections.abc import Iterable

from toolbox.answer import Reply
from toolbox.dialect import KERNEL
from toolbox.encoding import encode
from toolbox.errors import METHOD_NOT_ALLOWED, UNAUTHENTICATED, Refusal

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_SECURITY = (
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
)


def credential(authorization: str, *, api_key: str = "") -> str | None:
    """Take the key from `Authorization: Bearer …`, or from `X-API-Key`."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return api_key.strip() or None


def request_id(sent: str) -> str:
    """Keep the id that came with the request if it is harmless, else make one."""
    return sent if _REQUEST_ID.fullmatch(sent) else secrets.token_hex(16)


def headers(reply: Reply, *, request_id: str) -> Iterable[tuple[str, str]]:
    """Give every header of a reply, in order."""
    yield "content-type", "application/json"
    yield "content-length", str(len(reply.body))
    yield "x-request-id", request_id
    if reply.status == UNAUTHENTICATED.status:
        yield "www-authenticate", 'Bearer realm="Toolroom"'
    if reply.status == METHOD_NOT_ALLOWED.status:
        yield "allow", "POST"
    if reply.retry_after_seconds is not None:
        yield "retry-after", str(reply.retry_after_seconds)
    yield from _SECURITY


def method_not_allowed() -> Reply:
    """Answer whoever calls a tool with another method than POST."""
    refusal = Refusal(
        METHOD_NOT_ALLOWED,
        "Tools are called with POST.",
        suggestion="Send POST with the parameters as a JSON object; /api/docs shows each tool.",
    )
    return Reply(body=encode(KERNEL.refusal(refusal)), status=405, code=METHOD_NOT_ALLOWED.code)
