"""Source files of a workspace, and changes since the last look."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter

MAX_FILES = 20_000
MAX_FOLDERS = 20_000

_SKIPPED = {
    "node_modules", "bower_components", "build", "dist", "out", "target", "bin", "obj", "vendor", "venv", "env",
    "__pycache__", "site-packages", "coverage",
}  # fmt: skip
"""Folders of generated or downloaded files. Hidden folders are left out as well."""

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """
    The files found in one look: path from the root, with modification time and size.

    `is_cut` where there are more, or some whose names are no UTF-8, which neither servers nor answers can say.
    """

    files: Mapping[str, Stamp]
    is_cut: bool

    def changes_since(self, before: "Sources") -> tuple[list[str], list[str], list[str]]:
        """Return the created, changed and deleted files."""
        made = [path for path in self.files if path not in before.files]
        changed = [path for path, stamp in self.files.items() if before.files.get(path, stamp) != stamp]
        deleted = [path for path in before.files if path not in self.files]
        return made, changed, deleted


NONE = Sources(files={}, is_cut=False)


def look(root: str, *, wanted: Callable[[str], object]) -> Sources:
    """Walk the folders below the root without following links, and stamp each file with a matching name."""
    files: dict[str, Stamp] = {}
    left, seen, is_cut = [""], 0, False
    while left and seen < MAX_FOLDERS:
        folder = left.pop()
        seen += 1
        for entry in _entries(os.path.join(root, folder)):  # noqa: PTH118
            name = entry.name
            path = f"{folder}/{name}" if folder else name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_left_out(name) if is_folder else not (wanted(path) and entry.is_file(follow_symlinks=False)):
                continue
            if not (name.isascii() or _can_be_said(name)):
                is_cut = True
            elif is_folder:
                left.append(path)
            elif len(files) >= MAX_FILES:
                return Sources(files=files, is_cut=True)
            else:
                _stamp(entry, into=files, path=path)
    return Sources(files=files, is_cut=is_cut or bool(left))


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    """Return a folder's entries by name. Empty if it may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=attrgetter("name"))
    except OSError:
        return []


def _is_left_out(name: str) -> bool:
    return name in _SKIPPED or name.startswith(".")


def _can_be_said(name: str) -> bool:
    return name.encode(errors="replace").decode() == name


def _stamp(entry: os.DirEntry[str], *, into: dict[str, Stamp], path: str) -> None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return
    into[path] = (found.st_mtime_ns, found.st_size)
