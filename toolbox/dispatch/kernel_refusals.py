"""Replies of the kernel's own to requests that reach no tool."""

from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal, ToolError
from toolbox.dispatch.dispatch import Reply


def render_refusal(error: ToolError) -> Reply:
    """Give what to answer, in the kernel's dialect."""
    return Reply(
        body=encode(KERNEL_ENVELOPE.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
        bearer=error.bearer if isinstance(error, Refusal) else None,
    )
