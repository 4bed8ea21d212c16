"""The season, team and game pages say what the NHL's figures say, in a fixed number of statements."""

from collections import defaultdict
from typing import Any, Literal

import pytest
from django.test import Client

from linescore.contracts import GamesQuery
from linescore.tools import list_game_results
from tests.linescore.season_by_hand import sides
from tests.pages import as_user, rows, statements
from toolbox.database import event_loop

__all__ = ["statements"]

pytestmark = pytest.mark.django_db
SEASON = "/linescore/2024-2025/"
VENUES: tuple[Literal["home", "away"] | None, ...] = (None, "home", "away")


def test_the_season_page_counts_periods_and_games_as_arithmetic_does(statements: list[str]) -> None:
    won: dict[str, int] = defaultdict(int)
    by_game: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for side in sides():
        by_game[side["game_id"], side["team_code"]].append(side)
        won[side["team_code"]] += side["period_outcome"] == "WIN"
    counted = {True: [0, 0], False: [0, 0]}
    for periods in by_game.values():
        two_plus = sum(one["period_number"] <= 3 and one["period_outcome"] == "WIN" for one in periods) >= 2
        counted[two_plus][0] += 1
        counted[two_plus][1] += sum(one["goals_for"] - one["goals_against"] for one in periods) > 0

    page = as_user("curator").get(SEASON)

    hypothesis = rows(page.content, of="Does winning two periods")
    teams = rows(page.content, of="Periods by team")
    assert [[int(line[1]), int(line[2])] for line in hypothesis] == [counted[True], counted[False]]
    assert [int(line[1]) for line in teams] == sorted(won.values(), reverse=True)
    assert page.content.decode().count("<rect") == 32 * 3
    assert "style=" not in page.content.decode()
    assert len(statements) == 4


def test_a_team_s_page_has_its_82_games_and_its_months_add_up(statements: list[str]) -> None:
    page = as_user("curator").get(f"{SEASON}CAR/")

    months = rows(page.content, of="Month by month")
    assert sum(int(month[1]) for month in months) == 82 == len(rows(page.content, of="<h2>Games"))
    played = sum(side["team_code"] == "CAR" for side in sides())
    assert sum(int(count) for month in months for count in month[4:7]) == played
    assert len(statements) == 6  # seasons, the team, its games, and its record over all, home and away


@pytest.mark.parametrize("team_code", ["CAR", "WSH", "UTA"])
def test_a_team_s_record_is_that_of_the_tool_over_all_at_home_and_away(team_code: str) -> None:
    page = as_user("curator").get(f"{SEASON}{team_code}/")

    asked = [GamesQuery(team_code=team_code, season="2024-2025", venue=venue, limit=1) for venue in VENUES]
    counted = [event_loop.run(list_game_results(ask)).record for ask in asked]
    assert rows(page.content, of="Season record") == [
        [where, *map(str, (one.games, one.wins, one.losses, one.overtime_losses, one.goals_for, one.goals_against))]
        for where, one in zip(("All games", "Home", "Away"), counted, strict=True)
        if one
    ]


def test_washington_s_record_is_that_of_the_league_s_table() -> None:
    page = as_user("curator").get(f"{SEASON}WSH/")

    assert rows(page.content, of="Season record")[0][:5] == ["All games", "82", "51", "22", "9"]
    assert "Ties" not in page.content.decode()


def test_a_game_s_page_is_its_line_score(statements: list[str]) -> None:
    game_id = next(side["game_id"] for side in sides() if side["period_number"] == 4)
    played = [side for side in sides() if side["game_id"] == game_id]
    away = [side["goals_for"] for side in played if side["team_code"] == side["away_team_code"]]

    page = as_user("curator").get(f"/linescore/games/{game_id}/")

    line = rows(page.content, of="Line score")[0]
    assert list(map(int, line[1:-1])) == [*away, sum(away)]
    assert len(statements) == 1


def test_what_is_not_there_or_not_allowed_is_told(cast: None) -> None:
    curator = as_user("curator")

    missing = [f"/linescore/{path}/" for path in ("1999-2000", "2024-2025/XXX", "games/1", f"games/{10**30}")]
    assert [curator.get(path).status_code for path in missing] == [404] * 4
    refused = as_user("charlie").get(SEASON)
    assert (refused.status_code, "linescore:read" in refused.content.decode()) == (403, True)
    assert Client().get(SEASON)["Location"].startswith("/login/")
