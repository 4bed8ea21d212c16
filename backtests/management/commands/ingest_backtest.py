"""Load a run's log: `manage.py ingest_backtest <file>`, or from standard input with `-`."""

import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BufferedReader, BytesIO, StringIO
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import Any, cast
from uuid import UUID

import django
from django.core.management.base import CommandError
from django.db import connections
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from backtests.ingest.engines import list_engines
from backtests.ingest.files import LoadOptions, SourceFile, load_files, require_events
from backtests.ingest.format_choice import AUTO, CONTRACT, ColumnsGuessed, LoadRefused, choose_format
from backtests.ingest.load import NameRunError, load_lines
from backtests.ingest.record import RunFacts
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from toolbox.database.command import DatabaseCommand

SHOWN_REASONS = 20
STDIN = "-"


class Command(DatabaseCommand):
    """Store the events of logs, and report how many lines were stored."""

    _is_asking = False
    help = "Load backtests: logs, engines' files and tables, plain or gzip, from files or from standard input (-)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the sources, their format, and their run or sweep."""
        parser.add_argument("sources", nargs="+", help="Files, .gz or not, CSV or Parquet; - for standard input.")
        parser.add_argument("--format", choices=[AUTO, CONTRACT, *list_engines()], default=AUTO,
                            help="Whose words the logs are in; without it, it is seen by how each begins.")  # fmt: skip
        parser.add_argument("--run", type=_guid, help="The run's GUID, of a single source. Without it: the one that "
                            "the log names, else one made from the log's content.")  # fmt: skip
        parser.add_argument("--together", action="store_true", help="The sources are one run: a table of trades, and "
                            "one of equity or returns.")  # fmt: skip
        parser.add_argument("--sweep", default="", help="The experiment that the runs belong to, by any name.")
        parser.add_argument("--columns", action="append", default=[], help="What a table's columns mean, as "
                            "time=Date,equity=NAV; once for every source, or once for each.")  # fmt: skip
        parser.add_argument("--symbol", default="", help="Which security a table is of that does not say it.")
        parser.add_argument("--processes", type=int, default=1, help="How many sources are loaded at a time.")
        parser.add_argument("--no-input", "--noinput", action="store_false", dest="interactive",
                            help="Do not ask whether guessed columns are right.")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Load and report; exit with 1 if a source holds no event or is truncated."""
        names: list[str] = options["sources"]
        if options["run"] and len(names) > 1 and not options["together"]:
            raise CommandError("--run names one run: give one source, or --together, or leave --run out.")
        if STDIN in names and (options["together"] or options["processes"] > 1):
            raise CommandError("Standard input is loaded alone: leave --together and --processes out.")
        columns = options["columns"] or [""]
        if len(columns) not in {1, len(names)}:
            raise CommandError(f"--columns is given {len(columns)} times for {len(names)} sources.")
        each = columns if len(columns) == len(names) else columns * len(names)
        files = [SourceFile(path=Path(name), columns=one) for name, one in zip(names, each, strict=True)]
        runs = [files] if options["together"] else [[file] for file in files]
        how = LoadOptions(
            format_name=options["format"], run_id=options["run"], sweep=options["sweep"], symbol=options["symbol"],
            overlaps=True,
        )  # fmt: skip
        self._is_asking = options["interactive"] and sys.stdin.isatty() and options["processes"] == 1
        faults = [fault for fault in self._load_all(runs, options=how, processes=options["processes"]) if fault]
        if faults:
            raise CommandError("\n".join(faults))

    def _load_all(self, runs: list[list[SourceFile]], *, options: LoadOptions, processes: int) -> Iterator[str]:
        """Load each run's files; return an error message for each failed run."""
        if processes < 2 or len(runs) < 2:  # noqa: PLR2004 - one at a time
            for files in runs:
                yield self.load_run(files, options=options)
            return
        workers = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=set_up_process)
        with workers:
            for output, fault in workers.map(partial(load_apart, options=options), runs):
                self.stdout.write(output, ending="")
                yield fault

    def load_run(self, files: list[SourceFile], *, options: LoadOptions) -> str:
        """Load one run; return an error message, empty if all is well."""
        report, started, name = LoadReport(), monotonic(), " and ".join(str(file.path) for file in files)
        try:
            _load_source(files, options=options, report=report, started=started)
        except OSError as error:
            return f"{error.filename or name} cannot be read: {error.strerror or error}"
        except NameRunError:
            return f"{name}: no line names its run, and what is read from standard input has none: give --run."
        except ColumnsGuessed as guessed:
            if not self._confirms(guessed):
                return f"{name}: {guessed}"
            return self.load_run([_confirm(file, guessed=guessed) for file in files], options=options)
        except LoadRefused as error:
            return f"{name}: {error}"
        self._say(report, seconds=monotonic() - started)
        if report.ended_early:
            return (
                f"{name} ends early, {report.ended_early}. Load it again when it is whole: what is stored is not "
                "stored twice."
            )
        return ""

    def _confirms(self, guessed: ColumnsGuessed) -> bool:
        """Have a person confirm guessed columns, if the command runs at a terminal."""
        if not self._is_asking:
            return False
        self.stdout.write(f'{guessed.guess}\nThat is --columns "{guessed.columns}".')
        return input("Load it so? [y/N] ").strip().lower() in {"y", "yes"}

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


def set_up_process() -> None:
    """Set Django up in a worker process."""
    django.setup()


def load_apart(files: list[SourceFile], *, options: LoadOptions) -> tuple[str, str]:
    """Load one run in this worker process; return its output and its error message."""
    output = StringIO()
    try:
        fault = Command(stdout=output).load_run(files, options=options)
    except CommandError as error:
        fault = str(error)
    finally:
        connections.close_all()
    return output.getvalue(), fault


def _confirm(file: SourceFile, *, guessed: ColumnsGuessed) -> SourceFile:
    """Return the guessed file with its columns, and any other file unchanged."""
    return replace(file, columns=guessed.columns) if file.path == guessed.path else file


def _load_source(files: list[SourceFile], *, options: LoadOptions, report: LoadReport, started: float) -> None:
    if str(files[0].path) != STDIN:
        total = sum(file.path.stat().st_size for file in files)
        with _progress(total, report=report, started=started) as shown:
            load_files(files, options=options, report=report, on_bytes=shown)
    elif _is_contract(options, columns=files[0].columns):
        with _progress(None, report=report, started=started) as shown:
            lines = read_lines(sys.stdin.buffer, report=report, on_bytes=shown)
            facts = RunFacts(sweep=options.sweep or None)
            load_lines(lines, run_id=options.run_id, report=report, overlaps=True, facts=facts)
        require_events(report)
    else:  # an engine's stream is compared with what is stored before any of it is stored
        with NamedTemporaryFile(prefix="backtest_") as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.flush()
            load_files([replace(files[0], path=Path(kept.name))], options=options, report=report)


def _is_contract(options: LoadOptions, *, columns: str) -> bool:
    """Return whether standard input is in the contract's words, which are stored while they come."""
    stdin = cast(BufferedReader, sys.stdin.buffer)
    head = BytesIO(stdin.peek()) if options.format_name == AUTO else BytesIO()
    return choose_format(head, name=options.format_name, columns=columns, symbol=options.symbol).name == CONTRACT


@contextmanager
def _progress(total: int | None, *, report: LoadReport, started: float) -> Iterator[Callable[[int], None]]:
    """Show a progress bar with the rate; its length is that of the file, if known."""
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
