"""Contract tests 2 and 4: what each parameter takes, what it refuses and how, and how `limit` is clamped."""

from typing import Any

import httpx
import pytest

from linescore.contracts import LinescoreQuery

ADDRESS = "/api/tools/linescore/query_linescore_data"


async def _refused(lane: httpx.AsyncClient, ask: dict[str, Any], *, status: int = 400) -> dict[str, Any]:
    answer = await lane.post(ADDRESS, json=ask)
    body = answer.json()
    assert answer.status_code == status, body
    assert body["success"] is False
    error: dict[str, Any] = body["error"]
    return error


@pytest.mark.parametrize("ask", [{}, {"teamCode": None}, {"teamCode": "null"}, {"season": None}, {"limit": None},
                                 {"startDate": None, "endDate": None}, {"wonTwoPlusRegPeriods": None},
                                 {"periodOutcome": None}], ids=str)  # fmt: skip
async def test_every_parameter_may_be_left_out_or_null(fast_client: httpx.AsyncClient, ask: dict[str, Any]) -> None:
    answer = await fast_client.post(ADDRESS, json=ask)

    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["count"] == 100
    assert answer.json()["data"]["query_metadata"]["filters_applied"] == []


@pytest.mark.parametrize(
    "code", ["XYZ", "car", "Carolina", "CAROLINA HURRICANES", "", "C", "ÇAR", "CAR ", "🏒", "%", "Z" * 5000]
)
async def test_an_unknown_team_is_refused_with_every_valid_code(fast_client: httpx.AsyncClient, code: str) -> None:
    error = await _refused(fast_client, {"teamCode": code})

    assert error["type"] == "VALIDATION_ERROR"
    assert error["field"] == "teamCode"
    assert error["details"]["code"] == "INVALID_TEAM_CODE"
    assert error["suggestion"].startswith("Valid team codes: ")
    assert len(set(error["suggestion"].removeprefix("Valid team codes: ").split(", "))) == 32


@pytest.mark.parametrize(
    ("said", "code"),
    [("car", "CAR"), ("Carolina", "CAR"), ("Hurricanes", "CAR"), ("carolina hurricanes", "CAR"), ("Tampa Bay", "TBL"),
     ("TB", "TBL"), ("T.B", "TBL"), ("L.A.", "LAK"), ("N.J", "NJD"), ("S.J", "SJS"), ("Dallas Stars", "DAL"),
     ("Montreal Canadiens", "MTL"), ("St. Louis Blues", "STL"), ("Utah", "UTA"), ("Golden Knights", "VGK"),
     ("VEG", "VGK"), ("maple leafs", "TOR"), ("New York Rangers", "NYR"), ("Islanders", "NYI"), ("WSH ", "WSH")],
)  # fmt: skip
async def test_the_likeliest_team_comes_first(fast_client: httpx.AsyncClient, said: str, code: str) -> None:
    error = await _refused(fast_client, {"teamCode": said})

    assert error["details"]["validTeamCodes"][0] == code
    assert error["details"]["retryWith"] == {"teamCode": code}


@pytest.mark.parametrize("said", ["WPJ", "XYZ", "ARI", "Arizona Coyotes", "New York", "Quebec", "", "🏒", "S"])
async def test_a_team_that_is_not_surely_one_is_not_put_into_the_call(
    fast_client: httpx.AsyncClient, said: str
) -> None:
    error = await _refused(fast_client, {"teamCode": said})

    assert "retryWith" not in error["details"]
    assert len(error["details"]["validTeamCodes"]) == 32


async def test_every_team_is_found_by_its_name_and_by_its_lower_case_code(fast_client: httpx.AsyncClient) -> None:
    ranking = await fast_client.post(ADDRESS, json={"periodOutcome": "WIN"})
    names = {row["team_code"]: row["team_name"] for row in ranking.json()["data"]["results"]}

    found = {}
    for code, name in names.items():
        found[code] = {
            (await _refused(fast_client, {"teamCode": said}))["details"]["retryWith"]["teamCode"]
            for said in (name, code.lower())
        }

    assert found == {code: {code} for code in names}


@pytest.mark.parametrize(
    ("given", "fixed"),
    [("2025-02-30", "2025-02-28"), ("2025-02-29", "2025-02-28"), ("2024-02-30", "2024-02-29"),
     ("2025-04-31", "2025-04-30"), ("2025-2-1", "2025-02-01"), ("2025/02/01", "2025-02-01"), ("20250201", "2025-02-01"),
     ("2025-02-01T00:00:00Z", "2025-02-01"), ("2025-02-00", "2025-02-01"), (" 2025-02-01", "2025-02-01")],
)  # fmt: skip
@pytest.mark.parametrize("field", ["startDate", "endDate"])
async def test_a_day_that_does_not_exist_is_refused_with_one_that_does(
    fast_client: httpx.AsyncClient, field: str, given: str, fixed: str
) -> None:
    error = await _refused(fast_client, {field: given})

    assert (error["type"], error["field"]) == ("VALIDATION_ERROR", field)
    assert error["details"] == {"code": "INVALID_DATE", "retryWith": {field: fixed}}
    assert fixed in error["suggestion"]


@pytest.mark.parametrize(
    "given", ["2025-13-01", "0000-01-01", "yesterday", "", "28.02.2025", "\u0662\u0660\u0662\u0665-02-01", "9" * 5000]
)
async def test_a_date_that_cannot_be_guessed_is_refused_with_the_form(
    fast_client: httpx.AsyncClient, given: str
) -> None:
    error = await _refused(fast_client, {"startDate": given})

    assert error["details"] == {"code": "INVALID_DATE"}
    assert "YYYY-MM-DD" in error["suggestion"]


async def test_a_range_that_ends_before_it_starts_is_refused_in_the_contract_s_words(
    fast_client: httpx.AsyncClient,
) -> None:
    error = await _refused(fast_client, {"startDate": "2025-03-01", "endDate": "2025-02-01"})

    assert error["type"] == "VALIDATION_ERROR"
    assert error["field"] == "startDate"
    assert error["suggestion"] == "Start date must be before or equal to end date"
    assert error["details"]["code"] == "INVALID_DATE_RANGE"


async def test_a_range_of_one_day_is_a_range(fast_client: httpx.AsyncClient) -> None:
    answer = await fast_client.post(ADDRESS, json={"startDate": "2025-02-01", "endDate": "2025-02-01"})

    assert answer.json()["data"]["query_metadata"]["filters_applied"] == ["dateRange"]


@pytest.mark.parametrize(
    ("given", "fixed"),
    [("2024-2026", "2024-2025"), ("2024-2024", "2024-2025"), ("2024", "2024-2025"), ("2024-25", "2024-2025"),
     ("20242025", "2024-2025"), ("2024/2025", "2024-2025")],
)  # fmt: skip
async def test_a_season_of_other_than_two_years_in_a_row_is_refused(
    fast_client: httpx.AsyncClient, given: str, fixed: str
) -> None:
    error = await _refused(fast_client, {"season": given})

    assert (error["type"], error["field"]) == ("VALIDATION_ERROR", "season")
    assert error["details"] == {"code": "INVALID_SEASON", "retryWith": {"season": fixed}}
    assert fixed in error["suggestion"]


@pytest.mark.parametrize("given", ["this", "", "9999-10000", "9999-0000", "٢٠٢٤-٢٠٢٥"])
async def test_a_season_that_cannot_be_guessed_is_refused_with_the_form(
    fast_client: httpx.AsyncClient, given: str
) -> None:
    error = await _refused(fast_client, {"season": given})

    assert error["details"] == {"code": "INVALID_SEASON"}
    assert "YYYY-YYYY" in error["suggestion"]


@pytest.mark.parametrize(
    ("limit", "count"), [(0, 1), (-5, 1), (1, 1), (7, 7), (1000, 1000), (1001, 1000), (10**9, 1000), (1e3, 1000),
                         (-(10**9), 1), (10**30, 1000), (5.0, 5)],
)  # fmt: skip
async def test_a_limit_is_clamped(fast_client: httpx.AsyncClient, limit: float, count: int) -> None:
    data = (await fast_client.post(ADDRESS, json={"limit": limit})).json()["data"]

    assert data["count"] == len(data["results"]) == count
    assert data["query_metadata"]["was_limited"] is True


@pytest.mark.parametrize("limit", ["ten", 2.5, True, False, [10], {"most": 10}, ""], ids=repr)
async def test_a_limit_that_is_no_whole_number_is_refused(fast_client: httpx.AsyncClient, limit: object) -> None:
    error = await _refused(fast_client, {"limit": limit})

    assert (error["type"], error["field"]) == ("VALIDATION_ERROR", "limit")
    assert "1000" in error["suggestion"]


async def test_a_limit_in_quotes_is_refused_with_the_number(fast_client: httpx.AsyncClient) -> None:
    error = await _refused(fast_client, {"limit": "10"})

    assert error["details"]["retryWith"] == {"limit": 10}


@pytest.mark.parametrize(("given", "fixed"), [("win", "WIN"), ("Wins", "WIN"), ("lost", "LOSS"), ("TIED", "TIE")])
async def test_an_outcome_is_one_of_three(fast_client: httpx.AsyncClient, given: str, fixed: str) -> None:
    error = await _refused(fast_client, {"periodOutcome": given})

    assert error["field"] == "periodOutcome"
    assert error["suggestion"].startswith(f"Use one of: {fixed}")
    assert error["details"]["retryWith"] == {"periodOutcome": fixed}


@pytest.mark.parametrize("given", ["true", 1, 0, "yes", []], ids=repr)
async def test_a_flag_is_true_or_false(fast_client: httpx.AsyncClient, given: object) -> None:
    error = await _refused(fast_client, {"wonTwoPlusRegPeriods": given})

    assert error["field"] == "wonTwoPlusRegPeriods"


@pytest.mark.parametrize(
    ("field", "nearest"),
    [("team", "teamCode"), ("team_code", "teamCode"), ("TEAMCODE", "teamCode"), ("startdate", "startDate"),
     ("start_date", "startDate"), ("seasons", "season"), ("max", None), ("sql", None), ("__proto__", None)],
)  # fmt: skip
async def test_an_unknown_parameter_is_refused_by_name_with_the_nearest(
    fast_client: httpx.AsyncClient, field: str, nearest: str | None
) -> None:
    value = "2025-02-01" if "start" in field else "2024-2025" if "season" in field else "CAR"

    error = await _refused(fast_client, {field: value})

    assert error["field"] == field
    assert error["details"]["retryWith"] == ({field: None, nearest: value} if nearest else {field: None})
    assert all(name in error["suggestion"] for name in LinescoreQuery.model_json_schema()["properties"])
