"""Runs whose sequences have many shapes: counted exactly, paged by time, and kept in one list past a number."""

from itertools import islice, product
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest

from backtests.ingest import load as loading
from backtests.ingest import signatures
from backtests.ingest.chains import shape
from backtests.sequences import queries
from backtests.sequences.completeness import judge, select_shapes
from tests.backtests import naive
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.test_against_naive_model import shuffle_events
from tests.backtests.tool_calls import good

TYPES = ["TradeExecution", "OrderRejection", "IndicatorCalculation", "PositionUpdate", "StateChange", "MarketDataEvent"]


def chains(run_id: UUID, *, count: int, steps: int) -> list[bytes]:
    """Return lines of so many chains, each of other types in another order."""
    lines = []
    for place, types in enumerate(islice(product(TYPES, repeat=steps), count)):
        ids = [uuid5(run_id, f"{place} {step}") for step in range(steps)]
        for step, kind in enumerate(types):
            parent = f'"{ids[step - 1]}"' if step else "null"
            lines.append(
                f'{{"EventId":"{ids[step]}","RunId":"{run_id}","Timestamp":"2025-01-02T03:{place // 60_000:02d}:'
                f'{place // 1000 % 60:02d}.{place % 1000:03d}Z","EventType":"{kind}","Severity":"Info",'
                f'"Category":"Execution","Properties":{{}},"ParentEventId":{parent}}}\n'.encode()
            )
    return lines


@pytest.mark.slow
async def test_more_shapes_than_20_000_are_all_counted(load: Load, run_id: UUID) -> None:
    load(chains(run_id, count=20_500, steps=6))
    body = await good("query_event_sequence", runId=str(run_id), pageSize=1, maxDepth=5, pageIndex=20_499)
    assert body["metadata"]["totalSequences"] == 20_500
    assert not body["metadata"]["truncated"]
    assert body["sequences"][0]["events"][0]["eventId"] == str(uuid5(run_id, "20499 0"))


async def test_shapes_that_are_stored_during_the_question_are_counted(
    load: Load, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = chains(run_id, count=400, steps=4)
    load(lines[:1_400])
    fetch = queries.fetch_shapes

    async def fetch_then_load(*args: Any, **kwargs: Any) -> Any:
        known = await fetch(*args, **kwargs)
        load(lines)
        return known

    monkeypatch.setattr(queries, "fetch_shapes", fetch_then_load)
    body = await good("query_event_sequence", runId=str(run_id), pageSize=1)

    assert body["metadata"]["totalSequences"] == 400


@pytest.mark.parametrize("batch", [97, 700, 100_000])
async def test_one_list_of_roots_answers_like_a_list_for_each_shape(
    load: Load, monkeypatch: pytest.MonkeyPatch, *, batch: int
) -> None:
    monkeypatch.setattr(signatures, "MAX_LISTED_SHAPES", 12)
    monkeypatch.setattr(loading, "BATCH_EVENTS", batch)
    run_id = str(uuid4())
    events = shuffle_events(1, run_id=run_id, events=2_000)
    load(jsonl(events))
    for pattern in (None, ["TradeExecution", "PositionUpdate"], ["StateChange", "StateChange"]):
        for incomplete in (False, True):
            wanted = naive.sequences(events, pattern=pattern, incomplete=incomplete, depth=3)
            given = {"sequencePattern": pattern} if pattern else {}
            found = []
            for page in range(len(wanted) // 100 + 1):
                body = await good(
                    "query_event_sequence", runId=run_id, findIncomplete=incomplete, maxDepth=3, pageSize=100,
                    pageIndex=page, **given,
                )  # fmt: skip
                assert body["metadata"]["totalSequences"] == len(wanted)
                found += [sequence["rootEventId"] for sequence in body["sequences"]]
            assert found == [root for root, *_ in wanted]


@pytest.mark.parametrize("pattern", [None, ["TradeExecution"], ["StateChange", "TradeExecution", "StateChange"]])
@pytest.mark.parametrize("depth", [1, 2, 50])
def test_a_block_is_judged_like_each_of_its_shapes(*, pattern: list[str] | None, depth: int) -> None:
    shapes = [
        ("5",), ("1", "15"), ("?5",), ("?51", "?55"), ("@15",), ("515",), ("51", "55"), ("5" + "3" * 49 + "1",),
        ("3" * 51,), ("155", "51"),
    ]  # fmt: skip
    assert all(shape(one) for one in shapes)
    count, codes, owners = signatures.encode_block(shapes)
    block = signatures.decode_block(0, trail_count=count, codes=codes, owners=owners)
    for only_incomplete in (False, True):
        verdicts = [judge(one, pattern=pattern, depth=depth) for one in shapes]
        wanted = [
            signatures.LONE_SHAPES + place
            for place, verdict in enumerate(verdicts)
            if verdict.has_begun and not (only_incomplete and verdict.is_complete)
        ]
        found = select_shapes(block, pattern=pattern, depth=depth, only_incomplete=only_incomplete)
        assert found.tolist() == wanted
