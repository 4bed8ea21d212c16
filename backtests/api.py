"""Uploading events: `POST /api/backtests/runs/{runId}/events`, a stream of JSON lines."""

from datetime import UTC, datetime
from io import BufferedReader, RawIOBase
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from ninja import Router

from backtests.contracts import GUID
from backtests.dialect import DATABASE_ERROR, INVALID_PARAMETER, BacktestsDialect, bad_guid
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from toolbox import home
from toolbox.answer import Reply
from toolbox.audit import CallRecord, audit
from toolbox.callers import Caller
from toolbox.dialect import KERNEL
from toolbox.encoding import encode
from toolbox.errors import FORBIDDEN, DatabaseUnavailable, Refusal, ToolError
from toolbox.keys import identify
from toolbox.limits import call_limits
from toolbox.models import ToolCall
from toolbox.reader import reader
from toolbox.wire import credential, headers, request_id

router = Router()
SCOPE = "backtests:write"
NAME = "upload_backtest_events"
DIALECT = BacktestsDialect()
Outcome = ToolCall.Outcome
DESCRIPTION = """
Store events of a run from JSON lines (NDJSON, gzip or not), one event a line in the contract's words; the run is made
if it is not there. Safe to repeat: what is stored already is counted as duplicate. A line that names another run, or
that no event can be made of, goes to the quarantine. Needs a key with the scope backtests:write.
"""
OPENAPI = {
    "requestBody": {
        "required": True,
        "content": {"application/x-ndjson": {"schema": {"type": "string", "description": "One JSON object a line."}}},
    },
    "responses": {
        200: {
            "description": "What became of the lines.",
            "content": {
                "application/json": {
                    "example": {
                        "runId": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
                        "stored": 3,
                        "duplicate": 0,
                        "malformed": 1,
                        "quarantined": 0,
                        "endedEarly": None,
                        "reasons": [],
                    }
                }
            },
        }
    },
    "security": [{"key": []}],
}


class _Body(RawIOBase):
    """A request's body as a raw stream, so that it is read piece by piece."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._request.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


@router.post(
    "/runs/{run_id}/events",
    auth=None,
    summary="Upload backtest events",
    description=DESCRIPTION,
    operation_id=NAME,
    tags=["backtests"],
    openapi_extra=OPENAPI,
    response=None,
)
def upload_backtest_events(request: HttpRequest, *, run_id: str) -> HttpResponse:
    """Store the body's events. The body is read as it is needed, so that it may be of any size."""
    started, called_at = reader.clock(), datetime.now(UTC)
    caller: Caller | None = None
    try:
        caller = _permitted(request)
        reply, outcome = _stored(request, run_id=run_id), Outcome.ANSWERED
    except ToolError as error:
        reply, outcome = _refusal(error), Outcome.REFUSED
    except (DatabaseError, DatabaseUnavailable) as away:
        reply, outcome = _refusal(_database_error(away)), Outcome.FAILED
    sent_id = request_id(request.headers.get("X-Request-Id", ""))
    record = CallRecord(
        called_at=called_at, request_id=sent_id, caller=caller.name if caller else "",
        key_id=caller.key_id if caller else None, face="rest", domain="backtests", tool=NAME,
        arguments=encode({"runId": run_id[:60]}), outcome=outcome, code=reply.code, status=reply.status,
        rows=reply.rows, answer_bytes=len(reply.body), milliseconds=(reader.clock() - started) * 1000,
    )  # fmt: skip
    home.run(_record(record))
    return _response(reply, sent_id=sent_id)


def _response(reply: Reply, *, sent_id: str) -> HttpResponse:
    response = HttpResponse(reply.body, status=reply.status)
    for name, value in headers(reply, request_id=sent_id):
        response[name] = value
    return response


def _permitted(request: HttpRequest) -> Caller:
    """Find out who calls. Raises Refusal."""
    key = credential(request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", ""))
    caller = home.run(identify(key))
    if not caller.has(SCOPE):
        suggestion = f"Use a key with the scope {SCOPE}."
        raise Refusal(FORBIDDEN, f"This key lacks the scope {SCOPE}.", suggestion=suggestion)
    home.run(call_limits.count(caller))
    return caller


def _stored(request: HttpRequest, *, run_id: str) -> Reply:
    if not GUID(run_id):
        raise bad_guid("runId", value=run_id)
    report = LoadReport()
    try:
        lines = read_lines(BufferedReader(_Body(request), 262_144), report=report)
        load_lines(lines, run_id=UUID(run_id), report=report)
    except UnreadablePostError as error:
        raise ToolError(
            INVALID_PARAMETER,
            f"The stream broke off: {report.summary()}.",
            suggestion="Send it again; what is stored is not stored twice.",
        ) from error
    body = {
        "runId": run_id.lower(),
        "stored": report.stored,
        "duplicate": report.duplicate,
        "malformed": report.malformed,
        "quarantined": report.quarantined,
        "endedEarly": report.ended_early or None,
        "reasons": report.reasons[:100],
    }
    return Reply(body=encode(body), rows=report.stored)


def _database_error(error: Exception) -> ToolError:
    return ToolError(
        DATABASE_ERROR,
        "The database could not store the events.",
        suggestion="Send the stream again: what is stored is not stored twice.",
        details={"reason": type(error).__name__},
    )


def _refusal(error: ToolError) -> Reply:
    dialect = KERNEL if isinstance(error, Refusal) else DIALECT
    return Reply(
        body=encode(dialect.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
    )


async def _record(record: CallRecord) -> None:
    audit.record(record)
    await audit.flush()
