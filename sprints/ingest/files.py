"""Ingestion of saved Jira answers and CSV exports, from a file or a folder."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sprints.ingest.load import LoadReport, LoadRules, OnProgress, ignore_progress, load_records
from sprints.ingest.record import NotReadable
from sprints.ingest.sources import read_sources
from sprints.models import Organisation

ENDINGS = tuple(f".{kind}{packed}" for packed in ("", ".gz") for kind in ("json", "jsonl", "csv", "tsv"))
MAX_FILE_BYTES = 1 << 30


def ingest_files(
    place: Path,
    *,
    organisation: Organisation,
    now: datetime,
    rules: LoadRules | None = None,
    on_progress: OnProgress = ignore_progress,
) -> LoadReport:
    """Store the content of a file, or of a folder's files together. Other files in a folder are ignored."""
    rules = replace(rules or LoadRules(), now=now)
    fields = tuple(organisation.points_fields)
    records, survey, unreadable = read_sources(_files(place), points_fields=fields)
    report = LoadReport(expected=len(survey.issues), unreadable=unreadable)
    return load_records(records, organisation=organisation, report=report, rules=rules, on_progress=on_progress)


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    found = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.name.endswith(ENDINGS))
    if not found:
        raise NotReadable(f"no file in {place.name} ends in {', '.join(ENDINGS)}")
    for path in found:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise NotReadable(f"{path.name} is over {MAX_FILE_BYTES >> 20} MB")
        yield path.name, path.read_bytes()
