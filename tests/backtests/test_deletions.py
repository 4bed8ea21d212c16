"""A run is deleted while it or others are loaded, built and read: no deadlock, and no run of what was left."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from backtests.ingest import load as loading
from backtests.ingest.batch import RunDeletedError
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl
from tests.backtests.test_two_loads import event

pytestmark = pytest.mark.usefixtures("open_database")
WAITING = "SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted"
PATIENCE_SECONDS = 60


@pytest.fixture
def runs(load: Load, in_thread: InThread) -> Iterator[tuple[UUID, UUID]]:
    """Yield two stored runs."""
    found = uuid4(), uuid4()
    for run_id in found:
        load(jsonl([event(uuid4(), second=1)]), run_id=run_id)
    yield found
    in_thread(Run.objects.filter(run_id__in=found).delete)


def act_beside_deletion(*run_ids: UUID, before: Callable[[], int], after: Callable[[], int]) -> list[int]:
    """In one transaction act, let another session delete the runs until it waits for a lock, and act again."""
    process_ids: list[int] = []

    def delete() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                process_ids.append(cursor.fetchone()[0])
                cursor.execute("DELETE FROM backtests_runs WHERE run_id = ANY (%s)", [list(run_ids)])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            answers = [before()]
            deletion = pool.submit(delete)
            deadline = monotonic() + PATIENCE_SECONDS
            while not process_ids or not ask(WAITING, process_ids[0]):
                assert monotonic() < deadline, "the deletion waits for nothing"
                assert not deletion.done()
            answers.append(after())
        deletion.result(timeout=PATIENCE_SECONDS)
    return answers


def ask(statement: str, value: int | UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [value])
        return int(cursor.fetchone()[0])


def count(table: str, *, run_id: UUID) -> int:
    return ask(f"SELECT count(*) FROM backtests_{table} WHERE run_id = %s", run_id)


@pytest.mark.parametrize("tables", [("lists", "events"), ("order_states", "events"), ("order_states", "lists")])
def test_another_run_is_read_in_any_order(
    runs: tuple[UUID, UUID], in_thread: InThread, tables: tuple[str, str]
) -> None:
    kept, deleted = runs
    first, second = tables
    expected = {"events": 1, "order_states": 0, "lists": count_lists(in_thread, kept)}

    found = in_thread(
        lambda: act_beside_deletion(
            deleted, before=lambda: count(first, run_id=kept), after=lambda: count(second, run_id=kept)
        )
    )

    assert found == [expected[first], expected[second]]
    assert in_thread(lambda: list(Run.objects.filter(run_id__in=runs))) == [Run(run_id=kept)]


def test_the_second_of_two_deleted_runs_is_loaded_meanwhile(runs: tuple[UUID, UUID], in_thread: InThread) -> None:
    lock = "SELECT number FROM backtests_runs WHERE run_id = %s FOR UPDATE"

    found = in_thread(
        lambda: act_beside_deletion(
            *runs, before=lambda: ask(lock, runs[1]), after=lambda: count("events", run_id=runs[1])
        )
    )

    assert found[1] == 1
    assert not in_thread(lambda: Run.objects.filter(run_id__in=runs).exists())


def count_lists(in_thread: InThread, run_id: UUID) -> int:
    found: int = in_thread(lambda: count("lists", run_id=run_id))
    return found


@pytest.mark.parametrize("is_made_anew", [False, True])
@pytest.mark.parametrize("step", ["make_ready", "store_batch", "analyse"])
def test_a_run_deleted_while_it_is_loaded_is_not_made_of_its_rest(
    load: Load, run_id: UUID, in_thread: InThread, monkeypatch: pytest.MonkeyPatch, step: str, *, is_made_anew: bool
) -> None:
    stored, lines = (jsonl([event(uuid4(), second=second)]) for second in (1, 2))
    monkeypatch.setattr(loading, "WORTH_ANALYSING", 1)
    load(stored, run_id=run_id)
    original = getattr(loading, step)
    deleted: list[UUID] = []

    def delete_first(*given: Any, **named: Any) -> Any:
        if not deleted:
            deleted.append(run_id)
            Run.objects.filter(run_id=run_id).delete()
            if is_made_anew:  # as long again as it was
                load_lines(stored, run_id=run_id, report=LoadReport())
        return original(*given, **named)

    monkeypatch.setattr(loading, step, delete_first)

    with pytest.raises(RunDeletedError, match=f"The run {run_id} was deleted while it was being loaded"):
        load(lines, run_id=run_id)

    counts = in_thread(lambda: list(Run.objects.filter(run_id=run_id).values_list("event_count", flat=True)))
    assert counts == ([1] if is_made_anew else [])


def test_a_deletion_that_others_hold_up_ends_with_an_error(runs: tuple[UUID, UUID], in_thread: InThread) -> None:
    def delete() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET runs.deletion_seconds = '0.2'")
            Run.objects.filter(run_id=runs[0]).delete()
        finally:
            connections.close_all()

    def delete_beside_a_reader() -> None:
        with transaction.atomic(), ThreadPoolExecutor(1) as pool:
            count("lists", run_id=runs[1])
            with pytest.raises(OperationalError, match="nothing is deleted"):
                pool.submit(delete).result(timeout=PATIENCE_SECONDS)

    in_thread(delete_beside_a_reader)

    assert in_thread(lambda: Run.objects.filter(run_id__in=runs).count()) == 2


def test_the_orm_deletes_a_run_by_one_statement(runs: tuple[UUID, UUID], in_thread: InThread) -> None:
    rubbish = [*jsonl([event(uuid4(), second=2)]), b"rubbish\n"]
    in_thread(lambda: load_lines(rubbish, run_id=runs[0], report=LoadReport()))

    def delete() -> list[str]:
        with CaptureQueriesContext(connection) as sent:
            Run.objects.filter(run_id=runs[0]).delete()
        return [query["sql"].split()[0] for query in sent.captured_queries]

    assert in_thread(lambda: count("quarantine", run_id=runs[0])) == 1
    assert in_thread(delete) == ["BEGIN", "DELETE", "COMMIT"]
    assert in_thread(lambda: count("quarantine", run_id=runs[0])) == 0
