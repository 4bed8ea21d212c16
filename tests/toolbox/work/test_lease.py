"""The lease that all background work shares: the same promises for runs, tasks and jobs, on the real database."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from kombu.exceptions import OperationalError
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from agents.queries import leases
from agents.queries.leases import RUNS
from agents.runs import execution
from config.celery import app
from tests.agents.conversation_client import Owner
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.client_channel import TaskChannel
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool
from toolbox.dispatch.dispatch import Call
from toolbox.mcp import task_worker
from toolbox.work import jobs, lease, task_queries, worker
from toolbox.work.jobs import JOBS
from toolbox.work.lease import MAX_LOSSES, Lease, LeaseLost, WorkId, WorkKind
from toolbox.work.publisher import Publisher, publisher
from toolbox.work.task_queries import TASKS


class Piece:
    """A piece of queued work of one kind, and its row."""

    def __init__(self, kind: WorkKind, work_id: Any, connection: psycopg.Connection[Any]) -> None:
        self.kind, self.id, self._connection = kind, work_id, connection

    def claim(self, worker: str) -> Lease | None:
        return event_loop.run(lease.claim(self.kind, work_id=self.id, worker=worker))

    def claim_as(self, worker: str) -> Lease:
        claimed = self.claim(worker)
        assert claimed is not None
        return claimed

    def write(self, changes: str) -> None:
        self._connection.execute(f"UPDATE {self.kind.table} SET {changes} WHERE id = %s".encode(), [self.id])

    def row(self) -> dict[str, Any]:
        """Return the whole row, and for a run its events and messages too."""
        whole = self._connection.execute(f"SELECT * FROM {self.kind.table} WHERE id = %s".encode(), [self.id])
        row = whole.fetchone()
        assert row is not None
        for table in ("agents_events", "agents_steps", "agents_messages") if self.kind is RUNS else ():
            rows = self._connection.execute(f"SELECT * FROM {table} WHERE run_id = %s".encode(), [self.id])
            row[table] = rows.fetchall()
        return dict(row)

    def lose_worker(self) -> None:
        """Date the worker's heartbeat back, and sweep."""
        self.write(f"heartbeat_at = clock_timestamp() - interval '{self.kind.stale_seconds + 1} s'")
        assert self.id in event_loop.run(lease.reclaim(self.kind))


@pytest.fixture
def connection(cast: object) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(owner_pool.conninfo(), autocommit=True, row_factory=dict_row) as opened:
        yield opened


@pytest.fixture(params=["run", "task", "job"])
def piece(request: pytest.FixtureRequest, connection: psycopg.Connection[Any]) -> Iterator[Piece]:
    """Queue a piece of work of each kind, deleted after the test."""
    make = {"run": _run, "task": _task, "job": _job}[request.param]
    made = make(connection)
    yield made
    if made.kind is RUNS:
        event_loop.run(leases.cancel(made.id))
    else:
        connection.execute(f"DELETE FROM {made.kind.table} WHERE id = %s".encode(), [made.id])


def _run(connection: psycopg.Connection[Any]) -> Piece:
    return Piece(RUNS, Owner("").say("Who won?", is_told=False), connection)


def _task(connection: psycopg.Connection[Any]) -> Piece:
    call = Call(
        tool="query_linescore_data",
        arguments=b"{}",
        credential=LOCAL_OPERATOR,
        transport="test",
        request_id="r",
        client=TaskChannel(),
    )
    task_id = uuid4()
    event_loop.run(task_queries.create(task_id, call=call, caller=LOCAL_OPERATOR, keep_seconds=60))
    return Piece(TASKS, task_id, connection)


def _job(connection: psycopg.Connection[Any]) -> Piece:
    made = connection.execute(
        "INSERT INTO toolbox_jobs (kind, arguments, file_name, state, attempt, worker, step, done, expected, summary,"
        " details, created_at) VALUES ('test', '{}', '', 'queued', 0, '', '', 0, 0, '', '', now()) RETURNING id"
    ).fetchone()
    return Piece(JOBS, made["id"] if made else 0, connection)


Write = Callable[[Lease], Coroutine[Any, Any, Any]]


async def _transact(held: Lease) -> None:
    async def work(connection: Any) -> None:
        await connection.execute(f"UPDATE {held.kind.table} SET worker = 'late'".encode())

    await held.transact(work)


async def _finish(held: Lease) -> None:
    if held.kind is RUNS:
        await leases.finish(held, state="succeeded", text="Too late.")
    elif held.kind is TASKS:
        await held.finish(state="completed", outcome="{}")
    else:
        await held.finish(state="succeeded", summary="Too late.")


async def _park(held: Lease) -> None:
    await held.finish(state="input_required" if held.kind is TASKS else "queued", **_PARKED.get(held.kind.table, {}))


_PARKED = {"toolbox_tasks": {"inquiries": Jsonb({"a": {}}), "answers": Jsonb({"b": {}})}}
_PROGRESS: dict[str, dict[str, Any]] = {
    "agents_runs": {},
    "toolbox_tasks": {"progress": "late"},
    "toolbox_jobs": {"step": "late", "done": 1, "expected": 2},
}


def test_two_that_claim_at_once_are_not_both_given_the_work(piece: Piece) -> None:
    async def both() -> list[Lease | None]:
        return await asyncio.gather(
            *(lease.claim(piece.kind, work_id=piece.id, worker=name) for name in ("one", "two"))
        )

    claimed = [held for held in event_loop.run(both()) if held]

    assert [held.attempt for held in claimed] == [1]
    assert piece.claim("three") is None
    assert piece.row()["attempt"] == 1


def test_what_a_silent_worker_held_is_another_s_with_the_next_attempt(piece: Piece) -> None:
    piece.claim_as("one")
    assert piece.id not in event_loop.run(lease.reclaim(piece.kind))

    piece.lose_worker()
    held = piece.claim_as("two")

    assert (held.attempt, held.losses, piece.row()["state"]) == (2, 1, "running")


@pytest.mark.parametrize("is_claimed_again", [False, True])
@pytest.mark.parametrize("write", [Lease.release, _transact, _finish, _park])
def test_a_worker_that_lost_its_lease_changes_nothing(piece: Piece, write: Write, *, is_claimed_again: bool) -> None:
    lost = piece.claim_as("one")
    piece.lose_worker()
    if is_claimed_again:
        piece.claim_as("two")
    before = piece.row()

    with pytest.raises(LeaseLost):
        event_loop.run(write(lost))

    assert piece.row() == before


@pytest.mark.parametrize("is_claimed_again", [False, True])
def test_a_lost_heartbeat_says_so_and_writes_no_progress(piece: Piece, *, is_claimed_again: bool) -> None:
    lost = piece.claim_as("one")
    piece.lose_worker()
    if is_claimed_again:
        piece.claim_as("two")
    before = piece.row()
    lost.progress = _PROGRESS[piece.kind.table]

    assert not event_loop.run(lost.heartbeat())
    assert piece.row() == before


def test_a_heartbeat_keeps_the_lease_and_writes_progress(piece: Piece) -> None:
    held = piece.claim_as("one")
    held.progress = _PROGRESS[piece.kind.table]
    piece.write("heartbeat_at = clock_timestamp() - interval '1 minute'")

    assert event_loop.run(held.heartbeat())

    assert piece.id not in event_loop.run(lease.reclaim(piece.kind))
    assert piece.row().items() >= held.progress.items()


def test_the_same_execution_takes_up_again_what_it_lost_sight_of(piece: Piece) -> None:
    first = piece.claim_as("one")

    again = piece.claim_as("one")

    assert (again.attempt, again.losses) == (2, 0)
    assert not event_loop.run(first.heartbeat())


def test_released_work_is_free_at_once_and_counts_no_loss(piece: Piece) -> None:
    event_loop.run(piece.claim_as("one").release())

    assert piece.row()["worker"] == ""
    assert piece.claim_as("two").losses == 0


def test_several_sweeps_at_once_find_each_piece_once(piece: Piece) -> None:
    piece.claim_as("one")
    piece.write("heartbeat_at = clock_timestamp() - interval '1 minute'")

    async def all_at_once() -> list[list[WorkId]]:
        return await asyncio.gather(*(lease.sweep(piece.kind) for _ in range(4)))

    found = [work_id for work in event_loop.run(all_at_once()) for work_id in work]

    assert found.count(piece.id) == 1
    assert piece.row()["losses"] == 1


def test_cancelling_wins_over_a_late_end(piece: Piece) -> None:
    held = piece.claim_as("one")
    cancel: dict[str, Callable[[Any], Coroutine[Any, Any, Any]]] = {
        "agents_runs": leases.cancel,
        "toolbox_tasks": task_queries.cancel_any,
        "toolbox_jobs": jobs.cancel,
    }
    event_loop.run(cancel[piece.kind.table](piece.id))
    before = piece.row()

    with pytest.raises(LeaseLost):
        event_loop.run(_finish(held))

    assert before["state"] == "cancelled"
    assert piece.row() == before
    assert piece.claim("two") is None


def test_a_sweep_enqueues_what_the_broker_never_heard_of_ever_more_seldom(piece: Piece) -> None:
    waits = []
    assert piece.id not in event_loop.run(lease.find_forgotten(piece.kind))
    for _ in range(3):
        while piece.id not in event_loop.run(lease.find_forgotten(piece.kind)):
            piece.write("enqueued_at = coalesce(enqueued_at, created_at) - interval '5 s'")
            waits.append(piece.row()["enqueues"])

    assert [waits.count(times) for times in range(3)] == [1, 2, 4]


def test_nobody_waits_for_a_broker_that_is_away(
    piece: Piece, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refused: Future[tuple[str, dict[str, Any]]] = Future()

    def send_task(name: str, *, kwargs: dict[str, Any], **_: object) -> None:
        refused.set_result((name, kwargs))
        raise OperationalError("away")

    monkeypatch.setattr(app, "send_task", send_task)
    own = Publisher()

    own.take(piece.kind, work_id=piece.id)

    name, kwargs = refused.result(60)
    assert name == piece.kind.celery_task
    assert [str(value) for value in kwargs.values()] == [str(piece.id)]
    assert list(kwargs) == [piece.kind.id_argument]
    assert piece.row()["state"] == "queued"


@pytest.fixture
def sent_work(monkeypatch: pytest.MonkeyPatch) -> list[WorkId]:
    """Record what is enqueued; the broker is not used."""
    seen: list[WorkId] = []
    monkeypatch.setattr(publisher, "take", lambda _, *, work_id: seen.append(work_id))
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(worker, "_is_draining", False)
    return seen


def _begin_work(piece: Piece) -> tuple["Future[None]", "Future[Lease]"]:
    """Start work that runs until it is cancelled; returns the execution, and the lease once it works."""
    begun: Future[Lease] = Future()

    async def work(held: Lease) -> None:
        begun.set_result(held)
        await asyncio.Event().wait()

    executing = worker.execute(piece.kind, work_id=piece.id, work=work)
    return asyncio.run_coroutine_threadsafe(executing, event_loop.get_loop()), begun


def test_a_drained_worker_s_work_is_released_and_enqueued(piece: Piece, sent_work: list[WorkId]) -> None:
    executing, begun = _begin_work(piece)
    begun.result(60)

    event_loop.run(worker.drain())
    executing.result(60)
    refused, _ = _begin_work(piece)
    refused.result(60)

    assert sent_work == [piece.id]
    assert piece.claim_as("another").losses == 0


def test_work_ends_when_its_lease_is_lost(piece: Piece, sent_work: list[WorkId]) -> None:
    executing, begun = _begin_work(piece)
    begun.result(60)
    piece.write("attempt = attempt + 1, worker = 'another'")
    before = piece.row()

    executing.result(60)

    assert sent_work == []
    assert piece.row() == before


def test_an_execution_that_is_cancelled_counts_no_loss(piece: Piece, sent_work: list[WorkId]) -> None:
    async def cancel_in_the_middle() -> None:
        begun = asyncio.Event()

        async def work(_: Lease) -> None:
            begun.set()
            await asyncio.Event().wait()

        executing = asyncio.create_task(worker.execute(piece.kind, work_id=piece.id, work=work))
        await begun.wait()
        executing.cancel()
        await asyncio.wait([executing])
        assert executing.cancelled()

    event_loop.run(cancel_in_the_middle())

    assert sent_work == [piece.id]
    assert piece.claim_as("another").losses == 0


def test_work_that_fails_unplanned_is_left_to_the_sweep(piece: Piece, sent_work: list[WorkId]) -> None:
    async def work(_: Lease) -> None:
        raise ZeroDivisionError

    event_loop.run(worker.execute(piece.kind, work_id=piece.id, work=work))

    assert piece.row()["state"] == "running"
    piece.lose_worker()


def test_a_sweep_that_fails_for_one_kind_goes_on_with_the_others(
    piece: Piece, sent_work: list[WorkId], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> list[WorkId]:
        raise ZeroDivisionError

    broken = WorkKind(table="absent", celery_task="x", id_argument="x", stale_seconds=1, on_sweep=fail)
    monkeypatch.setattr(lease, "kinds", {"absent": broken, piece.kind.table: piece.kind})
    piece.claim_as("one")
    piece.write("heartbeat_at = clock_timestamp() - interval '1 minute'")

    event_loop.run(worker.sweep())

    assert piece.id in sent_work


def test_work_that_lost_too_many_workers_ends_with_words(piece: Piece, sent_work: list[WorkId]) -> None:
    work: Any = {"agents_runs": execution, "toolbox_tasks": task_worker, "toolbox_jobs": jobs}[piece.kind.table]
    piece.write(f"losses = {MAX_LOSSES}" + (", kind = 'linescore.sample'" if piece.kind is JOBS else ""))

    event_loop.run(worker.execute(piece.kind, work_id=piece.id, work=work.carry_out))

    row = piece.row()
    words = row.get("error") or row.get("outcome") or row["summary"]
    assert row["state"] == "failed"
    assert "worker" in words
