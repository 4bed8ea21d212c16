"""From SQL that a model wrote to rows, or to a refusal that tells it what to write instead."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import psycopg
from django.db import connections

from sprints.analyst import analyst
from sprints.contracts import QueryResult
from sprints.failing import said
from sprints.guard import Checked, Refused, World, check
from sprints.running import MAX_ANSWER_BYTES, Given, TooDear, run
from sprints.schema.reading import known_world
from sprints.standing import walls_stand
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.database.pools import Connection


class Guard(Protocol):
    """What looks at a statement before it runs: sprints.guard.check, except in tests of the other wall."""

    def __call__(self, sql: str, /, *, world: World) -> Checked:
        """Give the statement that may run; raises Refused."""


async def execute(sql: str, *, guard: Guard = check) -> QueryResult:
    """
    Run one SELECT over the views and give its rows.

    Two walls: the guard, and the role whose connection it is. Beside the statement itself one plans it and one rolls
    back. Raises ToolError in the contract's words, whatever is wrong.
    """
    started = analyst.clock()
    try:
        checked = guard(sql, world=await known_world())
        await _refuse_without_walls()
        given = await analyst.run(_work(checked))
    except (Refused, TooDear, DatabaseUnavailable, psycopg.Error) as failure:
        raise said(failure, milliseconds=_since(started)) from failure
    if isinstance(given, psycopg.Error):
        raise said(given, milliseconds=_since(started)) from given
    return QueryResult(
        rows=given.rows,
        count=len(given.rows),
        runtime_ms=_since(started),
        notes=_notes(given, checked=checked) or None,
        truncated=given.was_cut or None,
    )


async def tried(sql: str) -> QueryResult:
    """Run a statement as `execute` does; a failure is in the result, as the contract writes it."""
    try:
        return await execute(sql)
    except ToolError as error:
        took = error.details.get("runtimeMs", 0)
        return QueryResult(rows=[], count=0, runtime_ms=took, error=error.message, suggestion=error.suggestion or None)


def _work(checked: Checked) -> Callable[[Connection], Awaitable[Given | psycopg.Error]]:
    """
    Make the work for one connection; an error of the statement is its result.

    The pool takes some errors for signs of its own trouble; what a model wrote may cause any of them.
    """

    async def work(connection: Connection) -> Given | psycopg.Error:
        try:
            return await run(connection, checked=checked)
        except psycopg.Error as error:
            if connection.closed:
                raise
            return error

    return work


async def _refuse_without_walls() -> None:
    """Let nothing run where the database's own wall is missing and nobody has accepted that."""
    if "analyst" not in connections.databases:
        raise DatabaseUnavailable("no analyst role is configured")
    if not await walls_stand():
        raise DatabaseUnavailable("the analyst role may do more than it should")


def _since(started: float) -> float:
    return round((analyst.clock() - started) * 1000, 3)


def _notes(given: Given, *, checked: Checked) -> list[str]:
    notes = []
    if given.was_cut:
        notes.append(f"Rows were left out: an answer holds {MAX_ANSWER_BYTES:,} bytes and 1,000 rows.")
    elif checked.limit_was_set and len(given.rows) == checked.most_rows:
        notes.append(f"The statement had no LIMIT, so LIMIT {checked.most_rows} was set; there may be more rows.")
    if given.renamed:
        notes.append(f"Columns shared a name; the later ones are called {', '.join(given.renamed)}.")
    return notes
