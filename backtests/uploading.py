"""An upload of events, however it is sent: what is stored, and what is answered."""

from io import BufferedReader, RawIOBase
from uuid import UUID

from django.db import DatabaseError, connection
from django.http import UnreadablePostError

from backtests.contracts import GUID
from backtests.dialect import DATABASE_ERROR, INVALID_PARAMETER, QUERY_TIMEOUT, BacktestsDialect, bad_guid
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from toolbox.contract.encoding import encode
from toolbox.contract.errors import ToolError
from toolbox.dispatch.entry import Operation, OperationFailed, Reply

UPLOAD = Operation(
    name="upload_backtest_events",
    domain="backtests",
    scope="backtests:write",
    envelope=BacktestsDialect(),
    deadline_seconds=None,  # a stream may be long; one that stands still is ended
    writes=True,
)
PIECE_BYTES = 262_144


class StreamBroken(OSError):
    """The client went away before its stream was whole."""


class StreamStalled(OSError):
    """The client sent nothing for too long."""


def describe_upload(run_id: str) -> bytes:
    """Give what the audit keeps of an upload."""
    return encode({"runId": run_id[:60]})


def store_upload(run_id: str, body: RawIOBase) -> Reply:
    """Store the body's events, read as they are needed, in this thread. Raises ToolError and CallerLeft."""
    if not GUID(run_id):
        raise bad_guid("runId", value=run_id)
    report = LoadReport()
    try:
        lines = read_lines(BufferedReader(body, PIECE_BYTES), report=report)
        load_lines(lines, run_id=UUID(run_id), report=report, overlaps=not connection.in_atomic_block)
    except (UnreadablePostError, StreamBroken, StreamStalled) as error:
        raise _interrupted(error, report=report) from error
    except DatabaseError as error:
        raise OperationFailed(
            DATABASE_ERROR,
            "The database could not store the events.",
            suggestion="Send the stream again: what is stored is not stored twice.",
            details={"reason": type(error).__name__},
        ) from error
    return Reply(body=encode(_counts(run_id, report=report)), rows=report.stored)


def _counts(run_id: str, *, report: LoadReport) -> dict[str, object]:
    return {
        "runId": run_id.lower(),
        "stored": report.stored,
        "duplicate": report.duplicate,
        "malformed": report.malformed,
        "quarantined": report.quarantined,
        "endedEarly": report.ended_early or None,
        "reasons": report.reasons,
    }


def _interrupted(error: OSError, *, report: LoadReport) -> ToolError:
    stalled = isinstance(error, StreamStalled)
    said = "The stream stood still for too long" if stalled else "The stream broke off"
    return ToolError(
        QUERY_TIMEOUT if stalled else INVALID_PARAMETER,
        f"{said}: {report.summary()}.",
        suggestion="Send it again; what is stored is not stored twice.",
    )
