"""History by git, which must not run what a repository names."""

import os
import subprocess
from pathlib import Path

import pytest

from devassist.diagnosis.history import NoHistory, Repository

TOKEN = "gh" + "p_A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6" + "S7t8"
SECONDS = 30.0
"""Long, for a busy machine."""


def _git(root: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Alice",
        "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "Alice", "GIT_COMMITTER_EMAIL": "a@example.com",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository of two commits: the second changes line 2."""
    root = tmp_path / "root"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "a.py").write_text("one\ntwo\nthree\n")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "Begin")
    (root / "a.py").write_text("one\nTWO\nthree\n")
    _git(root, "commit", "-qam", f"Shout, with {TOKEN}")
    return root


def _read_history(root: Path, *, line: int) -> tuple[str | None, list[str], str]:
    with Repository(str(root), seconds=SECONDS) as repository:
        told = repository.history_of("a.py", line=line, text=(root / "a.py").read_text(), around=(1, 3))
    return told.blamed.subject if told.blamed else None, [one.hash for one in told.commits], told.note


def test_a_line_is_of_the_commit_that_changed_it_last(root: Path) -> None:
    hashes = _git(root, "log", "--format=%h").split()

    assert _read_history(root, line=1) == ("Begin", hashes, "")
    subject, commits, _ = _read_history(root, line=2)
    assert (subject, commits) == ("Shout, with [redacted]", hashes)


def test_lines_not_committed_are_said_and_others_are_found_where_they_were(root: Path) -> None:
    (root / "a.py").write_text("new\none\nTWO\nthree\n")

    assert _read_history(root, line=1)[0::2] == (None, "The line is not committed.")
    assert _read_history(root, line=2)[0] == "Begin"


def test_packed_refs_and_detached_heads_are_read(root: Path) -> None:
    _git(root, "gc", "-q")
    assert _read_history(root, line=1)[0] == "Begin"
    _git(root, "checkout", "-q", "--detach", "HEAD~1")
    assert _read_history(root, line=2)[0] == "Begin"


def test_nothing_that_the_repository_names_is_run(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "diff.evil.textconv",
        "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "gpg.program",
        "blame.ignoreRevsFile", "credential.helper", "alias.blame",
    ):  # fmt: skip
        _git(root, "config", name, str(program))
    _git(root, "config", "log.showSignature", "true")
    (root / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("*.py filter=evil diff=evil\n")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        (root / ".git" / "hooks" / hook).write_text(program.read_text())
        (root / ".git" / "hooks" / hook).chmod(0o755)

    assert _read_history(root, line=1)[0] == "Begin"
    assert not mark.exists()


def test_a_repository_outside_of_the_workspace_is_not_read(root: Path, tmp_path: Path) -> None:
    inner = root / "inner"
    inner.mkdir()
    worktree = tmp_path / "worktree"
    _git(root, "worktree", "add", "-q", str(worktree))
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(root / ".git")
    borrowing = tmp_path / "borrowing"
    _git(tmp_path, "clone", "-q", "--shared", str(root), str(borrowing))

    for folder in (inner, worktree, linked, borrowing, tmp_path):
        with pytest.raises(NoHistory):
            Repository(str(folder))
