"""No answer about what a run came to holds NaN or infinity, however little the run has; nor a null in their place."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import isfinite
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

import jsonschema
import pytest
from pydantic import BaseModel

from backtests.tools import toolkit
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.tool_calls import ask, refuse_constant
from tests.pages import as_user
from toolbox.contract.tool import Tool

TOOLS = {tool.name: tool for tool in toolkit.tools}
EVERY_WAY = ("symbol", "side", "entryHour", "entryWeekday", "entryMonth", "holdingTime", "exitReason")
METRICS = ("sharpe", "sortino", "calmar", "totalReturn", "cagr", "maxDrawdown", "winRate", "profitFactor", "expectancy")
Log = list[tuple[str, str, dict[str, Any]]]
"""Moments, types and properties of events."""


def price(day: str, value: float, *, hour: int = 9) -> tuple[str, str, dict[str, Any]]:
    said = {"SecuritySymbol": "AAPL", "DataType": "Candle", "Data": {"Close": value}}
    return f"{day}T{hour:02}:00:00.000Z", "MarketDataEvent", said


def trade(
    day: str, side: str, value: float, *, hour: int = 10, symbol: str = "AAPL", currency: str = "USD",
    quantity: float = 2, commission: float = 0,
) -> tuple[str, str, dict[str, Any]]:  # fmt: skip
    order_id = str(uuid5(NAMESPACE_URL, f"{day} {side} {symbol} {hour}"))
    said: dict[str, Any] = {"OrderId": order_id, "SecuritySymbol": symbol, "Direction": side, "Currency": currency}
    said |= {"Quantity": quantity, "Price": value, "Commission": commission, "Slippage": 0}
    return f"{day}T{hour:02}:00:00.000Z", "TradeExecution", said


def total(day: str, value: int) -> tuple[str, str, dict[str, Any]]:
    state = {"Total": value, "Realized": value, "Unrealized": 0}
    said = {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "mark", "Currency": "USD"}
    return f"{day}T17:00:00.000Z", "StateChange", said


BEYOND, LARGE = 10**309, 10**160
"""More than a double holds, and a number whose square is."""
LOGS: dict[str, Log] = {
    "no trade": [price("2024-01-02", 100), price("2024-01-03", 101), price("2024-01-04", 99)],
    "one event": [price("2024-01-02", 100)],
    "one trade": [
        trade("2024-01-02", "Buy", 100), price("2024-01-03", 99), trade("2024-01-04", "Sell", 103),
    ],
    "one trade within a day": [trade("2024-01-02", "Buy", 100), trade("2024-01-02", "Sell", 103, hour=15)],
    "one trade at one moment": [trade("2024-01-02", "Buy", 100), trade("2024-01-02", "Sell", 100)],
    "zero variance": [
        trade("2024-01-02", "Buy", 100),
        *(price(f"2024-01-{day:02}", 100) for day in range(3, 20)), trade("2024-01-20", "Sell", 100),
    ],
    "a gap of days": [
        trade("2024-01-02", "Buy", 100), trade("2024-01-03", "Sell", 104),
        trade("2024-06-28", "Sell", 90), price("2024-07-01", 95), trade("2024-07-02", "Buy", 93),
    ],
    "two currencies": [
        trade("2024-01-02", "Buy", 100), trade("2024-01-03", "Sell", 104),
        trade("2024-01-03", "Buy", 50, symbol="SAP", currency="EUR"),
        trade("2024-01-04", "Sell", 45, symbol="SAP", currency="EUR"),
    ],
    "a trade that does not close": [
        trade("2024-01-02", "Buy", 100), price("2024-01-03", 102), price("2024-01-04", 95),
    ],
    "everything lost": [
        trade("2024-01-02", "Sell", 100), price("2024-01-03", 90_000), trade("2024-01-04", "Buy", 100),
    ],
    "numbers beyond a double": [
        total("2024-01-02", BEYOND), trade("2024-01-02", "Buy", BEYOND), trade("2024-01-03", "Sell", 100),
        price("2024-01-03", BEYOND), total("2024-01-03", -BEYOND), trade("2024-01-04", "Sell", 3, quantity=BEYOND),
        price("2024-01-05", 100), total("2024-01-08", 5), trade("2024-01-09", "Buy", 7, commission=BEYOND),
    ],
    "sums beyond a double": [
        trade("2024-01-02", "Buy", LARGE, quantity=LARGE), price("2024-01-03", LARGE),
        trade("2024-01-04", "Sell", 1, quantity=LARGE), price("2024-01-05", 100),
    ],
    "a price of zero": [
        trade("2024-01-02", "Buy", 0), price("2024-01-03", 0), price("2024-01-04", 5), trade("2024-01-05", "Sell", 0),
    ],
}  # fmt: skip
NEEDS_CURRENCY = ("performance_summary", "attribute_pnl", "compare_runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLog:
    """A log as it is stored: twice, as a sweep of its own."""

    run_id: str
    copy_id: str
    sweep: str


def id_of(what: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"toolroom finite answers {what}"))


def find_stored(name: str) -> StoredLog:
    return StoredLog(run_id=id_of(name), copy_id=id_of(f"{name} again"), sweep=f"finite answers: {name}")


@pytest.fixture(scope="module", autouse=True)
def store_logs(load: Load) -> None:
    for name, log in LOGS.items():
        stored = find_stored(name)
        for place, run_id in enumerate((stored.run_id, stored.copy_id)):
            parameters = {"InitialCapital": 10_000, "step": place}
            facts = {"RunId": run_id, "Name": name, "Sweep": stored.sweep, "Parameters": parameters}
            load(jsonl([facts, *write_events(log, run_id=run_id)]))


def write_events(log: Log, *, run_id: str) -> Iterator[dict[str, Any]]:
    for place, (moment, kind, said) in enumerate(log):
        yield {
            "EventId": id_of(f"{run_id} {place}"), "RunId": run_id, "Timestamp": moment, "EventType": kind,
            "Severity": "Info", "Category": "Execution", "Properties": said, "ParentEventId": None,
        }  # fmt: skip


def list_questions(tool: str, *, stored: StoredLog) -> list[dict[str, Any]]:
    """Return what the tool is asked about a log."""
    run, usual = {"runId": stored.run_id}, find_stored("one trade").run_id
    if tool == "list_trades":
        return [run, run | {"outcome": "Open"}, run | {"sortBy": "exitTime", "descending": True}]
    if tool == "performance_summary":
        benchmarks = [{"benchmarkRunId": usual}, {"benchmarkRunId": stored.run_id}, {"benchmarkSymbol": "AAPL"}]
        return [run, *(run | one for one in benchmarks), run | {"initialCapital": 1, "riskFreeRate": -0.5}]
    if tool == "group_events":
        kinds = {"TradeExecution": ("$.Direction", "$.Price"), "MarketDataEvent": ("$.DataType", "$.Data.Close")}
        return [
            run | {"eventType": kind, "groupBy": by, "valuePath": path}
            for kind, (by, number) in kinds.items() for path in (number, "$.NoSuch", None)
        ]  # fmt: skip
    if tool == "attribute_pnl":
        return [run | {"by": by} for by in EVERY_WAY]
    if tool == "rank_runs":
        return [{"sweep": stored.sweep, "metric": metric, "partitions": 4, "trials": 5} for metric in METRICS]
    pairs = [(stored.run_id, stored.copy_id), (stored.run_id, usual), (usual, stored.run_id)]
    return [{"firstRunId": first, "secondRunId": second} for first, second in pairs]


@pytest.mark.parametrize(
    "tool", ["list_trades", "performance_summary", "group_events", "attribute_pnl", "rank_runs", "compare_runs"]
)
@pytest.mark.parametrize("name", LOGS)
async def test_an_answer_is_finite_or_refused_as_the_contract_says(name: str, tool: str) -> None:
    for arguments in list_questions(tool, stored=find_stored(name)):
        status, body = await ask(tool, **arguments)
        if name == "two currencies" and tool in NEEDS_CURRENCY:
            assert (status, body["error"]["code"]) == (400, "INVALID_PARAMETER")
            assert body["error"]["details"]["currencies"] == ["EUR", "USD"]
            if tool == "compare_runs":
                continue
            arguments |= {"currency": "EUR"}  # as the error says
            status, body = await ask(tool, **arguments)
            if arguments.get("benchmarkRunId") == arguments["runId"]:
                assert (status, body["error"]["details"]["field"]) == (400, "benchmarkRunId")
                continue
        assert status == 200, (arguments, body)
        _validator(tool).validate(body)
        await check_model(TOOLS[tool], arguments)
        if tool == "performance_summary":
            check_reasons(body)


@pytest.mark.parametrize("name", ["numbers beyond a double", "sums beyond a double", "zero variance", "one trade"])
def test_pages_and_exports_show_no_nan(name: str, cast: None, db: None) -> None:
    stored, client = find_stored(name), as_user("curator")
    run = f"/backtests/runs/{stored.run_id}/"
    pages = [run, f"{run}trades/", *(f"{run}attribution/?by={by}" for by in EVERY_WAY), f"{run}days.csv",
             f"{run}trades.csv", f"/backtests/sweeps/?sweep={quote(stored.sweep)}",
             f"/backtests/sweeps/ranking.csv?sweep={quote(stored.sweep)}",
             f"/backtests/compare/?run={stored.run_id}&run={find_stored('one trade').copy_id}"]  # fmt: skip

    for address in pages:
        reply = client.get(address)
        assert reply.status_code == 200, (address, reply.content[:300])
        assert not re.search(rb"\b(nan|inf|infinity)\b", reply.content, re.IGNORECASE), address


@cache
def _validator(tool: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(TOOLS[tool].success_schema)


async def check_model(tool: Tool, arguments: dict[str, Any]) -> None:
    """Look at the answer before it is JSON, which has null where a number is not finite."""
    answer = await tool.function(tool.question.model_validate_json(json.dumps(arguments)))
    assert isinstance(answer, BaseModel)
    assert [one for one in list_numbers(answer.model_dump()) if not isfinite(one)] == []


def list_numbers(value: Any) -> Iterator[float | Decimal]:
    """Yield all numbers in an answer, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from list_numbers(part)
    elif isinstance(value, float | Decimal):
        yield value


def check_reasons(body: Any) -> None:
    """Have a reason for each measure that is null."""
    parts = [body[part] for part in ("returns", "trades", "exposure", "benchmark") if body[part] is not None]
    missing = {name for part in parts for name, value in part.items() if value is None}
    assert missing == body["undefined"].keys()
    assert all(body["undefined"].values())
    assert (body["drawdownCount"] is None) == (body["returns"]["maxDrawdown"] is None)


def test_the_check_finds_what_it_looks_for() -> None:
    found = list_numbers({"a": [{"b": float("nan"), "c": Decimal("Infinity")}], "d": [1.5]})

    assert [isfinite(one) for one in found] == [False, False, True]
    with pytest.raises(ValueError, match="NaN is not JSON"):
        json.loads("[NaN]", parse_constant=refuse_constant)
