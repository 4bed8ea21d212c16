"""
The role alone: the guard is replaced by one that lets everything through, and the role must hold.

After every attack: nothing changed, nothing leaked, the connection as new, the error the contract's.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from sprints.contracts import QueryResult
from sprints.sql_sandbox.analyst_pool import analyst
from sprints.sql_sandbox.execution import execute
from tests.sprints.sql_sandbox.attacks import ATTACKS, EMPTY, ENDLESS, FLOODS, Attack
from tests.sprints.sql_sandbox.role import (
    allow_anything,
    sessions_of_the_analyst,
    state_of_the_database,
    superuser,
    what_is_left,
)
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.pools import Connection

SHOWN = {"SHOW server_version", "SELECT current_user", "SELECT session_user, current_schema",
         "SELECT 'pg_class'::regclass::oid", "SELECT 1::oid::regclass", "SELECT '{1,2}'::regclass[]",
         "EXPLAIN (ANALYZE) SELECT 1"}  # fmt: skip
"""
What PostgreSQL tells every session, whatever its role: the guard alone keeps this back.

How long the plan of the last one is depends on what else happens: two lines more where planning read the catalogue.
"""

HUGE = {"SELECT repeat('a', 1000000000)", "SELECT lpad('a', 1000000000)"}
"""PostgreSQL has no limit of memory for a role: the guard alone keeps these back."""

ROLE_ATTACKS = [attack for attack in ATTACKS if attack not in FLOODS]


def outcome(sql: str) -> QueryResult | ToolError:
    """Run a statement without a guard."""
    try:
        return event_loop.run(execute(sql, guard=allow_anything))
    except ToolError as error:
        return error


@pytest.fixture(scope="module")
def onlooker(cast: object) -> Iterator[psycopg.Connection[Any]]:
    """Connect as the superuser."""
    with superuser() as connection:
        yield connection


@pytest.fixture(scope="module")
def state_before(onlooker: psycopg.Connection[Any]) -> str:
    """Return the database's state before the attacks."""
    return state_of_the_database(onlooker)


@pytest.fixture(scope="module")
def clean(cast: object) -> dict[str, Any]:
    """Return the state of a new connection."""
    event_loop.run(analyst.close())
    return what_is_left()


@pytest.mark.parametrize("attack", ROLE_ATTACKS, ids=lambda attack: attack.sql[:60])
def test_an_attack_changes_nothing_shows_nothing_and_leaves_nothing(
    attack: Attack, state_before: str, clean: dict[str, Any], onlooker: psycopg.Connection[Any]
) -> None:
    met = outcome(attack.sql)

    if attack.outcome is EMPTY:
        assert isinstance(met, QueryResult) or met.code.status == 200
        assert isinstance(met, ToolError) or attack.sql in SHOWN or len(str(met.rows)) < 200
    else:
        assert isinstance(met, ToolError), f"it ran: {met}"
        assert met.message
        assert met.code.status == 200
    assert what_is_left() == clean
    assert state_of_the_database(onlooker) == state_before
    assert sessions_of_the_analyst(onlooker) <= {("idle", None, 0)}


@pytest.mark.slow
@pytest.mark.parametrize("sql", [*ENDLESS, *(flood.sql for flood in FLOODS if flood.sql not in HUGE)])
def test_what_would_not_end_is_stopped(sql: str, clean: dict[str, Any]) -> None:
    met = outcome(sql)

    assert isinstance(met, ToolError)
    assert "stopped" in met.message or "temp_file_limit" in met.message
    assert what_is_left() == clean


def test_a_listener_does_not_outlive_its_statement(cast: object) -> None:
    outcome("LISTEN sneaky")

    async def read_notifications(connection: Connection) -> list[Any]:
        with superuser() as speaker:
            speaker.execute("NOTIFY sneaky, 'x'")
        return [told async for told in connection.notifies(timeout=0.2)]

    assert event_loop.run(analyst.run(read_notifications)) == []


def test_a_cancelled_call_leaves_a_clean_connection(clean: dict[str, Any], onlooker: psycopg.Connection[Any]) -> None:
    async def give_up() -> None:
        async with asyncio.timeout(0.3):
            await execute(ENDLESS[0], guard=allow_anything)

    with pytest.raises(TimeoutError):
        event_loop.run(give_up())

    assert what_is_left() == clean
    assert {state for state, *_ in sessions_of_the_analyst(onlooker)} <= {"idle"}


def test_prepared_statements_of_ours_do_not_pile_up(cast: object) -> None:
    for _ in range(12):
        outcome("SELECT count(*) FROM issues")

    async def find_threshold(connection: Connection) -> int | None:
        return connection.prepare_threshold

    assert event_loop.run(analyst.run(find_threshold)) is None


def test_the_views_are_all_that_it_may_read(onlooker: psycopg.Connection[Any]) -> None:
    """Asked of the catalogue as a superuser, so that a table of tomorrow is counted in."""
    readable = onlooker.execute(
        "SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_schema_privilege('sprints_analyst', n.oid, 'USAGE')"
        " AND has_any_column_privilege('sprints_analyst', c.oid, 'SELECT') AND n.nspname <> 'sprintscope'"
    ).fetchall()

    assert readable == []


def test_it_may_not_even_connect_to_write(cast: object) -> None:
    """A session that takes the READ ONLY off itself still may not."""

    async def try_to_write(connection: Connection) -> set[str | None]:
        await connection.execute("SET default_transaction_read_only = off")
        met: set[str | None] = set()
        for statement in ("DELETE FROM sprintscope.users", "CREATE TABLE a (a int)", "CREATE TEMP TABLE a (a int)",
                          "INSERT INTO public.sprints_teams DEFAULT VALUES", "CREATE SCHEMA a"):  # fmt: skip
            try:
                await connection.execute(statement.encode())
                met.add("done")
            except psycopg.Error as error:
                met.add(error.sqlstate)
        return met

    assert event_loop.run(analyst.run(try_to_write)) == {psycopg.errors.InsufficientPrivilege.sqlstate}
