"""Which jobs there are: each domain says its own in a module `ingest_jobs`, as a list JOBS."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol, Self

from django import forms

OnStep = Callable[[str, int, int], None]
"""Told of a step's name, how much of it is done, and how much there is; raises when the job is to stop."""


class JobRefused(Exception):
    """The job cannot do what was asked; the message says why, to a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a job is given: its form's cleaned values as JSON, its file, the day it began, what to call at each step."""

    values: dict[str, Any]
    file: Path | None
    today: date
    on_step: OnStep


class NotRead(Protocol):
    """A file or an answer that could not be read."""

    @property
    def name(self) -> str:
        """Say which."""

    @property
    def reason(self) -> str:
        """Say why."""


class JobReport(Protocol):
    """What every report of a load says."""

    @property
    def total(self) -> int:
        """Count what was read."""

    @property
    def unreadable(self) -> Sequence[NotRead]:
        """Name what could not be."""

    def summary(self) -> str:
        """Say the counts in one line."""

    def reasons(self) -> Iterable[str]:
        """Name what did not go in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of it: a line, and lines for what did not go in."""

    summary: str
    reasons: Iterable[str] = ()

    @classmethod
    def from_report(cls, report: JobReport, *, thing: str) -> Self:
        """Say what a load's report says; raises JobRefused where not one `thing` could be read."""
        if report.unreadable and not report.total:
            first = report.unreadable[0]
            raise JobRefused(f"No {thing} could be read: {first.name}: {first.reason}")
        return cls(summary=report.summary(), reasons=report.reasons())


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """
    One kind of job.

    `form` asks for its values; a field named `file` is kept with the row, so that any worker can read it. `permission`
    is what the person who starts it needs, beside starting jobs at all.
    """

    name: str
    title: str
    says: str
    form: type[forms.Form]
    work: Callable[[Assignment], Outcome]
    permission: str


_kinds: dict[str, JobKind] = {}


def register_jobs(kinds: Iterable[JobKind]) -> None:
    """Offer these kinds; raises ValueError where a name is taken."""
    for kind in kinds:
        if _kinds.setdefault(kind.name, kind) is not kind:
            raise ValueError(f"two kinds of job are named {kind.name}")


def kinds() -> list[JobKind]:
    """Give every kind, by title."""
    return sorted(_kinds.values(), key=lambda kind: kind.title)


def kind_named(name: str) -> JobKind | None:
    """Find a kind."""
    return _kinds.get(name)
