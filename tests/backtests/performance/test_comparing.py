"""Where two runs part, found in few calls; runs of a sweep ranked."""

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from backtests.models import Run
from backtests.performance import queries
from backtests.samples.make_pair import STOPS, SWEEP, SYMBOLS, make_run, read_days
from tests.backtests.conftest import InThread, Load
from tests.backtests.makers import jsonl
from tests.backtests.performance.test_building import Event, make_events
from tests.backtests.tool_calls import ask_refused
from tests.backtests.tool_calls import good_floats as good
from toolbox.database.caches import clear_all_caches
from toolbox.database.pools import Pool

pytestmark = pytest.mark.usefixtures("in_thread")  # which sets the database up

PAIR_FILE = "sma_stops_2011_2012.jsonl.gz"
DECIDED = ("TradeExecution", "OrderRejection", "RiskEvent")


@cache
def pair() -> dict[str, list[Event]]:
    """Return the events of both shipped runs, read from the file."""
    runs: dict[str, list[Event]] = {}
    text = gzip.decompress((files("backtests") / "samples" / PAIR_FILE).read_bytes()).decode()
    for line in text.splitlines():
        event = json.loads(line)
        runs.setdefault(event["runId"], [])
        if "eventType" in event:
            runs[event["runId"]].append(event)
    return runs


def decision_of(event: Event) -> tuple[Any, ...] | None:
    said = event["properties"]
    if event["eventType"] in DECIDED or said.get("StateType") == "Order":
        plain = {name: value for name, value in (said.get("StateAfter") or said).items() if name != "OrderId"}
        plain |= dict.fromkeys(("CurrentValue", "Threshold"))
        return (event["timestamp"], event["eventType"], json.dumps(plain, sort_keys=True))
    return None


def first_difference() -> tuple[str, list[list[str]]]:
    """Return the moment of the first decision that only one run has, and the ids of such decisions on both sides."""
    first, second = pair().values()
    decided = [{decision_of(event): event["eventId"] for event in run if decision_of(event)} for run in (first, second)]
    only = [{key: own[key] for key in own.keys() - other.keys()} for own, other in (decided, decided[::-1])]
    moment = min(key[0] for side in only for key in side if key)
    return moment, [sorted(value for key, value in side.items() if key and key[0] == moment) for side in only]


def test_the_pair_is_made_anew_byte_for_byte() -> None:
    made = b"".join(
        json.dumps(event, separators=(",", ":")).encode() + b"\n"
        for stop in STOPS for event in make_run(stop=stop, days=read_days())
    )  # fmt: skip

    assert gzip.decompress((files("backtests") / "samples" / PAIR_FILE).read_bytes()) == made


async def test_the_first_divergent_decision_of_the_shipped_pair_takes_two_calls() -> None:
    listed = await good("list_backtest_runs", pageSize=1000, securitySymbol=SYMBOLS[0])
    first, second = sorted(
        (run for run in listed["runs"] if run["sweep"] == SWEEP), key=lambda run: run["parameters"]["stop"]
    )
    body = await good("compare_runs", firstRunId=first["runId"], secondRunId=second["runId"])

    moment, only = first_difference()
    found = body["divergence"]
    assert found["timestamp"][:19] == moment[:19]
    assert [sorted(one["eventId"] for one in found[side]["decisions"]) for side in ("first", "second")] == only
    assert {name: [float(one) for one in both] for name, both in body["parameterDifferences"].items()} == {
        "stop": [0.05, 0.08]
    }


async def test_the_chain_goes_from_the_price_to_the_decision_and_the_profit_that_followed_is_told() -> None:
    body = await compare_pair()

    found = body["divergence"]
    assert found["first"]["causes"][0]["eventType"] == "MarketDataEvent"
    assert found["first"]["causes"][-1]["eventId"] == found["first"]["decisions"][0]["eventId"]
    assert found["second"]["decisions"] == []
    assert found["second"]["nextDecision"]["timestamp"] > found["timestamp"]
    assert found["second"]["causes"][-1] == found["second"]["nextDecision"]
    exits = [found[side]["trades"][0] for side in ("first", "second")]
    assert exits[0]["entryTime"] == exits[1]["entryTime"]
    assert exits[0]["exitReason"] == "stop loss" != exits[1]["exitReason"]
    days = [totals_by_day(run) for run in pair().values()]
    before = [max(day for day in one if day < found["timestamp"][:10]) for one in days]
    for told in body["profitSince"]:
        own, other = (one[told["day"]] - one[day] for one, day in zip(days, before, strict=True))
        assert [float(told[name]) for name in ("first", "second", "difference")] == pytest.approx(
            [own, other, other - own], abs=1e-6
        )
    assert body["profitSince"][-1]["day"] == "2012-12-31"


async def compare_pair() -> Any:
    first, second = pair()
    return await good("compare_runs", firstRunId=first, secondRunId=second)


def totals_by_day(events: list[Event]) -> dict[str, float]:
    said = [event for event in events if event["properties"].get("StateType") == "PnL"]
    return {event["timestamp"][:10]: event["properties"]["StateAfter"]["Total"] for event in said}


async def test_the_other_way_round_is_the_mirror() -> None:
    first, second = pair()
    body, mirrored = await compare_pair(), await good("compare_runs", firstRunId=second, secondRunId=first)

    assert mirrored["divergence"]["first"] == body["divergence"]["second"]
    assert mirrored["metadata"]["identicalDecisions"] == body["metadata"]["identicalDecisions"]
    assert [one["difference"] for one in mirrored["profitSince"]] == [-one["difference"] for one in body["profitSince"]]


def copy_events(events: list[Event], run_id: str) -> list[Event]:
    """Return the same events of another run: other ids, the same content."""
    return [
        one | {"RunId": run_id, "EventId": str(uuid4()), "Properties": dict(one["Properties"])} for one in events
    ]  # fmt: skip


@pytest.mark.parametrize("block", [1, 4, 1_024, None])
@pytest.mark.parametrize("change", ["none", "price", "missing", "later start", "end"])
async def test_a_change_is_found_where_it_was_made(
    load: Load, monkeypatch: pytest.MonkeyPatch, in_thread: InThread, *, change: str, block: int | None
) -> None:
    monkeypatch.setattr("backtests.performance.comparison.FIRST_PAGE", 8)
    monkeypatch.setattr("backtests.performance.decisions.BLOCK_DECISIONS", block or 4)
    first, second = str(uuid4()), str(uuid4())
    events = make_events(first, seed=14)
    other = copy_events(events, second)
    trades = [at for at, one in enumerate(other) if one["EventType"] == "TradeExecution"]
    at = trades[100]
    if change == "price":
        other[at]["Properties"]["Price"] += 0.01
    elif change == "missing":
        del other[at]
    elif change == "later start":
        other[at]["Properties"]["Quantity"] += 1
        del other[:60]
    elif change == "end":
        at = trades[-1]
        other = other[:at] + [one for one in other[at:] if one["EventType"] != "TradeExecution"]
    load(jsonl(events))
    load(jsonl(other))
    if block is None:
        in_thread(lambda: forget_prefixes(second))

    body = await good("compare_runs", firstRunId=first, secondRunId=second)

    if change == "none":
        assert body["divergence"] is None
        assert body["profitSince"] == []
        assert body["metadata"]["identicalDecisions"] == len(trades)
        return
    assert body["divergence"]["timestamp"][:23] == events[at]["Timestamp"][:23]
    assert events[at]["EventId"] in {one["eventId"] for one in body["divergence"]["first"]["decisions"]}
    assert bool(body["divergence"]["second"]["decisions"]) == (change in ("price", "later start"))


def forget_prefixes(run_id: str) -> None:
    """Leave a run as one that was built before there were digests."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE backtests_decisions SET prefixes = NULL WHERE run_id = %s", [run_id])


async def test_equal_beginnings_are_passed_over_and_not_read(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backtests.performance.comparison.FIRST_PAGE", 8)
    monkeypatch.setattr("backtests.performance.decisions.BLOCK_DECISIONS", 8)
    starts: list[list[int]] = []
    read_trails = queries.trails

    async def read_and_note(*args: Any, **options: Any) -> Any:
        starts.append([*options["starts"]])
        return await read_trails(*args, **options)

    monkeypatch.setattr(queries, "trails", read_and_note)
    first, second = str(uuid4()), str(uuid4())
    events = make_events(first, seed=14)
    other = copy_events(events, second)
    trades = [at for at, one in enumerate(other) if one["EventType"] == "TradeExecution"]
    other[trades[100]]["Properties"]["Price"] += 0.01
    load(jsonl(events))
    load(jsonl(other))

    body = await good("compare_runs", firstRunId=first, secondRunId=second)

    assert body["metadata"]["identicalDecisions"] == 100
    assert starts == [[0, 0], [96, 96]]


async def test_runs_without_common_time_have_nothing_to_compare(load: Load) -> None:
    first, second = str(uuid4()), str(uuid4())
    events = make_events(first, seed=15, steps=50)
    later = copy_events(events, second)
    for one in later:
        one["Timestamp"] = one["Timestamp"].replace("2024-", "2034-")
    load(jsonl(events))
    load(jsonl(later))

    body = await good("compare_runs", firstRunId=first, secondRunId=second)

    assert body["divergence"] is None
    assert "no time in common" in body["metadata"]["notes"][0]


async def test_a_run_that_is_not_there_is_named() -> None:
    first, _ = pair()

    code, _, error = await ask_refused("compare_runs", firstRunId=first, secondRunId=str(UUID(int=7)))

    assert (code, error["details"]["field"]) == ("RUN_NOT_FOUND", "secondRunId")


@pytest.fixture(scope="module")
def sweep(load: Load) -> str:
    """Store a grid of runs: nine pairs of parameters."""
    name = f"grid {uuid4()}"
    for place, (fast, slow) in enumerate((fast, slow) for fast in (5, 10, 15) for slow in (30, 40, 50)):
        run_id = str(uuid4())
        facts: dict[str, Any] = {"RunId": run_id, "Name": f"{fast} {slow}", "Sweep": name}
        facts["Parameters"] = {"InitialCapital": 10_000, "fast": fast, "slow": slow}
        load(jsonl([facts, *make_events(run_id, seed=100 + place, steps=300)]))
    return name


async def test_runs_of_a_sweep_are_ranked_by_what_their_summaries_say(sweep: str) -> None:
    body = await good("rank_runs", sweep=sweep, metric="sharpe", partitions=4)

    assert [one["rank"] for one in body["runs"]] == list(range(1, 10))
    for one in body["runs"]:
        summary = await good("performance_summary", runId=one["runId"])
        assert one["value"] == pytest.approx(summary["returns"]["sharpe"], rel=1e-12)
        assert one["totalReturn"] == pytest.approx(summary["returns"]["totalReturn"], rel=1e-12)
        assert one["closedTrades"] == summary["trades"]["closed"]
    values = [one["value"] for one in body["runs"]]
    assert values == sorted(values, reverse=True)


async def test_neighbours_and_deflated_ratios_are_those_of_the_grid(sweep: str) -> None:
    body = await good("rank_runs", sweep=sweep, partitions=4)
    by_place = {(one["parameters"]["fast"], one["parameters"]["slow"]): one for one in body["runs"]}

    middle = by_place[10, 40]
    near = [by_place[place]["value"] for place in ((5, 40), (15, 40), (10, 30), (10, 50))]
    assert middle["neighbours"]["count"] == 4
    assert middle["neighbours"]["mean"] == pytest.approx(sum(near) / 4)
    assert middle["neighbours"]["worst"] == min(near)
    best = body["runs"][0]
    more = (await good("rank_runs", sweep=sweep, trials=10_000, partitions=4))["runs"][0]
    assert 0 < more["deflatedSharpe"] < best["deflatedSharpe"] < 1
    assert body["overfitting"]["splits"] == 6
    assert 0 <= body["overfitting"]["probability"] <= 1


async def test_a_sweep_that_is_not_there_is_refused() -> None:
    code, _, error = await ask_refused("rank_runs", sweep="none such")

    assert (code, error["details"]["field"]) == ("INVALID_PARAMETER", "sweep")


async def test_a_ranking_asked_again_does_not_read_the_days_again(sweep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await good("rank_runs", sweep=sweep, partitions=4)
    asked = watch_curves(monkeypatch)

    again = await good("rank_runs", sweep=sweep, partitions=4, metric="calmar")
    other = await good("rank_runs", sweep=sweep, partitions=6)

    assert again["overfitting"] == first["overfitting"]
    assert other["overfitting"] == (await rank_anew(sweep, partitions=6))["overfitting"]
    assert asked == [9, 9]


def watch_curves(monkeypatch: pytest.MonkeyPatch, *, changed: int = 0) -> list[int]:
    """Note of how many runs each reading of days is; so many of the first find a run built anew."""
    asked: list[int] = []
    read = queries.sweep_curves

    async def read_and_note(run_ids: list[UUID], *, reader: Pool) -> list[dict[str, Any]]:
        rows = await read(run_ids, reader=reader)
        asked.append(len(rows))
        return [rows[0] | {"build": "another"}, *rows[1:]] if len(asked) <= changed else rows

    monkeypatch.setattr(queries, "sweep_curves", read_and_note)
    return asked


async def rank_anew(sweep: str, **arguments: Any) -> Any:
    clear_all_caches()
    return await good("rank_runs", sweep=sweep, **arguments)


@pytest.mark.parametrize("change", ["late events", "replaced"])
async def test_a_ranking_follows_a_run_that_is_built_anew(load: Load, in_thread: InThread, *, change: str) -> None:
    name, run_ids = f"changing {uuid4()}", [str(uuid4()) for _ in range(4)]

    def store(run_id: str, events: list[Event]) -> None:
        facts = {"RunId": run_id, "Sweep": name, "Parameters": {"InitialCapital": 10_000}}
        load(jsonl([facts, *events]))

    logs = [make_events(run_id, seed=70 + place, steps=300) for place, run_id in enumerate(run_ids)]
    late = logs[0][1::2] if change == "late events" else []
    store(run_ids[0], [one for one in logs[0] if one not in late])
    for run_id, events in zip(run_ids[1:], logs[1:], strict=True):
        store(run_id, events)
    before = await good("rank_runs", sweep=name, partitions=4)
    if change == "replaced":  # by as many events, so that no count tells
        in_thread(Run.objects.filter(run_id=run_ids[0]).delete)
        late = [lose_all(one) for one in logs[0]]
    store(run_ids[0], late)

    after = await good("rank_runs", sweep=name, partitions=4)

    anew = await rank_anew(name, partitions=4)
    assert after | {"metadata": None} == anew | {"metadata": None}
    assert after["overfitting"] != before["overfitting"]


def lose_all(event: Event) -> Event:
    """Return the event with a profit that is turned around."""
    said = event["Properties"]
    if said.get("StateType") != "PnL":
        return event
    state = {name: -value for name, value in said["StateAfter"].items()}
    return event | {"Properties": said | {"StateAfter": state}}


@pytest.mark.parametrize("changed", [1, 2, 3])
async def test_a_sweep_that_changes_while_it_is_read_is_read_again(
    sweep: str, monkeypatch: pytest.MonkeyPatch, changed: int
) -> None:
    wanted = await rank_anew(sweep, partitions=4)
    asked = watch_curves(monkeypatch, changed=changed)

    body = await rank_anew(sweep, partitions=4)

    assert len(asked) == min(changed + 1, 3)
    assert body["runs"] == wanted["runs"]
    if changed == 3:
        assert (body["overfitting"], body["metadata"]["overfittingUndefined"]) == (
            None, "runs of the sweep are being built anew: ask again",
        )  # fmt: skip
    else:
        assert body["overfitting"] == wanted["overfitting"]


async def test_runs_without_common_days_are_not_called_the_same(load: Load) -> None:
    name = f"apart {uuid4()}"
    for place in range(2):
        run_id = str(uuid4())
        events = make_events(run_id, seed=80 + place, steps=100)
        for one in events:
            one["Timestamp"] = one["Timestamp"].replace("2024-", f"20{24 + place * 10}-")
        load(jsonl([{"RunId": run_id, "Sweep": name, "Parameters": {"InitialCapital": 10_000}}, *events]))

    body = await good("rank_runs", sweep=name)

    assert body["overfitting"] is None
    assert body["metadata"]["overfittingUndefined"].startswith("the runs have fewer than 20 days in common")


async def test_the_shipped_pair_is_ranked() -> None:
    body = await good("rank_runs", sweep=SWEEP)

    assert [one["rank"] for one in body["runs"]] == [1, 2]
    assert body["overfitting"]["runs"] == 2


def lay_out_chain(event: Event, *, run_id: str, length: int) -> list[Event]:
    """Return so many events, each the parent of the next; the last is this one."""
    ids = [*(str(uuid4()) for _ in range(length - 1)), event["EventId"]]
    risk = {"RiskType": "limit", "Threshold": 1, "CurrentValue": 2}
    return [
        event | {
            "EventId": one, "RunId": run_id, "ParentEventId": ids[place - 1] if place else None,
            **({} if place == length - 1 else {"EventType": "MarketDataEvent", "Properties": risk}),
        }
        for place, one in enumerate(ids)
    ]  # fmt: skip


@pytest.mark.parametrize(("length", "is_cut"), [(20, False), (21, True)])
async def test_what_a_divergence_leaves_out_is_said(load: Load, *, length: int, is_cut: bool) -> None:
    first, second = str(uuid4()), str(uuid4())
    events = make_events(first, seed=14, steps=60)
    last = next(one for one in reversed(events) if one["EventType"] == "TradeExecution")
    said = last | {"Timestamp": "2024-03-20T10:00:00.000Z"}
    signals = [
        event | {
            "EventType": "IndicatorCalculation", "EventId": str(uuid4()), "RunId": run_id,
            "Properties": {"IndicatorName": f"ma{place:02}", "SecuritySymbol": "AAPL", "Value": value,
                           "Parameters": {}},
        }
        for place in range(53) for run_id, value, event in ((first, 1, last), (second, 2, last))
    ]  # fmt: skip
    decided = [
        said | {"EventId": str(uuid4()), "Properties": said["Properties"] | {"SecuritySymbol": "AAPL", "Price": place}}
        for place in range(1, 8)
    ]
    decided = [one for event in decided for one in lay_out_chain(event, run_id=first, length=length)]
    end = decided[0] | {"RunId": second, "EventId": str(uuid4()), "ParentEventId": None}
    load(jsonl([*events, *(one for one in signals if one["RunId"] == first), *decided]))
    load(jsonl([*copy_events(events, second), *(one for one in signals if one["RunId"] == second), end]))

    found = (await good("compare_runs", firstRunId=first, secondRunId=second))["divergence"]

    assert (len(found["first"]["decisions"]), found["first"]["decisionCount"]) == (5, 7)
    assert (found["second"]["decisions"], found["second"]["decisionCount"]) == ([], 0)
    assert (len(found["first"]["causes"]), found["first"]["hasMoreCauses"]) == (20, is_cut)
    assert found["first"]["causes"][-1] == found["first"]["decisions"][0]
    assert (len(found["signals"]), found["signalCount"]) == (50, 53)
    trades = await good("list_trades", runId=first, pageSize=1000)
    ends = [one["exitTime"] for one in trades["trades"]]
    assert found["first"]["tradeCount"] == sum(not end or end >= found["timestamp"] for end in ends)


async def test_decisions_of_one_moment_that_cannot_all_be_read_are_refused(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backtests.performance.comparison.FIRST_PAGE", 4)
    monkeypatch.setattr("backtests.performance.comparison.MAX_PAGE", 4)
    first, second = str(uuid4()), str(uuid4())
    trade = next(one for one in make_events(first, seed=14) if one["EventType"] == "TradeExecution")
    events = [
        trade | {"EventId": str(uuid4()), "Properties": trade["Properties"] | {"Price": place}} for place in range(9)
    ]
    load(jsonl(events))
    load(jsonl(copy_events(events, second)[1:]))

    code, _, error = await ask_refused("compare_runs", firstRunId=first, secondRunId=second)

    assert code == "RESULT_TOO_LARGE"
    assert "decisions of 2024-" in error["message"]


async def test_long_trails_are_read_in_pages_of_any_size(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backtests.performance.comparison.FIRST_PAGE", 2_000)  # 40,000 bytes, more than a smallint
    first, second = str(uuid4()), str(uuid4())
    events = make_events(first, seed=16, steps=60)
    load(jsonl(events))
    load(jsonl(copy_events(events, second)))

    body = await good("compare_runs", firstRunId=first, secondRunId=second)

    assert body["divergence"] is None
    assert body["metadata"]["identicalDecisions"] == sum(one["EventType"] == "TradeExecution" for one in events)
