"""Load a run's log: `manage.py ingest_backtest <file>`, or from standard input with `-`."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import IO, Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from backtests.ingest.engines import formats
from backtests.ingest.from_engine import read_engine
from backtests.ingest.load import load_entries, load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines

CONTRACT = "contract"
SHOWN_REASONS = 20


class Command(BaseCommand):
    """Store a log's events, and say what became of its lines."""

    help = "Load a backtest's log: JSON lines, plain or gzip, from a file or from standard input (-)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take a source, whose format it has, and which run it is."""
        parser.add_argument("source", help="A file of JSON lines, .gz or not; - for standard input.")
        parser.add_argument("--format", choices=[CONTRACT, *formats()], default=CONTRACT,
                            help="Whose words the log is in (%(default)s).")  # fmt: skip
        parser.add_argument("--run", type=_guid, help="The run's GUID; without it the one that the log names.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, then report; ends with 1 where the source cannot be read, or not to its end, or the database failed."""
        report, started = LoadReport(), monotonic()
        try:
            with _opened(options["source"]) as stream, _progress(stream, report=report, started=started) as shown:
                lines = read_lines(stream, report=report, on_bytes=shown)
                _load(lines, options=options, report=report)
        except OSError as error:
            raise CommandError(f"{options['source']} cannot be read: {error.strerror or error}") from error
        except DatabaseError as error:
            raise CommandError(f"the database stopped it (is it migrated?): {error}") from error
        self._say(report, seconds=monotonic() - started)
        if report.ended_early:
            raise CommandError(
                f"{options['source']} ends early, {report.ended_early}. Load it again when it is whole: what is stored "
                "is not stored twice."
            )

    def _say(self, report: LoadReport, *, seconds: float) -> None:
        for reason in report.reasons[:SHOWN_REASONS]:
            self.stdout.write(f"quarantined: {reason}")
        if len(report.reasons) > SHOWN_REASONS:
            self.stdout.write("... and more; they are all in the quarantine")
        for run_id in report.run_ids:
            self.stdout.write(f"run {run_id}")
        self.stdout.write(report.summary())
        self.stdout.write(
            f"{report.total:,} lines in {seconds:.1f} s, {report.total / max(seconds, 0.001):,.0f} a second"
        )


def _load(lines: Iterator[bytes], *, options: dict[str, Any], report: LoadReport) -> None:
    if options["format"] == CONTRACT:
        load_lines(lines, run_id=options["run"], report=report, overlaps=True)
        return
    entries = read_engine(lines, name=options["format"], run_id=options["run"])
    load_entries(entries, run_id=options["run"], report=report, overlaps=True)


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as file:
        yield file


@contextmanager
def _progress(stream: IO[bytes], *, report: LoadReport, started: float) -> Iterator[Callable[[int], None]]:
    """Show a bar and the rate; the bar's length is that of the file, where there is one."""
    total = Path(stream.name).stat().st_size if isinstance(stream.name, str) and stream.seekable() else None
    columns = [BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[said]}"), TimeElapsedColumn()]
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("lines", total=total, said="")

        def show(place: int) -> None:
            rate = report.total / max(monotonic() - started, 0.001)
            progress.update(task, completed=place, said=f"{report.total:,} lines, {rate:,.0f} a second")

        yield show


def _guid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a GUID") from error
