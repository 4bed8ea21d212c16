"""What a replica cannot answer, the primary does; a replica that answered with an error stays one that is read."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop, replicas
from toolbox.database.pools import Connection, Pool
from toolbox.database.replicas import Replica, ReplicatedPool

pytestmark = pytest.mark.usefixtures("cast")


@pytest.fixture
def pool() -> Iterator[ReplicatedPool]:
    """Yield a reader whose only replica, in use, is another address of the primary."""
    made = ReplicatedPool("reader", replicas=[Pool("reader", max_size=1).conninfo()], max_size=2, max_lag_seconds=60)
    event_loop.run(made.measure())
    yield made
    event_loop.run(made.close())


class FailsFirst:
    """Work that fails the first time."""

    def __init__(self, error: type[psycopg.Error], *, ends_connection: bool = False) -> None:
        self.times = 0
        self._error = error
        self._ends_connection = ends_connection

    async def __call__(self, connection: Connection) -> int:
        self.times += 1
        if self.times > 1:
            return 42
        if self._ends_connection:
            await connection.close()
        raise self._error("by the replica")


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.SerializationFailure,
        psycopg.errors.DeadlockDetected,
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedColumn,
        psycopg.errors.UndefinedFunction,
        psycopg.errors.InsufficientPrivilege,
    ],
)
def test_what_only_a_replica_refuses_is_done_by_the_primary(pool: ReplicatedPool, error: type[psycopg.Error]) -> None:
    """It took the statement back for what it replays, or has not replayed the migration that the code needs."""
    work = FailsFirst(error)

    assert event_loop.run(pool.run(work)) == 42
    assert pool.reads == {"primary": 1, "replica": 0}
    assert pool.list_usable() == pool.replicas


def test_a_statement_that_takes_too_long_on_a_replica_is_not_done_again(pool: ReplicatedPool) -> None:
    work = FailsFirst(psycopg.errors.QueryCanceled)

    with pytest.raises(StatementTimeout):
        event_loop.run(pool.run(work))

    assert work.times == 1
    assert pool.list_usable() == pool.replicas


def test_a_mistake_in_a_statement_is_the_caller_s(pool: ReplicatedPool) -> None:
    work = FailsFirst(psycopg.errors.DivisionByZero)

    with pytest.raises(psycopg.errors.DivisionByZero):
        event_loop.run(pool.run(work))

    assert work.times == 1


def test_a_replica_that_is_away_is_not_read_and_the_primary_answers(
    pool: ReplicatedPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def measure_nothing() -> None: ...

    monkeypatch.setattr(pool, "measure", measure_nothing)
    work = FailsFirst(psycopg.OperationalError, ends_connection=True)

    assert event_loop.run(pool.run(work)) == 42
    assert pool.list_usable() == []


@pytest.mark.parametrize("error", [OSError("the socket is gone"), TypeError("an answer nobody expected")])
def test_measuring_survives_what_one_measurement_meets(
    pool: ReplicatedPool, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "MEASURE_SECONDS", 0.001)
    asked = asyncio.Event()

    async def measure_twice() -> bool:
        times = 0

        async def measure() -> None:
            nonlocal times
            times += 1
            if times == 1:
                raise error
            asked.set()

        monkeypatch.setattr(pool, "measure", measure)
        await pool.ping()
        async with asyncio.timeout(60):
            await asked.wait()
        return True

    assert event_loop.run(measure_twice())


def test_measuring_that_ended_begins_again_with_the_next_read(pool: ReplicatedPool) -> None:
    async def end_it_and_read() -> bool:
        await pool.ping()
        first = pool._measuring
        assert first
        first.cancel()
        await asyncio.wait([first])
        await pool.ping()
        return pool._measuring is not None and not pool._measuring.done()

    assert event_loop.run(end_it_and_read())


def test_a_replica_that_was_last_measured_long_ago_is_not_read(pool: ReplicatedPool) -> None:
    now = pool.clock()
    pool.clock = lambda: now + 60

    assert pool.list_usable() == []
    event_loop.run(pool.measure())
    assert pool.list_usable() == pool.replicas


def test_a_forked_child_measures_for_itself(pool: ReplicatedPool) -> None:
    event_loop.run(pool.ping())

    pool._abandon_connections()  # what the child does

    assert pool.list_usable() == []
    assert pool._measuring is None


def test_a_replica_that_cannot_be_measured_is_away() -> None:
    replica = Replica("postgresql://nobody@/none?host=/missing", alias="reader", max_size=1)

    assert isinstance(event_loop.run(replicas._ask(replica.watch)), str)
    with pytest.raises(DatabaseUnavailable):
        event_loop.run(replica.pool.fetch("SELECT 1"))


def test_closing_is_no_loss_of_a_replica(pool: ReplicatedPool, caplog: pytest.LogCaptureFixture) -> None:
    """Every command that has read ends by closing its pools; a warning would send the operator to look for a fault."""
    event_loop.run(pool.run(FailsFirst(psycopg.errors.SerializationFailure)))

    event_loop.run(pool.close())

    assert pool.list_usable() == []
    assert [line for line in caplog.messages if "is not read" in line] == []
