"""Calls lie in a partition for each month (UTC), made before the month begins and dropped when its last call is old."""

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.db import connection

from toolbox import tasks
from toolbox.audit import retention
from toolbox.audit.log import CallRecord, audit
from toolbox.database import event_loop
from toolbox.database.pools import owner_pool
from toolbox.models import ToolCall

pytestmark = pytest.mark.usefixtures("scratch_database", "month_that_goes_on")


@pytest.fixture
def month_that_goes_on() -> None:
    """In the last half minute of a month, wait for the next one: tests and database would disagree about the month."""
    while (datetime.now(UTC) + timedelta(seconds=30)).month != datetime.now(UTC).month:
        time.sleep(1)


def first_of_month(months: int) -> datetime:
    """Return the first moment of the month that is so many from this one."""
    now = datetime.now(UTC)
    number = now.year * 12 + now.month - 1 + months
    return datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def name_of(month: datetime) -> str:
    return f"toolbox_tool_calls_{month:%Y_%m}"


def list_partitions() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'toolbox_tool_calls'::regclass"
        )
        return {name for (name,) in cursor.fetchall()}


def partition_of(call: ToolCall) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM toolbox_tool_calls WHERE id = %s", [call.pk])
        return str(cursor.fetchone()[0])


def make_month(month: datetime) -> None:
    """Create the partition of an old month, which is in `before` if the database was migrated today."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE toolbox_tool_calls DETACH PARTITION toolbox_tool_calls_before")
        cursor.execute(f"CREATE TABLE {name_of(month)} PARTITION OF toolbox_tool_calls FOR VALUES FROM (%s) TO (%s)",
                       [month, (month + timedelta(days=32)).replace(day=1)])  # fmt: skip


def make_call(at: datetime, **columns: Any) -> ToolCall:
    usual: dict[str, Any] = {
        "called_at": at, "request_id": "months", "caller": "alice", "key_id": 7, "transport": "rest",
        "domain": "linescore", "tool": "months_tool", "arguments": "{}", "outcome": "answered", "code": "",
        "status": 200, "rows": 1, "answer_bytes": 1, "milliseconds": 1.0,
    }  # fmt: skip
    return ToolCall.objects.create(**usual | columns)


def test_months_have_a_partition_before_they_begin() -> None:
    event_loop.run(retention.prepare_months())

    assert {name_of(first_of_month(ahead)) for ahead in (2, 3)} <= list_partitions()
    assert partition_of(make_call(first_of_month(2))) == name_of(first_of_month(2))
    assert partition_of(make_call(first_of_month(3) - timedelta(microseconds=1))) == name_of(first_of_month(2))


def test_a_call_of_a_month_that_nobody_prepared_is_kept_and_keeps_no_other_month_from_being_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = make_call(first_of_month(5))
    monkeypatch.setattr(retention, "MONTHS_AHEAD", 6)

    event_loop.run(retention.prepare_months())

    assert partition_of(late) == "toolbox_tool_calls_rest"
    assert name_of(first_of_month(5)) not in list_partitions()
    assert name_of(first_of_month(6)) in list_partitions()


def test_a_month_is_dropped_whole_when_its_last_call_is_old_enough() -> None:
    long_ago = first_of_month(-5)
    make_month(long_ago)
    make_call(long_ago)
    age = (datetime.now(UTC) - (long_ago + timedelta(days=32)).replace(day=1)).days

    event_loop.run(retention.forget(days=age + 2))  # midnight may come before
    assert ToolCall.objects.filter(tool="months_tool").exists()

    event_loop.run(retention.forget(days=age))
    assert name_of(long_ago) not in list_partitions()
    assert not ToolCall.objects.filter(tool="months_tool").exists()


def test_calls_in_no_months_partition_are_deleted_by_months_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH_ROWS", 2)
    kept = make_call(first_of_month(-3))
    for _ in range(5):
        make_call(first_of_month(-3) - timedelta(microseconds=1))

    event_loop.run(retention.forget(days=(datetime.now(UTC) - first_of_month(-3)).days))

    assert list(ToolCall.objects.filter(tool="months_tool")) == [kept]


@pytest.mark.slow
def test_a_partition_that_a_reader_holds_is_dropped_later() -> None:
    long_ago = first_of_month(-5)
    make_month(long_ago)
    make_call(long_ago)

    with psycopg.connect(owner_pool.conninfo()) as reader:
        reader.execute(f"SELECT count(*) FROM {name_of(long_ago)}".encode())
        event_loop.run(retention.forget(days=30))
        assert name_of(long_ago) in list_partitions()

    event_loop.run(retention.forget(days=30))
    assert name_of(long_ago) not in list_partitions()


def test_months_are_made_also_where_calls_are_kept_for_ever(settings: SimpleNamespace) -> None:
    settings.TOOLROOM_AUDIT_KEEP_DAYS = 0
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {name_of(first_of_month(3))}")  # migrated last month, it is not there

    tasks.forget_calls()

    assert name_of(first_of_month(3)) in list_partitions()


def test_a_call_that_writes_is_completed_in_its_month_and_counted_once() -> None:
    begun = first_of_month(2)
    usual: dict[str, Any] = {
        "called_at": begun, "request_id": "months", "caller": "alice", "key_id": 7, "transport": "rest",
        "domain": "linescore", "tool": "months_tool", "arguments": b"{}", "code": "", "status": 200, "rows": 1,
        "answer_bytes": 1, "milliseconds": 1.0,
    }  # fmt: skip

    async def write() -> None:
        row = await audit.intend(CallRecord(**usual, outcome="unknown"), idempotency_key="k")
        audit.record(CallRecord(**usual, outcome="answered", intent_id=row))
        await audit.flush()

    event_loop.run(write())

    call = ToolCall.objects.get(tool="months_tool")
    assert (call.outcome, partition_of(call)) == ("answered", name_of(begun))
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(calls) FROM toolbox_call_counts WHERE grain = 'all' AND tool = 'months_tool'")
        assert cursor.fetchone()[0] == 1


def test_ids_come_from_a_sequence_that_partitioned_tables_of_postgresql_15_can_have() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attidentity = '', pg_get_serial_sequence('toolbox_tool_calls', 'id') FROM pg_attribute "
            "WHERE attrelid = 'toolbox_tool_calls'::regclass AND attname = 'id'"
        )
        assert cursor.fetchone() == (True, "public.toolbox_tool_calls_id_seq")
