"""The SQL of the pages. Each statement reads the rows of one season or one game by an index."""

from typing import Any

from linescore.queries import NOT_STORED
from toolbox.database.pools import reader

Row = dict[str, Any]

_SEASONS = "SELECT season, count(*) AS games FROM linescore_games GROUP BY season ORDER BY season DESC LIMIT 50"
_TEAMS = """
SELECT pr.team_code, t.team_name, pr.period_number AS period,
       count(*) AS played,
       count(*) FILTER (WHERE pr.period_outcome = 'WIN') AS won,
       count(*) FILTER (WHERE pr.period_outcome = 'LOSS') AS lost,
       count(*) FILTER (WHERE pr.period_outcome = 'TIE') AS tied,
       sum(pr.goals_for - pr.goals_against) AS differential
FROM linescore_period_results AS pr JOIN linescore_teams AS t USING (team_code)
WHERE pr.season = %s
GROUP BY 1, 2, 3
ORDER BY 1, 3
LIMIT 1000
"""
_HYPOTHESIS = """
SELECT two_plus, count(*) AS games, count(*) FILTER (WHERE goals > 0) AS won
FROM (
  SELECT bool_or(won_two_plus_reg_periods) AS two_plus, sum(goals_for - goals_against) AS goals
  FROM linescore_period_results WHERE season = %s GROUP BY game_id, team_code
) AS sides
GROUP BY two_plus ORDER BY two_plus DESC LIMIT 2
"""
_TEAM_GAMES = """
SELECT pr.game_id, pr.game_date, pr.home_team_code, pr.away_team_code,
       array_agg(pr.period_outcome ORDER BY pr.period_number) AS outcomes,
       sum(pr.goals_for) AS goals_for, sum(pr.goals_against) AS goals_against,
       bool_or(pr.won_two_plus_reg_periods) AS two_plus
FROM linescore_period_results AS pr
WHERE pr.season = %s AND pr.team_code = %s
GROUP BY 1, 2, 3, 4
ORDER BY pr.game_date, pr.game_id
LIMIT 200
"""
_MISSING = f"SELECT count(*) AS games FROM linescore_missing_games AS m WHERE season = %s AND {NOT_STORED}"
_TEAM = "SELECT team_code, team_name, city, arena FROM linescore_teams WHERE team_code = %s LIMIT 1"
_GAME = """
SELECT g.game_id, g.season, g.game_date, g.home_team_code, g.away_team_code, p.period_number, p.period_kind,
       p.home_goals, p.away_goals, p.home_empty_net_goals, p.away_empty_net_goals, r.period_outcome AS home_outcome
FROM linescore_games AS g
JOIN linescore_periods AS p USING (game_id)
LEFT JOIN linescore_period_results AS r
  ON r.game_id = g.game_id AND r.period_number = p.period_number AND r.team_code = g.home_team_code
WHERE g.game_id = %s ORDER BY p.period_number LIMIT 20
"""


async def seasons() -> list[Row]:
    """Fetch the seasons, latest first."""
    return (await reader.fetch(_SEASONS)).rows


async def teams(season: str) -> list[Row]:
    """Fetch each team's counts by period number; overtime and shootout are periods 4 and 5."""
    return (await reader.fetch(_TEAMS, [season])).rows


async def hypothesis(season: str) -> list[Row]:
    """Count teams by whether they won two or three regulation periods, and how many of each won the game."""
    return (await reader.fetch(_HYPOTHESIS, [season])).rows


async def missing_games(season: str) -> int:
    """Count the games of a season that were refused and are not stored."""
    return int((await reader.fetch(_MISSING, [season])).rows[0]["games"])


async def team(team_code: str) -> Row | None:
    """Fetch a team."""
    return next(iter((await reader.fetch(_TEAM, [team_code])).rows), None)


async def team_games(season: str, *, team_code: str) -> list[Row]:
    """Fetch a team's games of a season in order, at most 200."""
    return (await reader.fetch(_TEAM_GAMES, [season, team_code])).rows


async def game(game_id: int) -> list[Row]:
    """Fetch a game's periods in order; none if there is no such game."""
    return (await reader.fetch(_GAME, [game_id])).rows
