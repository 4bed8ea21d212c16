"""What a pool does with a connection that is new, and with one that comes back."""

from collections.abc import Iterator

import pytest

from toolbox.database import event_loop
from toolbox.database.pools import Connection, Pool

pytestmark = pytest.mark.usefixtures("cast")


class Hooks:
    """Hooks that write down what they were given."""

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
    """Give a pool of one connection."""
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
