"""
`tools/call` over HTTP, read and answered without the SDK's transport, which costs several times the tool itself.

Only what is plainly a call that may be answered with one JSON object is read here, by the SDK's own rules
(mcp.shared.inbound, mcp_types); everything else, and everything malformed, is left to jsonrpc_errors.py and the SDK's
transport. tests/toolbox/mcp/test_tool_calls.py holds both to the same answers.
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
from toolbox.dispatch.dispatch import Reply
from toolbox.dispatch.duplicate_keys import find_duplicate_key, may_have_duplicate_keys
from toolbox.http.headers import Sent, decode_headers, measure_head
from toolbox.mcp.lone_surrogates import split_lone_surrogates
from toolbox.mcp.results import tool_result
from toolbox.mcp.sdk_client import binding_of, question

_VERSION = MCP_PROTOCOL_VERSION_HEADER.encode()
_PARAMETER_HEADER = MCP_PARAM_HEADER_PREFIX.lower()
_MAX_ENVELOPE = 4_096
_MAX_KIND = 1_024
_FIRST_WITH_LINKS = "2025-06-18"
_ENVELOPE_NAMES = 5
_JSON = frozenset({"application/json", "application/*", "*/*"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsCall:
    """A `tools/call` that one JSON object answers; `arguments` are as they were sent, and can be `broken`."""

    id: int | str
    name: str
    arguments: bytes
    is_modern: bool
    meta: bytes = b""
    knows_links: bool = True
    is_broken: bool = False

    @property
    def capabilities(self) -> dict[str, Any]:
        """What a client of 2026 declares with every call."""
        declared = orjson.loads(self.meta).get(CLIENT_CAPABILITIES_META_KEY) if self.is_modern else None
        return declared if isinstance(declared, dict) else {}

    @property
    def progress_token(self) -> str | int | None:
        """What the client wants to hear of progress by."""
        token = (orjson.loads(self.meta) if self.meta else {}).get("progressToken")
        return token if isinstance(token, str | int) else None


_request = msgspec.json.Decoder(_Request)


def read_call(body: bytes, *, sent: Sent, lines: list[tuple[bytes, bytes]]) -> ToolsCall | None:
    """Read a call from a POST body and its headers (`sent` folded, `lines` raw); None leaves it to the SDK."""
    version = sent.get(_VERSION)
    is_modern = version in MODERN_PROTOCOL_VERSIONS
    is_known = is_modern or version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
    decoded = _decoded(body) if is_known and _asks_for_json(sent) else None
    if decoded is None:
        return None
    request, arguments, is_broken = decoded
    meta = bytes(request.params.meta)
    if request.method != "tools/call" or request.jsonrpc != "2.0" or not arguments.startswith(b"{"):
        return None
    if not (_is_modern_envelope(request, meta=meta, sent=sent, lines=lines) if is_modern else _is_plain_meta(meta)):
        return None
    return ToolsCall(
        id=request.id,
        name=request.params.name,
        arguments=arguments,
        is_modern=is_modern,
        meta=meta,
        knows_links=knows_links(version),
        is_broken=is_broken,
    )


def _decoded(body: bytes) -> tuple[_Request, bytes, bool] | None:
    """Decode a request, with its arguments, and whether only the tool's refusal has words for these."""
    try:
        request = _request.decode(body)
        arguments = bytes(request.params.arguments)
        return None if _repeats(body, request=request) else (request, arguments or b"{}", False)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        parts = split_lone_surrogates(body)
    try:
        return (_request.decode(parts[0]), parts[1], True) if parts else None
    except msgspec.DecodeError:
        return None


def _repeats(body: bytes, *, request: _Request) -> bool:
    """Tell whether a name of the envelope comes twice; those of the arguments are looked at when they are read."""
    inside = [part for part in (bytes(request.params.arguments), bytes(request.params.meta)) if part]
    names = _ENVELOPE_NAMES + len(inside) + sum(part.count(b":") for part in inside)
    return may_have_duplicate_keys(body, names=names) and find_duplicate_key(body) is not None


def knows_links(version: str | None) -> bool:
    """Tell whether the protocol has links to documents in answers; who names no version may be of before them."""
    return version is not None and version >= _FIRST_WITH_LINKS


def begins_plainly(call: ToolsCall, *, tool: Tool | None, has_session: bool) -> bool:
    """
    Tell whether the call is answered by this lane, at least as far as its first question.

    A tool that asks seldom begins so for clients of 2026, who are asked by an answer. One of before 2026 that has no
    session has not said that it can be asked.
    """
    is_asked_here = call.is_modern or not has_session
    return call.is_broken or tool is None or not tool.needs_full_protocol or (tool.rarely_asks and is_asked_here)


def result_body(call: ToolsCall, *, reply: Reply, tool: Tool | None, stamp: bytes = b"") -> bytes:
    """Write the JSON-RPC answer; `stamp` is what every result of the 2026 era has."""
    result = tool_result(reply, tool=tool, has_links=call.knows_links)
    end = stamp if call.is_modern else b""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b%b}}' % (orjson.dumps(call.id), result[:-1], end)


def question_body(
    call: ToolsCall, *, continuation: InputRequired, client: ClientChannel, server: dict[str, Any]
) -> bytes:
    """Write the JSON-RPC answer that asks a client of 2026 to call again, with answers."""
    params = {"name": call.name, "arguments": json.loads(call.arguments)}
    binding = binding_of("tools/call", params=params, caller=client.caller)
    asking = question(continuation, answers=client.answers, binding=binding)
    result = {**asking, "resultType": "input_required", "_meta": {SERVER_INFO_META_KEY: server}}
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(call.id), orjson.dumps(result))


def stamp_of(server: dict[str, Any]) -> bytes:
    """Write what every result of the 2026 era ends with, by the server's name."""
    return b',"resultType":"complete","_meta":%b' % orjson.dumps({SERVER_INFO_META_KEY: server})


def _asks_for_json(sent: Sent) -> bool:
    return _is_json(sent.get(b"content-type", "")[:_MAX_KIND], accepted=sent.get(b"accept", "")[:_MAX_KIND])


@lru_cache(maxsize=256)
def _is_json(content_type: str, *, accepted: str) -> bool:
    kinds = {part.partition(";")[0].strip().lower() for part in accepted.split(",")}
    return content_type.partition(";")[0].strip().lower() == "application/json" and not _JSON.isdisjoint(kinds)


def _is_modern_envelope(request: _Request, *, meta: bytes, sent: Sent, lines: list[tuple[bytes, bytes]]) -> bool:
    """Tell whether the SDK would let the request through; clients send the same head and envelope with every call."""
    head, name = tuple(lines), request.params.name
    size = len(meta) + len(name) + measure_head(head)
    judge = _is_let_through if size <= 2 * _MAX_ENVELOPE else _is_let_through.__wrapped__
    return judge(head, name=name, meta=meta, version=sent[_VERSION])


@lru_cache(maxsize=256)
def _is_let_through(lines: tuple[tuple[bytes, bytes], ...], *, name: str, meta: bytes, version: str) -> bool:
    """Tell whether the SDK's own ladder would let the request through, and no parameter travels as a header."""
    names = [(header.decode("latin-1"), "") for header, _ in lines]
    if find_duplicated_routing_header(names) or any(one.lower().startswith(_PARAMETER_HEADER) for one, _ in names):
        return False
    decoded = _valid_meta(meta, version=version) if len(meta) <= _MAX_ENVELOPE else None
    if decoded is None:
        return False
    body = {"method": "tools/call", "params": {"name": name, "_meta": decoded}}
    headers = {header.decode("latin-1"): value for header, value in decode_headers(lines).items()}
    return isinstance(classify_inbound_request(body, headers=headers), InboundModernRoute)


def _valid_meta(meta: bytes, *, version: str) -> dict[str, Any] | None:
    """Give an envelope that the SDK's types accept."""
    try:
        decoded = orjson.loads(meta)
        methods.validate_client_request("tools/call", version, {"name": "tool", "_meta": decoded})
    except ValueError:
        return None
    if find_duplicate_key(meta):
        return None
    return decoded if isinstance(decoded, dict) else None


def _is_plain_meta(meta: bytes) -> bool:
    return not meta or meta.startswith(b"{")
