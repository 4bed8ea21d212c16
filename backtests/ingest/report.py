"""What became of a log: counts, and the reasons of what could not be made an event."""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(slots=True)
class LoadReport:
    """
    What became of the lines read so far.

    `stored` counts events that are new, `malformed` those of them with validation errors; `duplicate` events and lines
    that were stored before; `quarantined` lines that are kept apart because no event XX
    """

    stored: int = 0
    duplicate: int = 0
    malformed: int = 0
    quarantined: int = 0
    run_ids: list[UUID] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    ended_early: str = ""

    @property
    def total(self) -> int:
        """Count every line that held something."""
        return self.stored + self.duplicate + self.quarantined

    @property
    def added(self) -> int:
        """Count what is new, as quickstart says it."""
        return self.stored

    @property
    def skipped(self) -> int:
        """Count what was there already, as quickstart says it."""
        return self.duplicate

    def summary(self) -> str:
        """Say the four counts in one line."""
        return (
            f"{self.stored:,} stored, {self.duplicate:,} duplicate, {self.malformed:,} malformed, "
            f"{self.quarantined:,} quarantined"
        )
