"""Limits of an answer, and the one way to say that one was reached."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Bounds:
    """
    The limits that were reached. Each is a sentence for the answer, which is then incomplete.

    >>> bounds = Bounds()
    >>> bounds.take(["a", "b", "c"], most=2, what="files with the name")
    ['a', 'b']
    >>> bounds.reasons
    ['There are 3 files with the name; 2 were looked at.']
    """

    reasons: list[str] = field(default_factory=list)

    def take(self, found: Sequence[Item], *, most: int, what: str) -> list[Item]:
        """Return the first ones, at most `most`, and record if there are more."""
        if len(found) > most:
            self.note(f"There are {len(found):,} {what}; {most:,} were looked at.")
        return list(found[:most])

    def note(self, reason: str) -> None:
        """Record a limit that was reached, once."""
        if reason not in self.reasons:
            self.reasons.append(reason)
