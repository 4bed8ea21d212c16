"""Load issues: `manage.py ingest_jira <file | folder | https://site>`."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.text import slugify
from rich.console import Console
from rich.progress import Progress

from sprints.ingest.fetch import JiraClient, authorization
from sprints.ingest.files import ingest_files
from sprints.ingest.load import LoadReport, LoadRules, OnProgress, configure, ensure_organisation, note_synced
from sprints.ingest.record import NotReadable
from sprints.ingest.site import IssueSelection, ingest_site
from sprints.models import Organisation
from toolbox.database.command import DatabaseCommand

MAX_LINES = 200


class Command(DatabaseCommand):
    """Store a Jira's issues, sprints and history from files or a site, and report."""

    help = "Load issues from saved answers of a Jira's REST API, its CSV export, or its site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add a source, its organisation, and the options of parsing."""
        parser.add_argument("source", help="A file, a folder, or a site as https://example.atlassian.net.")
        parser.add_argument("--organisation", help="Whose issues they are; else named after the site or the folder.")
        parser.add_argument(
            "--project", action="append", default=[], help="Only this project of a site; may be given again."
        )
        parser.add_argument("--since", type=_day, help="Of a site, only issues changed since this day, as 2026-01-31; "
                            "otherwise since the last run.")  # fmt: skip
        parser.add_argument("--all", action="store_true", help="Of a site, every issue, not only what changed.")
        parser.add_argument("--jql", default="", help="A further condition, in Jira's query language.")
        parser.add_argument("--points-field", action="append", default=[],
                            help="The field of story points, by name or id; kept for the organisation.")  # fmt: skip
        parser.add_argument("--minutes", type=float, default=60.0, help="Stop after so long (%(default)s); "
                            "run again to go on.")  # fmt: skip
        parser.add_argument("--forget-corrections", action="store_true",
                            help="Write again also what has not changed at its source.")  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, then report. Exits with 1 if no issue could be read or the database failed."""
        try:
            organisation = _organisation(options)
            rules = LoadRules(forgets_corrections=options["forget_corrections"])
            with _progress() as on_progress:
                report = _ingest(options, organisation=organisation, rules=rules, on_progress=on_progress)
        except NotReadable as error:
            raise CommandError(str(error)) from error
        self._say(report, all_lines=options["verbosity"] > 1)
        if report.unreadable and not report.total:
            raise CommandError("no issue could be read")

    def _say(self, report: LoadReport, *, all_lines: bool) -> None:
        for number, line in enumerate(report.reasons()):
            if number == MAX_LINES and not all_lines:
                self.stdout.write("... and more; --verbosity 2 shows all, the quarantine in the admin keeps them")
                break
            self.stdout.write(line)
        self.stdout.write(report.summary())


def _organisation(options: dict[str, Any]) -> Organisation:
    source = options["source"]
    host = urlsplit(source).hostname if _is_site(source) else None
    if not host and not Path(source).exists():
        raise CommandError(f"{source!r} is neither a file, nor a folder, nor a site as https://example.atlassian.net.")
    name = options["organisation"] or host or Path(source).resolve().stem
    organisation = ensure_organisation(slugify(name) or "jira", name=name, site_url=source if host else "")
    if options["points_field"]:
        configure(organisation, points_fields=options["points_field"])
    return organisation


def _ingest(
    options: dict[str, Any], *, organisation: Organisation, rules: LoadRules, on_progress: OnProgress
) -> LoadReport:
    now = datetime.now(UTC)
    if not _is_site(options["source"]):
        return ingest_files(
            Path(options["source"]), organisation=organisation, now=now, rules=rules, on_progress=on_progress
        )
    since = options["since"] or (None if options["all"] else organisation.synced_until)
    wanted = IssueSelection(projects=tuple(options["project"]), since=since, jql=options["jql"])
    header = authorization(token=settings.JIRA_TOKEN, email=settings.JIRA_EMAIL)
    with JiraClient(site_url=options["source"], authorization=header, most_seconds=options["minutes"] * 60) as client:
        report = ingest_site(
            client, organisation=organisation, wanted=wanted, now=now, rules=rules, on_progress=on_progress
        )
    if not (options["project"] or options["jql"] or options["since"]):
        note_synced(organisation, report=report)
    return report


def _is_site(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _day(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a day as 2026-01-31") from error


@contextmanager
def _progress() -> Iterator[OnProgress]:
    """Show a bar on a terminal, else one line for each two thousand issues, to keep logs short."""
    console = Console(stderr=True)
    if not console.is_terminal:
        shown = [0]

        def say(report: LoadReport) -> None:
            if report.total // 2_000 > shown[0]:
                shown[0] = report.total // 2_000
                console.print(f"{report.total:,} issues of {report.expected or '?'}", highlight=False, markup=False)

        yield say
        return
    with Progress(console=console) as progress:
        task = progress.add_task("storing issues", total=None)
        yield lambda report: progress.update(task, completed=report.total, total=report.expected or None)
