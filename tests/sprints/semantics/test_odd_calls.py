"""Calls of query_metric as a model may get them wrong: refused, and a fix that is given works."""

from typing import Any

import httpx
import pytest

PERIOD = {"start": "2026-03-01", "end": "2026-03-31"}


def only(**given: Any) -> dict[str, Any]:
    return {"metric": "issues", "filters": [given]}


REFUSED: list[dict[str, Any]] = [
    {}, {"metric": ""}, {"metric": 5}, {"metric": None}, {"metric": "open bugs"}, {"metric": "story points"},
    {"metric": "issues", "dimensions": "team"}, {"metric": "issues", "dimensions": ["title"]},
    {"metric": "issues", "dimensions": ["months"]}, {"metric": "velocity", "dimensions": ["label"]},
    {"metric": "issues", "dimensions": ["team", "team"]},
    {"metric": "issues", "dimensions": ["team", "label", "priority", "status", "assignee"]},
    {"metric": "issues", "limit": 0}, {"metric": "issues", "limit": -1}, {"metric": "issues", "limit": 100_000},
    {"metric": "issues", "limit": 2.5}, {"metric": "issues", "period": PERIOD},
    {"metric": "created_issues", "period": {"start": "01.03.2026"}},
    {"metric": "created_issues", "period": {"start": "2026-03"}},
    {"metric": "created_issues", "period": {"start": "last month"}},
    {"metric": "created_issues", "period": {"start": "2026-02-30"}},
    {"metric": "created_issues", "period": "last month"},
    {"metric": "issues", "period": {"start": "2026-03-01T10:00:00Z", "role": "created"}},
    {"metric": "issues", "filters": [{"field": "open"}, {"field": "done"}]},
    {"metric": "issues", "filters": [{"field": "open"}, {"field": "open", "op": "is_not"}]},
    {"metric": "issues", "filters": [{"field": "done", "op": "is_not"}, {"field": "open", "op": "is_not"}]},
    {"metric": "issues", "filters": {"team": "ORBIT"}}, only(field="team", op="=", values=["ORBIT"]),
    only(field="team", op="eq", values="ORBIT"), only(field="team", op="eq", value="ORBIT"), only(field="team"),
    only(field="team", op="in", values=[]), only(field="story_points", op="gt", values=["many"]),
    only(field="assignee", op="eq", values=["nobody at all"]),
    only(field="created_at", op="ge", values=["2026/03/01"]), only(field="is_open"),
    {"metric": "issues", "order": "issues"},
    {"metric": "issues", "dimensions": ["team"], "order": {"by": "velocity"}},
    {"metric": "issues", "dimensions": ["team"], "order": {"by": "issues", "direction": "descending"}},
]  # fmt: skip
FIXED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"metric": "Velocity"}, {"metric": "velocity"}),
    ({"metric": "issues", "limit": "5"}, {"limit": 5}),
    ({"metric": "issues", "dimensions": ["teams"]}, {"dimensions": ["team"]}),
    ({"metric": "created_issues", "dimensions": ["Month"]}, {"dimensions": ["month"]}),
    ({"metric": "issues", "dimension": ["team"]}, {"dimension": None, "dimensions": ["team"]}),
    (
        {"metric": "created_issues", "period": {"start": "2026-03-31", "end": "2026-03-01"}},
        {"period": {"start": "2026-03-01", "end": "2026-03-31"}},
    ),
    (
        only(field="team", values=["ORBIT"]),
        {"filters": [{"field": "team", "op": "eq", "values": ["ORBIT"]}]},
    ),
    (
        only(field="team", op="is_not", values=["ORBIT", "ACCEL"]),
        {"filters": [{"field": "team", "op": "not_in", "values": ["ORBIT", "ACCEL"]}]},
    ),
    (
        only(field="team", op="eq", values=["ORBIT", "ACCEL"]) | {"dimensions": ["priority"]},
        {"filters": [{"field": "team", "op": "in", "values": ["ORBIT", "ACCEL"]}]},
    ),
    (
        only(field="status_category", op="eq", values=["Dnoe"]),
        {"filters": [{"field": "status_category", "op": "eq", "values": ["Done"]}]},
    ),
    ({"metric": "issues", "dimensions": ["team"], "order": {"by": "isues"}}, {"order": {"by": "issues"}}),
]  # fmt: skip


async def test_odd_calls_are_refused_with_what_to_do(fast_client: httpx.AsyncClient) -> None:
    for arguments in REFUSED:
        answer = await fast_client.post("/api/tools/sprints/query_metric", json=arguments)

        assert answer.status_code == 400, (arguments, answer.text)
        error = answer.json()["error"]
        assert error["code"] in ("UNKNOWN_TERM", "UNFIT_TERM", "UNKNOWN_VALUE", "INVALID_PARAMETERS")
        assert error["message"], arguments
        assert error["suggestion"], arguments
        assert "retryWith" not in error.get("details", {}), arguments


@pytest.mark.parametrize(("arguments", "fix"), FIXED)
async def test_a_fix_that_is_given_makes_the_call_work(
    fast_client: httpx.AsyncClient, arguments: dict[str, Any], fix: dict[str, Any]
) -> None:
    refused = await fast_client.post("/api/tools/sprints/query_metric", json=arguments)
    merged = {name: value for name, value in (arguments | fix).items() if value is not None}
    answer = await fast_client.post("/api/tools/sprints/query_metric", json=merged)

    assert refused.status_code == 400, refused.text
    assert refused.json()["error"]["details"]["retryWith"] == fix
    assert answer.status_code == 200, answer.text
