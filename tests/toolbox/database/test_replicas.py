"""Reads go to a real streaming replica while it is near enough, and to the primary else; nobody misses own writes."""

import asyncio
import math
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connections

from config.environment import reader_on_primary
from tests.toolbox.replication import ReplicatedCluster, run_replicated_cluster
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop, replicas
from toolbox.database.notifications import Notifications
from toolbox.database.own_writes import OwnWrites
from toolbox.database.pools import owner_pool
from toolbox.database.replicas import ReplicatedPool, needed_position

ALICE, BOB = Caller(name="alice", scopes=frozenset(), owner_id=1), Caller(name="bob", scopes=frozenset(), owner_id=2)
WHERE = "SELECT pg_is_in_recovery() AS is_replica, (SELECT max(n) FROM counted) AS n LIMIT 1"
OWNER, READER = "postgresql://toolroom@db/toolroom", "postgresql://toolroom_reader:x@db/toolroom"


@pytest.mark.parametrize(
    ("readers", "replicas_of_them"),
    [
        ([READER], []),
        (["postgresql://toolroom_reader:x@replica/toolroom"], ["postgresql://toolroom_reader:x@replica/toolroom"]),
        ([READER, "postgresql://r@two:5433/toolroom"], ["postgresql://r@two:5433/toolroom"]),
    ],
)
def test_the_reader_has_a_place_on_the_primary_whatever_addresses_it_has(
    readers: list[str], replicas_of_them: list[str]
) -> None:
    entry, found = reader_on_primary(OWNER, readers=readers)

    assert (entry["HOST"], entry["USER"], entry["PASSWORD"]) == ("db", "toolroom_reader", "x")
    assert found == replicas_of_them


@pytest.fixture(scope="module")
def clusters() -> Iterator[ReplicatedCluster]:
    """Run a primary and its replica with a table that counts."""
    with run_replicated_cluster() as made:
        with psycopg.connect(made.owner(), autocommit=True) as owner:
            owner.execute("CREATE TABLE counted (n int)")
            owner.execute("INSERT INTO counted VALUES (1)")
            owner.execute("GRANT SELECT ON counted TO toolroom_reader")
        yield made


@pytest.fixture
def pool(clusters: ReplicatedCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReplicatedPool]:
    """Yield the primary's reader, measured when the test says."""
    for alias in ("default", "reader"):
        monkeypatch.setitem(connections[alias].settings_dict, "HOST", str(clusters.primary.sockets))
        monkeypatch.setitem(connections[alias].settings_dict, "NAME", "toolroom")
    event_loop.run(owner_pool.close())
    monkeypatch.setattr(replicas, "MEASURE_SECONDS", 0.05)
    made = ReplicatedPool("reader", replicas=[clusters.reader()], max_size=3, max_lag_seconds=5)
    yield made
    event_loop.run(made.close())
    event_loop.run(owner_pool.close())


def read(pool: ReplicatedPool) -> tuple[bool, int]:
    row = event_loop.run(pool.fetch(WHERE)).rows[0]
    return row["is_replica"], row["n"]


def write(clusters: ReplicatedCluster) -> int:
    with psycopg.connect(clusters.owner()) as owner:
        row = owner.execute("INSERT INTO counted SELECT max(n) + 1 FROM counted RETURNING n").fetchone()
    return int(row[0]) if row else 0


def until(true: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if true():
            return
        event_loop.run(asyncio.sleep(0.01))  # other processes are waited for
    raise TimeoutError


def settle(pool: ReplicatedPool) -> None:
    """Read once, and wait until the replica is used."""
    read(pool)
    until(lambda: pool.list_usable() != [])


@pytest.mark.slow
def test_reads_go_to_the_replica_and_the_first_to_the_primary(pool: ReplicatedPool) -> None:
    first, _ = read(pool)
    settle(pool)
    second, _ = read(pool)

    assert (first, second) == (False, True)
    assert pool.reads["replica"] >= 1


@pytest.mark.slow
def test_a_replica_that_ends_costs_no_read_and_is_read_again_when_it_is_back(
    pool: ReplicatedPool, clusters: ReplicatedCluster
) -> None:
    settle(pool)
    read(pool)

    clusters.stop()
    away = [read(pool) for _ in range(5)]
    clusters.start()

    assert {is_replica for is_replica, _ in away} == {False}
    until(lambda: read(pool)[0])


@pytest.mark.slow
def test_a_read_that_waits_for_a_replica_that_hangs_is_done_by_the_primary(
    pool: ReplicatedPool, clusters: ReplicatedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "PATIENCE_SECONDS", 0.3)
    settle(pool)
    read(pool)

    with clusters.hang():
        is_replica, _ = read(pool)

    assert is_replica is False
    until(lambda: read(pool)[0])


@pytest.mark.slow
def test_a_table_that_a_replica_has_not_yet_is_read_on_the_primary(
    pool: ReplicatedPool, clusters: ReplicatedCluster
) -> None:
    settle(pool)

    with clusters.pause_replay():
        with psycopg.connect(clusters.owner(), autocommit=True) as owner:
            owner.execute("CREATE TABLE migrated AS SELECT 7 AS n")
            owner.execute("GRANT SELECT ON migrated TO toolroom_reader")
        found = event_loop.run(pool.fetch("SELECT n FROM migrated LIMIT 1")).rows
        usable = pool.list_usable()

    assert found == [{"n": 7}]
    assert usable == pool.replicas


@pytest.mark.slow
def test_an_idle_primary_makes_no_lag(pool: ReplicatedPool, clusters: ReplicatedCluster) -> None:
    """Nor does what PostgreSQL writes by itself: a checkpoint, the end of a file of its log."""
    settle(pool)

    def is_level() -> bool:
        event_loop.run(pool.measure())
        return pool.replicas[0].has_replayed(pool._positions[-1][1])

    with clusters.superuser() as superuser:
        for statement in ("SELECT 1", "CHECKPOINT", "SELECT pg_switch_wal()", "SELECT pg_log_standby_snapshot()"):
            superuser.execute(statement.encode())
            until(is_level)


@pytest.mark.slow
def test_a_server_that_replicates_nothing_is_not_read(
    pool: ReplicatedPool, clusters: ReplicatedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replica that was promoted takes writes of its own, or none."""
    stranger = replicas.Replica(_address_of_the_tests(), alias="reader", max_size=1)
    monkeypatch.setattr(pool, "replicas", [stranger])
    event_loop.run(pool.measure())

    assert pool.list_usable() == []
    assert "replicates nothing" in stranger.why_away
    event_loop.run(stranger.watch.close())


def _address_of_the_tests() -> str:
    from django.conf import settings

    from config.postgres.cluster import address, ensure_running

    return address(ensure_running(settings.TOOLROOM_VAR), database="postgres", user="toolroom_reader")


@pytest.mark.slow
def test_who_wrote_reads_the_primary_until_the_replica_has_it_in_every_process(
    pool: ReplicatedPool, clusters: ReplicatedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "PATIENCE_SECONDS", 60)
    monkeypatch.setattr(pool, "max_lag_seconds", 600)
    heard = [Notifications(retry_seconds=0.02), Notifications(retry_seconds=0.02)]
    here, there = (OwnWrites(pool, heard=one) for one in heard)
    settle(pool)
    for one in heard:
        event_loop.run(one.wait_until_listening())
        until(lambda one=one: one.is_arriving is True)  # type: ignore[misc]

    def read_as(caller: Caller, *, own_writes: OwnWrites) -> tuple[bool, int]:
        async def ask() -> tuple[bool, int]:
            needed_position.set(own_writes.find_needed_position(caller))
            row = (await pool.fetch(WHERE)).rows[0]
            return row["is_replica"], row["n"]

        return event_loop.run(ask())

    # what was written before is replayed
    until(lambda: read_as(ALICE, own_writes=here)[0] and read_as(BOB, own_writes=there)[0])
    with clusters.pause_replay():
        written = write(clusters)
        event_loop.run(here.mark("person 1"))
        until(lambda: there._marks.get("person 1", 0) > 0)
        alice = [read_as(ALICE, own_writes=one) for one in (here, there)]
        bob = read_as(BOB, own_writes=there)

    assert alice == [(False, written)] * 2
    assert bob == (True, written - 1)
    until(lambda: read_as(ALICE, own_writes=there) == (True, written))
    for one in heard:
        event_loop.run(one.close())


@pytest.mark.slow
def test_where_notifications_do_not_arrive_everybody_reads_the_primary(pool: ReplicatedPool) -> None:
    assert OwnWrites(pool, heard=Notifications()).find_needed_position(BOB) == math.inf


@pytest.mark.slow
def test_without_primary_and_replica_a_read_is_refused(pool: ReplicatedPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections["reader"].settings_dict, "HOST", "/missing")
    monkeypatch.setattr(pool, "replicas", [])

    with pytest.raises(DatabaseUnavailable):
        read(pool)
