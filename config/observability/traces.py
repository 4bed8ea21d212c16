"""Where spans of calls go: by OTLP over HTTP to the address that the OTEL_* variables of OpenTelemetry name."""

import os

from opentelemetry import trace

from toolbox.audit.log import audit
from toolbox.audit.tracing import export_span


def begin() -> None:
    """Set up the exporter; ends the process with a sentence where its packages are not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as missing:
        raise SystemExit("TOOLROOM_TRACES wants more packages: pip install -r requirements-traces.txt") from missing
    name = os.environ.get("OTEL_SERVICE_NAME", "toolroom")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    audit.on_record = export_span
