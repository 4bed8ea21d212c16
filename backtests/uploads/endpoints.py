"""
Upload endpoints: events (`POST /api/backtests/runs/{runId}/events`) and files (`POST /api/backtests/files`).

They define the OpenAPI operations and serve the requests if TOOLROOM_FAST_LANE is off; Django then writes the whole
body to disk before it is read. Otherwise `upload_middleware.py` serves them.
"""

from io import RawIOBase
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from backtests.uploads.operation import UPLOAD, UPLOAD_FILE, describe_upload
from backtests.uploads.storage import store_file, store_upload
from toolbox.dispatch.entry import perform_in_thread
from toolbox.http.django_requests import read_request, to_response

router = Router()
DESCRIPTION = """
Store events of a run from JSON lines (NDJSON, gzip or not), one event a line in the contract's words; the run is made
if it is not there. Safe to repeat: what is stored already is counted as duplicate. A line that names another run, or
that no event can be made of, goes to the quarantine. `format` names an engine whose own file the body is, auto finds
it; `columns` says what a table's columns mean, `symbol` which security it is of. `sweep` names the experiment that the
run belongs to. A body without one event is refused.
Needs a key with the scope backtests:write.
"""
OPENAPI = {
    "parameters": [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": {"type": "string"},
            "description": says,
        }
        for name, says in (
            ("format", "In whose words the body is: contract (the default), or an engine's name."),
            ("sweep", "The experiment that the run belongs to, by any name."),
            ("columns", "What a table's columns mean, as time=Date,equity=NAV."),
            ("symbol", "The security of a table that does not say it."),
        )
    ],
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
    """A request's body as a raw stream, read in chunks."""

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
    operation_id=UPLOAD.name,
    tags=["backtests"],
    openapi_extra=OPENAPI,
    response=None,
)
def upload_backtest_events(request: HttpRequest, *, run_id: str) -> HttpResponse:
    """Store the body's events."""
    query = request.META.get("QUERY_STRING", "")
    upload = read_request(request, arguments=describe_upload(run_id, query=query))
    reply = perform_in_thread(UPLOAD, request=upload, work=lambda _: store_upload(run_id, _Body(request), query=query))
    return to_response(reply, request=request, request_id=upload.request_id)


FILE_DESCRIPTION = """
Send a file that the tool ingest_backtest is to load: what an engine wrote, or a table, as CSV, JSON or Parquet, gzip or
not, at most 50 MB. The answer has its fileId, and what the file looks like; of a table whose columns are guessed, what
they would mean. It is kept for a day, for the sender alone. Needs a key with the scope backtests:write.
"""
FILE_OPENAPI = {
    "parameters": [
        {
            "name": "name",
            "in": "query",
            "required": False,
            "schema": {"type": "string"},
            "description": "The file's name.",
        }
    ],
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    },
    "responses": {
        200: {
            "description": "The file is kept.",
            "content": {
                "application/json": {
                    "example": {
                        "fileId": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
                        "name": "trades.csv",
                        "bytes": 5210,
                        "keptUntil": "2026-11-24T10:00:00.000Z",
                        "format": "backtesting",
                        "columns": None,
                        "says": None,
                    }
                }
            },
        }
    },
    "security": [{"key": []}],
}


@router.post(
    "/files",
    auth=None,
    summary="Upload a backtest's file",
    description=FILE_DESCRIPTION,
    operation_id=UPLOAD_FILE.name,
    tags=["backtests"],
    openapi_extra=FILE_OPENAPI,
    response=None,
)
def upload_backtest_file(request: HttpRequest) -> HttpResponse:
    """Keep the body as a file."""
    query = request.META.get("QUERY_STRING", "")
    upload = read_request(request, arguments=describe_upload(None, query=query))
    reply = perform_in_thread(
        UPLOAD_FILE,
        request=upload,
        work=lambda call: store_file(_Body(request), query=query, owner_id=call.caller.owner_id),
    )
    return to_response(reply, request=request, request_id=upload.request_id)
