"""
Git history of lines, without running anything that a repository could name.

Configuration, hooks, attributes and filters of the repository are never read: git works in an empty repository of our
own that borrows the objects of the workspace's (`objects/info/alternates`). Only a `.git` folder in the workspace's
root is read; one elsewhere, or one that borrows objects itself, is refused.
"""

import difflib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from toolbox.text.redaction import MaskedText

MAX_SECONDS = 0.8
MAX_COMMITS = 3
MAX_SUBJECT = 200
MAX_BLOB_BYTES = 2 * 1024 * 1024
_MAX_SMALL = 4 * 1024 * 1024
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"refs/[\w./-]{1,250}")
_SEPARATOR = "\x1f"
_FIELDS = ("%h", "%an", "%at", "%s")
_SHA256_DIGITS = 64
_MANY_LINES = 2_000


class NoHistory(Exception):
    """The history cannot be read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit, by its short hash; the subject's secrets are masked."""

    hash: str
    author: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineHistory:
    """The commit of a line, None if it is not committed, and the last commits of the lines around it."""

    blamed: Commit | None
    commits: tuple[Commit, ...]
    note: str = ""


class Repository:
    """The history of one workspace at its HEAD. A context manager with a temporary folder."""

    def __init__(self, root: str, *, seconds: float = MAX_SECONDS) -> None:
        self._seconds = seconds
        self._git = Path(os.path.realpath(root)) / ".git"
        self._folder = tempfile.TemporaryDirectory(prefix="toolroom-git-")
        try:
            self.head = self._prepare(Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> Self:
        """Return the repository."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove its folder."""
        self._folder.cleanup()

    def history_of(self, path: str, *, line: int, text: str, around: tuple[int, int] | None = None) -> LineHistory:
        """
        Return the history of a line of the current file, and of the lines `around` it. Raises NoHistory.

        Lines of the committed file are found by comparison, for the working copy may differ.
        """
        committed = self._run("cat-file", "blob", f"{self.head}:{path}", limit=MAX_BLOB_BYTES)
        lines = dict(_equal_lines(text, committed))
        there = lines.get(line)
        first, last = around or (line, line)
        span = [lines[one] for one in range(first, last + 1) if one in lines]
        commits = self._commits(path, first=min(span), last=max(span)) if span else ()
        if there is None:
            return LineHistory(blamed=None, commits=commits, note="The line is not committed.")
        blamed = self._run("blame", "--porcelain", "--no-textconv", "-L", f"{there},{there}", self.head, "--", path)
        return LineHistory(blamed=_read_blame(blamed), commits=commits)

    def _commits(self, path: str, *, first: int, last: int) -> tuple[Commit, ...]:
        form = _SEPARATOR.join(_FIELDS)
        said = self._run(
            "log", "-s", f"-n{MAX_COMMITS}", "--no-ext-diff", "--no-textconv", "--no-show-signature",
            f"--format={form}", "-L", f"{first},{last}:{path}", self.head,
        )  # fmt: skip
        rows = [row.split(_SEPARATOR) for row in said.split("\n") if row.count(_SEPARATOR) == len(_FIELDS) - 1]
        return tuple(_commit(*row) for row in rows)

    def _run(self, *arguments: str, limit: int = _MAX_SMALL) -> str:
        environment = {
            "PATH": os.defpath, "HOME": self._folder.name, "GIT_DIR": self._folder.name, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ATTR_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        try:
            done = subprocess.run(  # noqa: S603 - a fixed command; paths are data to it
                ["git",  # noqa: S607 - the one on the default path
                 "--no-pager", "--literal-pathspecs", *arguments], check=False, capture_output=True,
                timeout=self._seconds, env=environment, cwd=self._folder.name, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            raise NoHistory(f"git took longer than {self._seconds:g} s") from late
        except OSError as missing:
            raise NoHistory("git is not installed on this server") from missing
        if done.returncode:
            raise NoHistory("the file is not in the last commit")
        return done.stdout[:limit].decode(errors="replace")

    def _prepare(self, folder: Path) -> str:
        """Create an empty repository with the objects of the workspace's. Returns the commit of HEAD."""
        if self._git.is_symlink() or not self._git.is_dir():
            raise NoHistory("the workspace's root has no .git folder")
        objects = self._git / "objects"
        inner = [objects, objects / "pack", objects / "info", *(entry for entry in objects.glob("[0-9a-f][0-9a-f]"))]
        if any(one.is_symlink() for one in inner):
            raise NoHistory("its objects lie outside of the workspace")
        if (objects / "info" / "alternates").exists() or (objects / "info" / "http-alternates").exists():
            raise NoHistory("it borrows objects of another repository")
        head = self._resolve_head()
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "refs").mkdir()
        (folder / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        (folder / "HEAD").write_text(f"{head}\n")
        is_long = len(head) == _SHA256_DIGITS
        form = "\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n" if is_long else ""
        (folder / "config").write_text(f"[core]\n\tbare = true\n{form}")
        if shallow := _read_plain(self._git / "shallow"):
            (folder / "shallow").write_text(shallow)
        return head

    def _resolve_head(self) -> str:
        said = _read_plain(self._git / "HEAD").strip()
        if _HASH.fullmatch(said):
            return said
        name = said.removeprefix("ref: ")
        if not _REF.fullmatch(name) or ".." in name:
            raise NoHistory("its HEAD cannot be read")
        if _HASH.fullmatch(loose := _read_plain(self._git / name).strip()):
            return loose
        for row in _read_plain(self._git / "packed-refs").splitlines():
            commit, _, packed = row.partition(" ")
            if packed == name and _HASH.fullmatch(commit):
                return commit
        raise NoHistory("it has no commit yet, or stores its branches in a form that is not read")


def _read_plain(path: Path) -> str:
    """Read a small regular file without following links. Empty if there is none."""
    try:
        if any(parent.is_symlink() for parent in (path, path.parent)):
            return ""
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(_MAX_SMALL).decode(errors="replace")
    except OSError:
        return ""


def _equal_lines(now: str, committed: str) -> Sequence[tuple[int, int]]:
    """Pair the numbers, from 1, of equal lines."""
    ours, theirs = now.replace("\r\n", "\n").split("\n"), committed.replace("\r\n", "\n").split("\n")
    if ours == theirs:
        return [(number, number) for number in range(1, len(ours) + 1)]
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=len(ours) > _MANY_LINES).get_matching_blocks()
    return [(block.a + one + 1, block.b + one + 1) for block in blocks for one in range(block.size)]


def _read_blame(porcelain: str) -> Commit | None:
    fields = dict(row.partition(" ")[::2] for row in porcelain.split("\n") if not row.startswith("\t"))
    first = porcelain.partition(" ")[0]
    if not _HASH.fullmatch(first):
        return None
    return _commit(first[:8], fields.get("author", ""), fields.get("author-time", "0"), fields.get("summary", ""))


def _commit(name: str, author: str, at: str, subject: str) -> Commit:
    date = datetime.fromtimestamp(int(at) if at.isdigit() else 0, UTC).date().isoformat()
    return Commit(hash=name[:8], author=MaskedText(author[:100]), date=date, subject=MaskedText(subject[:MAX_SUBJECT]))
