"""A pool's connection stays usable after a cancelled call and a failed statement, and is replaced when it died."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from toolbox.database import event_loop
from toolbox.database.pools import Connection, Pool

pytestmark = pytest.mark.usefixtures("cast")


@pytest.fixture
def pool() -> Iterator[Pool]:
    """Yield a pool of one connection."""
    pool = Pool("reader", max_size=1)
    yield pool
    event_loop.run(pool.close())


async def _process(connection: Connection) -> int:
    return connection.info.backend_pid


@pytest.mark.parametrize("statement", ["SELECT pg_sleep(30)", "SELECT count(*) FROM generate_series(1, 10000000000)"])
def test_a_call_that_is_cancelled_cancels_its_statement_and_keeps_its_connection(pool: Pool, statement: str) -> None:
    before = event_loop.run(pool.run(_process))

    async def give_up() -> None:
        async with asyncio.timeout(0.05):
            await pool.fetch(statement)

    with pytest.raises(TimeoutError):
        event_loop.run(give_up())

    assert event_loop.run(pool.run(_process)) == before
    assert pool.in_use == 0


def test_a_mistake_in_a_statement_is_psycopg_s_error_and_the_connection_stays(pool: Pool) -> None:
    before = event_loop.run(pool.run(_process))

    for statement, error in [
        ("SELECT 1 / %s", psycopg.errors.DivisionByZero),
        ("SELEC %s", psycopg.errors.SyntaxError),
        ("SET work_mem = '1MB'", psycopg.ProgrammingError),
    ]:
        with pytest.raises(error):
            event_loop.run(pool.fetch(statement, (0,) if "%" in statement else ()))

    assert event_loop.run(pool.run(_process)) == before


def test_a_statement_is_prepared_once_and_anew_after_everything_was_discarded(pool: Pool) -> None:
    prepared = "SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE '%%surely one%%'"

    async def count_prepared() -> int:
        await pool.fetch("SELECT %s::int AS n, 'surely one' AS mark", (1,))
        return int((await pool.fetch(prepared)).rows[0]["n"])

    async def count_three_times_then_discard_all() -> list[int]:
        counts = [await count_prepared() for _ in range(3)]
        await pool.run(lambda connection: connection.execute("DISCARD ALL"))
        return [*counts, await count_prepared()]

    counts = event_loop.run(count_three_times_then_discard_all())

    assert set(counts) == {2}  # itself and the statement that counts


def test_a_connection_whose_server_ended_it_is_closed_and_the_next_is_new(pool: Pool) -> None:
    before = event_loop.run(pool.run(_process))
    ended: list[Connection] = []

    async def end(connection: Connection) -> None:
        ended.append(connection)
        await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(Exception, match=r"terminat|database"):
        event_loop.run(pool.run(end))

    assert all(connection.closed for connection in ended)
    assert event_loop.run(pool.run(_process)) != before


@pytest.mark.parametrize("retries", [True, False])
def test_work_that_waits_for_a_connection_waits_on_when_others_lose_theirs(*, retries: bool) -> None:
    """A pool is closed when one of its connections died. Work that waits in it has begun nothing that could be lost."""
    assert event_loop.run(_wait_while_others_lose_theirs(retries=retries)) == 1


async def _wait_while_others_lose_theirs(*, retries: bool) -> int:
    """Close the pool twice while work waits for its connection; returns how often the work was done."""
    configured, is_waiting, may_go_on = 0, asyncio.Event(), asyncio.Event()
    done: list[int] = []

    async def hold(_connection: Connection) -> None:
        nonlocal configured
        configured += 1
        if configured in (3, 5):  # the work's own: 1 tries the database, 2 is in use, 4 tries it again
            is_waiting.set()
            await may_go_on.wait()

    async def note(connection: Connection) -> None:
        done.append(await _process(connection))

    pool = Pool("reader", max_size=2, retries=retries, configure=hold)
    is_used = asyncio.Event()

    async def use(_connection: Connection) -> None:
        is_used.set()
        await may_go_on.wait()

    async with asyncio.timeout(60):
        user = asyncio.create_task(pool.run(use))
        await is_used.wait()
        waiting = asyncio.create_task(pool.run(note))
        for _ in range(2):
            await is_waiting.wait()
            is_waiting.clear()
            assert pool._pool
            await pool._discard(pool._pool)  # as a call that meets a dead connection does
        await waiting
        may_go_on.set()
        await user
    await pool.close()
    return len(done)
