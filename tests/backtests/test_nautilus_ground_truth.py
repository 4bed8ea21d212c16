"""
What the tools say of a NautilusTrader run, held against what the engine itself reports of it.

The reports (CSV) were written by the engine in the same run as the stream; nothing of ours made them.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import fmean, stdev
from typing import Any

import httpx
import pytest

from backtests.ingest.files import LoadOptions, SourceFile, load_files
from backtests.ingest.report import LoadReport
from tests.data.reference import FOLDER, read_rows

STREAM = FOLDER / "nautilus/nautilus_usdjpy_events.jsonl.gz"
SYMBOL = "USD/JPY.SIM"


def load_stream() -> LoadReport:
    return load_files([SourceFile(path=STREAM)], options=LoadOptions(format_name="nautilus"), report=LoadReport())


@pytest.fixture
def run(scratch_database: None) -> LoadReport:
    return load_stream()


def report(name: str) -> list[dict[str, str]]:
    return read_rows(f"nautilus/nautilus_usdjpy_{name}.csv")


def amount(text: str) -> Decimal:
    return Decimal(text.strip("[]' ").split()[0])


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def reported_state(at: datetime) -> dict[str, Any]:
    """Compute from the engine's reports what was held and earned at a moment."""
    fees = {row["client_order_id"]: amount(row["commissions"]) for row in report("fills")}
    quantity, price, realized = 0, 0.0, Decimal(0)
    for row in report("positions"):
        if moment(row["ts_opened"]) > at:
            continue
        if moment(row["ts_closed"]) <= at:
            realized += amount(row["realized_pnl"])
        else:
            quantity = int(row["peak_qty"]) * (1 if row["entry"] == "BUY" else -1)
            price = float(row["avg_px_open"])
            realized -= fees[row["opening_order_id"]]
    balances = [Decimal(row["total"]) for row in report("account") if moment(row[""]) <= at]
    earned = balances[-1] - balances[0]
    return {"quantity": quantity, "price": price, "realized": float(realized), "account": float(earned)}


def ten_moments() -> list[datetime]:
    """Return the middle of some positions, and the moments at which others close and the next open."""
    positions = report("positions")
    middles = [positions[number] for number in (0, 30, 60, 90, 161)]
    between = [moment(row["ts_opened"]) + (moment(row["ts_closed"]) - moment(row["ts_opened"])) / 2 for row in middles]
    return [*between, *(moment(positions[number]["ts_closed"]) for number in (1, 44, 77, 120, 161))]


async def ask(client: httpx.AsyncClient, tool: str, **arguments: Any) -> Any:
    reply = await client.post(f"/api/tools/backtests/{tool}", json=arguments)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_positions_and_profit_at_ten_moments_are_those_of_the_reports(run: LoadReport, fast_client: Any) -> None:
    for at in ten_moments():
        answer = await ask(fast_client, "get_state_snapshot", runId=str(run.run_ids[0]), timestamp=at.isoformat())

        (position,) = answer["state"]["positions"]
        said = {
            "quantity": position["quantity"],
            "price": position["averagePrice"],
            "realized": position["realizedPnL"],
            "account": answer["state"]["pnl"]["realized"],
        }
        assert position["securitySymbol"] == SYMBOL
        assert said == pytest.approx(reported_state(at), rel=1e-12, abs=1e-9), at


async def test_no_order_is_open_where_the_report_says_that_all_are_filled(run: LoadReport, fast_client: Any) -> None:
    at = max(ten_moments())

    answer = await ask(fast_client, "get_state_snapshot", runId=str(run.run_ids[0]), timestamp=at.isoformat())

    assert {row["status"] for row in report("orders")} == {"FILLED"}
    assert answer["state"]["activeOrders"] == []


@pytest.mark.parametrize("days", [None, 10], ids=["the whole run", "the first ten days"])
async def test_fills_add_up_to_the_report(run: LoadReport, fast_client: Any, days: int | None) -> None:
    until = datetime(2013, 2, 1, tzinfo=UTC) + timedelta(days=days or 365)
    fills = [row for row in report("fills") if moment(row["ts_last"]) <= until]
    window = {"endTime": until.isoformat()} if days else {}

    for path, column in (("$.Quantity", "filled_qty"), ("$.Price", "avg_px"), ("$.Commission", "commissions")):
        answer = await ask(
            fast_client,
            "aggregate_metrics",
            runId=str(run.run_ids[0]),
            eventType="TradeExecution",
            propertyPath=path,
            aggregations=["count", "sum", "avg", "min", "max", "stddev"],
            **window,
        )

        values = [float(amount(row[column])) for row in fills]
        expected = {"count": len(values), "sum": sum(values), "avg": fmean(values), "min": min(values)}
        expected |= {"max": max(values), "stddev": stdev(values)}
        assert answer["aggregations"] == pytest.approx(expected, rel=1e-9)


def test_fills_that_the_stream_has_twice_are_stored_once(run: LoadReport) -> None:
    fills = len(report("fills"))

    assert run.duplicate == 2 * fills  # a fill is a trade and a change of its order, and each came a second time
    assert (run.quarantined, run.malformed) == (0, 6)  # the six states of the strategy, for which there is no StateType


async def test_every_fill_hangs_between_its_order_and_its_position(run: LoadReport, fast_client: Any) -> None:
    answer = await ask(
        fast_client,
        "query_event_sequence",
        runId=str(run.run_ids[0]),
        sequencePattern=["StateChange", "TradeExecution", "PositionUpdate"],
        pageSize=100,
    )

    assert answer["metadata"]["totalSequences"] >= len(report("fills"))
    assert sum(sequence["complete"] for sequence in answer["sequences"]) > 0
    incomplete = [one for one in answer["sequences"] if not one["complete"]]
    assert all("TradeExecution" in one["missingEventTypes"] for one in incomplete)


def test_the_same_stream_again_changes_nothing(run: LoadReport) -> None:
    again = load_stream()

    assert (again.stored, again.quarantined, again.run_ids) == (0, 0, run.run_ids)
