"""Tools about what runs came to, held against a slow model over the same events."""

import math
import random
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest

from backtests.models import Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl
from tests.backtests.performance import naive
from tests.backtests.performance.test_building import Event, make_events
from tests.backtests.shipped_run import SHIPPED, read_shipped_events
from tests.backtests.tool_calls import ask_refused
from tests.backtests.tool_calls import good_floats as good

RUN = "cccccccc-e5f6-4890-abcd-ef1234567890"


@pytest.fixture(scope="module")
def events() -> list[Event]:
    return make_events(RUN, seed=7)


@pytest.fixture(scope="module", autouse=True)
def store_events(load: Load, events: list[Event]) -> None:
    facts = [{"RunId": RUN, "Name": "random trades", "Parameters": {"InitialCapital": 10_000}}]
    load(jsonl([*facts, *events]))


def net(trip: naive.Trip) -> Fraction:
    return Fraction(trip["last"] - trip["commission"])


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def near(value: Any) -> Any:
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)


FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({}, lambda _: True),
    ({"securitySymbol": "AAPL"}, lambda trip: trip["symbol"] == "AAPL"),
    ({"side": "Short"}, lambda trip: trip["side"] < 0),
    ({"outcome": "Won"}, lambda trip: trip["exitAt"] and net(trip) > 0),
    ({"outcome": "Lost", "side": "Long"}, lambda trip: trip["exitAt"] and net(trip) < 0 and trip["side"] > 0),
    ({"outcome": "Open"}, lambda trip: not trip["exitAt"]),
    ({"securitySymbol": "none such"}, lambda _: False),
]


@pytest.mark.parametrize(("given", "keeps"), FILTERS, ids=[str(one) for one, _ in FILTERS])
async def test_round_trips_are_filtered_and_paged(events: list[Event], *, given: dict[str, Any], keeps: Any) -> None:
    wanted = [(at, trip) for at, trip in enumerate(naive.round_trips(events)) if keeps(trip)]

    found: list[Any] = []
    for page in range(len(wanted) // 7 + 1):
        body = await good("list_trades", runId=RUN, pageSize=7, pageIndex=page, **given)
        assert body["metadata"]["totalCount"] == len(wanted)
        found += body["trades"]

    assert [one["trade"] for one in found] == [at for at, _ in wanted]
    assert [one["netProfit"] for one in found] == [near(net(trip)) for _, trip in wanted]
    assert [one["maxAdverse"] for one in found] == [near(trip["worst"]) for _, trip in wanted]
    ids = {event["EventId"]: event for event in events}
    assert [ids[one["entryEventId"]]["Timestamp"] for one in found] == [trip["entryAt"] for _, trip in wanted]
    assert [one["exitEventId"] and ids[one["exitEventId"]]["Timestamp"] for one in found] == [
        trip["exitAt"] for _, trip in wanted
    ]


async def test_round_trips_are_sorted_and_cut_by_time(events: list[Event]) -> None:
    trips = naive.round_trips(events)
    first, last = trips[5]["entryAt"], trips[-9]["entryAt"]
    kept = sorted((net(trip) for trip in trips if first <= trip["entryAt"] <= last), reverse=True)

    body = await good(
        "list_trades", runId=RUN, startTime=first, endTime=last, sortBy="netProfit", descending=True, pageSize=1000
    )

    assert [one["netProfit"] for one in body["trades"]] == [near(value) for value in kept]


async def test_the_summary_is_that_of_the_model(events: list[Event]) -> None:
    body = await good("performance_summary", runId=RUN, periodsPerYear=365, riskFreeRate=0.02)

    profits = [float(value) for value in naive.profit_by_day(events).values()]
    equity = [10_000.0, *(10_000 + value for value in profits)]
    returns = [after / before - 1 for before, after in pairwise(equity)]
    rate = 1.02 ** (1 / 365) - 1
    mean = sum(one - rate for one in returns) / len(returns)
    spread = math.sqrt(sum((one - rate - mean) ** 2 for one in returns) / (len(returns) - 1))
    assert body["returns"]["sharpe"] == near(mean / spread * math.sqrt(365))
    assert body["returns"]["totalReturn"] == near(equity[-1] / equity[0] - 1)
    assert body["returns"]["maxDrawdown"] == near(min(one / max(equity[: at + 1]) - 1 for at, one in enumerate(equity)))
    closed = [net(trip) for trip in naive.round_trips(events) if trip["exitAt"]]
    assert body["trades"]["closed"] == len(closed)
    assert body["trades"]["winRate"] == near(sum(one > 0 for one in closed) / len(closed))
    assert body["trades"]["expectancy"] == near(sum(closed) / len(closed))
    assert body["trades"]["netProfit"] == near(sum(net(trip) for trip in naive.round_trips(events)))
    assert body["metadata"]["initialCapital"] == 10_000
    assert body["metadata"]["days"] == len(profits)
    assert body["undefined"] == {}


async def test_drawdowns_that_are_not_given_are_counted(load: Load, events: list[Event]) -> None:
    run_id, [mark, *_] = str(uuid4()), [one for one in events if one["EventType"] == "StateChange"]
    totals = [100, 90, 200, 150, 160, 300, 299, 400, 200, 500, 450, 600, 580, 700, 100]  # seven falls
    marks = [
        mark | {
            "RunId": run_id, "EventId": str(uuid4()), "Timestamp": f"2024-03-{day:02}T10:00:00.000Z",
            "Properties": mark["Properties"] | {"StateAfter": {"Total": total, "Realized": total, "Unrealized": 0}},
        }
        for day, total in enumerate(totals, start=1)
    ]  # fmt: skip
    load(jsonl(marks))

    body = await good("performance_summary", runId=run_id, initialCapital=1_000)

    assert (len(body["drawdowns"]), body["drawdownCount"]) == (5, 7)
    assert body["drawdowns"][0]["depth"] == near(1_100 / 1_700 - 1)


async def test_a_run_is_its_own_benchmark() -> None:
    body = await good("performance_summary", runId=RUN, benchmarkRunId=RUN)

    assert body["benchmark"]["beta"] == near(1)
    assert body["benchmark"]["alpha"] == near(0)
    assert body["benchmark"]["informationRatio"] is None
    assert "same amount" in body["undefined"]["informationRatio"]


async def test_a_security_is_a_benchmark() -> None:
    body = await good("performance_summary", runId=SHIPPED, benchmarkSymbol="AAPL.NASDAQ")

    candles = [
        one["properties"]["Data"]["Close"] for one in read_shipped_events()
        if one["eventType"] == "MarketDataEvent" and one["properties"]["SecuritySymbol"] == "AAPL.NASDAQ"
    ]  # fmt: skip
    assert body["benchmark"]["benchmarkReturn"] == near(candles[-1] / candles[0] - 1)
    assert body["benchmark"]["days"] == len(candles) - 1


@pytest.mark.parametrize(
    "by", ["symbol", "side", "entryHour", "entryWeekday", "entryMonth", "holdingTime", "exitReason"]
)
async def test_profit_is_divided_without_rest(events: list[Event], *, by: str) -> None:
    trips = naive.round_trips(events)
    sums: dict[str, Fraction] = defaultdict(Fraction)
    keys: dict[str, Callable[[naive.Trip], str]] = {
        "symbol": lambda trip: trip["symbol"], "side": lambda trip: "Long" if trip["side"] > 0 else "Short",
        "entryHour": lambda trip: f"{parse_time(trip['entryAt']):%H}", "entryMonth": lambda trip: trip["entryAt"][:7],
        "entryWeekday": lambda trip: f"{parse_time(trip['entryAt']):%A}",
    }  # fmt: skip
    for trip in trips:
        sums[keys[by](trip) if by in keys else ""] += net(trip)

    body = await good("attribute_pnl", runId=RUN, by=by)

    assert body["metadata"]["totalNetProfit"] == near(sum(net(trip) for trip in trips))
    assert sum(one["netProfit"] for one in body["groups"]) == near(body["metadata"]["totalNetProfit"])
    assert sum(one["trades"] for one in body["groups"]) == body["metadata"]["totalTrades"] == len(trips)
    if by in keys:
        assert {one["group"]: one["netProfit"] for one in body["groups"]} == {
            name: near(value) for name, value in sums.items()
        }


@pytest.mark.parametrize("value_path", [None, "$.Commission"])
async def test_events_are_grouped_as_by_hand(events: list[Event], *, value_path: str | None) -> None:
    trades = [one["Properties"] for one in events if one["EventType"] == "TradeExecution"]
    kept = [one for one in trades if one["SecuritySymbol"] == "AAPL"]

    body = await good(
        "group_events", runId=RUN, eventType="TradeExecution", groupBy="$.Direction", valuePath=value_path,
        filters=[{"path": "$.SecuritySymbol", "value": "AAPL"}],
    )  # fmt: skip

    assert body["metadata"]["totalEvents"] == len(kept)
    for group in body["groups"]:
        values = sorted(one["Commission"] for one in kept if one["Direction"] == group["value"])
        assert group["count"] == len(values)
        if value_path is None:
            assert (group["numbers"], group["sum"], group["quantiles"]) == (None, None, None)
            continue
        assert (group["sum"], group["avg"]) == (near(sum(values)), near(sum(values) / len(values)))
        for name, share in (("p05", 0.05), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p95", 0.95)):
            assert group["quantiles"][name] == values[math.ceil(share * len(values)) - 1]


async def test_reasons_of_many_rejections_are_one_small_answer(load: Load) -> None:
    run_id, source = str(uuid4()), random.Random(3)
    events = make_events(run_id, seed=3, steps=2)
    for at in range(2_553):
        reason = source.choice([f"Margin of {at} is below {at + 1}", "Market closed", "Na\u00efve \U0001f600"])
        said = {"OrderId": str(uuid4()), "SecuritySymbol": "AAPL", "RejectionReason": reason}
        event = {"EventType": "OrderRejection", "Properties": said, "EventId": str(uuid4())}
        events.append(events[0] | event)
    load(jsonl(events))

    body = await good(
        "group_events", runId=run_id, eventType="OrderRejection", groupBy="$.RejectionReason", withoutFigures=True
    )

    assert sum(one["count"] for one in body["groups"]) + body["metadata"]["unreadableEvents"] == 2_553
    assert {one["value"] for one in body["groups"]} >= {"Margin of # is below #", "Market closed"}
    assert len(str(body)) < 2_000


async def test_groups_that_do_not_fit_are_counted(events: list[Event]) -> None:
    body = await good("group_events", runId=RUN, eventType="TradeExecution", groupBy="$.OrderId", maxGroups=3)

    trades = sum(one["EventType"] == "TradeExecution" for one in events)
    assert body["metadata"] | {"queryTimeMs": 0} == {
        "totalEvents": trades, "totalGroups": trades, "otherEvents": trades - 3, "unreadableEvents": 0,
        "queryTimeMs": 0,
    }  # fmt: skip


async def test_a_run_without_capital_or_trades_says_what_is_missing(load: Load) -> None:
    run_id = str(uuid4())
    load(jsonl([one for one in make_events(run_id, seed=5, steps=40) if one["EventType"] == "MarketDataEvent"]))

    body = await good("performance_summary", runId=run_id)

    assert set(body["returns"].values()) == {None}
    assert "initialCapital" in body["undefined"]["sharpe"]
    assert body["undefined"]["winRate"] == "there is no closed round trip"
    told = await good("performance_summary", runId=run_id, initialCapital=500)
    assert told["returns"]["totalReturn"] == 0
    assert told["undefined"]["sharpe"] == "the returns do not vary"


async def test_one_round_trip_is_enough(load: Load) -> None:
    run_id = str(uuid4())
    first, second = [one for one in make_events(run_id, seed=8) if one["EventType"] == "TradeExecution"][:2]
    trade = {"SecuritySymbol": "AAPL", "Quantity": 2, "Price": 100, "Commission": 1}
    first["Properties"] = trade | {"OrderId": str(uuid4()), "Direction": "Buy"}
    second["Properties"] = trade | {"OrderId": str(uuid4()), "Direction": "Sell", "Price": 103}
    load(jsonl([first, second]))

    body = await good("performance_summary", runId=run_id, initialCapital=1000)

    assert (body["trades"]["closed"], body["trades"]["netProfit"], body["trades"]["winRate"]) == (1, 4, 1)
    assert body["undefined"]["profitFactor"] == "no round trip lost"
    assert body["metadata"]["profitSource"] == "trips"


async def test_two_currencies_must_be_named(load: Load) -> None:
    run_id = str(uuid4())
    events = [one for one in make_events(run_id, seed=9, steps=100) if one["EventType"] == "TradeExecution"]
    for one in events:
        one["Properties"]["Currency"] = "USD" if one["Properties"]["SecuritySymbol"] == "AAPL" else "EUR"
    load(jsonl(events))

    code, status, error = await ask_refused("performance_summary", runId=run_id)

    assert (code, status, error["details"]["currencies"]) == ("INVALID_PARAMETER", 400, ["EUR", "USD"])
    compared = await ask_refused("compare_runs", firstRunId=RUN, secondRunId=run_id)
    assert (compared[0], "retryWith" in compared[2]["details"]) == ("INVALID_PARAMETER", False)
    assert "one currency" in compared[2]["details"]["suggestion"]
    body = await good("performance_summary", runId=run_id, **error["details"]["retryWith"])
    assert body["metadata"]["currency"] == "EUR"
    trades = (await good("list_trades", runId=run_id, securitySymbol="AAPL", pageSize=1000))["trades"]
    dollars = await good("attribute_pnl", runId=run_id, by="symbol", currency="USD")
    assert [one["group"] for one in dollars["groups"]] == ["AAPL"]
    assert dollars["metadata"]["totalNetProfit"] == near(sum(one["netProfit"] for one in trades))


async def test_a_run_that_is_still_loading_is_refused(load: Load, in_thread: InThread) -> None:
    run_id = str(uuid4())
    load(jsonl(make_events(run_id, seed=4, steps=30)))
    in_thread(lambda: Run.objects.filter(pk=run_id).update(event_count=31))

    for tool, more in (("list_trades", {}), ("performance_summary", {}), ("attribute_pnl", {"by": "side"})):
        code, status, error = await ask_refused(tool, runId=run_id, **more)
        assert (code, status) == ("PERFORMANCE_NOT_BUILT", 409)
        assert "build_backtest_performance" in error["details"]["suggestion"]


@pytest.mark.parametrize("tool", ["list_trades", "performance_summary", "group_events", "attribute_pnl"])
async def test_a_run_that_is_not_there_is_refused(tool: str) -> None:
    more = {"attribute_pnl": {"by": "side"}, "group_events": {"eventType": "RiskEvent", "groupBy": "$.Action"}}

    code, status, _ = await ask_refused(tool, runId=str(UUID(int=7)), **more.get(tool, {}))

    assert (code, status) == ("RUN_NOT_FOUND", 404)


async def test_a_bad_path_is_named_by_its_own_parameter() -> None:
    code, _, error = await ask_refused("group_events", runId=RUN, eventType="RiskEvent", groupBy="Action")

    assert (code, error["details"]["field"]) == ("INVALID_JSON_PATH", "groupBy")
    assert error["details"]["retryWith"] == {"groupBy": "$.Action"}


async def test_the_shipped_run_came_to_what_its_engine_says() -> None:
    last = [one for one in read_shipped_events() if one["properties"].get("StateType") == "PnL"][-1]["properties"][
        "StateAfter"
    ]

    body = await good("performance_summary", runId=SHIPPED)

    assert float(body["metadata"]["totalProfit"]) == last["Total"]
    assert body["metadata"]["initialCapital"] == 200_000
    assert body["returns"]["totalReturn"] == near(Decimal(str(last["Total"])) / 200_000)
    assert float(body["trades"]["netProfit"]) == pytest.approx(last["Total"], abs=0.2)  # the engine rounds commissions


@pytest.mark.parametrize("by", ["entryMonth", "symbol"])
async def test_groups_of_profit_that_are_not_given_are_counted(
    load: Load, monkeypatch: pytest.MonkeyPatch, *, by: str
) -> None:
    monkeypatch.setattr("backtests.performance.queries.MAX_PROFIT_GROUPS", 2)
    run_id = str(uuid4())
    earned = {"2023-01": ("A", 5), "2023-02": ("B", -50), "2023-03": ("C", 1), "2023-04": ("D", 40)}
    events = []
    for month, (symbol, profit) in earned.items():
        for day, side, price in (("03", "Buy", 100), ("04", "Sell", 100 + profit)):
            said = {"OrderId": str(uuid4()), "SecuritySymbol": symbol, "Direction": side, "Quantity": 1, "Price": price}
            [event] = make_events(run_id, seed=3, steps=1)
            events.append(event | {
                "EventId": str(uuid4()), "Timestamp": f"{month}-{day}T10:00:00.000Z", "EventType": "TradeExecution",
                "Properties": said | {"Commission": 0, "Slippage": 0},
            })  # fmt: skip
    load(jsonl(events))

    body = await good("attribute_pnl", runId=run_id, by=by)

    given = [(one["group"], one["netProfit"]) for one in body["groups"]]
    wanted = {"entryMonth": [("2023-02", -50), ("2023-04", 40)], "symbol": [("D", 40), ("B", -50)]}
    assert given == wanted[by]
    metadata = body["metadata"]
    assert (metadata["totalGroups"], metadata["totalTrades"], metadata["totalNetProfit"]) == (4, 4, -4)
    assert (metadata["otherGroups"], metadata["otherTrades"], metadata["otherNetProfit"]) == (2, 2, 6)


async def test_nothing_is_left_over_of_profits_with_many_digits(load: Load) -> None:
    run_id, events = str(uuid4()), []
    for symbol, entry_price, exit_price in (("A", "1e-30", "10"), ("B", "100", "100.02")):
        for day, side, price in (("03", "Buy", entry_price), ("04", "Sell", exit_price)):
            said = {"OrderId": str(uuid4()), "SecuritySymbol": symbol, "Direction": side, "Quantity": 1, "Price": "?"}
            [event] = make_events(run_id, seed=3, steps=1)
            changed = event | {
                "EventId": str(uuid4()), "Timestamp": f"2023-01-{day}T10:00:00.000Z", "EventType": "TradeExecution",
                "Properties": said | {"Commission": 0, "Slippage": 0},
            }  # fmt: skip
            events.append(jsonl([changed])[0].replace(b'"?"', price.encode()))
    load(events)

    metadata = (await good("attribute_pnl", runId=run_id, by="symbol"))["metadata"]

    assert (metadata["totalGroups"], metadata["otherGroups"], metadata["otherNetProfit"]) == (2, 0, 0)


async def test_texts_that_begin_alike_are_two_groups_and_a_cut_is_said(load: Load) -> None:
    run_id, alike = str(uuid4()), "x" * 600
    reasons = [f"{alike} one", f"{alike} two", f"{alike} two", "short"]
    [event] = make_events(run_id, seed=3, steps=1)
    load(jsonl([
        event | {
            "EventType": "OrderRejection", "EventId": str(uuid4()),
            "Properties": {"OrderId": str(uuid4()), "SecuritySymbol": "AAPL", "RejectionReason": reason},
        }
        for reason in reasons
    ]))  # fmt: skip

    body = await good("group_events", runId=run_id, eventType="OrderRejection", groupBy="$.RejectionReason")

    assert sorted(one["count"] for one in body["groups"]) == [1, 1, 2]
    for one in body["groups"]:
        is_long = one["value"] != "short"
        assert one["valueLength"] == (604 if is_long else None)
        assert len(one["value"]) == (500 if is_long else 5)
