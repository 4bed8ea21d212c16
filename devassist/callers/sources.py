"""Which source files a workspace has, and what changed since one looked last."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MOST_FILES = 20_000
MOST_FOLDERS = 20_000

_SKIPPED = {
    "node_modules", "bower_components", "build", "dist", "out", "target", "bin", "obj", "vendor", "venv", "env",
    "__pycache__", "site-packages", "coverage",
}  # fmt: skip
"""Folders of what is made or fetched, not written; those with a dot in front are left out as well."""

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files of one look: path from the root, with time of change and size. `is_cut` where there are more."""

    files: Mapping[str, Stamp]
    is_cut: bool

    def changes_since(self, before: "Sources") -> tuple[list[str], list[str], list[str]]:
        """Give what was made, changed and deleted."""
        made = [path for path in self.files if path not in before.files]
        changed = [path for path, stamp in self.files.items() if before.files.get(path, stamp) != stamp]
        deleted = [path for path in before.files if path not in self.files]
        return made, changed, deleted


NONE = Sources(files={}, is_cut=False)


def look(root: str, *, wanted: Callable[[str], object]) -> Sources:
    """Walk the folders below the root, following no links, and stamp each file whose name is wanted."""
    files: dict[str, Stamp] = {}
    left, seen = [""], 0
    while left and seen < MOST_FOLDERS:
        folder = left.pop()
        seen += 1
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)  # noqa: PTH118
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not entry.name.startswith("."):
                    left.append(path)
            elif entry.is_file(follow_symlinks=False) and wanted(path):
                if len(files) >= MOST_FILES:
                    return Sources(files=files, is_cut=True)
                _stamp(entry, into=files, path=path)
    return Sources(files=files, is_cut=bool(left))


def _stamp(entry: os.DirEntry[str], *, into: dict[str, Stamp], path: str) -> None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return
    into[path] = (found.st_mtime_ns, found.st_size)
