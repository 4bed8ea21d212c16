"""The id of the request that is being answered, and the trace it belongs to, for whoever writes or asks about it."""

from contextvars import ContextVar

current_request: ContextVar[str] = ContextVar("current_request", default="")
current_trace: ContextVar[str] = ContextVar("current_trace", default="")
"""The caller's `traceparent` (W3C Trace Context), where calls are traced."""
