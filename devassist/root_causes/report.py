"""The report of loading root causes."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedEntry:
    """A line, row or page that is not an entry, with the reason."""

    place: str
    reason: str


@dataclass(slots=True)
class RcaReport:
    """Counts, and refused places. `repeated` had an id twice: the last one is stored."""

    added: int = 0
    changed: int = 0
    skipped: int = 0
    repeated: int = 0
    refused: list[RefusedEntry] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Count all entries that were read."""
        return self.added + self.changed + self.skipped + self.repeated + len(self.refused)

    def summary(self, *, seconds: float) -> str:
        """Return the counts and the rate in one line."""
        rate = (self.added + self.changed) / seconds if seconds else 0
        return (
            f"root causes: {self.added:,} added, {self.changed:,} changed, {self.skipped:,} unchanged, "
            f"{self.repeated:,} repeated, {len(self.refused):,} refused; {rate:.0f} a second"
        )

    def reasons(self) -> Iterator[str]:
        """Yield the reason of each refusal."""
        for one in self.refused:
            yield f"refused: {one.place}: {one.reason}"
