"""
Calls, runs and model calls as OpenTelemetry spans; imported only if TOOLROOM_TRACES is set.

Names and attributes follow its conventions for generative AI and for MCP. Arguments, answers and messages are opt-in
there and left out here; only the audit log has them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toolbox.audit.current_request import current_session, current_trace
from toolbox.audit.log import CallRecord
from toolbox.audit.spans import Span, Value

UNKNOWN = "unknown tool"
"""Span name of unknown tools: callers could make up any number of names."""
TOOL_ERROR = "tool_error"
"""error.type of an MCP call that was answered with `isError`."""
_NANOSECONDS = 1_000_000_000
_MCP_TRANSPORTS = {"mcp": "tcp", "stdio": "pipe"}
_WITHIN = {"agents", "examples"}
"""Transports of calls that this process makes itself."""


def export_span(call: CallRecord) -> None:
    """
    Put the span of an ended call into the exporter's queue, which drops spans when full.

    The parent is the caller's span, from the request's `traceparent`, or the span of the run that makes the call.
    """
    began = int(call.called_at.timestamp() * _NANOSECONDS)
    tool = call.tool if call.is_known else UNKNOWN
    operation = "tools/call" if call.transport in _MCP_TRANSPORTS else "execute_tool"
    name = tool if _is_method(call) or not call.is_known else f"{operation} {tool}"
    span = trace.get_tracer("toolroom").start_span(
        name,
        kind=SpanKind.INTERNAL if call.transport in _WITHIN else SpanKind.SERVER,
        context=_parent(),
        start_time=began,
        attributes=_attributes(call, tool=tool),
    )
    if call.outcome == "failed":
        span.set_status(Status(StatusCode.ERROR, call.code))
    span.end(began + int(call.milliseconds / 1000 * _NANOSECONDS))


@contextmanager
def record_span(name: str, *, attributes: Mapping[str, Value], is_client: bool) -> Iterator[Span]:
    """Record a span of this process; an exception is recorded by its type, never its message."""
    recorded = Span()
    with trace.get_tracer("toolroom").start_as_current_span(
        name,
        kind=SpanKind.CLIENT if is_client else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield recorded
        except BaseException as failure:
            recorded.error = recorded.error or type(failure).__name__
            raise
        finally:
            span.set_attributes(recorded.attributes)
            if recorded.error:
                span.set_attribute("error.type", recorded.error)
                span.set_status(Status(StatusCode.ERROR, recorded.error))


def _parent() -> Context:
    sent = current_trace.get()
    return TraceContextTextMapPropagator().extract({"traceparent": sent}) if sent else context.get_current()


def _is_method(call: CallRecord) -> bool:
    """Return whether it is an MCP method other than a tool call; these have no domain."""
    return call.transport in _MCP_TRANSPORTS and not call.domain


def _attributes(call: CallRecord, *, tool: str) -> dict[str, str | int]:
    ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.type": "function"}
    said: dict[str, str | int] = {
        **({} if _is_method(call) else ran),
        "http.response.status_code": call.status,
        "toolroom.request_id": call.request_id,
        "toolroom.caller": call.caller,
        "toolroom.domain": call.domain,
        "toolroom.transport": call.transport,
        "toolroom.outcome": str(call.outcome),
        "toolroom.answer_bytes": call.answer_bytes,
    }
    if network := _MCP_TRANSPORTS.get(call.transport):
        session, version = current_session.get()
        said |= {"mcp.method.name": tool if _is_method(call) else "tools/call", "network.transport": network}
        said |= {"mcp.session.id": session} if session else {}
        said |= {"mcp.protocol.version": version} if version else {}
    if call.code:
        said |= {"error.type": TOOL_ERROR if network else call.code, "toolroom.code": call.code}
    if call.rows is not None:
        said["toolroom.rows"] = call.rows
    return said
