"""Contract test 7: a success and a refusal look as the contract shows them, to the property."""

import re
from typing import Any

import httpx
import pytest

ADDRESS = "/api/tools/linescore/query_linescore_data"
METADATA = ["execution_time_ms", "was_limited", "filters_applied"]
SHAPES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"teamCode": "CAR"},
        ["game_date", "home_team_code", "away_team_code", "period_number", "goals_for", "goals_against",
         "empty_net_goals", "period_outcome"],
    ),
    ({"periodOutcome": "WIN"}, ["team_code", "team_name", "periods_won"]),
    (
        {"wonTwoPlusRegPeriods": True},
        ["game_date", "team_code", "home_team_code", "away_team_code", "regulation_periods_won"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "columns"), SHAPES, ids=["periods", "ranking", "games"])
async def test_a_success_has_the_contract_s_properties_and_no_other(
    fast_client: httpx.AsyncClient, ask: dict[str, Any], columns: list[str]
) -> None:
    answer = await fast_client.post(ADDRESS, json=ask)
    body = answer.json()

    assert answer.headers["content-type"] == "application/json"
    assert list(body) == ["success", "data"]
    assert body["success"] is True
    assert list(body["data"]) == ["results", "count", "query_metadata"]
    assert [name for name in body["data"]["query_metadata"] if name != "counted"] == METADATA
    assert all(list(row) == columns for row in body["data"]["results"])


@pytest.mark.parametrize(
    ("ask", "words"),
    [({"periodOutcome": "WIN"}, "overtime and shootout"), ({"wonTwoPlusRegPeriods": True}, "Regulation periods only"),
     ({"teamCode": "CAR"}, None)],
    ids=["ranking", "games", "periods"],
)  # fmt: skip
async def test_an_answer_that_counts_says_what_it_counts(
    fast_client: httpx.AsyncClient, ask: dict[str, Any], words: str | None
) -> None:
    counted = (await fast_client.post(ADDRESS, json=ask)).json()["data"]["query_metadata"].get("counted")

    assert (words is None and counted is None) or (words and words in counted and "empty net" in counted)


async def test_values_have_the_contract_s_types(fast_client: httpx.AsyncClient) -> None:
    data = (await fast_client.post(ADDRESS, json={"teamCode": "CAR"})).json()["data"]

    for row in data["results"]:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["game_date"])
        assert row["period_outcome"] in ("WIN", "LOSS", "TIE")
        counts = ("period_number", "goals_for", "goals_against", "empty_net_goals")
        assert all(type(row[name]) is int for name in counts)
    assert type(data["count"]) is int
    assert 0 < data["query_metadata"]["execution_time_ms"] < 5000


async def test_all_teams_periods_say_whose_they_are(fast_client: httpx.AsyncClient) -> None:
    data = (await fast_client.post(ADDRESS, json={"startDate": "2025-02-01", "endDate": "2025-02-01"})).json()["data"]

    assert len({row["team_code"] for row in data["results"]}) > 2


@pytest.mark.parametrize(
    ("ask", "filters"),
    [
        ({"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}, ["teamCode", "dateRange"]),
        ({"startDate": "2025-02-01"}, ["dateRange"]),
        ({"endDate": "2025-02-01"}, ["dateRange"]),
        ({"periodOutcome": "WIN", "season": "2024-2025"}, ["periodOutcome", "season"]),
        ({"wonTwoPlusRegPeriods": False, "teamCode": "CAR"}, ["teamCode", "wonTwoPlusRegPeriods"]),
        ({"limit": 5}, []),
    ],
    ids=str,
)
async def test_the_filters_that_were_used_are_named(
    fast_client: httpx.AsyncClient, ask: dict[str, Any], filters: list[str]
) -> None:
    data = (await fast_client.post(ADDRESS, json=ask)).json()["data"]

    assert data["query_metadata"]["filters_applied"] == filters


async def test_a_validation_error_has_the_contract_s_properties(fast_client: httpx.AsyncClient) -> None:
    body = (await fast_client.post(ADDRESS, json={"teamCode": "XYZ"})).json()

    assert list(body) == ["success", "error"]
    assert body["success"] is False
    assert set(body["error"]) == {"type", "message", "field", "details", "suggestion"}


async def test_a_query_error_names_no_field(fast_client: httpx.AsyncClient) -> None:
    body = (await fast_client.post(ADDRESS, json={"startDate": "2030-01-01"})).json()

    assert set(body["error"]) == {"type", "message", "details", "suggestion"}
