"""Execution of model-written SQL: rows, or an error that says what to write instead."""

from collections.abc import Awaitable
from typing import Protocol, TypeVar

import psycopg
from django.db import connections

from sprints.contracts import QueryResult
from sprints.schema.reading import load_view_catalog
from sprints.sql_sandbox.analyst_pool import NoFreeSlot, analyst
from sprints.sql_sandbox.bounded_run import MAX_ANSWER_BYTES, StreamedRows, TooExpensive, explain, run
from sprints.sql_sandbox.failures import describe_failure, describe_own_failure
from sprints.sql_sandbox.guard import CheckedStatement, Refused, ViewCatalog, check
from sprints.sql_sandbox.lockdown_status import is_locked_down
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout, ToolError
from toolbox.database.pools import Connection

_FAILURES = (Refused, TooExpensive, NoFreeSlot, DatabaseUnavailable, StatementTimeout, psycopg.Error)
Result_co = TypeVar("Result_co", covariant=True)


class Guard(Protocol):
    """A check of a statement: sprints.sql_sandbox.guard.check, except in tests of the role alone."""

    def __call__(self, sql: str, /, *, catalog: ViewCatalog) -> CheckedStatement:
        """Return the statement that may run. Raises Refused."""


class Work(Protocol[Result_co]):
    """An action with a checked statement on a connection."""

    def __call__(self, connection: Connection, /, *, checked: CheckedStatement) -> Awaitable[Result_co]:
        """Perform it. Raises TooExpensive and psycopg's errors."""


async def execute(sql: str, *, guard: Guard = check) -> QueryResult:
    """
    Run one SELECT over the views and return its rows.

    Two barriers: the guard, and the role whose connection it is. Beside the statement itself one plans it and one
    rolls back. Raises ToolError in the contract's words, whatever is wrong.
    """
    started = analyst.clock()
    try:
        return await _read_rows(sql, guard=guard, started=started)
    except _FAILURES as failure:
        raise describe_failure(failure, milliseconds=_since(started)) from failure


async def execute_own(sql: str) -> QueryResult:
    """
    Run a statement that the caller has not written, as one of the semantic layer.

    Raises ToolError where the caller asked for too much, and what the kernel answers: DatabaseUnavailable,
    StatementTimeout, and psycopg's errors for a defect.
    """
    try:
        return await _read_rows(sql, guard=check, started=analyst.clock())
    except _FAILURES as failure:
        described = describe_own_failure(failure)
        if described is failure:
            raise
        raise described from failure


async def _read_rows(sql: str, *, guard: Guard, started: float) -> QueryResult:
    checked, given = await _perform(sql, guard=guard, work=run)
    return QueryResult(
        rows=given.rows,
        count=len(given.rows),
        runtime_ms=_since(started),
        notes=_notes(given, checked=checked) or None,
        truncated=given.was_cut or None,
    )


async def try_execute(sql: str) -> QueryResult:
    """Run a statement as `execute` does. A failure is in the result, in the contract's form."""
    try:
        return await execute(sql)
    except ToolError as error:
        took = error.details.get("runtimeMs", 0)
        return QueryResult(rows=[], count=0, runtime_ms=took, error=error.message, suggestion=error.suggestion or None)


async def plan(sql: str) -> None:
    """Plan a statement without running it. Raises ToolError as `execute` does."""
    started = analyst.clock()
    try:
        await _perform(sql, guard=check, work=explain)
    except _FAILURES as failure:
        raise describe_failure(failure, milliseconds=_since(started)) from failure


async def _perform(sql: str, *, guard: Guard, work: Work[Result_co]) -> tuple[CheckedStatement, Result_co]:
    """Check a statement and perform `work` with it on a connection of the analyst. Raises one of _FAILURES."""

    async def try_work(connection: Connection) -> Result_co | psycopg.Error:
        # The pool takes some errors for signs of its own trouble; what a model wrote may cause any of them.
        try:
            return await work(connection, checked=checked)
        except psycopg.Error as error:
            if connection.closed:
                raise
            return error

    checked = guard(sql, catalog=await load_view_catalog())
    await _refuse_without_lockdown()
    given = await analyst.run(try_work)
    if isinstance(given, psycopg.Error):
        raise given
    return checked, given


async def _refuse_without_lockdown() -> None:
    """Refuse every statement if the role may do more than it should and nobody has accepted that."""
    if "analyst" not in connections.databases:
        raise DatabaseUnavailable("no analyst role is configured")
    if not await is_locked_down():
        raise DatabaseUnavailable("the analyst role may do more than it should")


def _since(started: float) -> float:
    return round((analyst.clock() - started) * 1000, 3)


def _notes(given: StreamedRows, *, checked: CheckedStatement) -> list[str]:
    notes = []
    is_full = given.was_cut and len(given.rows) == checked.max_rows
    if is_full and checked.limit_was_set:
        notes.append(f"The statement had no LIMIT, so LIMIT {checked.max_rows} was set; there are more rows.")
    elif is_full and checked.limit_was_lowered:
        notes.append(f"An answer holds {checked.max_rows:,} rows; there are more.")
    elif given.was_cut:
        notes.append(f"Rows were left out: an answer holds {MAX_ANSWER_BYTES:,} bytes and 1,000 rows.")
    if given.renamed:
        notes.append(f"Columns shared a name; the later ones are called {', '.join(given.renamed)}.")
    return notes
