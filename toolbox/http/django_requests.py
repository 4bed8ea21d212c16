"""Convert Django's requests and responses to and from the entry's."""

from collections.abc import Mapping

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from toolbox.dispatch.entry import Reply, Request
from toolbox.http.headers import read_credential, read_request_id, read_upstream_credentials, response_headers
from toolbox.http.server_address import metadata_address, site_of

TRANSPORT = "rest"


def read_request(request: HttpRequest, *, arguments: bytes | None) -> Request:
    """Build the entry's request; `arguments` go to the audit log."""
    return Request(
        credential=find_credential(request),
        transport=TRANSPORT,
        request_id=find_request_id(request),
        arguments=arguments,
    )


def find_credential(request: HttpRequest) -> str | None:
    """Return the key or token that was sent."""
    sent = request.headers
    return read_credential(sent.get("Authorization", ""), api_key=sent.get("X-API-Key", ""))


def find_upstream_credentials(request: HttpRequest) -> Mapping[str, str]:
    """Return the caller's own credentials for other servers."""
    return read_upstream_credentials({name.lower().encode(): value for name, value in request.headers.items()})


def find_request_id(request: HttpRequest) -> str:
    """Return the request's id."""
    return read_request_id(request.headers.get("X-Request-Id", ""))


def read_body(request: HttpRequest) -> bytes | None:
    """Return the body; None if it is too large or ended early."""
    try:
        return request.body
    except (RequestDataTooBig, UnreadablePostError):
        return None


def to_response(reply: Reply, *, request: HttpRequest, request_id: str) -> HttpResponse:
    """Convert a reply to a Django response."""
    response = HttpResponse(reply.body, status=reply.status)
    metadata = metadata_address(site_of(request)) if reply.bearer else ""
    for name, value in response_headers(reply, request_id=request_id, metadata=metadata):
        response[name] = value
    return response
