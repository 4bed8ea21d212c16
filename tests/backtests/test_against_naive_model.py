"""Random logs, out of order, late, twice, in circles: every tool equals a slow model over the same events."""

import random
from typing import Any
from uuid import UUID

import pytest

from backtests.ingest import load
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from tests.backtests import naive
from tests.backtests.makers import guid, jsonl, strategy
from tests.backtests.tool_calls import good

PATHS = [
    ("TradeExecution", "$.Price"),
    ("PositionUpdate", "$.RealizedPnL"),
    ("MarketDataEvent", "$.Data.Close"),
    ("StateChange", "$.StateAfter.Total"),
    ("TradeExecution", "$.Nothing"),
    ("IndicatorCalculation", "$.Value"),
]
TYPES = ["TradeExecution", "OrderRejection", "IndicatorCalculation", "PositionUpdate", "StateChange", "MarketDataEvent"]


def shuffle_events(seed: int, *, run_id: str, events: int) -> list[dict[str, Any]]:
    """Return a strategy's events shuffled by the seed: a little, wholly, or not; some twice, some in circles."""
    source = random.Random(seed)
    made = list(strategy(run_id, events=events, seed=seed))
    if seed % 3 == 1:
        made.sort(key=lambda event: (event["Timestamp"], source.random()))
        for _ in range(events // 10):
            made.insert(source.randrange(len(made)), made.pop(source.randrange(len(made))))
    elif seed % 3 == 2:
        source.shuffle(made)
    for _ in range(events // 50):
        one, other, third = source.sample(made, 3)
        one["ParentEventId"], other["ParentEventId"] = other["EventId"], one["EventId"]
        third["ParentEventId"] = guid(source)
    source.choice(made)["ParentEventId"] = made[0]["EventId"]
    return made + source.sample(made, events // 20)


@pytest.fixture(scope="module", params=[0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 5))])
def stored_run(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any
) -> tuple[str, list[dict[str, Any]]]:
    run_id = str(UUID(int=random.Random(f"naive {request.param}").getrandbits(128), version=4))
    events = shuffle_events(request.param, run_id=run_id, events=3000)
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "BATCH_EVENTS", [97, 700, 100_000][request.param % 3 if request.param < 3 else 1])
        report = load_lines(jsonl(events), run_id=None, report=LoadReport())
    assert report.stored == len({event["EventId"] for event in events})
    return run_id, events


async def test_every_page_of_every_type_is_that_of_the_model(stored_run: tuple[str, list[dict[str, Any]]]) -> None:
    run_id, events = stored_run
    times = sorted(event["Timestamp"] for event in events)
    for kind in TYPES:
        for severity, (first, last) in ((None, ("", "~")), ("Debug", ("", "~")), (None, (times[500], times[-400]))):
            wanted = naive.by_type(events, kind, severity=severity, first=first, last=last)
            given = {"severity": severity} if severity else {}
            given |= {"startTime": first, "endTime": last} if first else {}
            found: list[str] = []
            for page in range(len(wanted) // 333 + 1):
                body = await good(
                    "get_events_by_type", runId=run_id, eventType=kind, pageSize=333, pageIndex=page, **given
                )
                assert body["metadata"]["totalCount"] == len(wanted)
                found += [event["eventId"] for event in body["events"]]
            assert found == wanted


async def test_entities_are_those_of_the_model(stored_run: tuple[str, list[dict[str, Any]]]) -> None:
    run_id, events = stored_run
    orders = [e["Properties"]["OrderId"] for e in events if e["EventType"] == "TradeExecution"][:5]
    cases = [("SecuritySymbol", "AAPL"), ("IndicatorName", "SMA_10"), ("PositionId", "P-MSFT")]
    for name, value in cases + [("OrderId", order) for order in orders]:
        for kinds in ([], ["TradeExecution"], ["PositionUpdate", "StateChange", "MarketDataEvent"]):
            wanted = naive.by_entity(events, name, value, kinds=kinds)
            for page in (0, 1, len(wanted) // 100):
                body = await good(
                    "get_events_by_entity",
                    runId=run_id,
                    entityType=name,
                    entityValue=value,
                    eventTypes=kinds,
                    pageIndex=page,
                )
                assert body["metadata"]["totalCount"] == len(wanted)
                assert [e["eventId"] for e in body["events"]] == wanted[page * 100 : page * 100 + 100]


async def test_statistics_are_those_of_the_model(stored_run: tuple[str, list[dict[str, Any]]]) -> None:
    run_id, events = stored_run
    source = random.Random(7)
    times = sorted(event["Timestamp"] for event in events)
    for kind, path in PATHS:
        for _ in range(4):
            first, last = sorted(source.sample(times, 2))
            wanted = naive.metrics(events, kind, path, first=first, last=last)
            body = await good(
                "aggregate_metrics",
                runId=run_id,
                eventType=kind,
                propertyPath=path,
                aggregations=list(wanted),
                startTime=first,
                endTime=last,
            )
            found = {name: None if value is None else float(value) for name, value in body["aggregations"].items()}
            assert all((found[name] is None) == (wanted[name] is None) for name in wanted)
            assert [value or 0 for value in found.values()] == pytest.approx(
                [wanted[name] or 0 for name in found], rel=1e-9
            )
            assert (found["count"], found["min"], found["max"]) == (wanted["count"], wanted["min"], wanted["max"])
            assert body["metadata"]["totalEvents"] == len(naive.by_type(events, kind, first=first, last=last))


async def test_the_state_at_any_moment_is_that_of_the_model(stored_run: tuple[str, list[dict[str, Any]]]) -> None:
    run_id, events = stored_run
    for event in random.Random(9).sample(events, 12):
        moment = event["Timestamp"]
        wanted = naive.snapshot(events, moment)
        state = (await good("get_state_snapshot", runId=run_id, timestamp=moment))["state"]
        positions = {p["securitySymbol"]: (float(p["quantity"]), float(p["realizedPnL"])) for p in state["positions"]}
        assert positions == wanted["positions"]
        assert {(i["name"], i["securitySymbol"]): float(i["value"]) for i in state["indicators"]} == wanted[
            "indicators"
        ]
        assert {order["orderId"] for order in state["activeOrders"]} == wanted["orders"]
        assert wanted["pnl"] is None or float(state["pnl"]["total"]) == wanted["pnl"]


@pytest.mark.parametrize("pattern", [None, ["TradeExecution", "PositionUpdate"], ["StateChange", "OrderRejection"]])
@pytest.mark.parametrize("incomplete", [False, True])
@pytest.mark.parametrize("depth", [1, 10])
async def test_sequences_are_those_of_the_model(
    stored_run: tuple[str, list[dict[str, Any]]], *, pattern: list[str] | None, incomplete: bool, depth: int
) -> None:
    run_id, events = stored_run
    wanted = naive.sequences(events, pattern=pattern, incomplete=incomplete, depth=depth)
    given = {"sequencePattern": pattern} if pattern else {}
    found = []
    for page in range(len(wanted) // 100 + 1):
        body = await good(
            "query_event_sequence",
            runId=run_id,
            findIncomplete=incomplete,
            maxDepth=depth,
            pageSize=100,
            pageIndex=page,
            **given,
        )
        assert body["metadata"]["totalSequences"] == len(wanted)
        found += [
            (s["rootEventId"], {e["eventId"] for e in s["events"]}, s["complete"], s["missingEventTypes"])
            for s in body["sequences"]
        ]
    assert found == wanted


async def test_members_of_circles_are_validation_errors(stored_run: tuple[str, list[dict[str, Any]]]) -> None:
    run_id, events = stored_run
    members = set().union(*naive.circles({e["EventId"]: e for e in naive.in_order(events)}))
    body = await good("get_validation_errors", runId=run_id, pageSize=1000)
    found = {e["eventId"] for e in body["events"] if any("circle" in error["Error"] for error in e["validationErrors"])}
    assert found == members
