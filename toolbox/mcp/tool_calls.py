"""
Parse and answer `tools/call` over HTTP without the SDK's transport, which costs several times the tool itself.

Only a plain call that one JSON object can answer is parsed here, by the SDK's own rules (mcp.shared.inbound,
mcp_types). Everything else, and everything malformed, is left to jsonrpc.py and the SDK's transport.
tests/toolbox/mcp/test_tool_calls.py checks that both give the same answers.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import msgspec
import orjson
from mcp.shared.inbound import (
    MCP_PARAM_HEADER_PREFIX,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp_types import CLIENT_CAPABILITIES_META_KEY, SERVER_INFO_META_KEY, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from toolbox.contract.client_channel import ClientChannel, InputRequired
from toolbox.contract.tool import Tool
from toolbox.dispatch.arguments import find_duplicate_key, may_have_duplicate_keys
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import Sent, decode_headers, measure_head
from toolbox.mcp.client import compute_binding, render_client_requests
from toolbox.mcp.jsonrpc import split_lone_surrogates
from toolbox.mcp.results import tool_result

_VERSION = MCP_PROTOCOL_VERSION_HEADER.encode()
_PARAMETER_HEADER = MCP_PARAM_HEADER_PREFIX.lower()
_MAX_META_BYTES = 4_096
_MAX_MEDIA_TYPE_BYTES = 1_024
_FIRST_VERSION_WITH_LINKS = "2025-06-18"
_ENVELOPE_KEYS = 5
_JSON_TYPES = frozenset({"application/json", "application/*", "*/*"})

_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str


class _Params(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"")
    meta: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="_meta")


class _Request(msgspec.Struct, forbid_unknown_fields=True):
    id: _Id
    method: str
    params: _Params
    jsonrpc: str


_request = msgspec.json.Decoder(_Request)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsCall:
    """
    A `tools/call` that one JSON object can answer; `arguments` are unchanged.

    `is_broken` means that strict parsers refuse the arguments, so that only the tool's refusal says why.
    """

    id: int | str
    name: str
    arguments: bytes
    is_modern: bool
    meta: bytes = b""
    knows_links: bool = True
    is_broken: bool = False

    @property
    def capabilities(self) -> dict[str, Any]:
        """Return what a client of 2026 declares with every call."""
        declared = orjson.loads(self.meta).get(CLIENT_CAPABILITIES_META_KEY) if self.is_modern else None
        return declared if isinstance(declared, dict) else {}

    @property
    def progress_token(self) -> str | int | None:
        """Return the token for progress notifications, if any."""
        token = (orjson.loads(self.meta) if self.meta else {}).get("progressToken")
        return token if isinstance(token, str | int) else None


def read_call(body: bytes, *, sent: Sent, lines: list[tuple[bytes, bytes]]) -> ToolsCall | None:
    """Parse a call from a POST body and its headers (`sent` folded, `lines` raw); None leaves it to the SDK."""
    version = sent.get(_VERSION)
    is_modern = version in MODERN_PROTOCOL_VERSIONS
    is_known = is_modern or version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
    content_type, accepted = (sent.get(name, "")[:_MAX_MEDIA_TYPE_BYTES] for name in (b"content-type", b"accept"))
    decoded = _decode(body) if is_known and _is_json(content_type, accepted=accepted) else None
    if decoded is None:
        return None
    request, arguments, is_broken = decoded
    if request.method != "tools/call" or request.jsonrpc != "2.0" or not arguments.startswith(b"{"):
        return None
    meta, name = bytes(request.params.meta), request.params.name
    if is_modern:
        # Clients send the same headers and envelope with every call, so the results for small ones are cached.
        head = tuple(lines)
        is_small = len(meta) + len(name) + measure_head(head) <= 2 * _MAX_META_BYTES
        check = _is_valid_modern_envelope if is_small else _is_valid_modern_envelope.__wrapped__
        if not check(head, name=name, meta=meta, version=version):
            return None
    elif meta and not meta.startswith(b"{"):
        return None
    return ToolsCall(
        id=request.id,
        name=name,
        arguments=arguments,
        is_modern=is_modern,
        meta=meta,
        knows_links=knows_links(version),
        is_broken=is_broken,
    )


def _decode(body: bytes) -> tuple[_Request, bytes, bool] | None:
    """Decode a request into itself, its arguments, and whether these are broken; None leaves it to the SDK."""
    try:
        request = _request.decode(body)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        parts = split_lone_surrogates(body)
        try:
            return (_request.decode(parts[0]), parts[1], True) if parts else None
        except msgspec.DecodeError:
            return None
    arguments, meta = bytes(request.params.arguments), bytes(request.params.meta)
    # The envelope's keys; the arguments' keys are checked when they are parsed.
    keys = _ENVELOPE_KEYS + bool(arguments) + bool(meta) + arguments.count(b":") + meta.count(b":")
    if may_have_duplicate_keys(body, names=keys) and find_duplicate_key(body) is not None:
        return None
    return request, arguments or b"{}", False


def knows_links(version: str | None) -> bool:
    """Return whether the protocol version has resource links in answers; no version may mean an older one."""
    return version is not None and version >= _FIRST_VERSION_WITH_LINKS


def is_plain_call(call: ToolsCall, *, tool: Tool | None, has_session: bool) -> bool:
    """
    Return whether the call can be answered without the SDK, at least up to the tool's first question.

    A tool that seldom asks can be, for clients of 2026, who are asked by a result. A client of before 2026 without a
    session has not declared that it can be asked.
    """
    can_ask = call.is_modern or not has_session
    return call.is_broken or tool is None or not tool.needs_full_protocol or (tool.rarely_asks and can_ask)


def render_result(call: ToolsCall, *, reply: Reply, tool: Tool | None, stamp: bytes = b"") -> bytes:
    """Render the JSON-RPC response; `stamp` ends every result of the 2026 era."""
    result = tool_result(reply, tool=tool, has_links=call.knows_links)
    end = stamp if call.is_modern else b""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b%b}}' % (orjson.dumps(call.id), result[:-1], end)


def render_stamp(server: dict[str, Any]) -> bytes:
    """Render the end of every result of the 2026 era: the server's name and version."""
    return b',"resultType":"complete","_meta":%b' % orjson.dumps({SERVER_INFO_META_KEY: server})


def render_question(
    call: ToolsCall, *, continuation: InputRequired, client: ClientChannel, server: dict[str, Any]
) -> bytes:
    """Render the JSON-RPC response that asks a client of 2026 to call again with answers."""
    params = {"name": call.name, "arguments": json.loads(call.arguments)}
    binding = compute_binding("tools/call", params=params, caller=client.caller)
    requests = render_client_requests(continuation, answers=client.answers, binding=binding)
    result = {**requests, "resultType": "input_required", "_meta": {SERVER_INFO_META_KEY: server}}
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(call.id), orjson.dumps(result))


@lru_cache(maxsize=256)
def _is_json(content_type: str, *, accepted: str) -> bool:
    types = {part.partition(";")[0].strip().lower() for part in accepted.split(",")}
    return content_type.partition(";")[0].strip().lower() == "application/json" and not _JSON_TYPES.isdisjoint(types)


@lru_cache(maxsize=256)
def _is_valid_modern_envelope(lines: tuple[tuple[bytes, bytes], ...], *, name: str, meta: bytes, version: str) -> bool:
    """Return whether the SDK's own checks would accept the request, and no parameter is sent as a header."""
    names = [(header.decode("latin-1"), "") for header, _ in lines]
    if find_duplicated_routing_header(names) or any(one.lower().startswith(_PARAMETER_HEADER) for one, _ in names):
        return False
    if len(meta) > _MAX_META_BYTES:
        return False
    try:
        decoded = orjson.loads(meta)
        methods.validate_client_request("tools/call", version, {"name": "tool", "_meta": decoded})
    except ValueError:
        return False
    if not isinstance(decoded, dict) or find_duplicate_key(meta):
        return False
    headers = {header.decode("latin-1"): value for header, value in decode_headers(lines).items()}
    body = {"method": "tools/call", "params": {"name": name, "_meta": decoded}}
    return isinstance(classify_inbound_request(body, headers=headers), InboundModernRoute)
