"""Base class of the `manage.py` commands that need the database."""

from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database.pool import NOT_MIGRATED


class DatabaseCommand(BaseCommand):
    """
    A command that reads or writes the database.

    Connects before `handle`: this starts an embedded server, which the kernel's pools do not. A failure of the database
    ends the command with one sentence and status 1; `--traceback` shows its origin.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; raises CommandError if the database fails or refuses."""
        try:
            connection.ensure_connection()
            return super().execute(*args, **options)
        except (DatabaseError, DatabaseUnavailable, psycopg.Error) as error:
            raise CommandError(_describe(error)) from error


def _describe(error: Exception) -> str:
    cause = error.__cause__ or error
    said = str(cause if isinstance(cause, psycopg.Error) else error).strip().partition("\n")[0]
    if isinstance(cause, NOT_MIGRATED):
        return f"The database is behind the code: run manage.py migrate. {said}"
    if isinstance(cause, psycopg.OperationalError) and cause.sqlstate is None:
        return f"The database is not reachable: correct DATABASE_URL, or start it. {said}"
    return f"The database stopped it: {said}"
