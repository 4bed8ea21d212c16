"""
Serve tool calls before Django: the same dispatch(), without Django's handlers, which cost more than the SQL.

Takes `POST /api/tools/<domain>/<tool>` and passes everything else on. tests/toolbox/rest/test_middleware.py checks that
status, headers and bytes are those of the django-ninja operation.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.catalogue.registry import registry
from toolbox.dispatch.dispatch import MAX_ARGUMENTS, Call, dispatch
from toolbox.dispatch.entry import Operation, record_unread
from toolbox.http.asgi import BodyError, cancel_on_disconnect, read_body, send_reply
from toolbox.http.django_requests import TRANSPORT
from toolbox.http.headers import (
    decode_headers,
    has_allowed_host,
    read_credential,
    read_request_id,
    read_upstream_credentials,
)
from toolbox.http.server_address import metadata_address, site

PREFIX = "/api/tools/"


class ToolCallMiddleware:
    """ASGI middleware that answers tool calls and passes everything else on."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a tool call, or pass the request on."""
        is_call = scope["type"] == "http" and scope["method"] == "POST" and scope["path"].startswith(PREFIX)
        sent = decode_headers(scope["headers"]) if is_call else {}
        if not is_call or not has_allowed_host(sent):
            await self._behind(scope, receive, send)
            return
        domain, _, name = scope["path"][len(PREFIX) :].partition("/")
        call = Call(
            tool=name,
            domain=domain,
            arguments=b"",
            transport=TRANSPORT,
            request_id=read_request_id(sent.get(b"x-request-id", "")),
            credential=read_credential(sent.get(b"authorization", ""), api_key=sent.get(b"x-api-key", "")),
            upstream_credentials=read_upstream_credentials(sent),
        )
        try:
            call.arguments = await read_body(receive, most=MAX_ARGUMENTS)
        except BodyError as error:
            if error.refusal:
                tool = registry.find(name, domain=domain)
                unknown = Operation(name=name, domain=domain, scope=None, is_known=False)
                reply = await record_unread(tool or unknown, request=call, refusal=error.refusal)
                await send_reply(send, reply, request_id=call.request_id)
            return
        with cancel_on_disconnect(receive):
            reply = await dispatch(call)
            metadata = metadata_address(site(sent, scheme=scope["scheme"])) if reply.bearer else ""
            await send_reply(send, reply, request_id=call.request_id, metadata=metadata)
