"""What a domain says of loading the data that ships with it."""

from dataclasses import dataclass


@dataclass(slots=True)
class SampleReport:
    """How many rows were added, and how many were there."""

    added: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """Count every row."""
        return self.added + self.skipped

    def count(self, *, is_new: bool) -> None:
        """Count a row."""
        if is_new:
            self.added += 1
        else:
            self.skipped += 1


def ignore_progress(_: SampleReport) -> None:
    """Show progress to nobody."""
