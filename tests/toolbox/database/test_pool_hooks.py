"""What a pool does with a connection that is new, and with one that comes back."""

import asyncio
from collections.abc import Iterator

import pytest

from toolbox.database import event_loop
from toolbox.database.pools import Connection, Pool

pytestmark = pytest.mark.usefixtures("cast")


class Hooks:
    """Hooks that record their arguments."""

    def __init__(self) -> None:
        self.new: list[int] = []
        self.back: list[int] = []
        self.fails = False

    async def configure(self, connection: Connection) -> None:
        self.new.append(id(connection))

    async def reset(self, connection: Connection) -> None:
        if self.fails:
            raise ValueError("it cannot be cleaned")
        self.back.append(id(connection))
        await connection.execute("DISCARD ALL")


@pytest.fixture
def hooks() -> Hooks:
    return Hooks()


@pytest.fixture
def pool(hooks: Hooks) -> Iterator[Pool]:
    """Yield a pool of one connection."""
    pool = Pool("reader", max_size=1, configure=hooks.configure, reset=hooks.reset)
    yield pool
    event_loop.run(pool.close())


async def _set(connection: Connection) -> int:
    await connection.execute("SET work_mem = '1MB'")
    return id(connection)


async def _show_work_mem(connection: Connection) -> tuple[int, str]:
    cursor = await connection.execute("SHOW work_mem")
    row = await cursor.fetchone()
    assert row
    return id(connection), str(row["work_mem"])


def test_a_connection_is_configured_once_and_reset_each_time(pool: Pool, hooks: Hooks) -> None:
    before = event_loop.run(pool.run(_show_work_mem))
    event_loop.run(pool.run(_set))

    assert event_loop.run(pool.run(_show_work_mem)) == before
    assert (len(hooks.new), hooks.new[-1]) == (2, before[0]), "the connection that tries the database, then the pool's"
    assert hooks.back[:2] == [before[0]] * 2


def test_a_connection_that_cannot_be_reset_is_closed(pool: Pool, hooks: Hooks) -> None:
    hooks.fails = True
    first = event_loop.run(pool.run(_set))
    hooks.fails = False

    second, work_mem = event_loop.run(pool.run(_show_work_mem))

    assert len(hooks.new) == 3, "the connection that tries the database, the one that failed, its successor"
    assert work_mem != "1MB"
    assert first in hooks.new
    assert second in hooks.new


def test_what_cancelled_work_leaves_of_a_transaction_is_rolled_back_without_a_warning(
    pool: Pool, hooks: Hooks, caplog: pytest.LogCaptureFixture
) -> None:
    async def begin(connection: Connection, *, has_begun: asyncio.Event) -> None:
        await connection.execute("BEGIN")
        await connection.execute("SET LOCAL work_mem = '1MB'")
        has_begun.set()
        await asyncio.Event().wait()

    async def cancel_inside() -> tuple[int, str]:
        has_begun = asyncio.Event()
        cancelled = asyncio.create_task(pool.run(lambda connection: begin(connection, has_begun=has_begun)))
        await has_begun.wait()
        cancelled.cancel()
        await asyncio.wait([cancelled])
        return await pool.run(_show_work_mem)

    connection, work_mem = event_loop.run(cancel_inside())

    assert (hooks.new[-1], work_mem) == (connection, "4MB"), "the same connection, without what was set in it"
    assert [line for line in caplog.messages if "rolling back" in line] == []
