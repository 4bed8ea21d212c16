"""SQL of completions: teams, seasons, games. Each returns at most 101 values, one more than a completion shows."""

from toolbox.database.pools import reader

_TEAMS = """
SELECT team_code AS value FROM linescore_teams
WHERE starts_with(lower(team_code), lower(%(typed)s)) OR starts_with(lower(team_name), lower(%(typed)s))
  OR starts_with(lower(city), lower(%(typed)s))
ORDER BY starts_with(lower(team_code), lower(%(typed)s)) DESC, team_code LIMIT 101
"""
_SEASONS = """
SELECT DISTINCT season AS value FROM linescore_games WHERE starts_with(season, %(typed)s)
ORDER BY season DESC LIMIT 101
"""
_GAMES = """
SELECT game_id::text AS value FROM linescore_games
WHERE starts_with(game_id::text, %(typed)s) AND (%(season)s = '' OR season = %(season)s)
ORDER BY game_id DESC LIMIT 101
"""


async def teams(typed: str) -> list[str]:
    """Return the codes of teams whose code, name or city has this prefix."""
    return await _values(_TEAMS, typed=typed)


async def seasons(typed: str) -> list[str]:
    """Return seasons, latest first."""
    return await _values(_SEASONS, typed=typed)


async def games(typed: str, *, season: str) -> list[str]:
    """Return ids of games, latest first, optionally of one season."""
    return await _values(_GAMES, typed=typed, season=season)


async def _values(statement: str, **parameters: str) -> list[str]:
    return [row["value"] for row in (await reader.fetch(statement, parameters)).rows]
