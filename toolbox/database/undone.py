"""Detect that PostgreSQL undid a transaction because of another one, and tell callers."""

import psycopg

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
