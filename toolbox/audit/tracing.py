"""Calls as spans of OpenTelemetry, made from audit records; imported only where TOOLROOM_TRACES is set."""

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toolbox.audit.current_request import current_trace
from toolbox.audit.log import CallRecord

UNKNOWN = "unknown tool"
"""The span's name where no such tool is: callers could make up any number of them."""
_NANOSECONDS = 1_000_000_000


def export_span(call: CallRecord) -> None:
    """
    Put the span of a call that has ended into the exporter's queue, which drops when it is full.

    The arguments stay in the audit alone. The parent is the caller's span, from the request's `traceparent`.
    """
    began = int(call.called_at.timestamp() * _NANOSECONDS)
    span = trace.get_tracer("toolroom").start_span(
        f"execute_tool {call.tool}" if call.is_known else UNKNOWN,
        kind=SpanKind.SERVER,
        context=_parent(),
        start_time=began,
        attributes=_attributes(call),
    )
    if call.outcome == "failed":
        span.set_status(Status(StatusCode.ERROR, call.code))
    span.end(began + int(call.milliseconds / 1000 * _NANOSECONDS))


def _parent() -> Context:
    return TraceContextTextMapPropagator().extract({"traceparent": current_trace.get()})


def _attributes(call: CallRecord) -> dict[str, str | int]:
    said: dict[str, str | int] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool if call.is_known else UNKNOWN,
        "http.response.status_code": call.status,
        "toolroom.request_id": call.request_id,
        "toolroom.caller": call.caller,
        "toolroom.domain": call.domain,
        "toolroom.transport": call.transport,
        "toolroom.outcome": str(call.outcome),
        "toolroom.answer_bytes": call.answer_bytes,
    }
    if call.code:
        said["error.type"] = call.code
    if call.rows is not None:
        said["toolroom.rows"] = call.rows
    return said
