"""The rules a game keeps, or it stays out. Pure: today's date and the known teams come in."""

from collections.abc import Collection
from datetime import date

from linescore.ingest.record import GameScore

REGULATION = (1, 2, 3)


def refusal_reason(game: GameScore, *, known_teams: Collection[str], today: date) -> str | None:
    """Name the first rule that the game breaks; None if it keeps them all."""
    numbers = [period.period_number for period in game.periods]
    unknown = [code for code in (game.home_team_code, game.away_team_code) if code not in known_teams]
    if unknown:
        return f"unknown team {unknown[0]}"
    if game.home_team_code == game.away_team_code:
        return f"{game.home_team_code} plays itself"
    if game.game_date > today:
        return f"future date {game.game_date}"
    if missing := [number for number in REGULATION if number not in numbers]:
        return f"regulation period {missing[0]} is missing"
    if len(set(numbers)) != len(numbers):
        return "a period is there twice"
    for period in game.periods:
        if period.home_empty_net_goals > period.home_goals or period.away_empty_net_goals > period.away_goals:
            return f"more empty-net goals than goals in period {period.period_number}"
    return None
