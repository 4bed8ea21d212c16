"""Wait until a session of the database waits for another, so that tests of locks need no sleep."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client

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


@contextmanager
def beside(work: Callable[[], Any], *, before: tuple[Any, str]) -> Iterator[list[bool]]:
    """
    Begin work in a thread before the first call of a function, and let the call wait until the work waits for it.

    The call is made by this thread, through Django's connection. Yields a list of one value once the work has begun:
    whether it had to wait. The work has ended, and raises what it raised, when the block ends.
    """
    owner, name = before
    function, begun, waited = getattr(owner, name), list[Future[Any]](), list[bool]()

    def work_and_close() -> None:
        try:
            work()
        finally:
            connections.close_all()

    def begin_and_call(*arguments: Any, **named: Any) -> Any:
        if not begun:
            begun.append(pool.submit(work_and_close))
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid() LIMIT 1")
                waited.append(wait_until_blocked(cursor.fetchone()[0], work=begun[0]))
        return function(*arguments, **named)

    with ThreadPoolExecutor(max_workers=1) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, begin_and_call)
        yield waited
        begun[0].result(timeout=60)


def post_as_curator(address: str, form: dict[str, Any]) -> None:
    """Send a form of the admin, which must be accepted."""
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    reply = client.post(address, form)
    assert reply.status_code == 302, reply.content
