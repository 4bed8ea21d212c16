"""A call's span says what its audit row says; needs the packages of requirements-dev.txt."""

from datetime import UTC, datetime
from typing import Any

import pytest

from toolbox.audit.current_request import current_session
from toolbox.audit.log import CallRecord, audit

CALLED_AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_record(**other: object) -> CallRecord:
    said: dict[str, object] = {
        "called_at": CALLED_AT, "request_id": "r-1", "caller": "alice", "key_id": 7, "transport": "rest",
        "domain": "linescore", "tool": "query_linescore_data", "arguments": b'{"secret": 1}', "outcome": "answered",
        "code": "", "status": 200, "rows": 21, "answer_bytes": 9, "milliseconds": 12.5,
    }  # fmt: skip
    return CallRecord(**said | other)  # type: ignore[arg-type]


def test_nobody_makes_spans_unless_told() -> None:
    assert audit.on_record is None


def test_a_call_s_span_has_its_times_its_ending_and_the_request_s_id(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="no OpenTelemetry SDK: pip install -r requirements-dev.txt")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from toolbox.audit.tracing import UNKNOWN, export_span

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    current_session.set(("s-1", "2025-06-18"))
    for call in (
        make_record(),
        make_record(outcome="failed", code="X", status=500),
        make_record(tool="made_up", is_known=False),
        make_record(transport="mcp", outcome="refused", code="INVALID_PARAMETERS"),
        make_record(transport="mcp", domain="", tool="tools/list"),
    ):
        export_span(call)

    spans: Any = kept.get_finished_spans()
    well, failed, unknown, over_mcp, method = spans
    assert (over_mcp.name, over_mcp.attributes["mcp.method.name"]) == ("tools/call query_linescore_data", "tools/call")
    assert (over_mcp.attributes["error.type"], over_mcp.attributes["toolroom.code"]) == (
        "tool_error",
        "INVALID_PARAMETERS",
    )
    assert (method.name, method.attributes["mcp.method.name"]) == ("tools/list", "tools/list")
    assert "gen_ai.tool.name" not in method.attributes
    assert over_mcp.attributes["network.transport"] == "tcp"
    named = ("mcp.session.id", "mcp.protocol.version")
    assert [over_mcp.attributes[name] for name in named] == ["s-1", "2025-06-18"]
    assert not any(name in well.attributes for name in named)
    assert (well.name, well.attributes["toolroom.request_id"]) == ("execute_tool query_linescore_data", "r-1")
    assert (well.start_time, well.end_time - well.start_time) == (int(CALLED_AT.timestamp() * 10**9), 12_500_000)
    assert (well.attributes["toolroom.rows"], well.status.is_ok or well.status.is_unset) == (21, True)
    assert (failed.status.is_ok, failed.attributes["error.type"]) == (False, "X")
    assert (unknown.name, "made_up" in str(dict(unknown.attributes))) == (UNKNOWN, False)
    assert "secret" not in str([dict(span.attributes) for span in spans])
