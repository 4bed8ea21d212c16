"""What engines wrote, loaded and held against what the engines themselves reported of the same run."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as some

from backtests.ingest import engines
from backtests.ingest.engine_layouts import REQUIRED, Given
from backtests.ingest.engine_records import read_table
from backtests.ingest.engines import list_engines, table
from backtests.ingest.engines.zipline import read_python
from backtests.ingest.files import LoadOptions, load_file
from backtests.ingest.format_choice import LoadRefused
from backtests.ingest.from_engine import read_engine
from backtests.ingest.record import LoggedEvent, Unreadable
from backtests.ingest.report import LoadReport

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"
REPORTED: dict[str, dict[str, float]] = json.loads((SAMPLES / "reported.json").read_text(encoding="utf-8"))


def load(file: Path, **options: Any) -> LoadReport:
    return load_file(file, options=LoadOptions(**{"format_name": "auto"} | options), report=LoadReport())


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
    """Give capital, total profit and measures."""
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
def test_whatever_a_file_holds_each_line_is_an_event_or_a_reason(name: str, lines: list[bytes]) -> None:
    for entry in read_engine(lines, name=name, run_id=UUID(int=1), given=Given(symbol="AAPL")):
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
