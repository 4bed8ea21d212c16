"""`manage.py ingest_backtest`: what a person types, and what is said back."""

import gzip
import re
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.backtests.asking import good
from tests.backtests.conftest import InThread
from tests.backtests.makers import jsonl, strategy


def ingest(in_thread: InThread, *arguments: str) -> str:
    said = StringIO()
    in_thread(lambda: call_command("ingest_backtest", *arguments, stdout=said))
    return said.getvalue()


async def test_a_packed_file_is_stored_once_however_often_it_is_loaded(
    in_thread: InThread, run_id: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backtests.ingest.load.BATCH_EVENTS", 150)
    lines = jsonl(strategy(str(run_id), events=1000))
    file = tmp_path / "log.jsonl.gz"
    file.write_bytes(gzip.compress(b"".join([*lines, b"rubbish\n"])))

    first, second = (ingest(in_thread, str(file)) for _ in range(2))

    assert f"run {run_id}" in first
    assert f"{len(lines):,} stored, 0 duplicate, 0 malformed, 1 quarantined" in first
    assert f"0 stored, {len(lines) + 1:,} duplicate, 0 malformed, 0 quarantined" in second
    body = await good("list_backtest_runs", pageSize=1000)
    assert next(run["eventCount"] for run in body["runs"] if run["runId"] == str(run_id)) == len(lines)


def test_later_events_are_appended(in_thread: InThread, run_id: UUID, tmp_path: Path) -> None:
    lines = jsonl(strategy(str(run_id), events=600))
    file = tmp_path / "log.jsonl"

    file.write_bytes(b"".join(lines[:400]))
    ingest(in_thread, str(file))
    file.write_bytes(b"".join(lines))
    said = ingest(in_thread, str(file))

    assert f"{len(lines) - 400:,} stored, 400 duplicate" in said


def test_a_log_that_names_no_run_is_always_the_same_run(in_thread: InThread, tmp_path: Path, run_id: UUID) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(jsonl(strategy(str(run_id), events=50))).replace(b'"RunId"', b'"Old"'))

    first, second = (ingest(in_thread, str(file)) for _ in range(2))

    assert [line for line in first.splitlines() if line.startswith("run ")] == [
        line for line in second.splitlines() if line.startswith("run ")
    ]
    assert "0 stored" in second


def test_a_source_that_ends_early_is_counted_and_then_a_failure(
    in_thread: InThread, run_id: UUID, tmp_path: Path
) -> None:
    lines = jsonl(strategy(str(run_id), events=1000))
    packed = gzip.compress(b"".join(lines))
    file = tmp_path / "log.jsonl.gz"
    said = StringIO()

    file.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(CommandError, match=r"ends early, after line \d+: .*Load it again"):
        in_thread(lambda: call_command("ingest_backtest", str(file), stdout=said))
    counts = re.search(r"([\d,]+) stored, 0 duplicate, 0 malformed, (\d) quarantined", said.getvalue())
    assert counts is not None
    stored, cut = counts.groups()
    file.write_bytes(packed)
    again = ingest(in_thread, str(file))

    assert (int(stored) > 100, cut) == (True, "1")
    assert f"{len(lines) - int(stored):,} stored, {stored} duplicate" in again


def test_a_file_that_is_not_there_is_named(in_thread: InThread) -> None:
    with pytest.raises(CommandError, match="nowhere"):
        ingest(in_thread, "nowhere.jsonl")
