"""MCP resources of seasons, teams and games, with their completions."""

from typing import Annotated

from linescore import resource_queries
from linescore.addresses import GAME, JSON, SEASON, TEAM
from linescore.standings import queries as standings
from linescore.tools import toolkit
from toolbox.contract.encoding import encode
from toolbox.contract.resources import CompletionRequest

KEEP_SECONDS = 300.0
_MAX_ID = 2**63 - 1


async def _teams(typed: CompletionRequest) -> list[str]:
    return await resource_queries.teams(typed.text)


async def _seasons(typed: CompletionRequest) -> list[str]:
    return await resource_queries.seasons(typed.text)


async def _games(typed: CompletionRequest) -> list[str]:
    return await resource_queries.games(typed.text, season=typed.chosen.get("season", ""))


toolkit.completers.update(team=_teams, season=_seasons, game=_games)


@toolkit.resource(
    SEASON, title="A season, team by team", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"season": _seasons}
)
async def linescore_season(season: Annotated[str, "Two years, as 2024-2025."]) -> str | None:
    """Show every team's periods of a season, by number: played, won, lost, tied, goals; 4 and 5 are overtime."""
    rows = await standings.teams(season)
    if not rows:
        return None
    worth = await standings.hypothesis(season)
    return encode({"season": season, "periods": rows, "gamesByTwoPlusPeriodsWon": worth}).decode()


@toolkit.resource(
    TEAM,
    title="A team's season, game by game",
    mime_type=JSON,
    ttl_seconds=KEEP_SECONDS,
    completes={"season": _seasons, "team": _teams},
)
async def linescore_team_season(
    *, season: Annotated[str, "Two years, as 2024-2025."], team: Annotated[str, "The team's three letters, as CAR."]
) -> str | None:
    """Show every game of a team in a season: opponents, goals, and how each regulation period ended for the team."""
    found = await standings.team(team)
    games = await standings.team_games(season, team_code=team) if found else []
    return encode({"season": season, "team": found, "games": games}).decode() if games else None


@toolkit.resource(
    GAME, title="A game, period by period", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"game": _games}
)
async def linescore_game(game: Annotated[str, "The NHL's id of the game, as 2024020001."]) -> str | None:
    """Show both sides' goals of each period of a game, empty-net goals apart."""
    if not (game.isascii() and game.isdigit()) or int(game) > _MAX_ID:
        return None
    rows = await standings.game(int(game))
    shared = ("game_id", "season", "game_date", "home_team_code", "away_team_code")
    periods = [{name: value for name, value in row.items() if name not in shared} for row in rows]
    return encode({name: rows[0][name] for name in shared} | {"periods": periods}).decode() if rows else None
