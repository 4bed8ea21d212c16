"""
A few numbers of the 2024-25 season, counted by other means.

Each was counted with awk over tests/data/nhl/nhl_period_results_2024_25.csv.gz (the NHL's public figures), leaving
empty-net goals of both sides out of third periods; none was copied from an answer of the tool.
"""

from typing import Any

import httpx

ADDRESS = "/api/tools/linescore/query_linescore_data"


async def _results(client: httpx.AsyncClient, **ask: Any) -> list[dict[str, Any]]:
    answer = await client.post(ADDRESS, json=ask)
    results: list[dict[str, Any]] = answer.json()["data"]["results"]
    return results


async def test_carolina_played_21_periods_in_february_2025(fast_client: httpx.AsyncClient) -> None:
    results = await _results(fast_client, teamCode="CAR", startDate="2025-02-01", endDate="2025-02-28")

    assert len(results) == 21
    assert results[1] == {
        "game_date": "2025-02-01", "home_team_code": "CAR", "away_team_code": "LAK", "period_number": 2,
        "goals_for": 0, "goals_against": 2, "empty_net_goals": 0, "period_outcome": "LOSS",
    }  # fmt: skip


async def test_carolina_won_most_periods_in_january_2025(fast_client: httpx.AsyncClient) -> None:
    results = await _results(fast_client, periodOutcome="WIN", startDate="2025-01-01", endDate="2025-01-31", limit=5)

    won = [(row["team_code"], row["periods_won"]) for row in results]
    assert won == [("CAR", 22), ("WPG", 20), ("CBJ", 19), ("WSH", 19), ("COL", 18)]
    assert results[0]["team_name"] == "Carolina Hurricanes"


async def test_winnipeg_won_most_periods_of_the_season_and_san_jose_fewest(fast_client: httpx.AsyncClient) -> None:
    results = await _results(fast_client, periodOutcome="WIN")

    won = [(row["team_code"], row["periods_won"]) for row in results]
    assert len(won) == 32
    assert won[:4] == [("WPG", 119), ("CAR", 106), ("TBL", 106), ("DAL", 104)]
    assert won[-1] == ("SJS", 71)


async def test_carolina_won_two_or_more_regulation_periods_in_32_games(fast_client: httpx.AsyncClient) -> None:
    results = await _results(fast_client, wonTwoPlusRegPeriods=True, teamCode="CAR")

    assert len(results) == 32
    assert [row["regulation_periods_won"] for row in results].count(3) == 4


async def test_a_third_period_won_by_an_empty_net_goal_alone_is_a_tie_for_both(fast_client: httpx.AsyncClient) -> None:
    """CAR 2, NJD 1 in the third period of 15 October 2024; one of Carolina's went into an empty net."""
    day = {"startDate": "2024-10-15", "endDate": "2024-10-15"}

    carolina, jersey = [(await _results(fast_client, teamCode=code, **day))[2] for code in ("CAR", "NJD")]

    assert (carolina["goals_for"], carolina["goals_against"], carolina["empty_net_goals"]) == (2, 1, 1)
    assert (jersey["goals_for"], jersey["goals_against"], jersey["empty_net_goals"]) == (1, 2, 0)
    assert (carolina["period_outcome"], jersey["period_outcome"]) == ("TIE", "TIE")


async def test_an_empty_net_goal_that_levels_a_third_period_leaves_it_lost(fast_client: httpx.AsyncClient) -> None:
    """CGY 1, CAR 1 in the third period of 24 October 2024; Carolina's went into an empty net."""
    day = {"startDate": "2024-10-24", "endDate": "2024-10-24"}

    carolina, calgary = [(await _results(fast_client, teamCode=code, **day))[2] for code in ("CAR", "CGY")]

    assert (carolina["period_outcome"], calgary["period_outcome"]) == ("LOSS", "WIN")


async def test_a_shootout_is_period_five_and_won_one_to_nothing(fast_client: httpx.AsyncClient) -> None:
    """Columbus beat Carolina in a shootout on 31 December 2024."""
    results = await _results(fast_client, teamCode="CBJ", startDate="2024-12-31", endDate="2024-12-31")

    assert [row["period_number"] for row in results] == [1, 2, 3, 4, 5]
    assert (results[4]["goals_for"], results[4]["goals_against"]) == (1, 0)
    assert results[4]["period_outcome"] == "WIN"
