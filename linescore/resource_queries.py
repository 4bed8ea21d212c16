"""What goes on from what was typed: teams, seasons, games. Each gives a hundred values and one more at most."""

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
    """Give the codes of teams whose code, name or city begins so."""
    return await _values(_TEAMS, typed=typed)


async def seasons(typed: str) -> list[str]:
    """Give seasons, the latest first."""
    return await _values(_SEASONS, typed=typed)


async def games(typed: str, *, season: str) -> list[str]:
    """Give ids of games, the latest first; of one season, where one is named."""
    return await _values(_GAMES, typed=typed, season=season)


async def _values(statement: str, **parameters: str) -> list[str]:
    return [row["value"] for row in (await reader.fetch(statement, parameters)).rows]
