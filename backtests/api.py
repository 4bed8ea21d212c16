"""
Uploading events: `POST /api/backtests/runs/{runId}/events`, a stream of JSON lines.

This operation is the definition, and serves where the fast lanes are off; Django then keeps the whole body on disk
before it is read. `upload_lane.py` serves it otherwise.
"""

from datetime import UTC, datetime
from io import RawIOBase
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from ninja import Router

from backtests.uploading import NAME, Upload
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import read_credential, read_request_id, response_headers

router = Router()
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
    """Store the body's events."""
    sent = request.headers
    upload = Upload(
        run_id=run_id,
        request_id=read_request_id(sent.get("X-Request-Id", "")),
        called_at=datetime.now(UTC),
        started=reader.clock(),
    )
    try:
        event_loop.run(upload.permit(read_credential(sent.get("Authorization", ""), api_key=sent.get("X-API-Key", ""))))
        reply = upload.store(_Body(request))
    except (ToolError, DatabaseError, DatabaseUnavailable) as error:
        reply = upload.refused(error)
    event_loop.run(upload.record(reply))
    return _response(reply, sent_id=upload.request_id)


def _response(reply: Reply, *, sent_id: str) -> HttpResponse:
    response = HttpResponse(reply.body, status=reply.status)
    for name, value in response_headers(reply, request_id=sent_id):
        response[name] = value
    return response
