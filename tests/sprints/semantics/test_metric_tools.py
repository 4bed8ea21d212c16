"""list_metrics and query_metric over REST: answers with their meaning, and errors that say how to call."""

from typing import Any

import httpx
import pytest

from sprints.sql_sandbox.analyst_pool import NoFreeSlot, analyst
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout


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


async def test_groups_are_said_to_sum_where_their_sum_is_the_whole(fast_client: httpx.AsyncClient) -> None:
    listed = await call(fast_client, "list_metrics", {})
    metrics = {metric["name"]: metric for metric in listed["metrics"]}
    whole = (await call(fast_client, "query_metric", {"metric": "issues"}))["rows"][0]["issues"]

    issues = metrics["issues"]
    for dimension in issues["dimensions"]:
        grouped = await call(fast_client, "query_metric", {"metric": "issues", "dimensions": [dimension]})
        total = sum(row["issues"] for row in grouped["rows"])
        assert (total == whole) is (dimension in issues["summingDimensions"]), dimension
    assert set(issues["dimensions"]) - set(issues["summingDimensions"]) == {"label"}
    assert not issues["partsSumToWhole"]
    assert metrics["sprints"]["partsSumToWhole"]
    assert metrics["velocity"]["summingDimensions"] == []
    assert not metrics["velocity"]["partsSumToWhole"]


async def test_a_year_is_written_as_a_year(fast_client: httpx.AsyncClient) -> None:
    years = await call(fast_client, "query_metric", {"metric": "created_issues", "dimensions": ["year"]})
    months = await call(fast_client, "query_metric", {"metric": "created_issues", "dimensions": ["month"]})

    counts: dict[str, int] = {}
    for row in months["rows"]:
        counts[row["month"][:4]] = counts.get(row["month"][:4], 0) + row["created_issues"]
    assert {row["year"]: row["created_issues"] for row in years["rows"]} == counts


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
        ({"metric": "issues", "filters": [{"field": "open", "op": "ne"}]}, "Give is or is_not, without values"),
        ({"metric": "issues", "filters": [{"field": "open", "op": "is_null"}]}, "Give is or is_not, without values"),
        ({"metric": "issues", "filters": [is_("open") | {"values": ["p0"]}]}, "Give is or is_not, without values"),
        ({"metric": "issues", "filters": [eq("open", "p0")]}, "Give is or is_not, without values"),
        ({"metric": "issues", "filters": [eq("due_date", "2026-13-45")]}, "as 2026-01-31"),
        ({"metric": "issues", "filters": [eq("created_at", "last week")]}, "as 2026-01-31"),
        ({"metric": "issues", "filters": [eq("is_blocked", 1)]}, "true or false"),
        ({"metric": "issues", "filters": [eq("story_points", "1e99999")]}, "is no number"),
        ({"metric": "issues", "filters": [eq("story_points", "1e-99999")]}, "is no number"),
        ({"metric": "created_issues", "dimensions": ["team", "team"]}, "two groups by team"),
    ],
)
async def test_what_has_no_meaning_is_refused(
    fast_client: httpx.AsyncClient, arguments: dict[str, Any], words: str
) -> None:
    refused = await call(fast_client, "query_metric", arguments, status=400)

    assert words in refused["error"]["message"] + " " + refused["error"]["suggestion"]


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (is_("open") | {"values": [True]}, is_("open")),
        (is_("open") | {"values": [False]}, is_("open") | {"op": "is_not"}),
        (is_("open") | {"op": "is_not", "values": [False]}, is_("open")),
        (eq("open", "false"), is_("open") | {"op": "is_not"}),
        (eq("open", "true"), is_("open")),
        ({"field": "open", "op": "ne", "values": [True]}, is_("open") | {"op": "is_not"}),
        (eq("is_blocked", "true"), {"field": "is_blocked", "op": "eq", "values": [True]}),
        (eq("is_blocked", "no"), {"field": "is_blocked", "op": "eq", "values": [False]}),
    ],
)
async def test_true_and_false_say_whether_a_condition_holds(
    fast_client: httpx.AsyncClient, given: dict[str, Any], same: dict[str, Any]
) -> None:
    one = await call(fast_client, "query_metric", {"metric": "issues", "filters": [given]})
    other = await call(fast_client, "query_metric", {"metric": "issues", "filters": [same]})

    assert (one["rows"], one["description"]) == (other["rows"], other["description"])


async def test_a_day_that_a_moment_is_compared_with_is_the_whole_day(fast_client: httpx.AsyncClient) -> None:
    by_day = await call(fast_client, "query_metric", {"metric": "created_issues", "dimensions": ["day"]})
    row = max(by_day["rows"], key=lambda row: row["created_issues"])
    before = sum(other["created_issues"] for other in by_day["rows"] if other["day"] < row["day"])
    after = sum(other["created_issues"] for other in by_day["rows"] if other["day"] > row["day"])

    for op, count in {
        "lt": before,
        "le": before + row["created_issues"],
        "gt": after,
        "ge": after + row["created_issues"],
    }.items():
        day = {"field": "created_at", "op": op, "values": [row["day"]]}
        answer = await call(fast_client, "query_metric", {"metric": "issues", "filters": [day]})
        assert answer["rows"] == [{"issues": count}], op


@pytest.mark.parametrize("bound", [{"start": "0001-01-01"}, {"end": "9999-12-31"}, {"start": "9999-12-31"}])
async def test_the_ends_of_the_calendar_leave_a_period_open(
    fast_client: httpx.AsyncClient, bound: dict[str, str]
) -> None:
    whole = await call(fast_client, "query_metric", {"metric": "created_issues"})
    answer = await call(fast_client, "query_metric", {"metric": "created_issues", "period": bound})

    assert answer["rows"] == ([{"created_issues": 0}] if bound == {"start": "9999-12-31"} else whole["rows"])


async def test_groups_of_time_take_the_role_of_the_period(fast_client: httpx.AsyncClient) -> None:
    grouped = {"metric": "issues", "dimensions": ["month"], "period": {"role": "created"}}
    answer = await call(fast_client, "query_metric", grouped)
    created = await call(fast_client, "query_metric", {"metric": "created_issues", "dimensions": ["month"]})

    assert [row["issues"] for row in answer["rows"]] == [row["created_issues"] for row in created["rows"]]


async def test_a_grain_of_a_metric_with_a_time_of_its_own_is_of_the_named_role_too(
    fast_client: httpx.AsyncClient,
) -> None:
    period = {"start": "2025-01-01", "role": "created"}
    whole = await call(fast_client, "query_metric", {"metric": "sprint_issues", "period": period})
    asked = {"metric": "sprint_issues", "dimensions": ["month"], "period": period}
    answer = await call(fast_client, "query_metric", asked)
    own = await call(fast_client, "query_metric", {"metric": "sprint_issues", "dimensions": ["month"]})

    assert sum(row["sprint_issues"] for row in answer["rows"]) == whole["rows"][0]["sprint_issues"]
    assert answer["description"].endswith("by month created")
    assert any("in which it was created" in one for one in answer["assumptions"])
    assert sum(row["sprint_issues"] for row in own["rows"]) < whole["rows"][0]["sprint_issues"]
    assert any("the sprint started; rows without such a time are left out" in one for one in own["assumptions"])


async def test_a_number_that_is_no_name_is_refused_as_it_was_given(fast_client: httpx.AsyncClient) -> None:
    asked = {"metric": "issues", "filters": [eq("team", "ACCEL", 5)]}
    refused = await call(fast_client, "query_metric", asked, status=400)

    assert refused["error"]["message"] == "No row has the team '5'."


async def test_a_whole_number_is_described_without_decimals(fast_client: httpx.AsyncClient) -> None:
    filters = [{"field": "story_points", "op": "ge", "values": [8]}]
    answer = await call(fast_client, "query_metric", {"metric": "issues", "filters": filters})

    assert "at least 8 points" in answer["description"]


async def test_a_query_that_asks_for_too_much_is_refused_and_not_answered(
    fast_client: httpx.AsyncClient, settings: Any
) -> None:
    settings.SPRINTS_MOST_COST = 0

    refused = await call(fast_client, "query_metric", {"metric": "issues"}, status=400)

    assert refused["error"]["code"] == "TOO_LARGE"
    assert "filters" in refused["error"]["suggestion"]


async def test_a_statement_longer_than_may_be_run_is_refused(fast_client: httpx.AsyncClient) -> None:
    filters = [{"field": "title", "op": "contains", "values": [f"{number}" * 1500]} for number in range(20)]

    refused = await call(fast_client, "query_metric", {"metric": "issues", "filters": filters}, status=400)

    assert refused["error"]["code"] == "TOO_LARGE"


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (DatabaseUnavailable("away"), 503, "DATABASE_ERROR"),
        (StatementTimeout("late"), 504, "TIMEOUT"),
        (NoFreeSlot(), 503, "UNAVAILABLE"),
    ],
)
async def test_a_query_that_could_not_run_is_no_success(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, code: str
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(analyst, "run", fail)

    refused = await call(fast_client, "query_metric", {"metric": "issues"}, status=status)

    assert refused["error"]["code"] == code
    assert refused["error"]["suggestion"]


@pytest.mark.parametrize(
    ("wrong", "instead"),
    [
        ({"order": "desc"}, "an object with by, direction"),
        ({"filters": ["open"]}, "an object with field, op, values"),
        ({"period": {"time": "created"}}, "The parameters of period are: start, end, role."),
        ({"filters": [{"name": "open", "field": "open"}]}, "The parameters of filters.0 are: field, op, values."),
    ],
)
async def test_a_part_of_a_wrong_form_is_answered_with_its_form(
    fast_client: httpx.AsyncClient, wrong: dict[str, Any], instead: str
) -> None:
    refused = await call(fast_client, "query_metric", {"metric": "issues"} | wrong, status=400)

    assert instead in refused["error"]["suggestion"]
