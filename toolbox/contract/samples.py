"""The report of loading a domain's sample data."""

from dataclasses import dataclass


@dataclass(slots=True)
class SampleReport:
    """How many rows were added, and how many existed already."""

    added: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """Return the number of rows."""
        return self.added + self.skipped

    def count(self, *, is_new: bool) -> None:
        """Count one row."""
        if is_new:
            self.added += 1
        else:
            self.skipped += 1


def ignore_progress(_: SampleReport) -> None:
    """Ignore the progress of a load."""
