"""Names of databases that no other test run uses: two runs in one working copy share a server, and would clash."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_RUNS = 20


class TooManyRuns(RuntimeError):
    """Every name is in use by a test run that goes on."""


@contextmanager
def own_name(name: str, *, folder: Path) -> Iterator[str]:
    """
    Yield the name, or the first numbered one that no other process holds; it is held until the block ends.

    The lock ends with the process, so that a run that was killed leaves its name to the next, which drops its database.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MAX_RUNS + 1):
        candidate = name if number == 1 else f"{name}_{number}"
        with (folder / f"{candidate}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield candidate
            return
    raise TooManyRuns(f"{MAX_RUNS} test runs of this working copy go on: wait until one of them has ended")
