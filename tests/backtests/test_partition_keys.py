"""The unique keys of a run's partitions, in new runs and in those that were stored before partitions had their own."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection

from backtests.ingest import load as loading
from backtests.ingest.batch import vacuum_lists
from backtests.models import Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl, strategy

KEYS = (
    "backtests_events_{}_number",
    "backtests_events_{}_id",
    "backtests_lists_{}_chunk",
    "backtests_order_states_{}_step",
)
UNIQUE = """
SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique AND indisvalid AND indrelid = ANY (%s::regclass[])
ORDER BY 1
"""
migration = import_module("backtests.migrations.0014_keys_of_partitions")


pytestmark = pytest.mark.usefixtures("open_database")


@pytest.fixture
def store(load: Load, in_thread: InThread) -> Iterator[Callable[[], UUID]]:
    """Yield a function that stores a run; the runs are deleted after the test."""
    stored: list[UUID] = []

    def store_run() -> UUID:
        stored.append(uuid4())
        load(jsonl(strategy(str(stored[-1]), events=600, seed=3)), run_id=stored[-1])
        return stored[-1]

    yield store_run
    in_thread(Run.objects.filter(run_id__in=stored).delete)


@pytest.mark.parametrize(
    ("table", "other"),
    [
        ("events", "number = number + 10000"),
        ("events", "event_id = gen_random_uuid()"),
        ("lists", "first_moment = 0"),
        ("order_states", "executed = 7"),
    ],
)
def test_a_partition_refuses_a_second_row_with_its_key(store: Callable[[], UUID], table: str, other: str) -> None:
    partition = f"backtests_{table}_{_number(store())}"
    changed, value = other.split(" = ")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            [partition],
        )
        columns = [name for (name,) in cursor.fetchall()]
        values = [value if name == changed else name for name in columns]
        insert = f"INSERT INTO {partition} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {partition} LIMIT 1"
        with pytest.raises(IntegrityError, match=f'"{partition}_'):
            cursor.execute(insert)


def test_runs_stored_before_get_keys_of_their_own_and_the_parents_keys_are_dropped(store: Callable[[], UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(migration.UNDO)
    try:
        number = _number(store())
        without = _unique_keys(number)
        with connection.cursor() as cursor:  # as an interrupted migration leaves it
            cursor.execute(f"CREATE UNIQUE INDEX backtests_events_{number}_id ON backtests_events_{number} (event_id)")
    finally:
        for _ in range(2):
            with connection.schema_editor(atomic=False) as editor:
                migration.build_keys(None, editor)

    assert not {name.format(number) for name in KEYS} & set(without)
    later = _number(store())
    for one in (number, later):
        assert _unique_keys(one) == sorted(name.format(one) for name in KEYS)


def test_lists_are_vacuumed_during_a_load_and_say_the_same(
    store: Callable[[], UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = store()
    vacuumed: list[int] = []

    def record_vacuum(number: int) -> None:
        vacuumed.append(number)
        vacuum_lists(number)

    monkeypatch.setattr(loading, "BATCH_EVENTS", 100)
    monkeypatch.setattr(loading, "VACUUM_EVENTS", 250)
    monkeypatch.setattr(loading, "vacuum_lists", record_vacuum)

    run_id = store()

    assert vacuumed == [_number(run_id)] * 2
    assert _lists(run_id) == _lists(plain)


def test_a_vacuum_of_a_deleted_run_does_nothing() -> None:
    vacuum_lists(987_654_321)


def _number(run_id: UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT number FROM backtests_runs WHERE run_id = %s", [run_id])
        return int(cursor.fetchone()[0])


def _unique_keys(number: int) -> list[str]:
    """Return the unique keys of a run's partitions."""
    with connection.cursor() as cursor:
        cursor.execute(UNIQUE, [[f"backtests_{name}_{number}" for name in ("events", "lists", "order_states")]])
        return [name for (name,) in cursor.fetchall()]


def _lists(run_id: UUID) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT list, chunk, size, events, moments, numbers FROM backtests_lists WHERE run_id = %s ORDER BY 1, 2",
            [run_id],
        )
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
