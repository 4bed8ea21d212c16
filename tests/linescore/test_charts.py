"""A picture of games shows the asked team's goals, or nothing."""

from typing import Any

import pytest

from linescore.charts import MAX_GAMES, chart_goals


def game(day: int, *, home: str, away: str, score: tuple[int, int]) -> dict[str, Any]:
    """Return a row of list_game_results, as a page reads it."""
    return {
        "game_date": f"2025-02-{day:02}", "home_team_code": home, "away_team_code": away, "home_goals": score[0],
        "away_goals": score[1],
    }  # fmt: skip


GAMES = [game(2, home="BOS", away="CAR", score=(4, 1)), game(1, home="CAR", away="LAK", score=(3, 2))]


def test_a_team_s_goals_are_its_own_at_home_and_away() -> None:
    chart = chart_goals({"teamCode": "CAR"}, rows=GAMES)

    assert chart
    values = chart["data"]["values"]
    assert [one["goals"] for one in values if one["team"] == "CAR"] == [1, 3]
    assert [one["goals"] for one in values if one["team"] == "opponents"] == [4, 2]
    assert {part["field"] for part in chart["encoding"].values()} == set(values[0])


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [({}, GAMES), ({"teamCode": None}, GAMES), ({"teamCode": "NYR"}, GAMES), ({"teamCode": ["CAR"]}, GAMES),
     ({"teamCode": "CAR"}, [{"game_date": "2025-02-01", "goals_for": 3}]),
     ({"teamCode": "CAR"}, GAMES * (MAX_GAMES // 2 + 1))],
    ids=["no team", "null", "another team", "no text", "other rows", "too many"],
)  # fmt: skip
def test_games_that_are_not_one_team_s_are_not_drawn(arguments: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    assert chart_goals(arguments, rows=rows) is None
