"""Background jobs that load games, started in the admin; manage.py ingest_linescore does the same."""

from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms

from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome

if TYPE_CHECKING:
    from linescore.ingest.from_files import SourceOptions

MAY = "linescore.add_game"
MAX_DAYS = 400


class NhlForm(JobForm):
    """The days to load."""

    first = forms.DateField(label="From", help_text="The first day, as 2025-02-01.")
    last = forms.DateField(label="To", required=False, help_text="The last day, included; empty: today.")
    add_teams = forms.BooleanField(required=False, help_text="Add teams that only the games name.")

    def clean(self) -> dict[str, Any]:
        """Refuse days in the wrong order and spans longer than a season."""
        cleaned = super().clean() or {}
        first, last = cleaned.get("first"), cleaned.get("last")
        if first and last and not 0 <= (last - first).days <= MAX_DAYS:
            self.add_error("last", f"At most {MAX_DAYS} days, and not before the first.")
        return cleaned


class FileForm(JobForm):
    """The file to load."""

    file = file_field("CSV or JSON, as linescore/README.md shows; .gz too.")
    add_teams = forms.BooleanField(required=False, help_text="Add teams that only the games name.")


class SampleForm(JobForm):
    """A form without fields."""


def from_nhl(given: Assignment) -> Outcome:
    """Load games from the NHL's web API."""
    from linescore.ingest.fetch import Wire
    from linescore.ingest.from_nhl import Span, ingest_nhl

    first = date.fromisoformat(given.values["first"])
    last = date.fromisoformat(given.values["last"]) if given.values.get("last") else given.today
    if (last - first).days > MAX_DAYS:
        raise JobRefused(f"{first} is more than {MAX_DAYS} days ago; give a last day.")
    with Wire() as wire:
        report = ingest_nhl(wire, span=Span(first=first, last=last), wanted=_read_options(given), on_step=given.on_step)
    return Outcome.from_report(report, thing="game")


def from_file(given: Assignment) -> Outcome:
    """Load games from a file."""
    from linescore.ingest.from_files import ingest_files

    if given.file is None:
        raise JobRefused("The file is gone; start again.")
    return Outcome.from_report(
        ingest_files(given.file, wanted=_read_options(given), on_step=given.on_step), thing="game"
    )


def from_samples(given: Assignment) -> Outcome:
    """Load the shipped season, or some of its days."""
    from linescore.ingest.samples import load_samples

    first, last = (given.values.get(name) for name in ("first", "last"))
    days = (date.fromisoformat(first), date.fromisoformat(last)) if first and last else None
    return Outcome.from_report(
        load_samples(
            on_progress=lambda report: given.on_step("storing games", report.total, report.expected), days=days
        ),
        thing="game",
    )


def _read_options(given: Assignment) -> "SourceOptions":
    from linescore.ingest.from_files import SourceOptions

    return SourceOptions(today=given.today, adds_teams=bool(given.values.get("add_teams")))


JOBS = [
    JobKind(
        name="linescore.nhl", title="Games from the NHL's web API", form=NhlForm, work=from_nhl, permission=MAY,
        says="Every game of a span of days, period by period; games that are stored and the same are left alone.",
    ),
    JobKind(
        name="linescore.file", title="Games from a file", form=FileForm, work=from_file, permission=MAY,
        says="A file of periods or a saved answer of the NHL's API.",
    ),
    JobKind(
        name="linescore.sample", title="The shipped season 2024-25", form=SampleForm, work=from_samples,
        permission=MAY, says="What is missing of it; corrections stay.",
    ),
]  # fmt: skip
