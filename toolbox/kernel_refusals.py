"""Replies of the kernel's own to requests that reach no tool."""

from toolbox.answer import Reply
from toolbox.dialect import KERNEL
from toolbox.encoding import encode
from toolbox.errors import Refusal, ToolError


def reply_of(error: ToolError) -> Reply:
    """Give what to answer, in the kernel's dialect."""
    return Reply(
        body=encode(KERNEL.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
        bearer=error.bearer if isinstance(error, Refusal) else None,
    )
