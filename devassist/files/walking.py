"""
Walk the files of a workspace in a fixed order, without following links.

Each folder is opened relative to the descriptor of its parent. Ignore files (`.gitignore`, `.ignore`) apply at every
level. `.git` and folders of installed packages are never entered. Names that look like secrets are left out.
"""

import math
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from devassist.files.safe_open import open_file
from devassist.files.secrets import looks_secret
from toolbox.contract.errors import ToolError

MAX_DEPTH = 64
MAX_ENTRIES = 200_000
MAX_IGNORE_BYTES = 256 * 1024
MAX_IGNORE_RULES = 4_000
"""The maximum rules of one ignore file. Compiling more would take the time of a call; each is tried on each path."""
MAX_VERDICTS = 100_000
"""The maximum cached verdicts of ignore rules, so that a repeated walk comes further."""
MAX_SHOWN = 5
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
    """
    What a walk left out. It is filled while the walk is consumed.

    `reached` is the last path that was looked at: a file, or a folder that is done with. `has_folder` tells whether the
    folder to stay in was there.
    """

    secrets: int = 0
    unreadable: int = 0
    unapplied: set[str] = field(default_factory=set)
    is_cut: bool = False
    is_late: bool = False
    has_folder: bool = False
    reached: str = ""

    @property
    def problem(self) -> str | None:
        """Say why there may be more files, or fewer. None if the walk is whole."""
        said = []
        if self.unreadable:
            said.append(f"{self.unreadable} files or folders could not be read or named.")
        if self.unapplied:
            said.append(f"Not all rules of these ignore files apply: {', '.join(sorted(self.unapplied)[:MAX_SHOWN])}.")
        if self.is_cut:
            said.append(f"There are more than {MAX_ENTRIES:,} entries; those after them were not looked at.")
        return " ".join(said) or None


@dataclass(frozen=True, slots=True, eq=False)
class _CompiledRules:
    """The rules of an ignore file's text. `is_whole` is False if they are not all of its rules."""

    spec: GitIgnoreSpec
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _IgnoreRules:
    """The rules of one ignore file. Paths are relative to its folder."""

    folder: str
    rules: _CompiledRules

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether the rules ignore the path. None if no rule matches."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        return _check(self.rules, inside + "/" if is_folder else inside)


@dataclass(slots=True)
class _Walk:
    root: str
    shows_secrets: bool
    ignores: bool
    after: tuple[str, ...]
    until: float
    report: WalkReport
    entries: int = field(default=0)

    def ends(self) -> bool:
        """Count an entry; return whether the walk ends before it. Looks at one entry however late it is."""
        self.entries += 1
        self.report.is_cut = self.report.is_cut or self.entries > MAX_ENTRIES
        self.report.is_late = self.report.is_late or (self.report.reached != "" and time.monotonic() > self.until)
        return self.report.is_cut or self.report.is_late


def walk_files(
    root: str,
    *,
    shows_secrets: bool = False,
    under: str = "",
    after: str = "",
    ignores: bool = True,
    until: float = math.inf,
    report: WalkReport | None = None,
) -> Iterator[FoundFile]:
    """
    Yield the files below a root, ordered by the segments of their paths.

    `under` names a folder to stay in, `after` the path after which to go on. At most 200,000 entries are looked at;
    then `report.is_cut` is set. Past `until`, by the monotonic clock, `report.is_late` is set, and the walk goes on
    after `report.reached`. What cannot be read is counted in the report; below no folder there is nothing.
    """
    real = os.path.realpath(root)
    report = report or WalkReport()
    report.reached = ""
    walk = _Walk(real, shows_secrets, ignores, PurePosixPath(after).parts, until, report)
    parts = [part for part in PurePosixPath(under).parts if part != "/"]
    if ".." in parts:
        return
    try:
        top = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        report.unreadable += 1
        return
    descriptors: list[int] = [top]
    rules: list[_IgnoreRules] = []
    try:
        for number, part in enumerate(parts):
            path = "/".join(parts[: number + 1])
            if part in NEVER_ENTERED or _is_ignored(path, rules=rules, is_folder=True):
                return
            rules += _read_rules("/".join(parts[:number]), names=IGNORE_FILES, walk=walk)
            try:
                descriptors.append(os.open(part, _FOLDER, dir_fd=descriptors[-1]))
            except (OSError, ValueError):
                return
        report.has_folder = True
        yield from _walk_folder(descriptors[-1], folder="/".join(parts), rules=rules, walk=walk)
    except OSError:
        report.unreadable += 1
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _walk_folder(descriptor: int, *, folder: str, rules: Sequence[_IgnoreRules], walk: _Walk) -> Iterator[FoundFile]:
    try:
        with os.scandir(descriptor) as listing:
            entries = sorted(islice(listing, MAX_ENTRIES + 1), key=lambda entry: entry.name)
    except OSError:
        walk.report.unreadable += 1
        return
    names = {entry.name for entry in entries}
    rules = [*rules, *_read_rules(folder, names=[name for name in IGNORE_FILES if name in names], walk=walk)]
    around = tuple(folder.split("/")) if folder else ()
    for entry in entries:
        if walk.ends():
            return
        path, parts = "/".join((*around, entry.name)), (*around, entry.name)
        if entry.is_dir(follow_symlinks=False):
            if _is_entered(parts, rules=rules, walk=walk):
                yield from _enter(entry.name, parent=descriptor, path=path, rules=rules, walk=walk)
        elif parts > walk.after and (found := _visible(entry, path=path, rules=rules, walk=walk)):
            yield found
        if walk.report.is_cut or walk.report.is_late:
            return
        if parts > walk.after:
            walk.report.reached = path


def _is_entered(parts: tuple[str, ...], *, rules: Sequence[_IgnoreRules], walk: _Walk) -> bool:
    """Return whether a folder is walked. Counts those that are too deep."""
    if parts[-1] in NEVER_ENTERED or parts < walk.after[: len(parts)] or parts == walk.after:
        return False
    walk.report.unreadable += len(parts) > MAX_DEPTH
    return len(parts) <= MAX_DEPTH and not _is_ignored("/".join(parts), rules=rules, is_folder=True)


def _visible(
    entry: "os.DirEntry[str]", *, path: str, rules: Sequence[_IgnoreRules], walk: _Walk
) -> FoundFile | None:  # fmt: skip
    """Return a regular file that is not left out."""
    if entry.name in NEVER_ENTERED or not entry.is_file(follow_symlinks=False):
        return None
    if _is_hidden(path, rules=rules, walk=walk):
        return None
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
                content = os.pread(descriptor, MAX_IGNORE_BYTES + 1, 0)
        except ToolError:
            continue
        rules = _compile_rules(content)
        walk.report.unapplied |= set() if rules.is_whole else {path}
        found.append(_IgnoreRules(folder, rules))
    return found


@lru_cache(maxsize=64)
def _compile_rules(content: bytes) -> _CompiledRules:
    whole = content if len(content) <= MAX_IGNORE_BYTES else content[: content.rfind(b"\n", 0, MAX_IGNORE_BYTES) + 1]
    written = whole.decode(errors="replace").splitlines()
    rules = [rule for rule in written if not _has_many_stars(rule)][:MAX_IGNORE_RULES]
    try:
        return _CompiledRules(GitIgnoreSpec.from_lines(rules), whole is content and rules == written)
    except ValueError:
        return _CompiledRules(GitIgnoreSpec.from_lines(()), is_whole=False)


@lru_cache(maxsize=MAX_VERDICTS)
def _check(rules: _CompiledRules, path: str) -> bool | None:
    return rules.spec.check_file(path).include


def _has_many_stars(rule: str) -> bool:
    names = rule.split("/")
    return names.count("**") > MAX_STARS or any(len(re.findall(r"\*+", name)) > MAX_STARS for name in names)


def _is_ignored(path: str, *, rules: Sequence[_IgnoreRules], is_folder: bool) -> bool:
    """Return whether a path is ignored. The nearest rules decide."""
    verdicts = (one.verdict(path, is_folder=is_folder) for one in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)
