"""
Walk the files of a workspace in a fixed order, without following links.

Each folder is opened relative to the descriptor of its parent. Ignore files (`.gitignore`, `.ignore`) apply at every
level. `.git` and folders of installed packages are never entered. Names that look like secrets are left out.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from devassist.files.safe_open import open_file
from devassist.files.secrets import looks_secret
from toolbox.contract.errors import ToolError

MAX_DEPTH = 64
MAX_ENTRIES = 200_000
MAX_IGNORE_BYTES = 256 * 1024
MAX_STARS = 6
"""The maximum stars in one name of an ignore rule. Matching takes a time to the power of them: others do not count."""
IGNORE_FILES = (".gitignore", ".ignore")
NEVER_ENTERED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", "site-packages"})

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A regular file: its path from the root, its size, and its modification time."""

    path: str
    size: int
    changed_at_ns: int


@dataclass(slots=True)
class WalkReport:
    """What a walk left out. It is filled while the walk is consumed."""

    secrets: int = 0
    unreadable: int = 0
    is_cut: bool = False

    @property
    def problem(self) -> str | None:
        """Say why there may be more files. None if there are not."""
        said = f"{self.unreadable} files or folders could not be read or named." if self.unreadable else ""
        cut = (
            f"There are more than {MAX_ENTRIES:,} entries; those after them were not looked at." if self.is_cut else ""
        )
        return " ".join(part for part in (said, cut) if part) or None


@dataclass(frozen=True, slots=True)
class _IgnoreRules:
    """The rules of one ignore file. Paths are relative to its folder."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether the rules ignore the path. None if no rule matches."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        return self.spec.check_file(inside + "/" if is_folder else inside).include


@dataclass(slots=True)
class _Walk:
    root: str
    shows_secrets: bool
    ignores: bool
    after: tuple[str, ...]
    report: WalkReport
    entries: int = field(default=0)


def walk_files(
    root: str,
    *,
    shows_secrets: bool = False,
    under: str = "",
    after: str = "",
    ignores: bool = True,
    report: WalkReport | None = None,
) -> Iterator[FoundFile]:
    """
    Yield the files below a root, ordered by the segments of their paths.

    `under` names a folder to stay in, `after` the path after which to go on. At most 200,000 entries are looked at;
    then `report.is_cut` is set. What cannot be read is counted in the report; below no folder there is nothing.
    """
    real = os.path.realpath(root)
    walk = _Walk(real, shows_secrets, ignores, PurePosixPath(after).parts, report or WalkReport())
    parts = [part for part in PurePosixPath(under).parts if part != "/"]
    if ".." in parts:
        return
    try:
        top = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        walk.report.unreadable += 1
        return
    descriptors: list[int] = [top]
    rules: list[_IgnoreRules] = []
    try:
        for number, part in enumerate(parts):
            path = "/".join(parts[: number + 1])
            if part in NEVER_ENTERED or _is_ignored(path, rules=rules, is_folder=True):
                return
            rules += _read_rules("/".join(parts[:number]), names=IGNORE_FILES, walk=walk)
            descriptors.append(os.open(part, _FOLDER, dir_fd=descriptors[-1]))
        yield from _walk_folder(descriptors[-1], folder="/".join(parts), rules=rules, walk=walk)
    except OSError:
        return
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _walk_folder(descriptor: int, *, folder: str, rules: Sequence[_IgnoreRules], walk: _Walk) -> Iterator[FoundFile]:
    try:
        with os.scandir(descriptor) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        walk.report.unreadable += 1
        return
    names = {entry.name for entry in entries}
    rules = [*rules, *_read_rules(folder, names=[name for name in IGNORE_FILES if name in names], walk=walk)]
    for entry in entries:
        walk.entries += 1
        if walk.entries > MAX_ENTRIES:
            walk.report.is_cut = True
            return
        path = f"{folder}/{entry.name}" if folder else entry.name
        parts = PurePosixPath(path).parts
        if entry.is_dir(follow_symlinks=False):
            if _is_entered(parts, rules=rules, walk=walk):
                yield from _enter(entry.name, parent=descriptor, path=path, rules=rules, walk=walk)
        elif entry.is_file(follow_symlinks=False) and parts > walk.after and entry.name not in NEVER_ENTERED:
            if _is_hidden(path, rules=rules, walk=walk):
                continue
            if found := _stat(entry, path=path):
                yield found


def _is_entered(parts: tuple[str, ...], *, rules: Sequence[_IgnoreRules], walk: _Walk) -> bool:
    """Return whether a folder is walked. Counts those that are too deep."""
    if parts[-1] in NEVER_ENTERED or parts < walk.after[: len(parts)]:
        return False
    walk.report.unreadable += len(parts) > MAX_DEPTH
    return len(parts) <= MAX_DEPTH and not _is_ignored("/".join(parts), rules=rules, is_folder=True)


def _stat(entry: "os.DirEntry[str]", *, path: str) -> FoundFile | None:
    with suppress(OSError):  # it is gone
        status = entry.stat(follow_symlinks=False)
        return FoundFile(path=path, size=status.st_size, changed_at_ns=status.st_mtime_ns)
    return None


def _is_hidden(path: str, *, rules: Sequence[_IgnoreRules], walk: _Walk) -> bool:
    """Return whether a file is left out. Counts secrets."""
    if _is_ignored(path, rules=rules, is_folder=False):
        return True
    if not path.isprintable():  # control characters, or no UTF-8: no answer can say it
        walk.report.unreadable += 1
        return True
    is_secret = not walk.shows_secrets and looks_secret(path.split("/"))
    walk.report.secrets += is_secret
    return is_secret


def _enter(
    name: str, *, parent: int, path: str, rules: Sequence[_IgnoreRules], walk: _Walk
) -> Iterator[FoundFile]:  # fmt: skip
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except OSError:  # unreadable, or exchanged for a link meanwhile
        walk.report.unreadable += 1
        return
    try:
        yield from _walk_folder(descriptor, folder=path, rules=rules, walk=walk)
    finally:
        os.close(descriptor)


def _read_rules(folder: str, *, names: Sequence[str], walk: _Walk) -> list[_IgnoreRules]:
    """Read the ignore files of a folder, opened as safely as every file."""
    found = []
    for name in names if walk.ignores else ():
        path = f"{folder}/{name}" if folder else name
        try:
            with open_file(path, root=walk.root) as descriptor:
                text = os.pread(descriptor, MAX_IGNORE_BYTES, 0).decode(errors="replace")
            rules = [rule for rule in text.splitlines() if not _has_many_stars(rule)]
            found.append(_IgnoreRules(folder, GitIgnoreSpec.from_lines(rules)))
        except (ToolError, ValueError):
            continue
    return found


def _has_many_stars(rule: str) -> bool:
    names = rule.split("/")
    return names.count("**") > MAX_STARS or any(len(re.findall(r"\*+", name)) > MAX_STARS for name in names)


def _is_ignored(path: str, *, rules: Sequence[_IgnoreRules], is_folder: bool) -> bool:
    """Return whether a path is ignored. The nearest rules decide."""
    verdicts = (one.verdict(path, is_folder=is_folder) for one in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)
