"""Uploads of events and files as operations: what the one entry and the audit are told. Storing is in `uploading`."""

from backtests.dialect import BacktestsDialect
from toolbox.contract.encoding import encode
from toolbox.dispatch.entry import Operation

UPLOAD = Operation(
    name="upload_backtest_events",
    domain="backtests",
    scope="backtests:write",
    envelope=BacktestsDialect(),
    deadline_seconds=None,  # a stream may be long; one that stands still is ended
    writes=True,
)

UPLOAD_FILE = Operation(
    name="upload_backtest_file",
    domain="backtests",
    scope="backtests:write",
    envelope=BacktestsDialect(),
    deadline_seconds=None,
    writes=True,
)


class StreamBroken(OSError):
    """The client went away before its stream was whole."""


class StreamStalled(OSError):
    """The client sent nothing for too long."""


def describe_upload(run_id: str | None, *, query: str) -> bytes:
    """Give what the audit keeps of an upload: of events into a run, or of a file."""
    return encode(({"runId": run_id[:60]} if run_id else {}) | ({"query": query[:200]} if query else {}))
