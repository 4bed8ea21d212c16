"""Spans arrive at a collector, under the caller's own; needs the packages of requirements-dev.txt."""

import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from graphql_proxy.execution.sending import _headers
from tests.conftest import running_server
from toolbox.audit.current_request import current_trace

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
ASKED = {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}


@pytest.fixture
def collector() -> Iterator[tuple[str, "queue.Queue[tuple[str, bytes]]"]]:
    """Receive what is exported over OTLP/HTTP."""
    taken: queue.Queue[tuple[str, bytes]] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.put((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", taken
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("sent", [TRACEPARENT, "00-nonsense"])
def test_a_call_s_span_arrives_under_its_caller_s(cast: SimpleNamespace, collector: Any, sent: str) -> None:
    reason = "no OTLP exporter: pip install -r requirements-dev.txt"
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason=reason)
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    address, taken = collector
    told = {"TOOLROOM_TRACES": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "50"}
    headers = {"Authorization": f"Bearer {cast.alice}", "traceparent": sent}
    with running_server(**told) as server:
        httpx.post(f"{server}/api/tools/linescore/query_linescore_data", json=ASKED, headers=headers).raise_for_status()
        path, body = taken.get(timeout=60)

    resource = ExportTraceServiceRequest.FromString(body).resource_spans[0]
    span = resource.scope_spans[0].spans[0]
    assert (path, span.name) == ("/v1/traces", "execute_tool query_linescore_data")
    assert "toolroom" in str(resource.resource)
    if sent == TRACEPARENT:
        assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    else:
        assert (span.trace_id.hex() == TRACE, span.parent_span_id) == (False, b"")


@pytest.mark.slow
@pytest.mark.parametrize("call_id", [7, 2**70], ids=["answered here", "answered by the SDK"])
def test_a_call_over_mcp_names_its_session_and_version(cast: SimpleNamespace, collector: Any, call_id: int) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="pip install -r requirements-dev.txt")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    address, taken = collector
    told = {"TOOLROOM_TRACES": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "50"}
    headers = {"Authorization": f"Bearer {cast.alice}", "MCP-Protocol-Version": "2025-06-18",
               "Accept": "application/json, text/event-stream"}  # fmt: skip
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    call = {"jsonrpc": "2.0", "id": call_id, "method": "tools/call",
            "params": {"name": "query_linescore_data", "arguments": ASKED}}  # fmt: skip
    with running_server(**told) as server:
        session = httpx.post(f"{server}/mcp", json=begin, headers=headers).headers["mcp-session-id"]
        httpx.post(f"{server}/mcp", json=call, headers=headers | {"Mcp-Session-Id": session}).raise_for_status()
        said: dict[str, str] = {}
        while "gen_ai.tool.name" not in said:
            _, body = taken.get(timeout=60)
            for scope in ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans:
                for span in scope.spans:
                    said |= {one.key: one.value.string_value for one in span.attributes if "tools/call" in span.name}

    assert (said["mcp.session.id"], said["mcp.protocol.version"]) == (session, "2025-06-18")


def test_an_upstream_is_told_whose_trace_it_is_part_of() -> None:
    assert "traceparent" not in _headers({})

    token = current_trace.set(TRACEPARENT)
    told = _headers({"X-Own": "1"})
    current_trace.reset(token)

    assert (told["traceparent"], told["X-Own"]) == (TRACEPARENT, "1")
