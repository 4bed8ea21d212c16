"""Checks of the other names of a file with several hard links."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from devassist.files.secrets import looks_secret

MAX_ENTRIES = 50_000


def is_linked_elsewhere(status: os.stat_result, *, root: str) -> bool:
    """
    Return whether a file has a name outside of the root, or one that looks like a secret.

    A hard link has no target to look at, so the file's names below the root are counted, among at most 50,000 entries;
    where there are fewer than its links, the others are taken to be outside.
    """
    names = 0
    for entry in islice(_entries(root), MAX_ENTRIES):
        if entry.inode() != status.st_ino or entry.stat(follow_symlinks=False).st_dev != status.st_dev:
            continue
        if looks_secret(list(PurePath(entry.path).relative_to(root).parts)):
            return True
        names += 1
        if names >= status.st_nlink:
            return False
    return True


def _entries(root: str) -> Iterator["os.DirEntry[str]"]:
    """Yield everything below a folder, without unreadable folders. Links are not followed."""
    folders = [root]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        yield from entries
        folders += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
