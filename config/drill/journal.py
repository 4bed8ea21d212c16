"""
A file of what the drill's tools did, one line each, and a file that makes them wait; shared by processes of a host.

A line is written before anything else, in one system call, so that it survives a process that is then killed.
"""

import os
from collections import Counter
from pathlib import Path


class Journal:
    """The two files, in the drill's folder."""

    def __init__(self, folder: Path) -> None:
        self._lines, self._hold = folder / "journal", folder / "hold"

    def note(self, line: str) -> None:
        """Add a line."""
        descriptor = os.open(self._lines, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)

    def count_lines(self) -> Counter[str]:
        """Count how often each line was written."""
        return Counter(self._lines.read_text().splitlines()) if self._lines.exists() else Counter()

    def hold(self) -> None:
        """Make tools that start from now on wait."""
        self._hold.touch()

    def release(self) -> None:
        """Let waiting tools continue."""
        self._hold.unlink(missing_ok=True)

    @property
    def is_held(self) -> bool:
        """Return whether tools must wait."""
        return self._hold.exists()
