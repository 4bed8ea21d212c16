"""
A file of what the drill's tools did, a line each, and a file that holds them back; shared by processes of one host.

A line is written before anything else is done, in one system call, so that a process killed afterwards has left it.
"""

import os
from collections import Counter
from pathlib import Path


class Journal:
    """The two files, in a folder that the drill makes."""

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
        """Have tools that begin from now on wait."""
        self._hold.touch()

    def release(self) -> None:
        """Let them go on."""
        self._hold.unlink(missing_ok=True)

    @property
    def is_held(self) -> bool:
        """Tell whether tools are to wait."""
        return self._hold.exists()
