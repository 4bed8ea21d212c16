"""Storing of uploaded events and files, and the responses; used by the middleware and the Django endpoints."""

from collections.abc import Sequence
from difflib import get_close_matches
from io import BufferedReader, RawIOBase
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import IO
from urllib.parse import parse_qs
from uuid import UUID

from django.db import DatabaseError, connection
from django.http import UnreadablePostError

from backtests.contracts.error_envelope import (
    DATABASE_ERROR,
    INVALID_PARAMETER,
    QUERY_TIMEOUT,
    RESULT_TOO_LARGE,
    RUN_NOT_FOUND,
    bad_guid,
)
from backtests.contracts.questions import GUID
from backtests.ingest.batch import RunDeletedError
from backtests.ingest.engines import list_engines
from backtests.ingest.files import LoadOptions, SourceFile, inspect_file, load_files, require_events
from backtests.ingest.format_choice import AUTO, CONTRACT, TABLE, ColumnsGuessed, LoadRefused
from backtests.ingest.load import load_lines
from backtests.ingest.record import RunFacts
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from backtests.uploads.file_queries import KEPT, MAX_FILE_BYTES, MAX_NAME_CHARACTERS, keep_file
from backtests.uploads.operation import StreamBroken, StreamStalled
from toolbox.contract.encoding import encode, format_timestamp
from toolbox.contract.errors import ToolError
from toolbox.dispatch.entry import OperationFailed, Reply

PIECE_BYTES = 262_144
EVENTS_PARAMETERS = ("format", "sweep", "columns", "symbol")
FILE_PARAMETERS = ("name",)
MAX_PARAMETER_CHARACTERS = 2_000
MAX_SWEEP_CHARACTERS = 200
MAX_ENGINE_STREAM_BYTES = 2_147_483_648


def store_upload(run_id: str, body: RawIOBase, *, query: str) -> Reply:
    """
    Store the body's events in this thread. Raises ToolError and CallerLeft.

    Lines of the contract's format are stored as they are read. An engine's stream is written to a file first, because
    it is compared with what its run was loaded from before any of it is stored.
    """
    if not GUID(run_id):
        raise bad_guid("runId", value=run_id)
    options, columns = _read_options(UUID(run_id), query=query)
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
                load_files([SourceFile(path=Path(kept.name), columns=columns)], options=options, report=report)
    except RunDeletedError as error:
        raise ToolError(RUN_NOT_FOUND, str(error), suggestion="Send the whole stream again.") from error
    except LoadRefused as error:
        raise ToolError(
            INVALID_PARAMETER,
            str(error),
            suggestion="Send a file with at least one event, of the format that ?format= names; auto finds it.",
            details={"reasons": report.reasons},
        ) from error
    except (UnreadablePostError, StreamBroken, StreamStalled) as error:
        raise _refuse_interruption(error, progress=report.summary()) from error
    except DatabaseError as error:
        raise _refuse_failed(error) from error
    return Reply(body=encode(_counts(run_id, report=report)), rows=report.stored)


def store_file(body: RawIOBase, *, query: str, owner_id: int | None) -> Reply:
    """Store the body as a file for ingest_backtest, and describe its format. Raises ToolError and CallerLeft."""
    given = _read_query(query, known=FILE_PARAMETERS)
    name = Path(given.get("name", [""])[0].replace("\0", "")).name[:MAX_NAME_CHARACTERS] or "file"
    with TemporaryDirectory(prefix="backtest_") as folder:
        path = Path(folder) / "content"
        with path.open("wb") as kept:
            try:
                _keep_body(body, kept, max_bytes=MAX_FILE_BYTES)
            except (UnreadablePostError, StreamBroken, StreamStalled) as error:
                raise _refuse_interruption(error, progress="nothing is kept") from error
        if not path.stat().st_size:
            raise ToolError(INVALID_PARAMETER, "The file is empty.", suggestion="Send the file as the request's body.")
        try:
            file = keep_file(path, name=name, owner_id=owner_id)
        except DatabaseError as error:
            raise _refuse_failed(error) from error
        found = {"format": None, "columns": None, "says": None} | _look_at(path)
    kept_until = format_timestamp(file.uploaded_at + KEPT)
    answer = {"fileId": str(file.file_id), "name": name, "bytes": file.size_bytes, "keptUntil": kept_until}
    return Reply(body=encode(answer | found), rows=1)


def _look_at(path: Path) -> dict[str, str]:
    """Describe a file's format, or what must be specified before it can be loaded."""
    try:
        return {"format": inspect_file(SourceFile(path=path), options=LoadOptions(format_name=AUTO)).name}
    except ColumnsGuessed as guessed:
        return {"format": TABLE, "columns": guessed.columns, "says": guessed.guess}
    except LoadRefused as refused:
        return {"says": str(refused)}


def _read_options(run_id: UUID, *, query: str) -> tuple[LoadOptions, str]:
    """Parse an upload's query parameters: its options, and the meaning of its columns. Raises ToolError."""
    given = _read_query(query, known=EVENTS_PARAMETERS)
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
    overlaps = not connection.in_atomic_block
    return LoadOptions(format_name=name, run_id=run_id, sweep=sweep, symbol=symbol, overlaps=overlaps), columns


def _read_query(query: str, *, known: Sequence[str]) -> dict[str, list[str]]:
    """Parse query parameters. Raises ToolError for unknown and repeated ones."""
    given = parse_qs(query, keep_blank_values=True)
    for name, values in given.items():
        if name not in known or len(values) > 1:
            nearest = get_close_matches(name, known, n=1)
            what = "is given twice" if name in known else "is no query parameter of an upload"
            raise ToolError(
                INVALID_PARAMETER,
                f"{name[:60]!r} {what}.",
                suggestion=f"Use {nearest[0]} once." if nearest else f"There are {', '.join(known)}.",
                field=name[:60],
            )
    return given


def _keep_body(body: RawIOBase, kept: IO[bytes], *, max_bytes: int = MAX_ENGINE_STREAM_BYTES) -> None:
    """Write a stream to a file. Raises ToolError if it is too long."""
    reader, size = BufferedReader(body, PIECE_BYTES), 0
    while piece := reader.read(PIECE_BYTES):
        size += len(piece)
        if size > max_bytes:
            raise ToolError(
                RESULT_TOO_LARGE,
                f"More than {max_bytes >> 20:,} MiB are not taken here.",
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


def _refuse_failed(error: DatabaseError) -> ToolError:
    return OperationFailed(
        DATABASE_ERROR,
        "The database could not store what was sent.",
        suggestion="Send it again: what is stored is not stored twice.",
        details={"reason": type(error).__name__},
    )


def _refuse_interruption(error: OSError, *, progress: str) -> ToolError:
    stalled = isinstance(error, StreamStalled)
    what = "The stream stood still for too long" if stalled else "The stream broke off"
    return ToolError(
        QUERY_TIMEOUT if stalled else INVALID_PARAMETER,
        f"{what}: {progress}.",
        suggestion="Send it again; what is stored is not stored twice.",
    )
