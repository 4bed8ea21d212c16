"""`manage.py ingest_backtest`: its arguments and its output."""

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from backtests.ingest import engines
from backtests.management.commands import ingest_backtest
from backtests.models import Run
from tests.backtests.conftest import InThread
from tests.backtests.makers import jsonl, strategy
from tests.backtests.test_nautilus_translation import FILL, POSITION
from tests.backtests.tool_calls import good

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"


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
    counts = re.search(r"([\d,]+) stored, 0 duplicate, 0 malformed, 0 quarantined", said.getvalue())
    assert counts is not None
    stored = counts[1]
    file.write_bytes(packed)
    again = ingest(in_thread, str(file))

    assert int(stored) > 100
    assert f"{len(lines) - int(stored):,} stored, {stored} duplicate" in again


def test_a_file_that_is_not_there_is_named(in_thread: InThread) -> None:
    with pytest.raises(CommandError, match="missing"):
        ingest(in_thread, "missing.jsonl")


def write_stream(file: Path, *, last: str) -> Path:
    """Write an engine's stream; two streams have the same first lines."""
    records = [FILL, POSITION, FILL | {"event_id": last, "trade_id": last}]
    file.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    return file


def runs_of(said: str) -> list[str]:
    return [line.removeprefix("run ") for line in said.splitlines() if line.startswith("run ")]


def test_two_runs_of_a_sweep_that_begin_alike_are_two_runs(in_thread: InThread, tmp_path: Path) -> None:
    files = [write_stream(tmp_path / f"{name}.jsonl", last=str(uuid4())) for name in "ab"]

    said = [ingest(in_thread, "--format", "nautilus", "--sweep", "ema", str(file)) for file in files]
    both = ingest(in_thread, "--format", "nautilus", "--sweep", "ema", *map(str, files))

    assert len({*runs_of(said[0]), *runs_of(said[1])}) == 2
    assert runs_of(both) == runs_of(said[0]) + runs_of(said[1])
    assert both.count(" 0 stored") + both.startswith("0 stored") == 0
    assert both.count("0 stored, ") == 2


def test_a_packed_stream_is_the_run_of_the_plain_one(in_thread: InThread, tmp_path: Path) -> None:
    file = write_stream(tmp_path / "log.jsonl", last=str(uuid4()))
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))

    plain, again = (ingest(in_thread, "--format", "nautilus", str(one)) for one in (file, packed))

    assert runs_of(plain) == runs_of(again)


def test_another_stream_for_a_named_run_is_refused_and_a_longer_one_is_not(
    in_thread: InThread, tmp_path: Path, run_id: UUID
) -> None:
    one, other = (write_stream(tmp_path / f"{name}.jsonl", last=str(uuid4())) for name in "ab")
    ingest(in_thread, "--format", "nautilus", "--run", str(run_id), str(one))

    with pytest.raises(CommandError, match="was loaded from another file"):
        ingest(in_thread, "--format", "nautilus", "--run", str(run_id), str(other))
    one.write_bytes(one.read_bytes() + json.dumps(FILL | {"event_id": str(uuid4())}).encode() + b"\n")
    longer = ingest(in_thread, "--format", "nautilus", "--run", str(run_id), str(one))

    assert re.search(r"^[1-9]\d* stored, [1-9]\d* duplicate", longer, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "content"),
    [(name, content) for name in ("contract", "nautilus") for content in (b"", b"\n", b"rubbish\n[1]\n")]
    + [("contract", b'{"Name": "Nothing happened"}\n')],  # a record of an engine is an event, if a malformed one
)
def test_a_file_without_an_event_makes_no_run(
    in_thread: InThread, tmp_path: Path, run_id: UUID, name: str, content: bytes
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(content)
    count = in_thread(Run.objects.count)

    with pytest.raises(CommandError, match="There is no event in it"):
        ingest(in_thread, "--format", name, str(file))
    with pytest.raises(CommandError, match="There is no event in it"):
        ingest(in_thread, "--format", name, "--run", str(run_id), str(file))

    assert in_thread(Run.objects.count) == count


def test_a_log_whose_first_line_is_damaged_is_known_by_the_next(
    in_thread: InThread, tmp_path: Path, run_id: UUID
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"rubbish\n" + b"".join(jsonl(strategy(str(run_id), events=20))))

    assert "1 quarantined" in ingest(in_thread, str(file))


def test_many_lines_without_an_event_make_no_run(
    in_thread: InThread, tmp_path: Path, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backtests.ingest.load.BATCH_EVENTS", 10)
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"rubbish\n" * 35)

    with pytest.raises(CommandError, match="There is no event in it"):
        ingest(in_thread, "--format", "contract", "--run", str(run_id), str(file))

    assert not in_thread(lambda: Run.objects.filter(pk=run_id).exists())


def test_what_is_said_of_a_run_before_its_first_event_is_kept(
    in_thread: InThread, tmp_path: Path, run_id: UUID
) -> None:
    facts = {"Name": "EMA 10/20", "Parameters": {"fast": 10, "slow": 20}, "Labels": ["draft"], "Sweep": "ema"}
    file = tmp_path / "log.jsonl"
    file.write_bytes(json.dumps(facts).encode() + b"\n" + b"".join(jsonl(strategy(str(run_id), events=10))))

    ingest(in_thread, str(file))

    run = in_thread(lambda: Run.objects.get(pk=run_id))
    assert (run.name, run.parameters, run.labels, run.sweep) == ("EMA 10/20", facts["Parameters"], ["draft"], "ema")


def test_trades_and_equity_are_loaded_together(in_thread: InThread) -> None:
    files = [str(SAMPLES / name) for name in ("backtesting_trades.csv", "backtesting_equity.csv")]

    said = ingest(in_thread, "--together", "--symbol", "AAPL", *files)

    assert len(re.findall(r"^run ", said, flags=re.MULTILINE)) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--together", "-", "a.csv"], "Standard input is loaded alone"),
        (["--run", str(uuid4()), "a", "b"], "--run names one run"),
        (["--columns", "a=b", "--columns", "c=d", "x", "y", "z"], "given 2 times for 3 sources"),
        (["missing.csv"], "missing.csv cannot be read: No such file"),
    ],
)
def test_options_that_do_not_fit_are_refused(in_thread: InThread, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        ingest(in_thread, *arguments)


@pytest.mark.parametrize(("answer", "loaded"), [("y", True), ("", False)])
def test_a_person_at_a_terminal_confirms_guessed_columns(
    in_thread: InThread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *, loaded: bool
) -> None:
    file = tmp_path / "equity.csv"
    file.write_text(f"Date,NAV\n2024-01-01,{uuid4().int % 1_000_000}\n2024-01-02,5\n")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)

    if loaded:
        assert "2 stored" in ingest(in_thread, str(file))
    else:
        with pytest.raises(CommandError, match="looks like a table of equity"):
            ingest(in_thread, str(file))


def test_several_sources_are_loaded_by_processes(
    in_thread: InThread, run_id: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes are threads here: a process of its own would ask the database of the settings."""
    monkeypatch.setattr(f"{ingest_backtest.__name__}.ProcessPoolExecutor", lambda count, **_: ThreadPoolExecutor(count))
    runs = [run_id, uuid4()]
    for number, run in enumerate(runs):
        (tmp_path / f"{number}.jsonl").write_bytes(b"".join(jsonl(strategy(str(run), events=50))))
    (tmp_path / "bad.jsonl").write_bytes(b"")
    said = StringIO()

    with pytest.raises(CommandError, match=r"bad\.jsonl: .*"):
        in_thread(lambda: call_command(
            "ingest_backtest", "--processes", "2", *map(str, sorted(tmp_path.iterdir())), stdout=said,
        ))  # fmt: skip
    in_thread(Run.objects.filter(run_id=runs[1]).delete)

    assert re.findall(r"^run (\S+)", said.getvalue(), flags=re.MULTILINE) == [str(run) for run in runs]
