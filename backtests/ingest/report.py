"""Report of a load: counts, and the reasons of quarantined lines."""

import re
from dataclasses import dataclass, field
from uuid import UUID

MAX_REASONS = 100
_OWN = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9][0-9,]*")
"""The parts of a reason that differ by line: ids, places and sizes."""


@dataclass(slots=True)
class LoadReport:
    """
    Counts of the lines read so far.

    `stored` counts new events, `malformed` those of them with validation errors, `duplicate` events and lines that were
    stored before, `quarantined` lines that give no event.
    """

    stored: int = 0
    duplicate: int = 0
    malformed: int = 0
    quarantined: int = 0
    run_ids: list[UUID] = field(default_factory=list)
    ended_early: str = ""
    _first: dict[str, str] = field(default_factory=dict)
    _lines: dict[str, int] = field(default_factory=dict)

    def refuse(self, line_number: int, *, reason: str) -> None:
        """Count a quarantined line by its reason, ignoring ids and numbers in it."""
        kind = _OWN.sub("#", reason)
        if kind in self._first or len(self._first) < MAX_REASONS:
            self._first.setdefault(kind, f"line {line_number}: {reason}")
            self._lines[kind] = self._lines.get(kind, 0) + 1

    @property
    def reasons(self) -> list[str]:
        """Return each kind of reason once, in the text of its first line, with the number of further lines."""
        more = {kind: f"; {lines - 1:,} more like it" if lines > 1 else "" for kind, lines in self._lines.items()}
        return [text + more[kind] for kind, text in self._first.items()]

    @property
    def total(self) -> int:
        """Count the lines that were not blank."""
        return self.stored + self.duplicate + self.quarantined

    @property
    def added(self) -> int:
        """Count the new events, under the name that quickstart reads."""
        return self.stored

    @property
    def skipped(self) -> int:
        """Count the duplicates, under the name that quickstart reads."""
        return self.duplicate

    def summary(self) -> str:
        """Format the four counts as one line."""
        return (
            f"{self.stored:,} stored, {self.duplicate:,} duplicate, {self.malformed:,} malformed, "
            f"{self.quarantined:,} quarantined"
        )
