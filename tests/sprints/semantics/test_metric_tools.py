"""list_metrics and query_metric over REST: answers with their meaning, and errors that say how to call."""

from typing import Any

import httpx
import pytest


async def call(client: httpx.AsyncClient, tool: str, arguments: dict[str, Any], *, status: int = 200) -> Any:
    answer = await client.post(f"/api/tools/sprints/{tool}", json=arguments)
    assert answer.status_code == status, answer.text
    return answer.json()


def is_(field: str) -> dict[str, Any]:
    return {"field": field}


def eq(field: str, *values: Any) -> dict[str, Any]:
    return {"field": field, "op": "eq" if len(values) == 1 else "in", "values": list(values)}


async def test_metrics_are_listed_with_what_they_go_with(fast_client: httpx.AsyncClient) -> None:
    listed = await call(fast_client, "list_metrics", {"search": "velocity"})

    (velocity,) = [metric for metric in listed["metrics"] if metric["name"] == "velocity"]
    assert velocity["unit"] == "points per sprint"
    assert {"team", "sprint"} <= set(velocity["dimensions"])
    assert "issue_type" not in velocity["dimensions"]
    assert velocity["defaultTime"] == "sprint_closed"
    assert {"sprint_state", "team"} <= {dimension["name"] for dimension in listed["dimensions"]}
    assert not [metric for metric in listed["metrics"] if metric["name"].endswith("_by_summary")]


async def test_the_open_customer_issues_of_the_organisation(fast_client: httpx.AsyncClient) -> None:
    answer = await call(
        fast_client, "query_metric", {"metric": "issues", "filters": [is_("open"), eq("label", "customer")]}
    )

    assert answer["rows"] == [{"issues": 10}]
    assert answer["description"] == "open issues, labelled customer, now"
    assert "doubts" not in answer


async def test_issues_of_a_sprint_are_those_that_belong_to_it(fast_client: httpx.AsyncClient) -> None:
    filters = [is_("open"), is_("sprint_active"), eq("team", "ACCEL")]

    opened = await call(fast_client, "query_metric", {"metric": "issues", "filters": filters})
    left = await call(fast_client, "query_metric", {"metric": "remaining_issues", "filters": filters[1:]})

    assert opened["rows"][0]["issues"] == left["rows"][0]["remaining_issues"] > 0
    assert "doubts" not in left


async def test_both_days_of_a_period_are_part_of_it(fast_client: httpx.AsyncClient) -> None:
    whole = await call(fast_client, "query_metric", {"metric": "created_issues", "dimensions": ["day"], "limit": 1})
    (row,) = whole["rows"]

    day = {"start": row["day"], "end": row["day"]}
    answer = await call(fast_client, "query_metric", {"metric": "created_issues", "period": day})

    assert answer["rows"] == [{"created_issues": row["created_issues"]}]


@pytest.mark.parametrize(
    ("arguments", "code", "fixed"),
    [
        ({"metric": "velocty"}, "UNKNOWN_TERM", {"metric": "velocity"}),
        (
            {"metric": "issues", "dimensions": ["team", "prioritty"]},
            "UNKNOWN_TERM",
            {"dimensions": ["team", "priority"]},
        ),
        (
            {"metric": "issues", "filters": [is_("opn"), eq("team", "ORBIT")]},
            "UNKNOWN_TERM",
            {"filters": [is_("open"), eq("team", "ORBIT")]},
        ),
        (
            {"metric": "issues", "filters": [eq("team", "ORBT")]},
            "UNKNOWN_VALUE",
            {"filters": [eq("team", "ORBIT")]},
        ),
    ],
)
async def test_what_is_misspelt_comes_back_with_the_call_that_works(
    fast_client: httpx.AsyncClient, arguments: dict[str, Any], code: str, fixed: dict[str, Any]
) -> None:
    refused = await call(fast_client, "query_metric", arguments, status=400)

    assert refused["error"]["code"] == code
    assert refused["error"]["details"]["retryWith"] == fixed
    await call(fast_client, "query_metric", arguments | fixed)


async def test_a_metric_that_lacks_a_dimension_names_those_that_have_it(fast_client: httpx.AsyncClient) -> None:
    refused = await call(fast_client, "query_metric", {"metric": "velocity", "dimensions": ["issue_type"]}, status=400)

    error = refused["error"]
    assert error["code"] == "UNFIT_TERM"
    assert "completed_points" in error["suggestion"]
    assert "retryWith" not in error["details"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"metric": "issues", "period": {"start": "2026-01-01"}}, "Give a role: created, resolved"),
        ({"metric": "issues", "dimensions": ["month"]}, "Give a role: created, resolved"),
        ({"metric": "issues", "dimensions": ["title"]}, "too many values"),
        ({"metric": "issues", "filters": [eq("story_points", "many")]}, "is no number"),
        ({"metric": "issues", "filters": [{"field": "team", "op": "gt", "values": ["A"]}]}, "does not fit"),
        ({"metric": "resolved_issues", "filters": [eq("sprint_number", 7)]}, "counted by when it was resolved"),
    ],
)
async def test_what_has_no_meaning_is_refused(
    fast_client: httpx.AsyncClient, arguments: dict[str, Any], words: str
) -> None:
    refused = await call(fast_client, "query_metric", arguments, status=400)

    assert words in refused["error"]["message"] + " " + refused["error"]["suggestion"]
