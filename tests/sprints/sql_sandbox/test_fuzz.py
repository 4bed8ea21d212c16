"""Whatever is sent: the guard answers or refuses, quickly; what it accepts has no effect, whatever role runs it."""

import time
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from hypothesis import example, given, settings

from sprints.schema.reading import stored_schema
from sprints.sql_sandbox.execution import try_execute
from sprints.sql_sandbox.guard import Refused, ViewCatalog, check
from tests.sprints.sql_sandbox.fuzzing import ANY
from tests.sprints.sql_sandbox.role import sessions_of_the_analyst, state_of_the_database, superuser, what_is_left
from toolbox.database import event_loop

MAX_SECONDS = 0.05
MAX_TRIES = 10
CATALOG = ViewCatalog(
    schema="sprintscope",
    views={table.name: frozenset(column.name for column in table.columns) for table in stored_schema().tables},
)
FEW = settings(max_examples=100, deadline=None)
SOME = settings(FEW, max_examples=1000)
MANY = settings(FEW, max_examples=4000)


def _looks(sql: str) -> None:
    with suppress(Refused):
        checked = check(sql, catalog=CATALOG)
        assert check(checked.sql, catalog=CATALOG).sql == checked.sql
        assert checked.max_rows <= 1000
    assert any(_measure_seconds(sql) < MAX_SECONDS for _ in range(MAX_TRIES)), sql


def _measure_seconds(sql: str) -> float:
    """Return the CPU time of one check; a single one may include the garbage collector."""
    started = time.thread_time()
    with suppress(Refused):
        check(sql, catalog=CATALOG)
    return time.thread_time() - started


@FEW
@example("SELECT REPEAT()")
@example("SELECT REPEAT(0)")
@example("SELECT lpad('x'), format(), array_to_string(), concat_ws(), power()")
@given(ANY)
def test_the_guard_neither_fails_nor_hangs(sql: str) -> None:
    _looks(sql)


@pytest.mark.slow
@MANY
@given(ANY)
def test_the_guard_neither_fails_nor_hangs_for_long(sql: str) -> None:
    _looks(sql)


def _let_through(sql: str) -> str:
    with suppress(Refused):
        return check(sql, catalog=CATALOG).sql
    return ""


@pytest.fixture
def check_unchanged(scratch_database: None) -> Any:
    """Compare the database before and after."""
    with superuser() as onlooker:
        before = state_of_the_database(onlooker)
        yield onlooker
        assert state_of_the_database(onlooker) == before


@pytest.mark.slow
def test_what_is_let_through_has_no_effect_under_the_role(check_unchanged: psycopg.Connection[Any]) -> None:
    clean = what_is_left()

    @SOME
    @given(ANY)
    def ask(sql: str) -> None:
        if _let_through(sql):
            result = event_loop.run(try_execute(sql))
            assert result.error or result.rows is not None

    ask()

    assert what_is_left() == clean
    assert sessions_of_the_analyst(check_unchanged) <= {("idle", None, 0)}


@pytest.mark.slow
def test_what_is_let_through_has_no_effect_even_as_the_superuser(check_unchanged: psycopg.Connection[Any]) -> None:
    """The guard alone: on a connection that may do everything, committed."""
    with superuser() as connection:
        connection.execute("SET statement_timeout = '1s'")
        connection.execute("SET temp_file_limit = '64MB'")

        @SOME
        @given(ANY)
        def ask(sql: str) -> None:
            if statement := _let_through(sql):
                with suppress(psycopg.Error), connection.transaction():
                    cursor = connection.execute(statement.encode())
                    assert (cursor.statusmessage or "").startswith("SELECT")

        ask()

        held = connection.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
        ).fetchone()
    assert held == (0,)
