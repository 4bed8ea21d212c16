"""Reading of an engine's file into entries: translate its records and number them as in the file."""

from collections.abc import Iterable, Iterator
from uuid import UUID

import orjson

from backtests.ingest.engine_records import ReadRecord, encode_properties
from backtests.ingest.engines import Event, TableOptions, Translator, find_engine
from backtests.ingest.record import Entry, LoggedEvent, Unreadable


def read_engine(
    lines: Iterable[bytes], *, name: str, run_id: UUID, given: TableOptions | None = None
) -> Iterator[Entry]:
    """Yield the entries of a file, with their line numbers."""
    engine = find_engine(name)
    translator = engine.make_translator(run_id, given=given or TableOptions())
    for read in engine.read_records(lines):
        yield from _translate(read, translator=translator)


def _translate(read: ReadRecord, *, translator: Translator) -> list[Entry]:
    if isinstance(read.record, str):
        return [Unreadable(line_number=read.line_number, line=read.line, reason=read.record)]
    try:
        return [_make_entry(event, read=read) for event in translator.translate(read.record)]
    except (RecursionError, orjson.JSONEncodeError) as error:  # nested too deeply, or a lone surrogate
        reason = f"The line cannot be kept as JSON: {error}"[:200]
    except ValueError as error:
        reason = str(error)[:200]
    return [Unreadable(line_number=read.line_number, line=read.line, reason=reason)]


def _make_entry(event: Event, *, read: ReadRecord) -> LoggedEvent:
    return LoggedEvent(
        event_id=event["eventId"],
        timestamp=event["timestamp"],
        event_type=event["eventType"],
        severity=event["severity"],
        category=event["category"],
        properties=encode_properties(event["properties"]),
        parent_event_id=event["parentEventId"],
        run_id=event["runId"],
        line_number=read.line_number,
        line=read.line,
        problems=[*event.get("problems", ())],
    )
