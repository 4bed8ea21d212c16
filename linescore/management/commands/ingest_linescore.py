"""Load games: `manage.py ingest_linescore <file | folder | season>`, or `--from ... --to ...`."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import Progress

from linescore.ingest.fetch import BASE_URL, REQUESTS_A_SECOND, Wire
from linescore.ingest.from_files import OnStep, SourceOptions, ingest_files
from linescore.ingest.from_nhl import Span, ingest_nhl
from linescore.ingest.report import LoadReport
from toolbox.database.command import DatabaseCommand

MAX_LINES = 200
FIRST_SEASON = 1917


class Command(DatabaseCommand):
    """Store games from saved files or from the NHL's web API, and report what was refused."""

    help = "Load games from a CSV or JSON file, a folder of them, or a season or dates of the NHL's web API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the source, the days and the options of a load."""
        parser.add_argument("source", nargs="?", help="A file, a folder, or a season as 2024-2025.")
        parser.add_argument("--from", dest="first", type=_day, help="Ask the API from this day, as 2025-02-01 ...")
        parser.add_argument("--to", dest="last", type=_day, help="... to this day, included; today if not given.")
        parser.add_argument("--base-url", default=BASE_URL, help="Where the API is (%(default)s).")
        parser.add_argument("--rate", type=_rate, default=REQUESTS_A_SECOND, help="Requests a second (%(default)s).")
        parser.add_argument("--endpoint", choices=["score", "landing", "play-by-play"], default="score",
                            help="What gives the goals: score asks once a day, the others once a game.")  # fmt: skip
        parser.add_argument("--kinds", nargs="+", choices=["PRE", "REG", "POST"], default=["REG", "POST"],
                            help="Which games: preseason, regular season, playoffs (REG POST).")  # fmt: skip
        parser.add_argument("--add-teams", action="store_true",
                            help="Add teams that only the games name; otherwise such games are refused.")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Load and report; exit with 1 if nothing is readable or the database fails, with 2 if something is missing."""
        wanted = SourceOptions(
            today=datetime.now(UTC).date(), kinds=frozenset(options["kinds"]), adds_teams=options["add_teams"]
        )
        with _progress() as on_step:
            report = _ingest(options, wanted=wanted, on_step=on_step)
        self._say(report, all_lines=options["verbosity"] > 1)
        if report.unreadable and not report.total:
            raise CommandError("no game could be read")
        if report.refused or report.unreadable:
            counts = f"{len(report.refused):,} refused, {len(report.unreadable):,} not readable"
            raise CommandError(f"{counts}: answers about their seasons are incomplete", returncode=2)

    def _say(self, report: LoadReport, *, all_lines: bool) -> None:
        for number, line in enumerate(report.reasons()):
            if number == MAX_LINES and not all_lines:
                self.stdout.write("... and more; --verbosity 2 shows all")
                break
            self.stdout.write(line)
        self.stdout.write(report.summary())


def _ingest(options: dict[str, Any], *, wanted: SourceOptions, on_step: OnStep) -> LoadReport:
    source, first = options["source"], options["first"]
    if source and (first or options["last"]):
        raise CommandError("Give a file, a folder or a season, or --from and --to; not both.")
    if source and Path(source).exists():
        return ingest_files(Path(source), wanted=wanted, on_step=on_step)
    span = _season(source) if source else _days(first, options["last"] or wanted.today)
    with Wire(base_url=options["base_url"], requests_a_second=options["rate"]) as wire:
        return ingest_nhl(wire, span=span, wanted=wanted, endpoint=options["endpoint"], on_step=on_step)


def _season(source: str) -> Span:
    found = re.fullmatch(r"([0-9]{4})-([0-9]{4})", source)
    if not found or int(found[2]) != int(found[1]) + 1 or int(found[1]) < FIRST_SEASON:
        raise CommandError(f"{source!r} is neither a file, nor a folder, nor a season as 2024-2025.")
    return Span.of_season(int(found[1]))


def _days(first: date | None, last: date) -> Span:
    if first is None:
        raise CommandError("Give a file, a folder, a season as 2024-2025, or --from with a day.")
    if first > last:
        raise CommandError(f"--from {first} is after --to {last}.")
    return Span(first=first, last=last)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a day as 2025-02-01") from error


def _rate(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]+)?", text) or not float(text):
        raise ArgumentTypeError(f"{text!r} is not a number of requests a second")
    return float(text)


@contextmanager
def _progress() -> Iterator[OnStep]:
    """Show a progress bar per step on a terminal; otherwise print a line per tenth, so that logs stay short."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console).show
        return
    with Progress(console=console) as progress:
        tasks: dict[str, Any] = {}

        def show(step: str, done: int, expected: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step)
            progress.update(tasks[step], completed=done, total=max(expected, 1))

        yield show


class _Lines:
    """Progress printed as lines of text."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[str, int] = {}

    def show(self, step: str, done: int, expected: int) -> None:
        """Print a step whenever another tenth of it is done."""
        tenth = 10 * done // max(expected, 1)
        if self._shown.get(step) != tenth:
            self._shown[step] = tenth
            self._console.print(f"{step}: {done:,} of {expected:,}", highlight=False, markup=False)
