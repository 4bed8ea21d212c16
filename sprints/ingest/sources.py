"""Detection and parsing of sources by content: Jira's JSON answers or CSV exports, plain or gzipped. Pure."""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from sprints.ingest.csv_table import Table, decode, find_table
from sprints.ingest.issue_csv import read_csv
from sprints.ingest.issue_json import read_issue
from sprints.ingest.record import Doubt, NotReadable, Record
from sprints.ingest.survey import Survey
from sprints.ingest.values import write_record

MAX_BYTES = 1 << 30
GZIP = b"\x1f\x8b"


def read_sources(
    sources: Iterable[tuple[str, bytes]], *, points_fields: tuple[str, ...] = ()
) -> tuple[Iterator[Record], Survey, list[Doubt]]:
    """
    Parse files together: the sprints, statuses and fields of one serve the issues of another.

    Gives the records, what was list_surveyed_records (its issues can be counted), and the files that are not readable.
    """
    survey = Survey()
    tables: list[tuple[str, Table]] = []
    unreadable: list[Doubt] = []
    survey.fields.configured = points_fields
    for name, packed in sources:
        try:
            _take_source(name, packed, survey=survey, tables=tables)
        except NotReadable as error:
            unreadable.append(Doubt(kind="file", name=name, reason=str(error)))
    return _records(survey, tables=tables), survey, unreadable


def _take_source(name: str, packed: bytes, *, survey: Survey, tables: list[tuple[str, Table]]) -> None:
    written, warning = decode(unpack(packed))
    table = find_table(written)
    if table is None and warning:
        raise NotReadable("neither UTF-8 nor UTF-16")
    if table is None:
        for document in documents(written):
            survey.take(document, source=name)
        return
    if warning:
        table.warnings.append(warning)
    tables.append((name, table))


def list_surveyed_records(survey: Survey) -> Iterator[Record]:
    """Return what a survey found besides issues. Issues bring their own references."""
    yield from survey.teams.values()
    yield from survey.users.values()
    yield from dict.fromkeys(survey.status(status.status_name) for status in survey.status_by_id.values())
    yield from [survey.sprint(one) for one in list(survey.sprints.values())]


def issues_of(survey: Survey) -> Iterator[Record]:
    """Yield the issues of a survey, and free them."""
    waiting, survey.issues = survey.issues, []
    for source, one in waiting:
        yield from read_issue(one, survey=survey, source=source)
    doubts, survey.doubts = survey.doubts, []
    yield from doubts


def list_unused_changes(survey: Survey) -> Iterator[Doubt]:
    """List changelogs without their issue, and numeric fields if none was found to hold story points."""
    for name, entries in survey.changes.items():
        reason = f"{len(entries)} entries of its changelog, and the issue is not in the source"
        yield Doubt(kind="change", name=name, reason=reason, record=write_record(entries))
    survey.changes.clear()
    for name, count in survey.numbers.most_common(3) if not survey.fields.points() else ():
        reason = f"holds numbers in {count} issues: if they are story points, say --points-field {name}"
        yield Doubt(kind="field", name=name, reason=reason, is_warning=True)


def unpack(packed: bytes) -> bytes:
    """Unpack gzip. More than a gigabyte is refused."""
    if not packed.startswith(GZIP):
        return packed
    try:
        with gzip.open(BytesIO(packed)) as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NotReadable(f"broken gzip: {error}") from error
    if len(text) > MAX_BYTES:
        raise NotReadable(f"over {MAX_BYTES >> 20} MB unpack")
    return text


def documents(written: str) -> list[Any]:
    """Parse JSON, or one JSON document on each line."""
    try:
        return [_json(written)]
    except ValueError as whole:
        # str.splitlines would also part texts at U+2028 and the like, which JSON may hold as they are.
        lines = [line for line in written.split("\n") if line.strip()]
        if len(lines) < 2:  # noqa: PLR2004 - one line is one document
            raise NotReadable(f"neither JSON nor a CSV export of Jira: {whole}") from whole
        try:
            return [_json(line) for line in lines]
        except ValueError as error:
            raise NotReadable(f"neither JSON, JSON lines nor a CSV export of Jira: {whole}") from error


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise NotReadable("nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _records(survey: Survey, *, tables: list[tuple[str, Table]]) -> Iterator[Record]:
    yield from list_surveyed_records(survey)
    for name, table in tables:
        yield from read_csv(table, survey=survey, source=name)
    yield from issues_of(survey)
    yield from list_unused_changes(survey)
