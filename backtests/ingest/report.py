"""What became of a log: counts, and the reasons of what could not be made an event."""

import re
from dataclasses import dataclass, field
from uuid import UUID

MAX_REASONS = 100
_OWN = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9][0-9,]*")
"""What a reason says of its own line: ids, places and sizes."""


@dataclass(slots=True)
class LoadReport:
    """
    What became of the lines read so far.

    `stored` counts events that are new, `malformed` those of them with validation errors; `duplicate` events and lines
    that were stored before; `quarantined` lines that are kept apart because no event could be made of them.
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
        """Note why a line is kept apart; reasons that differ in ids and numbers only are one."""
        kind = _OWN.sub("#", reason)
        if kind in self._first or len(self._first) < MAX_REASONS:
            self._first.setdefault(kind, f"line {line_number}: {reason}")
            self._lines[kind] = self._lines.get(kind, 0) + 1

    @property
    def reasons(self) -> list[str]:
        """Give each kind of reason once, as the first line of that kind had it, and how many lines more there are."""
        more = {kind: f"; {lines - 1:,} more like it" if lines > 1 else "" for kind, lines in self._lines.items()}
        return [said + more[kind] for kind, said in self._first.items()]

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
