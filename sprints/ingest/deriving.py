"""While thousands of rows are written, what follows from them waits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def derived_later() -> Iterator[None]:
    """Keep the triggers of migration 0002 quiet; whoever writes then calls sprints_derive. Inside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sprints.deriving', 'later', true)")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sprints.deriving', '', true)")
