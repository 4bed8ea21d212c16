"""Execution of one statement on the analyst's connection: planned, limited, streamed, rolled back."""

import math
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

import psycopg
from django.conf import settings
from psycopg.rows import tuple_row

from sprints.sql_sandbox.analyst_pool import STATEMENT_SECONDS, analyst, begin
from sprints.sql_sandbox.guard import CheckedStatement
from toolbox.contract.encoding import encode
from toolbox.database.pools import Connection

Cursor = psycopg.AsyncCursor[tuple[Any, ...]]

MAX_ROW_BYTES = 262_144
MAX_ANSWER_BYTES = 1_048_576
_ROWS_AT_ONCE = 50
_QUICK_PLAN_SECONDS = 0.1
_COST = re.compile(r"cost=[0-9.]+\.\.([0-9.]+)")

# The row is measured where it is made, so that a huge one is neither sent nor read.
_BOUNDED = """
SELECT * FROM ({statement}) AS answer
WHERE pg_column_size(answer.*) <= {largest} OR sprintscope.refuse_large_row()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedRows:
    """Rows by column name. `was_cut` is true if there were more than an answer may hold."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    was_cut: bool = False
    renamed: tuple[str, ...] = ()


class TooExpensive(Exception):
    """The statement's plan costs more than the limit."""

    def __init__(self, cost: float) -> None:
        super().__init__(f"the plan costs {cost:.0f}")
        self.cost = cost


async def run(connection: Connection, *, checked: CheckedStatement) -> StreamedRows:
    """
    Run a statement in a READ ONLY transaction that is always rolled back.

    Raises TooExpensive and psycopg's errors.
    """
    async with connection.cursor(row_factory=tuple_row) as cursor:
        try:
            await begin(connection)
            statement = checked.sql
            if checked.is_select:
                statement = _BOUNDED.format(statement=checked.sql, largest=MAX_ROW_BYTES)
                started = analyst.clock()
                await _refuse_if_expensive(cursor, statement=statement)
                await _leave_the_rest(cursor, spent=analyst.clock() - started)
            return await _stream_rows(cursor, statement=statement, max_rows=checked.max_rows)
        finally:
            if not connection.closed:
                await connection.execute("ROLLBACK")


async def explain(connection: Connection, *, checked: CheckedStatement) -> None:
    """Plan a statement in a READ ONLY transaction that is rolled back. Raises psycopg's errors."""
    async with connection.cursor(row_factory=tuple_row) as cursor:
        try:
            await begin(connection)
            await cursor.execute(f"EXPLAIN (COSTS) {checked.sql}".encode())
        finally:
            if not connection.closed:
                await connection.execute("ROLLBACK")


async def _refuse_if_expensive(cursor: Cursor, *, statement: str) -> None:
    """
    Plan the statement, which evaluates nothing but its constants.

    The guard bounds the constants, and so the plan's text. Its first line holds the cost.
    """
    await cursor.execute(f"EXPLAIN (COSTS) {statement}".encode())
    row = await cursor.fetchone()
    found = _COST.search(row[0]) if row else None
    cost = float(found[1]) if found else math.inf
    if cost > settings.SPRINTS_MOST_COST:
        raise TooExpensive(cost)


async def _leave_the_rest(cursor: Cursor, *, spent: float) -> None:
    """Set the statement timeout to the seconds left after planning. Constants are evaluated there and once more."""
    if spent > _QUICK_PLAN_SECONDS:
        left = max(1, round((STATEMENT_SECONDS - spent) * 1000))
        await cursor.execute(f"SET LOCAL statement_timeout = {left}")


async def _stream_rows(cursor: Cursor, *, statement: str, max_rows: int) -> StreamedRows:
    """Read rows in chunks until all are read or there are too many. Cancels the rest."""
    gathered = _RowBuffer(max_rows)
    rows = cast("AsyncGenerator[tuple[Any, ...], None]", cursor.stream(statement.encode(), size=_ROWS_AT_ONCE))
    async with aclosing(rows):
        async for row in rows:
            if not gathered.take(row, columns=cursor.description or ()):
                break
    return StreamedRows(rows=gathered.rows, was_cut=gathered.is_full, renamed=gathered.renamed)


class _RowBuffer:
    """Rows up to the size limit of an answer."""

    def __init__(self, max_rows: int) -> None:
        self.rows: list[dict[str, Any]] = []
        self.is_full = False
        self.renamed: tuple[str, ...] = ()
        self._most_rows = max_rows
        self._bytes = 0
        self._names: list[str] = []

    def take(self, row: tuple[Any, ...], *, columns: Sequence[psycopg.Column]) -> bool:
        """Add a row. Returns False if it does not fit."""
        if not self.rows:
            self._names = _distinct([column.name for column in columns])
            self.renamed = tuple(name for name, column in zip(self._names, columns, strict=True) if name != column.name)
        named = dict(zip(self._names, row, strict=True))
        self._bytes += len(encode(named))
        self.is_full = len(self.rows) >= self._most_rows or self._bytes > MAX_ANSWER_BYTES
        if not self.is_full:
            self.rows.append(named)
        return not self.is_full


def _distinct(names: list[str]) -> list[str]:
    """Make column names unique by numbering the repeated ones."""
    if len(set(names)) == len(names):
        return names
    taken, distinct = set(names), []
    for place, name in enumerate(names):
        number, free = 2, name
        while name in names[:place] and free in taken:
            free, number = f"{name}_{number}", number + 1
        taken.add(free)
        distinct.append(free)
    return distinct
