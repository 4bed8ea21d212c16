"""
Servers that processes share: the first process that needs one starts it, the last one stops it.

Each process holds a shared lock on one file. The operating system releases the lock however the process ends, so a
process that can lock the file exclusively is the last user.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def join(home: Path) -> IO[str]:
    """Register this process as a user, for as long as it keeps the returned file open."""
    users = (home / "users.lock").open("w")
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


def is_last(users: IO[str]) -> bool:
    """Return whether nobody else uses the server; if so, nobody can join until the file is closed."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def lock_start(home: Path) -> Iterator[None]:
    """Keep other processes from starting the server at the same time."""
    with (home / "start.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
