"""An upload of events, however it is sent: what is stored, and what is answered."""

from difflib import get_close_matches
from io import BufferedReader, RawIOBase
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from urllib.parse import parse_qs
from uuid import UUID

from django.db import DatabaseError, connection
from django.http import UnreadablePostError

from backtests.contracts import GUID
from backtests.dialect import (
    DATABASE_ERROR,
    INVALID_PARAMETER,
    QUERY_TIMEOUT,
    RESULT_TOO_LARGE,
    bad_guid,
)
from backtests.ingest.engines import list_engines
from backtests.ingest.files import LoadOptions, load_file, require_events
from backtests.ingest.format_choice import AUTO, CONTRACT, LoadRefused
from backtests.ingest.load import load_lines
from backtests.ingest.record import RunFacts
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from backtests.upload_operation import StreamBroken, StreamStalled
from toolbox.contract.encoding import encode
from toolbox.contract.errors import ToolError
from toolbox.dispatch.entry import OperationFailed, Reply

PIECE_BYTES = 262_144
QUERY_PARAMETERS = ("format", "sweep", "columns", "symbol")
MAX_PARAMETER_CHARACTERS = 2_000
MAX_SWEEP_CHARACTERS = 200
MAX_ENGINE_STREAM_BYTES = 2_147_483_648


def store_upload(run_id: str, body: RawIOBase, *, query: str) -> Reply:
    """
    Store the body's events in this thread. Raises ToolError and CallerLeft.

    Lines in the contract's words are stored as they are read. An engine's stream is kept in a file first, because it is
    held against what is stored of its run before a line of it is.
    """
    if not GUID(run_id):
        raise bad_guid("runId", value=run_id)
    options = _read_options(UUID(run_id), query=query)
    report = LoadReport()
    try:
        if options.format_name == CONTRACT:
            lines = read_lines(BufferedReader(body, PIECE_BYTES), report=report)
            facts = RunFacts(sweep=options.sweep or None)
            load_lines(lines, run_id=options.run_id, report=report, overlaps=options.overlaps, facts=facts)
            require_events(report)
        else:
            with NamedTemporaryFile(prefix="backtest_") as kept:
                _keep_body(body, kept)
                load_file(Path(kept.name), options=options, report=report)
    except LoadRefused as error:
        raise ToolError(
            INVALID_PARAMETER,
            str(error),
            suggestion="Send a file with at least one event, of the format that ?format= names; auto finds it.",
            details={"reasons": report.reasons},
        ) from error
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


def _read_options(run_id: UUID, *, query: str) -> LoadOptions:
    """Read an upload's query parameters. Raises ToolError."""
    given = parse_qs(query, keep_blank_values=True)
    for name, values in given.items():
        if name not in QUERY_PARAMETERS or len(values) > 1:
            nearest = get_close_matches(name, QUERY_PARAMETERS, n=1)
            what = "is given twice" if name in QUERY_PARAMETERS else "is no query parameter of an upload"
            raise ToolError(
                INVALID_PARAMETER,
                f"{name[:60]!r} {what}.",
                suggestion=f"Use {nearest[0]} once." if nearest else f"There are {', '.join(QUERY_PARAMETERS)}.",
                field=name[:60],
            )
    name = given.get("format", [CONTRACT])[0]
    known = [CONTRACT, AUTO, *list_engines()]
    if name not in known:
        raise ToolError(
            INVALID_PARAMETER,
            f"There is no format {name[:60]!r}.",
            suggestion=f"format is one of {', '.join(known)}.",
            field="format",
        )
    sweep = given.get("sweep", [""])[0][:MAX_SWEEP_CHARACTERS]
    columns, symbol = (given.get(one, [""])[0][:MAX_PARAMETER_CHARACTERS] for one in ("columns", "symbol"))
    return LoadOptions(
        format_name=name, run_id=run_id, sweep=sweep, columns=columns, symbol=symbol,
        overlaps=not connection.in_atomic_block,
    )  # fmt: skip


def _keep_body(body: RawIOBase, kept: IO[bytes]) -> None:
    """Write a stream into a file. Raises ToolError where it is too long for that."""
    reader, size = BufferedReader(body, PIECE_BYTES), 0
    while piece := reader.read(PIECE_BYTES):
        size += len(piece)
        if size > MAX_ENGINE_STREAM_BYTES:
            raise ToolError(
                RESULT_TOO_LARGE,
                f"An engine's stream of more than {MAX_ENGINE_STREAM_BYTES >> 30} GiB is not taken over HTTP.",
                suggestion="Send it as gzip, or load it with manage.py ingest_backtest.",
            )
        kept.write(piece)
    kept.flush()


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
