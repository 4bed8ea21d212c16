"""Failures of statements in words for the model."""

import psycopg

from sprints.envelopes import QUERY_FAILED, QUERY_REFUSED, QUERY_TIMEOUT, QUERY_UNAVAILABLE, TOO_LARGE
from sprints.sql_sandbox.analyst_pool import STATEMENT_SECONDS, NoFreeSlot
from sprints.sql_sandbox.bounded_run import MAX_ROW_BYTES, TooExpensive
from sprints.sql_sandbox.guard import Refused
from toolbox.contract.errors import UNAVAILABLE, StatementTimeout, ToolError

MAX_MESSAGE = 500

_INSTEAD: dict[str | None, str] = {
    psycopg.errors.UndefinedColumn.sqlstate: (
        "Call get_schema for the views' columns, or repair_sql. A text goes in single quotes."
    ),
    psycopg.errors.InvalidTextRepresentation.sqlstate: (
        "Compare a column with a value of its own type, as get_schema gives it; a list with 'x' = ANY (labels)."
    ),
    psycopg.errors.UndefinedTable.sqlstate: "Call get_schema for the views.",
    psycopg.errors.UndefinedFunction.sqlstate: "Cast the arguments, or use another function.",
    psycopg.errors.AmbiguousColumn.sqlstate: "Write alias.column.",
    psycopg.errors.GroupingError.sqlstate: "Add the column to GROUP BY, or aggregate it.",
    psycopg.errors.DivisionByZero.sqlstate: "Divide by nullif(x, 0).",
    psycopg.errors.ConfigurationLimitExceeded.sqlstate: "Ask for less: filter before joining and sorting.",
    psycopg.errors.OutOfMemory.sqlstate: "Ask for less: filter before aggregating.",
    psycopg.errors.ProgramLimitExceeded.sqlstate: (
        f"A row may hold {MAX_ROW_BYTES:,} bytes: select fewer columns, or left(text, 200)."
    ),
    psycopg.errors.InsufficientPrivilege.sqlstate: "Read the views that get_schema lists, and nothing else.",
    psycopg.errors.ReadOnlySqlTransaction.sqlstate: "Write a SELECT; nothing can be changed here.",
}
_FASTER = (
    "Ask for less: filter by team, sprint or dates before joining, join on keys, and leave out cross joins and "
    "unbounded recursion."
)
_SMALLER = "Give fewer filters or values, group by fewer dimensions, or ask about one team, sprint or period."
_LATER = "Run the statement again in ten seconds."
_OFF = "Tell the user that statements cannot be run now. `manage.py check --deploy` on the server says why."


def describe_failure(failure: Exception, *, milliseconds: float) -> ToolError:
    """Convert any failure of a statement to the contract's error. The database's message is kept unchanged."""
    details = {"runtimeMs": milliseconds}
    match failure:
        case Refused():
            return ToolError(QUERY_REFUSED, failure.message, suggestion=failure.suggestion, details=details)
        case TooExpensive():
            message = "The statement would take too long: its plan costs more than is run."
            return ToolError(QUERY_REFUSED, message, suggestion=_FASTER, details=details)
        case StatementTimeout() | psycopg.errors.QueryCanceled():
            message = f"The statement took longer than {STATEMENT_SECONDS} s and was stopped."
            return ToolError(QUERY_TIMEOUT, message, suggestion=_FASTER, details=details)
        case NoFreeSlot():
            message = "Every connection for statements is busy."
            return ToolError(QUERY_UNAVAILABLE, message, suggestion=_LATER, details=details)
        case psycopg.Error():
            return _refused_by_the_database(failure, details=details)
    return ToolError(QUERY_UNAVAILABLE, "The database cannot run statements now.", suggestion=_OFF, details=details)


def describe_own_failure(failure: Exception) -> Exception:
    """
    Convert a failure of a statement that the caller has not written, so that it says nothing about SQL.

    What is not the caller's fault stays as it is; the kernel answers it: a database that is away, a passed deadline, a
    defect of a definition.
    """
    match failure:
        case Refused() | TooExpensive() | psycopg.errors.ConfigurationLimitExceeded() | psycopg.errors.OutOfMemory():
            return ToolError(TOO_LARGE, "The query asks for too much at once.", suggestion=_SMALLER)
        case psycopg.errors.ProgramLimitExceeded():
            return ToolError(TOO_LARGE, "The query asks for too much at once.", suggestion=_SMALLER)
        case psycopg.errors.QueryCanceled():
            return StatementTimeout(str(failure))
        case NoFreeSlot():
            message = "Every connection for statements is busy."
            return ToolError(UNAVAILABLE, message, suggestion="Call again in ten seconds.", retry_after_seconds=10)
    return failure


def _refused_by_the_database(error: psycopg.Error, *, details: dict[str, float]) -> ToolError:
    message = error.diag.message_primary or str(error) or "The database refused the statement."
    hint = error.diag.message_hint or _INSTEAD.get(error.sqlstate, "Fix the statement and run it again.")
    return ToolError(QUERY_FAILED, message[:MAX_MESSAGE], suggestion=hint[:MAX_MESSAGE], details=details)
