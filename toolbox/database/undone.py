"""Detect that PostgreSQL undid a transaction because of another one, and tell callers."""

from collections.abc import Callable
from typing import TypeVar

import psycopg
from django.db import OperationalError, transaction

Result = TypeVar("Result")

MAX_TRIES = 4
UNDONE = "Another call changed the same rows at the same time, and the database undid this one's change."
WHEN_UNDONE = "Send the same call again in a second."
RETRY_SECONDS = 1


def is_undone(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a deadlock or a failure to serialize."""
    while error is not None:
        if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
            return True
        error = error.__cause__
    return False


def repeat_undone(work: Callable[[], Result]) -> Result:
    """Run work in a transaction, again while the database undoes it, at most four times. Raises OperationalError."""
    for _ in range(MAX_TRIES - 1):
        try:
            with transaction.atomic():
                return work()
        except OperationalError as error:
            if not is_undone(error):
                raise
    with transaction.atomic():
        return work()
