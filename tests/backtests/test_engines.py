"""What engines wrote, loaded and held against what the engines themselves reported of the same run."""

import gzip
import json
import pickle
import re
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as some

from backtests.ingest import engines
from backtests.ingest.engine_layouts import REQUIRED, TableOptions
from backtests.ingest.engine_records import read_table
from backtests.ingest.engines import list_engines, table
from backtests.ingest.engines.zipline import read_python
from backtests.ingest.files import LoadOptions, SourceFile, load_files
from backtests.ingest.format_choice import LoadRefused
from backtests.ingest.from_engine import read_engine
from backtests.ingest.parquet import ParquetUnreadable, write_as_csv
from backtests.ingest.record import LoggedEvent, Unreadable
from backtests.ingest.report import LoadReport

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"
REPORTED: dict[str, dict[str, float]] = json.loads((SAMPLES / "reported.json").read_text(encoding="utf-8"))


def load(*files: Path, columns: str | Sequence[str] = "", **options: Any) -> LoadReport:
    said = [columns] * len(files) if isinstance(columns, str) else columns
    sources = [SourceFile(path=file, columns=one) for file, one in zip(files, said, strict=True)]
    return load_files(sources, options=LoadOptions(**{"format_name": "auto"} | options), report=LoadReport())


def rows(statement: str, run_id: UUID) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [run_id])
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def closed_trips(report: LoadReport) -> list[Decimal]:
    [run_id] = report.run_ids
    found = rows("SELECT net_profit FROM backtests_round_trips WHERE run_id = %s AND exit_at IS NOT NULL", run_id)
    return [profit for (profit,) in found]


def curve_of(report: LoadReport) -> tuple[float, float, dict[str, float]]:
    """Return capital, total profit and measures."""
    [run_id] = report.run_ids
    [found] = rows("SELECT capital, total_profit, measures::text FROM backtests_performance WHERE run_id = %s", run_id)
    return float(found[0]), float(found[1]), json.loads(found[2])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("file", "engine", "count"),
    [
        ("backtesting_trades.csv", "backtesting", "trades"),
        ("vectorbt_trades.csv", "vectorbt", "trades"),
        ("vectorbt_orders.csv", "vectorbt", "trades"),
        ("lean_order_events.json", "lean", "trades"),
        ("lean_result.json", "lean", "trades"),
    ],
)
def test_round_trips_earn_what_the_engine_reports(file: str, engine: str, count: str) -> None:
    reported = REPORTED[engine]
    symbol = {"symbol": "AAPL"} if engine == "backtesting" else {}

    profits = closed_trips(load(SAMPLES / file, **symbol))

    assert len(profits) == reported[count]
    assert float(sum(profits)) == pytest.approx(reported["profit"], abs=1e-6)
    if "win_rate" in reported:
        assert sum(profit > 0 for profit in profits) / len(profits) == pytest.approx(reported["win_rate"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("file", "engine"),
    [
        ("backtesting_equity.csv", "backtesting"),
        ("backtrader_writer.csv.gz", "backtrader"),
        ("lean_result.json", "lean"),
        ("zipline_performance.csv.gz", "zipline"),
    ],
)
def test_equity_ends_where_the_engine_says(file: str, engine: str) -> None:
    reported = REPORTED[engine]

    capital, profit, measures = curve_of(load(SAMPLES / file))

    assert capital == 100_000
    assert capital + profit == pytest.approx(reported["equity"], abs=1e-6)
    if "max_drawdown" in reported:
        assert measures["maxDrawdown"] == pytest.approx(reported["max_drawdown"], abs=1e-9)


@pytest.mark.django_db
def test_returns_compound_to_the_equity_that_the_engine_reports() -> None:
    capital, profit, _ = curve_of(load(SAMPLES / "backtrader_returns.csv"))

    assert capital == 1
    assert profit == pytest.approx(REPORTED["backtrader"]["equity"] / 100_000 - 1, abs=1e-12)


@pytest.mark.django_db
@pytest.mark.parametrize(("file", "engine"), [
    ("backtrader_transactions.csv", "backtrader"), ("zipline_performance.csv.gz", "zipline"),
])  # fmt: skip
def test_every_transaction_is_an_execution(file: str, engine: str) -> None:
    [run_id] = load(SAMPLES / file).run_ids

    [(count,)] = rows("SELECT count(*) FROM backtests_events WHERE event_type = 1 AND run_id = %s", run_id)
    assert count == REPORTED[engine]["transactions"]


@pytest.mark.django_db
def test_the_same_file_twice_is_stored_once() -> None:
    first, second = (load(SAMPLES / "vectorbt_trades.csv") for _ in range(2))

    assert first.run_ids == second.run_ids
    assert (first.stored, second.stored, second.duplicate) == (16, 0, 16)


@pytest.mark.django_db
def test_a_table_is_loaded_when_its_columns_are_said(tmp_path: Path) -> None:
    file = tmp_path / "trades.csv"
    file.write_text(
        "Ticker;Qty;Entry Date;Entry Price;Exit Date;Exit Price;Fees\n"
        "ACME;10;2024-01-02;5;2024-01-03;6;1\nACME;-10;2024-01-04;6;2024-01-05T12:00:00+02:00;7;1\n"
    )

    with pytest.raises(LoadRefused, match="a table of trades") as refused:
        load(file)
    said = str(refused.value).partition('--columns "')[2].partition('"')[0]
    report = load(file, columns=said)

    assert sorted(closed_trips(report)) == [Decimal(-11), Decimal(9)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,b\n1,2\n", {}, "No format is known"),
        ("Date,NAV\n2024-01-01,5\n", {"columns": "time=Date,equity=Value"}, "There is no column 'Value'"),
        ("Date,NAV\n2024-01-01,5\n", {"columns": "time=Date,price=NAV"}, "make no table"),
        ("Date,NAV\n2024-01-01,5\n", {"columns": "when=Date"}, "names no meaning"),
        ("Date,NAV\n2024-01-01,much\n", {"columns": "time=Date,equity=NAV"}, "no event.*no number"),
        ("Date,Price,Qty\n2024-01-01,5,1\n", {"columns": "time=Date,price=Price,quantity=Qty"}, "which security"),
        ("Order Id,Column,Timestamp,Size,Price,Fees,Side\n", {"format_name": "zipline"}, "looks like vectorbt"),
        ("Order Id,Column,Timestamp,Size,Price,Fees,Side\n", {"columns": "a=b"}, "names no meaning"),
        ("Order Id,Column,Timestamp,Size,Price,Fees,Side\n", {}, "no event"),
        ('{"rollingWindow": {}, "statistics": {}}', {}, "load the whole result"),
        ('{"rollingWindow": ', {}, "no JSON"),
        ("", {}, "No format is known"),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_what_to_do(
    tmp_path: Path, text: str, options: dict[str, Any], said: str
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(text)

    with pytest.raises(LoadRefused, match=said):
        load(file, **options)


@pytest.mark.django_db
def test_a_return_that_is_missing_is_kept_for_a_person_and_the_rest_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "returns.csv"
    file.write_text("date,return\n2024-01-02,0.1\n2024-01-03,\n2024-01-04,-0.5\n2024-01-05\n")

    report = load(file, columns="time=date,return=return")

    assert (report.stored, report.quarantined) == (2, 2)
    assert [reason.partition(": ")[2] for reason in report.reasons] == [
        "return is None, which is no number.", "The row has 1 cells, the first line names 2 columns.",
    ]  # fmt: skip
    assert curve_of(report)[1] == pytest.approx(1.1 * 0.5 - 1)


def test_a_commission_that_is_not_told_is_not_nothing() -> None:
    lines = (SAMPLES / "backtrader_transactions.csv").read_bytes().splitlines(keepends=True)

    entries = list(read_engine(lines, name="backtrader", run_id=uuid4()))

    assert entries
    assert all(isinstance(entry, LoggedEvent) and b"Commission" not in (entry.properties or b"") for entry in entries)


def test_an_open_trade_is_entered_and_not_left() -> None:
    header, first = (SAMPLES / "vectorbt_trades.csv").read_text().splitlines()[:2]
    lines = [f"{header}\n".encode(), f"{first.replace('Closed', 'Open')}\n".encode()]

    [entry] = read_engine(lines, name="vectorbt", run_id=uuid4())

    assert isinstance(entry, LoggedEvent)
    assert b'"Direction":"Buy"' in (entry.properties or b"")


def test_python_that_a_cell_holds_is_never_run() -> None:
    assert read_python("[{'a': Timestamp('2024-01-01', tz='UTC'), 'b': <ORDER_STATUS.OPEN: 0>, 'c': -nan}]") == [
        {"a": "2024-01-01", "b": 0, "c": None}
    ]
    assert read_python("[{'sid': Equity(0 [AAPL.X]), 'n': -1.5}]") == [{"sid": "AAPL.X", "n": -1.5}]
    assert read_python("__import__('os').system('false')") == "false"
    for bad in ("[", "(" * 5_000, "\0", "1 +"):
        with pytest.raises(ValueError, match="no list that can be read"):
            read_python(bad)


def test_a_quote_may_hold_delimiters_and_lines() -> None:
    found = list(read_table([b"\xef\xbb\xbfa\tb\n", b'1\t"x\n', b'y\tz"\n', b"\n", b"2\t3\n"]))

    assert [one.record for one in found] == [{"a": "1", "b": "x\ny\tz"}, {"a": "2", "b": "3"}]


HEADS = [(SAMPLES / name).read_bytes().splitlines(keepends=True)[:3] for name in (
    "vectorbt_trades.csv", "vectorbt_orders.csv", "backtesting_trades.csv", "backtrader_transactions.csv",
)]  # fmt: skip


@given(
    some.sampled_from(["backtesting", "backtrader", "vectorbt", "zipline", "lean"]),
    some.lists(some.one_of(some.binary(max_size=60), some.sampled_from([line for head in HEADS for line in head]))),
)
@example("backtrader", [b"\r\x00"])
def test_whatever_a_file_holds_each_line_is_an_event_or_a_reason(name: str, lines: list[bytes]) -> None:
    for entry in read_engine(lines, name=name, run_id=UUID(int=1), given=TableOptions(symbol="AAPL")):
        assert isinstance(entry, LoggedEvent | Unreadable)


@given(some.sampled_from(["trades", "executions", "equity", "returns"]), some.data())
def test_columns_are_read_as_they_are_written(kind: str, data: some.DataObject) -> None:
    needed = REQUIRED[kind]
    names = some.text(some.characters(codec="utf-8", exclude_characters="'", exclude_categories=["C"]), min_size=1)
    columns = {role: data.draw(names.map(str.strip).filter(bool)) for role in needed}

    assert table.read_columns(table.write_columns(columns)) == columns


def test_every_engine_has_a_sample() -> None:
    named = {file.name.partition("_")[0] for file in SAMPLES.iterdir()}

    assert set(list_engines()) - {"table", "nautilus"} <= named


@pytest.mark.django_db
def test_trades_and_equity_are_one_run() -> None:
    trades, equity = SAMPLES / "backtesting_trades.csv", SAMPLES / "backtesting_equity.csv"
    reported = REPORTED["backtesting"]

    report = load(trades, equity, symbol="AAPL")
    again = load(trades, equity, symbol="AAPL")

    capital, profit, measures = curve_of(report)
    assert float(sum(closed_trips(report))) == pytest.approx(reported["profit"], abs=1e-6)
    assert capital + profit == pytest.approx(reported["equity"], abs=1e-6)
    assert measures["maxDrawdown"] == pytest.approx(reported["max_drawdown"], abs=1e-9)
    assert (again.run_ids, again.stored, again.duplicate) == (report.run_ids, 0, report.stored + report.duplicate)
    assert report.run_ids != load(trades, symbol="AAPL").run_ids


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["backtesting_trades.csv", "vectorbt_orders.csv"], "both tell the fills of a run"),
        (["backtesting_equity.csv", "backtrader_returns.csv"], "both tell the profit of a run"),
        (["backtrader_writer.csv.gz", "backtrader_returns.csv"], "both tell the profit of a run"),
        (["backtesting_trades.csv", "zipline_performance.csv.gz"], "zipline.* is a whole run"),
        (["backtesting_trades.csv", "lean_result.json"], "lean.* is a whole run"),
        (["../sma_stops_2011_2012.jsonl.gz", "backtesting_equity.csv"], "contract.* is a whole run"),
    ],
)
def test_files_that_would_count_twice_are_refused(files: list[str], said: str) -> None:
    with pytest.raises(LoadRefused, match=said):
        load(*(SAMPLES / file for file in files), symbol="AAPL")


@pytest.mark.django_db
def test_a_broken_row_of_two_files_says_of_which(tmp_path: Path) -> None:
    trades, equity = tmp_path / "trades.csv", tmp_path / "equity.csv"
    trades.write_bytes((SAMPLES / "backtesting_trades.csv").read_bytes())
    equity.write_text("Date,NAV\n2024-01-01,much\n2024-01-02,5\n")

    with pytest.raises(LoadRefused, match=r"equity\.csv: It looks like a table of equity"):
        load(trades, equity, symbol="AAPL")
    report = load(trades, equity, symbol="AAPL", columns=["", "time=Date,equity=NAV"])

    assert report.reasons == ["line 2: equity.csv: NAV is 'much', which is no number."]


@pytest.mark.django_db
@pytest.mark.parametrize("engine", ["backtesting_trades", "zipline_performance"])
def test_parquet_that_pandas_wrote_is_what_its_csv_is(engine: str) -> None:
    csv = next(SAMPLES.glob(f"{engine}.csv*"))

    from_csv, from_parquet = load(csv, symbol="AAPL"), load(SAMPLES / f"{engine}.parquet", symbol="AAPL")

    assert from_parquet.stored == from_csv.stored
    assert sorted(closed_trips(from_parquet)) == pytest.approx(sorted(closed_trips(from_csv)))


def test_cells_of_parquet_are_written_as_csv_has_them(tmp_path: Path) -> None:
    arro3, write = pytest.importorskip("arro3.core"), pytest.importorskip("arro3.io").write_parquet
    texts, numbers = arro3.DataType.string(), arro3.DataType.int64()
    columns = {
        "a": arro3.Array([1, None], type=numbers),
        "l": arro3.Array(["x,y", 'say "no"'], type=texts),
        "__index_level_0__": arro3.Array(["i", "j"], type=texts),
    }
    table = arro3.RecordBatch.from_pydict(columns, metadata={"pandas": '{"index_columns": ["__index_level_0__"]}'})
    write(table, tmp_path / "cells.parquet")
    with (tmp_path / "cells.csv").open("wb") as text:
        write_as_csv(tmp_path / "cells.parquet", to=text)

    assert (tmp_path / "cells.csv").read_text().splitlines() == [",a,l", 'i,1,"x,y"', 'j,,"say ""no"""']


@pytest.mark.parametrize(
    ("start", "noise"), [(4, b"x" * 50), (200, b"\xff" * 8), (-60, b"\xff" * 30), (-8, b"\xff\xff")]
)
def test_damaged_parquet_is_refused_or_read_and_never_a_crash(tmp_path: Path, start: int, noise: bytes) -> None:
    whole = bytearray((SAMPLES / "backtesting_trades.parquet").read_bytes())
    place = start % len(whole)
    whole[place : place + len(noise)] = noise
    file = tmp_path / "damaged.parquet"
    file.write_bytes(whole)

    with (tmp_path / "damaged.csv").open("wb") as text, suppress(ParquetUnreadable):
        write_as_csv(file, to=text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (pickle.dumps({"transactions": []}), "pickle, which is never read"),
        (gzip.compress(pickle.dumps([1]), mtime=0), "pickle, which is never read"),
        (b"PK\x03\x04rest", "spreadsheet"),
        (b"PAR1 and nothing", "cannot be read as that"),
    ],
)
def test_files_that_are_no_text_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "perf"
    file.write_bytes(content)

    with pytest.raises(LoadRefused, match=said):
        load(file)


@pytest.mark.django_db
def test_rows_of_another_format_are_kept_for_a_person(tmp_path: Path) -> None:
    contract = f'{{"EventId":"{uuid4()}","EventType":"RiskEvent"}}\n'
    header, *lines = (SAMPLES / "vectorbt_trades.csv").read_text().splitlines(keepends=True)
    file = tmp_path / "mixed.csv"
    file.write_text("".join([header, lines[0], contract, *lines[1:]]))

    report = load(file)

    assert (report.stored, report.quarantined) == (16, 1)
    assert report.reasons[0].startswith("line 3: The row has ")


@pytest.mark.django_db
def test_the_first_row_is_shown_as_it_would_be_read(tmp_path: Path) -> None:
    file = tmp_path / "equity.csv"
    file.write_text("Date;NAV\n2024-01-01;1000,5\n")

    with pytest.raises(LoadRefused, match=r"first row would have time '2024-01-01' \(Date\), equity '1000,5' \(NAV\)"):
        load(file)


@pytest.mark.django_db
def test_statistics_are_the_engines_where_definitions_agree() -> None:
    """The README's table says where they do not."""
    _, _, zipline = curve_of(load(SAMPLES / "zipline_performance.csv.gz"))
    _, _, backtrader = curve_of(load(SAMPLES / "backtrader_writer.csv.gz"))
    _, _, backtesting = curve_of(
        load(SAMPLES / "backtesting_trades.csv", SAMPLES / "backtesting_equity.csv", symbol="AAPL")
    )
    vectorbt = closed_trips(load(SAMPLES / "vectorbt_trades.csv"))
    won, lost = sum(one for one in vectorbt if one > 0), sum(one for one in vectorbt if one < 0)

    for names, ours, theirs in (
        ("sharpe sortino volatility totalReturn maxDrawdown", zipline, REPORTED["zipline"]),
        ("sharpe maxDrawdown", backtrader, REPORTED["backtrader"]),
        ("totalReturn maxDrawdown", backtesting, REPORTED["backtesting"]),
    ):
        for name in names.split():
            reported = theirs[re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)]
            assert ours[name] == pytest.approx(reported, rel=1e-9), name
    assert float(won / -lost) == pytest.approx(REPORTED["vectorbt"]["profit_factor"], rel=1e-9)
    assert float(sum(vectorbt) / len(vectorbt)) == pytest.approx(REPORTED["vectorbt"]["expectancy"], rel=1e-9)
