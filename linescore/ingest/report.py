"""What became of a source: counts, and every refusal by name."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from linescore.ingest.record import Refusal, SkippedGame


@dataclass(slots=True)
class LoadReport:
    """
    What became of the games, and of the files that they came from.

    `expected` is how many games the source seemed to hold; `unreadable` are files or answers, not games.
    """

    expected: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    left_out: list[SkippedGame] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    unreadable: list[Refusal] = field(default_factory=list)
    teams_added: list[str] = field(default_factory=list)
    teams_changed: list[str] = field(default_factory=list)

    @property
    def skipped(self) -> int:
        """Count games that needed nothing: stored already, or left out for a reason."""
        return self.unchanged + len(self.left_out)

    @property
    def total(self) -> int:
        """Count every game that was read."""
        return self.added + self.changed + self.skipped + len(self.refused)

    def summary(self) -> str:
        """Say the four counts in one line."""
        counts = (
            f"{self.added:,} added, {self.changed:,} changed, {self.skipped:,} skipped, {len(self.refused):,} refused"
        )
        return f"{counts}, {len(self.unreadable):,} not readable" if self.unreadable else counts

    def reasons(self) -> Iterator[str]:
        """Give every game and file that did not go in by name, with its reason."""
        if self.teams_added or self.teams_changed:
            yield f"teams: added {_join_codes(self.teams_added)}; changed {_join_codes(self.teams_changed)}"
        for word, things in (("refused", self.refused), ("not readable", self.unreadable)):
            for thing in things:
                yield f"{word}: {thing.name}: {thing.reason}"
        if self.unchanged:
            yield f"skipped: {self.unchanged:,} stored already, and the same"
        for game in self.left_out:
            yield f"skipped: {game.name}: {game.reason}"


def _join_codes(codes: list[str]) -> str:
    return ", ".join(codes) or "none"
