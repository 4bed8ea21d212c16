"""Load past root causes: `manage.py ingest_rca <file | folder> …`."""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from devassist.entries.root_cause import Entry
from devassist.root_causes.load import load_entries
from devassist.root_causes.parse import KINDS, read_text
from devassist.root_causes.report import RcaReport, RefusedEntry
from toolbox.database.command import DatabaseCommand
from toolbox.embedding.failures import EmbeddingFailed

MAX_LINES = 200
EVERY = 1_000


class Command(DatabaseCommand):
    """Store root causes from files with their embeddings, and report on each."""

    help = "Load past root causes from JSON, JSON lines, CSV, or Markdown with front matter; safe to run twice."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the files."""
        parser.add_argument("sources", nargs="+", help=f"Files, or folders of them: {', '.join(KINDS)}.")
        parser.add_argument(
            "--keep-changes", action="store_true", help="Leave entries as they are that people changed."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, then report. Exits with 1 if nothing could be read or the database failed."""
        files = [file for source in options["sources"] for file in _files(Path(source))]
        started = time.perf_counter()
        try:
            report = load_entries(
                _entries(files), source=files[0].name if len(files) == 1 else f"{len(files)} files",
                now=datetime.now(UTC), replaces_stored=not options["keep_changes"], on_progress=self._tell,
            )  # fmt: skip
        except EmbeddingFailed as error:
            raise CommandError(str(error)) from error
        for line in list(report.reasons())[:MAX_LINES]:
            self.stdout.write(line)
        self.stdout.write(report.summary(seconds=time.perf_counter() - started))
        if report.refused and len(report.refused) == report.total:
            raise CommandError("no root cause could be read")

    def _tell(self, report: RcaReport) -> None:
        if report.total and report.total % EVERY < 1:
            self.stderr.write(f"{report.total:,} …")


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    found = sorted(file for file in source.rglob("*") if file.suffix.lower() in KINDS and file.is_file())
    if not found:
        raise CommandError(f"{str(source)!r} is neither a file nor a folder with {', '.join(KINDS)} in it.")
    return found


def _entries(files: list[Path]) -> Iterator[Entry | RefusedEntry]:
    for file in files:
        try:
            text = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            yield RefusedEntry(place=file.name, reason=f"it cannot be read as UTF-8: {error}")
            continue
        yield from read_text(text, name=file.name)
