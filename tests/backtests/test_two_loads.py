"""A batch is made ready before its turn: what another load of the run stores in between is not passed over."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from backtests.ingest import batch
from backtests.ingest import load as loading
from backtests.ingest.report import LoadReport
from tests.backtests.conftest import Load
from tests.backtests.makers import jsonl
from tests.backtests.tool_calls import good

pytestmark = pytest.mark.usefixtures("open_database")


def event(event_id: UUID, *, parent: UUID | None = None, second: int) -> dict[str, Any]:
    return {
        "EventId": str(event_id), "Timestamp": f"2025-01-01T00:00:{second:02}Z", "EventType": "RiskEvent",
        "Severity": "Info", "Category": "Risk", "ParentEventId": str(parent) if parent else None,
        "Properties": {"RiskType": "limit", "Threshold": 1, "CurrentValue": second, "Action": "none"},
    }  # fmt: skip


async def test_a_parent_that_another_load_stores_meanwhile_is_found(
    load: Load, run_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, parent, child = uuid4(), uuid4(), uuid4()
    load(jsonl([event(first, second=1)]), run_id=run_id)
    original = batch.make_ready
    overtaken: list[Any] = []

    def made_and_overtaken(*given: Any, **named: Any) -> Any:
        ready = original(*given, **named)
        if not overtaken:
            overtaken.append(ready)
            loading.load_lines(jsonl([event(parent, second=2)]), run_id=run_id, report=LoadReport())
        return ready

    monkeypatch.setattr(loading, "make_ready", made_and_overtaken)

    report = load(jsonl([event(child, parent=parent, second=3)]), run_id=run_id)

    assert (report.stored, report.duplicate) == (1, 0)
    assert overtaken[0] is not None
    found = await good("query_event_sequence", runId=str(run_id), rootEventId=str(parent))
    assert [one["eventId"] for one in found["sequences"][0]["events"]] == [str(parent), str(child)]
    of_type = await good("get_events_by_type", runId=str(run_id), eventType="RiskEvent")
    assert of_type["metadata"]["totalCount"] == 3
