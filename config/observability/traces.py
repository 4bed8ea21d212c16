"""Export of spans by OTLP over HTTP, to the address in OpenTelemetry's OTEL_* variables."""

import os
import re

from opentelemetry import trace
from starlette.types import ASGIApp, Receive, Scope, Send

from toolbox.audit.current_request import current_trace
from toolbox.audit.log import audit
from toolbox.audit.spans import recording
from toolbox.audit.tracing import export_span, record_span


def begin() -> None:
    """Set up the exporter; exits with a message if its packages are not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as missing:
        raise SystemExit("TOOLROOM_TRACES=1 needs more packages: pip install -r requirements-traces.txt") from missing
    name = os.environ.get("OTEL_SERVICE_NAME", "toolroom")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    audit.on_record, recording.recorder = export_span, record_span


_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


class TraceMiddleware:
    """ASGI middleware that stores the caller's `traceparent`."""

    def __init__(self, behind: ASGIApp) -> None:
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store the caller's `traceparent`; ignores a malformed one, as W3C requires."""
        sent = dict(scope["headers"]).get(b"traceparent", b"") if scope["type"] == "http" else b""
        current_trace.set(sent.decode() if _TRACEPARENT.fullmatch(sent) else "")
        await self._behind(scope, receive, send)
