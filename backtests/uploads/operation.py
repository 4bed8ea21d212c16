"""Definitions of the upload operations for dispatch and the audit; `uploads` does the storing."""

from backtests.contracts.error_envelope import BacktestsErrorEnvelope
from toolbox.contract.encoding import encode
from toolbox.dispatch.entry import Operation

UPLOAD = Operation(
    name="upload_backtest_events",
    domain="backtests",
    scope="backtests:write",
    envelope=BacktestsErrorEnvelope(),
    deadline_seconds=None,  # a stream may be long; a stalled one is ended
    writes=True,
)

UPLOAD_FILE = Operation(
    name="upload_backtest_file",
    domain="backtests",
    scope="backtests:write",
    envelope=BacktestsErrorEnvelope(),
    deadline_seconds=None,
    writes=True,
)


class StreamBroken(OSError):
    """The client disconnected before the end of its stream."""


class StreamStalled(OSError):
    """The client sent nothing for too long."""


def describe_upload(run_id: str | None, *, query: str) -> bytes:
    """Return the audit's arguments of an upload of events or of a file."""
    return encode(({"runId": run_id[:60]} if run_id else {}) | ({"query": query[:200]} if query else {}))
