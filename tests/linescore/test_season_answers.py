"""Real questions over the shipped season, answered through REST and by arithmetic over the CSV (season_by_hand)."""

from typing import Any

import httpx
import pytest

from tests.linescore import season_by_hand

ADDRESS = "/api/tools/linescore/query_linescore_data"
CONTRACT_EXAMPLES: list[dict[str, Any]] = [
    {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"},
    {"periodOutcome": "WIN", "startDate": "2025-01-01", "endDate": "2025-01-31"},
    {"wonTwoPlusRegPeriods": True, "teamCode": "CAR"},
]
QUESTIONS: list[dict[str, Any]] = [
    {"teamCode": "TBL", "limit": 1000},
    {"teamCode": "UTA", "season": "2024-2025", "limit": 1000},
    {"teamCode": "DAL", "periodOutcome": "WIN", "limit": 1000},
    {"teamCode": "WPG", "periodOutcome": "TIE", "startDate": "2024-12-01", "limit": 1000},
    {"teamCode": "SJS", "periodOutcome": "LOSS", "endDate": "2024-11-30"},
    {"teamCode": "TOR", "startDate": "2025-01-11", "endDate": "2025-01-11"},
    {"startDate": "2024-10-04", "endDate": "2024-10-05"},
    {"teamCode": None, "startDate": "2025-04-17", "endDate": "2025-04-17", "limit": 1000},
    {"teamCode": "null", "startDate": "2025-03-01", "endDate": "2025-03-02", "season": "2024-2025", "limit": 1000},
    {"periodOutcome": "WIN"},
    {"periodOutcome": "LOSS", "season": "2024-2025"},
    {"periodOutcome": "TIE", "startDate": "2024-12-24", "endDate": "2024-12-31"},
    {"periodOutcome": "WIN", "startDate": "2025-04-17", "endDate": "2025-04-17"},
    {"wonTwoPlusRegPeriods": True, "teamCode": "WPG", "season": "2024-2025"},
    {"wonTwoPlusRegPeriods": False, "teamCode": "CAR"},
    {"wonTwoPlusRegPeriods": True, "startDate": "2025-01-01", "endDate": "2025-01-31", "limit": 1000},
    {"wonTwoPlusRegPeriods": False, "startDate": "2025-02-22", "endDate": "2025-02-23", "limit": 1000},
    {"wonTwoPlusRegPeriods": True, "periodOutcome": "LOSS", "teamCode": "EDM"},
    {"wonTwoPlusRegPeriods": False, "periodOutcome": "WIN", "startDate": "2024-10-01", "endDate": "2024-10-31",
     "limit": 1000},
    {"teamCode": "CAR", "venue": "home", "limit": 1000},
    {"teamCode": "NYR", "opponent": "NYI"},
    {"opponent": "NYI", "startDate": "2025-01-01", "endDate": "2025-01-31", "limit": 1000},
    {"periodOutcome": "WIN", "venue": "away"},
    {"periodOutcome": "LOSS", "opponent": "WPG"},
    {"wonTwoPlusRegPeriods": True, "teamCode": "SJS", "venue": "away", "season": "2024-2025"},
]  # fmt: skip


def _named(ask: dict[str, Any]) -> str:
    return " ".join(str(value) for name, value in ask.items() if name != "limit")


@pytest.mark.parametrize("ask", CONTRACT_EXAMPLES + QUESTIONS, ids=_named)
async def test_a_real_question_is_answered_as_the_arithmetic_says(
    fast_client: httpx.AsyncClient, ask: dict[str, Any]
) -> None:
    expected = season_by_hand.answer(ask)

    answer = (await fast_client.post(ADDRESS, json=ask)).json()

    assert answer["data"]["results"] == expected
    assert answer["data"]["count"] == len(expected)
    assert answer["data"]["query_metadata"]["was_limited"] is False


@pytest.mark.parametrize("limit", [1, 2, 37, 100])
@pytest.mark.parametrize(
    "ask", [{"teamCode": "BOS"}, {"periodOutcome": "WIN"}, {"wonTwoPlusRegPeriods": True}], ids=_named
)
async def test_a_limit_keeps_the_first_rows_and_says_if_there_were_more(
    fast_client: httpx.AsyncClient, ask: dict[str, Any], limit: int
) -> None:
    expected = season_by_hand.answer(ask)

    data = (await fast_client.post(ADDRESS, json={**ask, "limit": limit})).json()["data"]

    assert data["results"] == expected[:limit]
    assert data["query_metadata"]["was_limited"] is (len(expected) > limit)


def test_the_arithmetic_knows_the_season_as_its_collectors_counted_it() -> None:
    """524 empty-net goals, 194 games ended in overtime, 77 in a shootout: counted by those who gathered the file."""
    sides = season_by_hand.sides()

    overtime = {side["game_id"] for side in sides if side["period_number"] == 4}
    shootout = {side["game_id"] for side in sides if side["period_number"] == 5}

    assert len({side["game_id"] for side in sides}) == 1312
    assert sum(side["empty_net_goals"] for side in sides) == 524
    assert len(overtime - shootout) == 194
    assert len(shootout) == 77
