"""An upload of events, whichever lane it comes by: who may, what is stored, what is answered and recorded."""

from dataclasses import dataclass
from datetime import datetime
from io import BufferedReader, RawIOBase
from uuid import UUID

from django.db import DatabaseError, connection
from django.http import UnreadablePostError

from backtests.contracts import GUID
from backtests.dialect import DATABASE_ERROR, INVALID_PARAMETER, QUERY_TIMEOUT, BacktestsDialect, bad_guid
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.audit.log import CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, KERNEL_ENVELOPE, DatabaseUnavailable, Refusal, ToolError
from toolbox.database.pools import reader
from toolbox.dispatch.dispatch import Reply
from toolbox.models import ToolCall

SCOPE = "backtests:write"
NAME = "upload_backtest_events"
PIECE_BYTES = 262_144
Outcome = ToolCall.Outcome


class StreamBroken(OSError):
    """The client went away before its stream was whole."""


class StreamStalled(OSError):
    """The client sent nothing for too long."""


@dataclass(slots=True, kw_only=True)
class Upload:
    """One upload, and what has become known of it."""

    run_id: str
    request_id: str
    called_at: datetime
    started: float
    caller: Caller | None = None
    outcome: Outcome = Outcome.CANCELLED

    async def permit(self, credential: str | None) -> None:
        """Find out who calls, before a byte of the body is read. Raises Refusal."""
        self.caller = caller = await identify(credential)
        if not caller.has(SCOPE):
            suggestion = f"Use a key with the scope {SCOPE}."
            raise Refusal(FORBIDDEN, f"This key lacks the scope {SCOPE}.", suggestion=suggestion)
        await call_limits.count(caller)

    def refused(self, error: ToolError | DatabaseError | DatabaseUnavailable) -> Reply:
        """Word what went wrong."""
        planned = error if isinstance(error, ToolError) else _database_error(error)
        self.outcome = Outcome.REFUSED if planned is error else Outcome.FAILED
        envelope = KERNEL_ENVELOPE if isinstance(planned, Refusal) else BacktestsDialect()
        return Reply(
            body=encode(envelope.refusal(planned)),
            status=planned.code.status,
            code=planned.code.code,
            retry_after_seconds=planned.retry_after_seconds,
        )

    def store(self, body: RawIOBase) -> Reply:
        """Store the body's events, read as they are needed, in this thread. Raises ToolError and DatabaseError."""
        if not GUID(self.run_id):
            raise bad_guid("runId", value=self.run_id)
        report = LoadReport()
        try:
            lines = read_lines(BufferedReader(body, PIECE_BYTES), report=report)
            load_lines(lines, run_id=UUID(self.run_id), report=report, overlaps=not connection.in_atomic_block)
        except (UnreadablePostError, StreamBroken, StreamStalled) as error:
            raise _interrupted(error, report=report) from error
        self.outcome = Outcome.ANSWERED
        return Reply(body=encode(_counts(self.run_id, report=report)), rows=report.stored)

    async def record(self, reply: Reply) -> None:
        """Leave an audit row, written before the answer goes out."""
        caller = self.caller
        record = CallRecord(
            called_at=self.called_at, request_id=self.request_id, caller=caller.name if caller else "",
            key_id=caller.key_id if caller else None, transport="rest", domain="backtests", tool=NAME,
            arguments=encode({"runId": self.run_id[:60]}), outcome=self.outcome, code=reply.code, status=reply.status,
            rows=reply.rows, answer_bytes=len(reply.body), milliseconds=(reader.clock() - self.started) * 1000,
        )  # fmt: skip
        audit.record(record)
        await audit.flush()


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


def _database_error(error: Exception) -> ToolError:
    return ToolError(
        DATABASE_ERROR,
        "The database could not store the events.",
        suggestion="Send the stream again: what is stored is not stored twice.",
        details={"reason": type(error).__name__},
    )
