"""The current request's id and trace context, for log records and spans."""

from contextvars import ContextVar

current_request: ContextVar[str] = ContextVar("current_request", default="")
current_trace: ContextVar[str] = ContextVar("current_trace", default="")
"""The caller's `traceparent` (W3C Trace Context), where calls are traced."""
current_session: ContextVar[tuple[str, str]] = ContextVar("current_session", default=("", ""))
"""The MCP session id and protocol version of the request; empty if none."""
