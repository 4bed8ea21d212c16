"""Report of a load: counts, and every refusal with its reason."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from linescore.ingest.record import Refusal, SkippedGame


@dataclass(slots=True)
class LoadReport:
    """
    Counts and refusals of the games and files of a load.

    `expected` is how many games the source seems to hold; `unreadable` holds files or responses, not games.
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
        """Count the games that were already stored or left out."""
        return self.unchanged + len(self.left_out)

    @property
    def total(self) -> int:
        """Count all games that were read."""
        return self.added + self.changed + self.skipped + len(self.refused)

    def summary(self) -> str:
        """Format the four counts as one line."""
        counts = (
            f"{self.added:,} added, {self.changed:,} changed, {self.skipped:,} skipped, {len(self.refused):,} refused"
        )
        return f"{counts}, {len(self.unreadable):,} not readable" if self.unreadable else counts

    def reasons(self) -> Iterator[str]:
        """Yield a line with the reason for each game and file that was not stored."""
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
