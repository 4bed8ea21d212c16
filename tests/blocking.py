"""Wait until a session of the database waits for another, so that tests of locks need no sleep."""

from concurrent.futures import Future
from typing import Any

import psycopg

from toolbox.database.pools import direct_conninfo

_COUNT_BLOCKED = b"SELECT count(*) FROM pg_stat_activity WHERE %(pid)s = ANY(pg_blocking_pids(pid))"


def wait_until_blocked(pid: int, *, work: Future[Any]) -> bool:
    """Return True once a session waits for the one with this process id, or False once the work has ended."""
    with psycopg.connect(direct_conninfo(), autocommit=True) as watcher:
        while not work.done():
            found = watcher.execute(_COUNT_BLOCKED, {"pid": pid}).fetchone()
            if found is not None and found[0]:
                return True
    return False
