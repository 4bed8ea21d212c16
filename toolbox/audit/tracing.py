"""Calls as spans of OpenTelemetry, made of what the audit has: imported only where TOOLROOM_TRACES is set."""

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toolbox.audit.current_request import current_trace
from toolbox.audit.log import Audit, CallRecord

UNKNOWN = "unknown tool"
"""The span's name where no such tool is: callers could make up any number of them."""
_NANOSECONDS = 1_000_000_000


class TracedAudit(Audit):
    """
    Makes a span of each call when it has ended, beside its record; the request's id is in both.

    The arguments stay in the audit alone. Its parent is the caller's, of the `traceparent` that came with the request.
    """

    def record(self, call: CallRecord) -> None:
        """Put the record into the buffer, and the span into the exporter's queue, which drops when it is full."""
        super().record(call)
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
