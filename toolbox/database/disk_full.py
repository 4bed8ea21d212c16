"""Detect that PostgreSQL has no disk space left, and tell callers."""

import psycopg

DISK_IS_FULL = "The database's disk is full, so nothing was written."
WHEN_DISK_IS_FULL = "Try again when this server's operator has made room."


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is PostgreSQL's SQLSTATE 53100."""
    while error is not None:
        if isinstance(error, psycopg.errors.DiskFull):
            return True
        error = error.__cause__
    return False
