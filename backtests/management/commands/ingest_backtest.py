"""Load a run's log: `manage.py ingest_backtest <file>`, or from standard input with `-`."""

import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import Any, cast
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from backtests.ingest.engines import list_engines
from backtests.ingest.files import LoadOptions, load_file, require_events
from backtests.ingest.format_choice import AUTO, CONTRACT, LoadRefused, choose_format
from backtests.ingest.load import NameRunError, load_lines
from backtests.ingest.record import RunFacts
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines

SHOWN_REASONS = 20
STDIN = "-"


class Command(BaseCommand):
    """Store logs' events, and say what became of their lines."""

    help = "Load backtests: logs, engines' files and tables, plain or gzip, from files or from standard input (-)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take sources, whose format they have, and which run or sweep they are."""
        parser.add_argument("sources", nargs="+", help="Files, .gz or not; - for standard input.")
        parser.add_argument("--format", choices=[AUTO, CONTRACT, *list_engines()], default=AUTO,
                            help="Whose words the logs are in; without it, it is seen by how each begins.")  # fmt: skip
        parser.add_argument("--run", type=_guid, help="The run's GUID, of a single source. Without it: the one that "
                            "the log names, else one made from the log's content.")  # fmt: skip
        parser.add_argument("--sweep", default="", help="The experiment that the runs belong to, by any name.")
        parser.add_argument("--columns", default="", help="What a table's columns mean, as time=Date,equity=NAV.")
        parser.add_argument("--symbol", default="", help="Which security a table is of that does not say it.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, then report; ends with 1 where a source holds no event, or was not read to its end."""
        if options["run"] and len(options["sources"]) > 1:
            raise CommandError("--run names one run: give one source, or leave --run out.")
        faults = [fault for source in options["sources"] if (fault := self._load(source, options=options))]
        if faults:
            raise CommandError("\n".join(faults))

    def _load(self, source: str, *, options: dict[str, Any]) -> str:
        """Load one source; gives what is to be said of it as an error."""
        report, started = LoadReport(), monotonic()
        how = LoadOptions(
            format_name=options["format"], run_id=options["run"], sweep=options["sweep"], columns=options["columns"],
            symbol=options["symbol"], overlaps=True,
        )  # fmt: skip
        try:
            _load_source(source, options=how, report=report, started=started)
        except OSError as error:
            return f"{source} cannot be read: {error.strerror or error}"
        except DatabaseError as error:
            raise CommandError(f"the database stopped it (is it migrated?): {error}") from error
        except NameRunError:
            return f"{source}: no line names its run, and what is read from standard input has none: give --run."
        except LoadRefused as error:
            return f"{source}: {error}"
        self._say(report, seconds=monotonic() - started)
        if report.ended_early:
            return (
                f"{source} ends early, {report.ended_early}. Load it again when it is whole: what is stored is not "
                "stored twice."
            )
        return ""

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


def _load_source(source: str, *, options: LoadOptions, report: LoadReport, started: float) -> None:
    if source != STDIN:
        path = Path(source)
        with _progress(path.stat().st_size, report=report, started=started) as shown:
            load_file(path, options=options, report=report, on_bytes=shown)
    elif _is_contract(options):
        with _progress(None, report=report, started=started) as shown:
            lines = read_lines(sys.stdin.buffer, report=report, on_bytes=shown)
            facts = RunFacts(sweep=options.sweep or None)
            load_lines(lines, run_id=options.run_id, report=report, overlaps=True, facts=facts)
        require_events(report)
    else:  # an engine's stream is held against what is stored before a line of it is
        with NamedTemporaryFile(prefix="backtest_") as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.flush()
            load_file(Path(kept.name), options=options, report=report)


def _is_contract(options: LoadOptions) -> bool:
    """Tell whether standard input is in the contract's words, which are stored while they come."""
    stdin = cast(BufferedReader, sys.stdin.buffer)
    head = BytesIO(stdin.peek()) if options.format_name == AUTO else BytesIO()
    name, _ = choose_format(head, name=options.format_name, columns=options.columns, symbol=options.symbol)
    return name == CONTRACT


@contextmanager
def _progress(total: int | None, *, report: LoadReport, started: float) -> Iterator[Callable[[int], None]]:
    """Show a bar and the rate; the bar's length is that of the file, where there is one."""
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
