"""What became of a source: counts, and every doubt by name."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from sprints.ingest.record import Doubt, printable


@dataclass(slots=True)
class LoadReport:
    """
    What became of the issues, and what came with them.

    `skipped` are stored already, and the same; sprints, users and teams count what was added or changed.
    """

    expected: int = 0
    added: int = 0
    changed: int = 0
    skipped: int = 0
    sprints: int = 0
    users: int = 0
    teams: int = 0
    latest: datetime | None = None
    doubts: list[Doubt] = field(default_factory=list)
    unreadable: list[Doubt] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Count every issue that was read and stored, or refused."""
        return self.added + self.changed + self.skipped + self.refused

    @property
    def refused(self) -> int:
        """Count issues that could not be stored."""
        return sum(doubt.kind == "issue" and not doubt.is_warning for doubt in self.doubts)

    @property
    def warnings(self) -> int:
        """Count what was stored in part."""
        return sum(doubt.is_warning for doubt in self.doubts)

    def summary(self) -> str:
        """Say the counts in one line."""
        left_out = len(self.doubts) - self.warnings
        return (
            f"issues: {self.added:,} added, {self.changed:,} changed, {self.skipped:,} unchanged, "
            f"{self.refused:,} refused; "
            f"{self.sprints:,} sprints, {self.users:,} people, {self.teams:,} teams added or changed; "
            f"{left_out:,} records in quarantine, {self.warnings:,} warnings"
            + (f"; {len(self.unreadable):,} files or answers not readable" if self.unreadable else "")
        )

    def reasons(self) -> Iterator[str]:
        """Give every file and record that did not go in whole, by name, with its reason."""
        for doubt in self.unreadable:
            yield f"not readable: {printable(doubt.name)}: {printable(doubt.reason, most=300)}"
        for doubt in self.doubts:
            word = "warning" if doubt.is_warning else "refused"
            yield f"{word}: {doubt.kind} {printable(doubt.name)}: {printable(doubt.reason, most=300)}"
