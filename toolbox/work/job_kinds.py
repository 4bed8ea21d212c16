"""The kinds of jobs: each domain lists its own as JOBS in a module `ingest_jobs`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol, Self

from django import forms

OnStep = Callable[[str, int, int], None]
"""Called with a step's name, its progress and its total; raises when the job must stop."""


class JobRefused(Exception):
    """The job cannot do what was asked; the message tells a person why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The input of a job: the form's values as JSON, its file, the date it began, and a callback for each step."""

    values: dict[str, Any]
    file: Path | None
    today: date
    on_step: OnStep


class NotRead(Protocol):
    """A file or an answer that could not be read."""

    @property
    def name(self) -> str:
        """Return the name of the file or answer."""

    @property
    def reason(self) -> str:
        """Return why."""


class JobReport(Protocol):
    """The interface of every report of a load."""

    @property
    def total(self) -> int:
        """Return how many were read."""

    @property
    def unreadable(self) -> Sequence[NotRead]:
        """Return those that could not be read."""

    def summary(self) -> str:
        """Return the counts in one line."""

    def reasons(self) -> Iterable[str]:
        """Yield what was left out, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a job: a line, and lines for what was left out."""

    summary: str
    reasons: Iterable[str] = ()

    @classmethod
    def from_report(cls, report: JobReport, *, thing: str) -> Self:
        """Convert a load's report; raises JobRefused if not one `thing` could be read."""
        if report.unreadable and not report.total:
            first = report.unreadable[0]
            raise JobRefused(f"No {thing} could be read: {first.name}: {first.reason}")
        return cls(summary=report.summary(), reasons=report.reasons())


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """
    One kind of job.

    `form` asks for its values; its field `file`, if any, is stored in the row, so that any worker can read it.
    `permission` is needed to start it, besides the permission to add jobs.
    """

    name: str
    title: str
    says: str
    form: type[forms.Form]
    work: Callable[[Assignment], Outcome]
    permission: str


_kinds: dict[str, JobKind] = {}


def register_jobs(kinds: Iterable[JobKind]) -> None:
    """Register these kinds; raises ValueError if a name is taken."""
    for kind in kinds:
        if _kinds.setdefault(kind.name, kind) is not kind:
            raise ValueError(f"two kinds of job are named {kind.name}")


def kinds() -> list[JobKind]:
    """Return every kind, by title."""
    return sorted(_kinds.values(), key=lambda kind: kind.title)


def kind_named(name: str) -> JobKind | None:
    """Return the kind of that name, or None."""
    return _kinds.get(name)
