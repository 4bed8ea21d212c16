"""Small runs drawn at random: each tool of results equals a slow model over the same events."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import combinations, pairwise
from statistics import mean, stdev
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backtests.models import Run
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl
from tests.backtests.naive import in_order
from tests.backtests.performance import naive
from tests.backtests.tool_calls import good_floats
from toolbox.database import event_loop

pytestmark = pytest.mark.slow

Event = dict[str, Any]
CAPITAL = 1_000
TIMES = [f"2024-03-{day:02}T{hour}:00:00.000000Z" for day in (4, 5, 6, 11, 29, 31) for hour in ("00", "09", "23")]
SYMBOLS = ("AAPL", "AAPL", "é x")
FEW = settings(max_examples=12, derandomize=True, database=None)


def near(value: Any) -> Any:
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)


def ask(tool: str, /, **arguments: Any) -> Any:
    return event_loop.run(good_floats(tool, **arguments))


@st.composite
def trades(draw: st.DrawFn) -> tuple[str, Event]:
    said: Event = {
        "OrderId": str(UUID(int=draw(st.integers(1, 3)), version=4)), "SecuritySymbol": draw(st.sampled_from(SYMBOLS)),
        "Direction": draw(st.sampled_from(["Buy", "Sell"])), "Quantity": draw(st.sampled_from([1, 2, 0.5, 3])),
        "Price": draw(st.sampled_from([10, 12.5, 0.1, 99])), "Commission": draw(st.sampled_from([0, 1, 0.25])),
        "Slippage": 0,
    }  # fmt: skip
    if reason := draw(st.sampled_from([None, "stop", "target 5"])):
        said["ExitReason"] = reason
    return "TradeExecution", said


@st.composite
def prices(draw: st.DrawFn) -> tuple[str, Event]:
    data = {name: draw(st.sampled_from([9, 11.25, 140])) for name in draw(st.sets(st.sampled_from(["High", "Close"])))}
    return "MarketDataEvent", {"SecuritySymbol": draw(st.sampled_from(SYMBOLS)), "DataType": "Candle", "Data": data}


@st.composite
def marks(draw: st.DrawFn) -> tuple[str, Event]:
    total = draw(st.sampled_from([-40, 0, 7.5, 60, -1_200]))
    state = {"Total": total, "Realized": total, "Unrealized": 0}
    return "StateChange", {"StateType": "PnL", "StateBefore": None, "StateAfter": state, "ChangeReason": "mark"}


def write_events(run_id: UUID, drawn: Sequence[tuple[str, tuple[str, Event]]]) -> list[Event]:
    return [
        {
            "EventId": str(uuid4()), "RunId": str(run_id), "Timestamp": moment, "EventType": kind, "Severity": "Info",
            "Category": "Execution", "Properties": said, "ParentEventId": None,
        }
        for moment, (kind, said) in drawn
    ]  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> list[Event]:
    """Draw the events of a run, in any order; ties are in the order of arrival."""
    kinds = st.one_of(trades(), trades(), trades(), prices(), marks())
    least = draw(st.sampled_from([1, 12, 12]))
    return write_events(uuid4(), draw(st.lists(st.tuples(st.sampled_from(TIMES), kinds), min_size=least, max_size=24)))


@pytest.fixture(scope="module")
def store_run(load: Load) -> Callable[..., str]:
    def store(events: list[Event], **facts: Any) -> str:
        run_id = events[0]["RunId"]
        parameters = {"InitialCapital": CAPITAL} | facts.pop("parameters", {})
        load(jsonl([{"RunId": run_id, "Parameters": parameters} | facts, *events]))
        return str(run_id)

    return store


def net(trip: naive.Trip) -> Fraction:
    return Fraction(trip["last"] - trip["commission"])


@settings(FEW)
@given(events=runs(), side=st.sampled_from([None, "Long", "Short"]), size=st.integers(1, 4))
def test_round_trips(store_run: Callable[..., str], events: list[Event], side: str | None, size: int) -> None:
    run_id = store_run(events)
    chosen = {"side": side} if side else {}
    wanted = [trip for trip in naive.round_trips(events) if side is None or (trip["side"] > 0) == (side == "Long")]

    found: list[Any] = []
    for page in range(len(wanted) // size + 1):
        body = ask("list_trades", runId=run_id, pageSize=size, pageIndex=page, **chosen)
        assert body["metadata"]["totalCount"] == len(wanted)
        found += body["trades"]

    names = ("securitySymbol", "side", "quantity", "netProfit", "maxFavorable", "maxAdverse", "executions")
    assert [[one[name] for name in names] for one in found] == [
        [trip["symbol"], "Long" if trip["side"] > 0 else "Short", near(trip["quantity"]), near(net(trip)),
         near(trip["best"]), near(trip["worst"]), trip["executions"]]
        for trip in wanted
    ]  # fmt: skip
    assert [one["exitTime"] is None for one in found] == [trip["exitAt"] is None for trip in wanted]


@settings(FEW)
@given(events=runs(), periods=st.sampled_from([12, 252]), rate=st.sampled_from([0, 0.03]))
def test_summaries(store_run: Callable[..., str], events: list[Event], periods: int, rate: float) -> None:
    body = ask("performance_summary", runId=store_run(events), periodsPerYear=periods, riskFreeRate=rate)

    has_marks = any(one["EventType"] == "StateChange" for one in events)
    profits = naive.profit_by_day(events) if has_marks else naive.trip_profit_by_day(events)
    equity = [Fraction(CAPITAL), *(CAPITAL + profit for profit in profits.values())]
    returns = body["returns"]
    if min(equity) <= 0:
        assert set(returns.values()) == {None}
        assert "above zero" in body["undefined"]["sharpe"]
    else:
        changes = [float(after / before - 1) for before, after in pairwise(equity)]
        assert returns["totalReturn"] == near(equity[-1] / equity[0] - 1)
        assert returns["maxDrawdown"] == near(min(one / max(equity[: at + 1]) - 1 for at, one in enumerate(equity)))
        assert returns["volatility"] == (near(stdev(changes) * math.sqrt(periods)) if len(changes) > 1 else None)
        if len(set(changes)) > 1:
            excess = mean(changes) - ((1 + rate) ** (1 / periods) - 1)
            assert returns["sharpe"] == near(excess / stdev(changes) * math.sqrt(periods))
    trips = naive.round_trips(events)
    closed = [net(trip) for trip in trips if trip["exitAt"]]
    assert (body["trades"]["closed"], body["trades"]["open"]) == (len(closed), len(trips) - len(closed))
    assert body["trades"]["netProfit"] == near(sum(map(net, trips)))
    assert body["trades"]["winRate"] == (
        near(Fraction(sum(one > 0 for one in closed), len(closed))) if closed else None
    )
    gain, loss = sum(one for one in closed if one > 0), -sum(one for one in closed if one < 0)
    assert body["trades"]["profitFactor"] == (near(gain / loss) if loss else None)
    assert all(name in body["undefined"] for name, value in body["trades"].items() if value is None)


@settings(FEW)
@given(
    events=runs(), by=st.sampled_from(["Direction", "Quantity", "ExitReason", "Nothing"]), most=st.integers(1, 3),
    symbol=st.sampled_from([None, *SYMBOLS]),
)  # fmt: skip
def test_groups(store_run: Callable[..., str], events: list[Event], by: str, most: int, symbol: str | None) -> None:
    filters = [{"path": "$.SecuritySymbol", "value": symbol}] if symbol else []
    body = ask(
        "group_events", runId=store_run(events), eventType="TradeExecution", groupBy=f"$.{by}", maxGroups=most,
        valuePath="$.Price", filters=filters,
    )  # fmt: skip

    groups: dict[str | None, list[float]] = defaultdict(list)
    for event in in_order(events):
        said = event["Properties"]
        if event["EventType"] == "TradeExecution" and symbol in (None, said["SecuritySymbol"]):
            groups[str(said[by]) if by in said else None].append(said["Price"])
    assert body["metadata"]["totalGroups"] == len(groups)
    assert body["metadata"]["totalEvents"] == sum(map(len, groups.values()))
    assert len(body["groups"]) == min(most, len(groups))
    assert [one["count"] for one in body["groups"]] == sorted(map(len, groups.values()), reverse=True)[:most]
    for group in body["groups"]:
        values = sorted(groups[group["value"]])
        assert (group["count"], group["min"], group["max"]) == (len(values), values[0], values[-1])
        assert (group["sum"], group["avg"]) == (near(sum(values)), near(mean(values)))
        assert group["quantiles"]["p50"] == values[math.ceil(len(values) / 2) - 1]


KEYS: dict[str, Callable[[naive.Trip], str]] = {
    "symbol": lambda trip: str(trip["symbol"]), "side": lambda trip: "Long" if trip["side"] > 0 else "Short",
    "entryHour": lambda trip: str(trip["entryAt"][11:13]), "entryMonth": lambda trip: str(trip["entryAt"][:7]),
    "entryWeekday": lambda trip: f"{datetime.fromisoformat(trip['entryAt']):%A}",
}  # fmt: skip


@settings(FEW)
@given(events=runs(), by=st.sampled_from(list(KEYS)))
def test_attribution(store_run: Callable[..., str], events: list[Event], by: str) -> None:
    body = ask("attribute_pnl", runId=store_run(events), by=by)

    groups: dict[str, list[naive.Trip]] = defaultdict(list)
    for trip in naive.round_trips(events):
        groups[KEYS[by](trip)].append(trip)
    assert {one["group"]: (one["trades"], one["netProfit"], one["commission"]) for one in body["groups"]} == {
        name: (len(trips), near(sum(map(net, trips))), near(sum(trip["commission"] for trip in trips)))
        for name, trips in groups.items()
    }
    assert body["metadata"]["totalTrades"] == sum(map(len, groups.values()))


@st.composite
def sweeps(draw: st.DrawFn) -> list[tuple[dict[str, int], list[int]]]:
    """Draw parameters and profit by day of runs; wide numbers, so that no two ratios are the same by accident."""
    grid = [(fast, slow) for fast in (1, 2, 5) for slow in (10, 20)]
    chosen = draw(st.lists(st.sampled_from(grid), min_size=2, max_size=5, unique=True))
    totals = st.lists(st.integers(-400, 400), min_size=8, max_size=8)
    return [({"fast": fast, "slow": slow}, draw(totals)) for fast, slow in chosen]


@settings(FEW, max_examples=8)
@given(drawn=sweeps(), metric=st.sampled_from(["totalReturn", "sharpe", "maxDrawdown"]))
def test_rankings(
    store_run: Callable[..., str], in_thread: InThread, drawn: list[tuple[dict[str, int], list[int]]], metric: str
) -> None:
    sweep, found = f"any run {uuid4()}", {}
    for parameters, totals in drawn:
        said = {"StateType": "PnL", "StateBefore": None, "ChangeReason": "mark"}
        events = write_events(uuid4(), [
            (f"2024-05-{day:02}T10:00:00.000Z", ("StateChange", said | {"StateAfter": {"Total": total}}))
            for day, total in enumerate(totals, start=1)
        ])  # fmt: skip
        found[store_run(events, Sweep=sweep, parameters=parameters)] = (parameters, totals)

    body = ask("rank_runs", sweep=sweep, metric=metric, partitions=4)
    in_thread(Run.objects.filter(sweep=sweep).delete)

    values = {run_id: measure(totals, metric=metric) for run_id, (_, totals) in found.items()}
    ranked = sorted(found, key=lambda run_id: (values[run_id] is None, -(values[run_id] or 0), run_id))
    known = [one["runId"] for one in body["runs"]]
    assert [values[run_id] for run_id in known] == [
        None if values[one] is None else near(values[one]) for one in ranked
    ]
    for one in body["runs"]:
        value, parameters = values[one["runId"]], found[one["runId"]][0]
        assert one["value"] == (None if value is None else near(value))
        grid = [parameters for parameters, _ in found.values()]
        beside = [
            value for other, (others, _) in found.items()
            if (value := values[other]) is not None and is_neighbour(parameters, others, among=grid)
        ]  # fmt: skip
        assert one["neighbours"]["count"] == len(beside)
        assert one["neighbours"]["mean"] == (near(mean(beside)) if beside else None)
    check_overfitting(body, curves=[totals for _, totals in found.values()])


def returns_of(totals: Sequence[int]) -> list[Fraction]:
    equity = [Fraction(CAPITAL + total) for total in (0, *totals)]
    return [after / before - 1 for before, after in pairwise(equity)]


def measure(totals: Sequence[int], *, metric: str) -> float | None:
    changes = [float(one) for one in returns_of(totals)]
    if metric == "sharpe":
        return mean(changes) / stdev(changes) * math.sqrt(252) if len(set(changes)) > 1 else None
    equity = [CAPITAL, *(CAPITAL + total for total in totals)]
    if metric == "totalReturn":
        return equity[-1] / equity[0] - 1
    return min(one / max(equity[: at + 1]) - 1 for at, one in enumerate(equity))


def is_neighbour(own: dict[str, int], other: dict[str, int], *, among: list[dict[str, int]]) -> bool:
    """Return whether exactly one parameter differs, by one step of the sweep's values."""
    different = [name for name in own if own[name] != other[name]]
    if len(different) != 1:
        return False
    steps = sorted({one[different[0]] for one in among})
    return abs(steps.index(own[different[0]]) - steps.index(other[different[0]])) == 1


def check_overfitting(body: Any, *, curves: list[list[int]]) -> None:
    """Halve the four parts of two days in every way; the best of one half is ranked in the other."""
    varying = [returns for totals in curves if len(set(returns := returns_of(totals))) > 1]
    if len(varying) < 2 or all(one == varying[0] for one in varying):
        assert body["overfitting"] is None
        return
    is_worse = []
    for half in combinations(range(4), 2):
        inside, outside = (
            [sharpe_of([one for part in parts for one in returns[part * 2 : part * 2 + 2]]) for returns in varying]
            for parts in (half, [part for part in range(4) if part not in half])
        )
        if len(set(inside)) < len(inside) or len(set(outside)) < len(outside):
            return  # equal ratios are ordered by rounding
        best = outside[inside.index(max(inside))]
        is_worse.append(Fraction(sum(one < best for one in outside) + 1, len(varying) + 1) <= Fraction(1, 2))
    assert body["overfitting"]["probability"] == near(Fraction(sum(is_worse), len(is_worse)))


def sharpe_of(returns: list[Fraction]) -> float:
    changes = [float(one) for one in returns]
    return mean(changes) / stdev(changes) if len(set(changes)) > 1 else 0.0


@st.composite
def changed_trades(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Draw the decisions of a run, and those of another that leaves out, adds or changes a few."""
    pool = draw(st.lists(trades(), min_size=1, max_size=3))  # few, so that one moment has the same decision twice
    decided = st.tuples(st.sampled_from(TIMES[1:4]), st.sampled_from(pool))
    first = draw(st.lists(decided, max_size=8))
    second = [one for one in first if draw(st.integers(0, 4))]
    return first, draw(st.permutations(second + draw(st.lists(decided, max_size=2))))


@pytest.fixture(scope="module", autouse=True)
def make_blocks_small() -> Iterator[None]:
    """Let even short runs have whole blocks of decisions, which are compared by their digests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backtests.performance.decisions.BLOCK_DECISIONS", 2)
        patch.setattr("backtests.performance.comparison.FIRST_PAGE", 2)
        yield


@settings(FEW)
@given(drawn=changed_trades())
def test_comparisons(store_run: Callable[..., str], drawn: tuple[list[Any], list[Any]]) -> None:
    ends = [(moment, ("MarketDataEvent", {"SecuritySymbol": "AAPL", "DataType": "Candle", "Data": {"Close": 10}}))
            for moment in (TIMES[0], TIMES[-1])]  # fmt: skip
    sides = [write_events(uuid4(), [*ends, *side]) for side in drawn]
    first, second = (store_run(events) for events in sides)

    body = ask("compare_runs", firstRunId=first, secondRunId=second)

    counted = [Counter(map(decision_of, events)) for events in sides]
    moments = sorted({key[0] for key in counted[0].keys() | counted[1].keys() if counted[0][key] != counted[1][key]})
    same = sum((counted[0] & counted[1]).values())
    if not moments:
        assert (body["divergence"], body["metadata"]["identicalDecisions"]) == (None, same - 2)
        return
    at = moments[0]
    divergence = body["divergence"]
    assert divergence["timestamp"][:19] == at[:19]
    before = sum(count for key, count in (counted[0] & counted[1]).items() if TIMES[0] < key[0] < at)
    assert before <= body["metadata"]["identicalDecisions"] <= same - 2
    for name, own, other in (("first", counted[0], counted[1]), ("second", counted[1], counted[0])):
        only: Counter[tuple[str, ...]] = Counter({key: count for key, count in (own - other).items() if key[0] == at})
        side = divergence[name]
        assert side["decisionCount"] == only.total()
        assert Counter(map(decision_of, side["decisions"])) <= only
        assert len(side["decisions"]) == min(only.total(), 5)


def decision_of(event: Event) -> tuple[str, ...]:
    """Return what a decision is compared by, from a logged or answered event."""
    said = event.get("Properties", event.get("properties"))
    moment = str(event.get("Timestamp", event.get("timestamp")))[:19] + TIMES[0][19:]
    assert said is not None
    return moment, *(str(float(one) if isinstance(one, int | float) else one) for one in (
        said["SecuritySymbol"], said.get("Direction"), said.get("Quantity"), said.get("Price"),
    ))  # fmt: skip
