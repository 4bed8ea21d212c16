"""Tables that nobody prepared: refused with words, or measured as a reference of the test's own measures them."""

import gzip
import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from uuid import UUID

import pytest

from backtests.ingest.files import LoadOptions, SourceFile, load_files
from backtests.ingest.format_choice import LoadRefused
from backtests.ingest.report import LoadReport
from backtests.models import Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.tool_calls import ask_refused, good, good_floats

YEAR = 252
COLUMNS = {
    "equity": "time=day,equity=value",
    "returns": "time=day,return=value",
    "trades": "entry_time=in,entry_price=at,exit_time=out,exit_price=for,quantity=size",
}
LoadTable = Callable[..., LoadReport]


@pytest.fixture
def load_table(in_thread: InThread, tmp_path: Path) -> Iterator[LoadTable]:
    """Return a function that loads a table's text or bytes; its runs are deleted after the test."""
    made: list[UUID] = []

    def load_content(content: str | bytes, *, kind: str, more: str = "") -> LoadReport:
        file = tmp_path / "table.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = SourceFile(path=file, columns=COLUMNS[kind] + more)
        options = LoadOptions(format_name="table", symbol="ACME")
        report: LoadReport = in_thread(lambda: load_files([source], options=options, report=LoadReport()))
        made.extend(report.run_ids)
        return report

    yield load_content
    in_thread(Run.objects.filter(run_id__in=made).delete)


def write_equity(values: list[float], *, days: list[int] | None = None) -> str:
    """Write a table of equity, a row for each value."""
    numbers = days or list(range(len(values)))
    rows = [f"{date(2024, 1, 1) + timedelta(days=day)},{value!r}" for day, value in zip(numbers, values, strict=True)]
    return "\n".join(["day,value", *rows, ""])


def measure(equity: list[float]) -> dict[str, float | None]:
    """Measure equity by the day as textbooks do; the first day is the capital, and so has a return of 0."""
    returns = [0.0, *(after / before - 1 for before, after in pairwise(equity))]
    total = equity[-1] / equity[0] - 1
    cagr = (1 + total) ** (YEAR / len(returns)) - 1
    spread, mean = stdev(returns), fmean(returns)
    downside = sqrt(fmean([min(one, 0.0) ** 2 for one in returns]))
    deepest = min(value / max(equity[: place + 1]) - 1 for place, value in enumerate(equity))
    return {
        "totalReturn": total, "cagr": cagr, "volatility": spread * sqrt(YEAR), "maxDrawdown": deepest,
        "sharpe": mean / spread * sqrt(YEAR) if spread else None,
        "sortino": mean / downside * sqrt(YEAR) if downside else None,
        "calmar": cagr / -deepest if deepest else None, "bestDay": max(returns), "worstDay": min(returns),
    }  # fmt: skip


CURVES: dict[str, tuple[list[float], list[int] | None]] = {
    "two days": ([100.0, 101.0], None),
    "nothing happens": ([100.0, 100.0, 100.0], None),
    "only up": ([100.0, 101.0, 103.0, 104.5], None),
    "only down": ([100.0, 99.0, 95.0, 90.0], None),
    "a crash and a recovery": ([100.0, 0.01, 100.0, 120.0], None),
    "a gap of two years": ([100.0, 110.0, 90.0, 95.0], [0, 1, 731, 732]),
    "tiny moves of much money": ([1e9, 1e9 + 1, 1e9 - 2, 1e9 + 3], None),
    "cents": ([0.01, 0.011, 0.009, 0.0125], None),
    "much money": ([1e15, 1.1e15, 0.9e15, 1.3e15], None),
    "before 1970": ([100.0, 101.5, 99.5, 102.0], [-20_000, -19_999, -19_990, -19_980]),
    "a year of steps": ([100 + (step * 7919 % 23) - step % 5 for step in range(260)], None),
}


@pytest.mark.parametrize("name", CURVES)
async def test_a_curve_is_measured_as_by_hand(load_table: LoadTable, name: str) -> None:
    values, days = CURVES[name]
    [run_id] = load_table(write_equity(values, days=days), kind="equity").run_ids

    found = await good_floats("performance_summary", runId=str(run_id))

    for measure_name, expected in measure(values).items():
        said = found["returns"][measure_name]
        if expected is None:
            assert said is None
            assert measure_name in found["undefined"]
        else:
            assert said == pytest.approx(expected, rel=1e-9, abs=1e-12), measure_name


@pytest.mark.parametrize("kind", ["equity", "returns"])
def test_rows_that_go_back_in_time_are_refused(load_table: LoadTable, kind: str) -> None:
    newest_first = "day,value\n2024-01-04,1.1\n2024-01-03,1.2\n2024-01-02,1.0\n"

    with pytest.raises(LoadRefused, match=r"line 3: 2024-01-03.* comes after 2024-01-04.*oldest row first"):
        load_table(newest_first, kind=kind)


def test_rows_of_one_time_are_in_order(load_table: LoadTable) -> None:
    assert load_table("day,value\n2024-01-04,1.1\n2024-01-04,1.2\n", kind="equity").stored == 2


def test_a_trade_that_is_left_before_it_is_entered_is_kept_for_a_person(load_table: LoadTable) -> None:
    header = "in,at,out,for,size\n"
    good_row, odd_row = "2024-01-02,5,2024-01-03,6,1\n", "2024-01-05,5,2024-01-04,6,1\n"

    report = load_table(header + good_row + odd_row, kind="trades")

    assert (report.stored, report.quarantined) == (2, 1)
    assert "before it is entered" in report.reasons[0]


@pytest.mark.parametrize("digits", ["1801010200000", "1704010200000", "20240102030405", "1704067200", "2024010203"])
async def test_digits_that_count_from_some_moment_are_no_time(load: Load, run_id: UUID, digits: str) -> None:
    event = {
        "EventId": str(run_id), "Timestamp": digits, "EventType": "RiskEvent", "Severity": "Info", "Category": "Risk",
        "Properties": {"RiskType": "limit", "Threshold": 1, "CurrentValue": 1, "Action": "none"},
    }  # fmt: skip
    load([json.dumps(event).encode() + b"\n"], run_id=run_id)

    errors = await good("get_validation_errors", runId=str(run_id))
    code, _, _ = await ask_refused(
        "get_events_by_type", runId=str(run_id), eventType="RiskEvent", startTime=digits
    )  # fmt: skip

    assert [error["Field"] for error in errors["events"][0]["validationErrors"]] == ["Timestamp"]
    assert code == "INVALID_PARAMETER"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: (text + "\n\n").encode(),
    ],
    ids=["BOM", "CRLF", "no newline at the end", "gzip", "blank lines"],
)
async def test_the_same_table_written_otherwise_comes_to_the_same(
    load_table: LoadTable, wrap: Callable[[str], bytes]
) -> None:
    values = [100.0, 103.0, 99.0, 104.0]
    [run_id] = load_table(wrap(write_equity(values)), kind="equity").run_ids

    found = await good_floats("performance_summary", runId=str(run_id))

    assert found["returns"]["totalReturn"] == pytest.approx(0.04)
    assert found["returns"]["maxDrawdown"] == pytest.approx(99 / 103 - 1)


async def test_equity_of_two_currencies_is_measured_against_each_ones_own_capital(load_table: LoadTable) -> None:
    rows = ["2024-01-02,100,USD", "2024-01-02,50,EUR", "2024-01-03,110,USD", "2024-01-03,45,EUR"]
    text = "\n".join(["day,value,money", *rows, ""])
    [run_id] = load_table(text, kind="equity", more=",currency=money").run_ids

    code, _, error = await ask_refused("performance_summary", runId=str(run_id))
    found = {
        one: (await good_floats("performance_summary", runId=str(run_id), currency=one))["returns"]["totalReturn"]
        for one in ("USD", "EUR")
    }

    assert (code, error["details"]["currencies"]) == ("INVALID_PARAMETER", ["EUR", "USD"])
    assert found == pytest.approx({"USD": 0.1, "EUR": -0.1})


def test_a_side_and_a_quantity_that_contradict_each_other_are_kept_for_a_person(load_table: LoadTable) -> None:
    rows = [
        "2024-01-02,5,2024-01-03,6,-1,long",
        "2024-01-02,5,2024-01-03,6,-1,short",
        "2024-01-02,5,2024-01-03,6,1,short",
    ]
    text = "\n".join(["in,at,out,for,size,way", *rows, ""])

    report = load_table(text, kind="trades", more=",side=way")

    assert (report.stored, report.quarantined) == (4, 1)
    assert "-1" in report.reasons[0]
