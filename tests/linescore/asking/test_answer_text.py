"""Answers to questions about games, held against arithmetic over the NHL's figures."""

from collections import defaultdict
from typing import Any

import pytest

from tests.linescore.season_by_hand import sides
from tests.toolbox.answering.conversation import hold_conversation
from toolbox.catalogue.registry import registry

pytestmark = pytest.mark.usefixtures("cast")
ENDS = {3: "REG", 4: "OT", 5: "SO"}


def count_games(team: str) -> list[dict[str, Any]]:
    """Return a team's games by adding up its periods: goals, the opponent, the venue, and how each ended."""
    games: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for side in sides():
        if side["team_code"] == team:
            games[side["game_id"]].append(side)
    return [
        {
            "date": periods[0]["game_date"],
            "opponent": periods[0]["opponent"],
            "venue": periods[0]["venue"],
            "margin": sum(side["goals_for"] - side["goals_against"] for side in periods),
            "ended": ENDS[max(side["period_number"] for side in periods)],
        }
        for periods in games.values()
    ]


async def ask(question: str) -> str:
    """Return the answer's text."""
    return (await hold_conversation(question, tools=list(registry.tools(domain="linescore"))))[-1].text


async def test_games_lost_after_regulation_are_counted() -> None:
    lost = [game for game in count_games("TOR") if game["margin"] < 0 and game["ended"] == "OT"]

    assert f"In 2024-25, Toronto Maple Leafs lost {len(lost)} games in overtime." in await ask(
        "How many overtime games did Toronto lose this season?"
    )


async def test_a_meeting_says_who_won() -> None:
    met = [game for game in count_games("TOR") if game["opponent"] == "BOS"]
    won = sum(game["margin"] > 0 for game in met)

    text = await ask("How did Toronto do against Boston this season?")

    assert f"Toronto Maple Leafs played {len(met)} games and won {won}" in text
    assert all(f"- {game['date']}: " in text for game in met)


async def test_the_biggest_losses_are_the_largest_margins() -> None:
    margins = sorted(game["margin"] for game in count_games("CHI"))

    lines = (await ask("What were the 3 biggest losses of Chicago?")).splitlines()[-3:]

    scores = [[int(word) for word in line.split(": ")[1].split() if word.isdigit()] for line in lines]
    assert [-abs(first - second) for first, second in scores] == margins[:3]


async def test_a_period_is_added_up() -> None:
    thirds = [side for side in sides() if side["team_code"] == "CAR" and side["period_number"] == 3]
    goals = sum(side["goals_for"] for side in thirds), sum(side["goals_against"] for side in thirds)
    won = sum(side["period_outcome"] == "WIN" for side in thirds)

    text = await ask("How did Carolina do in the third period?")

    assert f"third: won {won}," in text
    assert f"of {len(thirds)}; goals {goals[0]} to {goals[1]}" in text


async def test_two_teams_are_set_beside_each_other() -> None:
    text = await ask("Compare Boston and Toronto in January 2025")

    for team, name in (("BOS", "Boston Bruins"), ("TOR", "Toronto Maple Leafs")):
        played = [game for game in count_games(team) if game["date"].startswith("2025-01")]
        won = sum(game["margin"] > 0 for game in played)
        assert f"{name} played {len(played)} games and won {won}" in text


async def test_home_and_away_games_add_up_to_all() -> None:
    home = sum(game["venue"] == "home" for game in count_games("EDM"))

    assert f"Edmonton Oilers played {home} games" in await ask("How did Edmonton do at home this season?")


async def test_the_latest_games_are_listed_with_their_tally() -> None:
    latest = sorted(count_games("DAL"), key=lambda game: game["date"])[-5:]
    won = sum(game["margin"] > 0 for game in latest)

    text = await ask("Last five games of Dallas")

    assert [line[2:12] for line in text.splitlines() if line.startswith("- ")] == [
        game["date"] for game in latest[::-1]
    ]
    assert f"won {won}" in text.splitlines()[-1] if won else "won" not in text.splitlines()[-1]


async def test_games_of_a_month_are_counted_once() -> None:
    played = {side["game_id"] for side in sides() if side["game_date"].startswith("2025-01")}

    assert f"{len(played)} games in January 2025:" in await ask("How many games were played in January 2025?")


async def test_a_word_that_is_not_understood_is_named_and_the_rest_is_offered() -> None:
    text = await ask("How many goals did Ovechkin score for Washington in January 2025?")

    assert "The word 'Ovechkin' is not understood." in text
    assert "- How did Washington Capitals do in January 2025?" in text
