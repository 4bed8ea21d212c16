"""A connection that fetches without a cursor gives what psycopg's cursor gives, and is as whole after trouble."""

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from toolbox.database import event_loop
from toolbox.database.fetching_connection import FetchingConnection
from toolbox.database.pool import Connection, Pool

pytestmark = pytest.mark.usefixtures("cast")

STATEMENTS: list[tuple[bytes, Any]] = [
    (
        b"SELECT 1 AS a, 'x'::text AS b, NULL AS c, 1.50::numeric AS d, '{1,2}'::int[] AS e, '{\"f\": 1}'::jsonb AS f",
        (),
    ),
    (b"SELECT %(day)s::date AS day, %(text)s AS text, 100 %% 7 AS rest", {"text": "%", "day": "2025-02-01", "more": 1}),
    (b"SELECT %s::int AS same, 2 AS same, true AS other", [None]),
    (b"SELECT generate_series(1, %s) AS n", (1_000,)),
    (b"SELECT length(%s) AS long, %s AS too", ("\N{SNOWMAN}" * 400_000, "x")),
    (b"SELECT now() - now() AS gone, 'n'::name AS name WHERE false", ()),
]


@pytest.fixture
def pool() -> Iterator[Pool]:
    """Give a pool of one connection."""
    pool = Pool("reader", options="-c statement_timeout=20000", max_size=1)
    yield pool
    event_loop.run(pool.close())


@pytest.mark.parametrize(("statement", "parameters"), STATEMENTS)
def test_the_rows_are_those_of_a_cursor(pool: Pool, statement: bytes, parameters: Any) -> None:
    async def both(connection: Connection) -> tuple[Any, Any]:
        cursor = await connection.execute(statement, parameters)
        ours = [await connection.fetch(statement, parameters) for _ in range(2)]
        assert ours[0] == ours[1]
        return ours[0], await cursor.fetchall()

    ours, theirs = event_loop.run(pool.using(both))

    assert ours == theirs
    assert [[type(value) for value in row.values()] for row in ours] == [
        [type(v) for v in row.values()] for row in theirs
    ]


async def _process(connection: Connection) -> int:
    (row,) = await connection.fetch(b"SELECT pg_backend_pid() AS process", ())
    return int(row["process"])


@pytest.mark.parametrize("statement", ["SELECT pg_sleep(30)", "SELECT count(*) FROM generate_series(1, 10000000000)"])
def test_a_call_that_is_cancelled_cancels_its_statement_and_keeps_its_connection(pool: Pool, statement: str) -> None:
    before = event_loop.run(pool.using(_process))

    async def given_up() -> None:
        async with asyncio.timeout(0.05):
            await pool.fetch(statement)

    with pytest.raises(TimeoutError):
        event_loop.run(given_up())

    assert event_loop.run(pool.using(_process)) == before
    assert pool.in_use == 0


def test_a_mistake_in_a_statement_is_psycopg_s_error_and_the_connection_stays(pool: Pool) -> None:
    before = event_loop.run(pool.using(_process))

    for statement, error in [
        ("SELECT 1 / %s", psycopg.errors.DivisionByZero),
        ("SELEC %s", psycopg.errors.SyntaxError),
        ("SET work_mem = '1MB'", psycopg.ProgrammingError),
    ]:
        with pytest.raises(error):
            event_loop.run(pool.fetch(statement, (0,) if "%" in statement else ()))

    assert event_loop.run(pool.using(_process)) == before


def test_a_statement_is_prepared_once_and_anew_after_everything_was_discarded(pool: Pool) -> None:
    prepared = "SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE '%%surely one%%'"

    async def asked(connection: Connection) -> list[int]:
        counts = []
        for number in range(3):
            await connection.fetch(b"SELECT %s::int AS n, 'surely one' AS mark", (number,))
            counts.append((await connection.fetch(prepared.encode(), ()))[0]["n"])
        await connection.execute("DISCARD ALL")
        await connection.fetch(b"SELECT %s::int AS n, 'surely one' AS mark", (4,))
        return [*counts, (await connection.fetch(prepared.encode(), ()))[0]["n"]]

    counts = event_loop.run(pool.using(asked))

    assert counts[0] == counts[1] == counts[2] == counts[3]


def test_a_connection_whose_server_ended_it_is_closed_and_the_next_is_new(pool: Pool) -> None:
    before = event_loop.run(pool.using(_process))
    watched: list[FetchingConnection] = []

    async def ended(connection: Connection) -> None:
        watched.append(connection)
        await connection.fetch(b"SELECT pg_terminate_backend(pg_backend_pid())", ())

    with pytest.raises(Exception, match=r"terminat|database"):
        event_loop.run(pool.using(ended))

    assert all(connection.closed for connection in watched)
    assert event_loop.run(pool.using(_process)) != before
