"""The id of the request that is being answered, for whoever writes a line about it."""

from contextvars import ContextVar

current_request: ContextVar[str] = ContextVar("current_request", default="")
