"""The SQL of the GraphQL API: one statement per query field, whichever sub-fields are selected."""

from collections.abc import Mapping
from typing import Any

from toolbox.database.pools import Pool

Row = dict[str, Any]

_TEAMS = """
WITH matching AS (
  SELECT team_code, team_name, city, arena
  FROM linescore_teams
  WHERE (%(id)s::text IS NULL OR team_code = upper(%(id)s))
    AND (%(name)s::text IS NULL OR strpos(lower(team_name), lower(%(name)s)) > 0)
    AND (%(city)s::text IS NULL OR lower(city) = lower(%(city)s))
    AND (%(q)s::text IS NULL OR team_code = upper(%(q)s)
         OR strpos(lower(team_name || ' ' || city), lower(%(q)s)) > 0)
)
SELECT c.total, p.*
FROM (SELECT count(*) AS total FROM matching) AS c
LEFT JOIN (SELECT * FROM matching ORDER BY {order}, team_code LIMIT %(limit)s OFFSET %(offset)s) AS p ON true
ORDER BY {order}, team_code
"""

_GAME_FILTERS = """
      (%(game)s::bigint IS NULL OR g.game_id = %(game)s)
  AND (%(season)s::text IS NULL OR g.season = %(season)s)
  AND (%(kind)s::text IS NULL OR g.game_kind = %(kind)s)
  AND (%(first)s::date IS NULL OR g.game_date >= %(first)s)
  AND (%(last)s::date IS NULL OR g.game_date <= %(last)s)
"""

_GAME_COLUMNS = """
  h.team_name AS home_team_name, h.city AS home_city, h.arena AS home_arena,
  a.team_name AS away_team_name, a.city AS away_city, a.arena AS away_arena,
  s.home_score, s.away_score, s.ended, s.periods
"""

_GAME_JOINS = """
LEFT JOIN linescore_teams AS h ON h.team_code = p.home_team_code
LEFT JOIN linescore_teams AS a ON a.team_code = p.away_team_code
LEFT JOIN LATERAL (
  SELECT
    sum(home_goals)::int AS home_score,
    sum(away_goals)::int AS away_score,
    (array_agg(period_kind ORDER BY period_number DESC))[1] AS ended,
    json_agg(json_build_array(period_number, home_goals, away_goals, period_kind) ORDER BY period_number) AS periods
  FROM linescore_periods AS period
  WHERE period.game_id = p.game_id
) AS s ON true
"""


def _of_games(statement: str) -> str:
    """Fill the shared parts into a statement about games; the caller fills {order}."""
    shared = {"{filters}": _GAME_FILTERS, "{columns}": _GAME_COLUMNS, "{joins}": _GAME_JOINS}
    for place, words in shared.items():
        statement = statement.replace(place, words)
    return statement


_GAMES = _of_games("""
WITH matching AS (
  SELECT g.*
  FROM linescore_games AS g
  WHERE {filters}
    AND (%(home)s::text IS NULL OR g.home_team_code = %(home)s)
    AND (%(away)s::text IS NULL OR g.away_team_code = %(away)s)
    AND (%(team)s::text IS NULL OR %(team)s IN (g.home_team_code, g.away_team_code))
    AND (%(is_played)s::boolean IS NULL
         OR %(is_played)s = EXISTS (SELECT FROM linescore_periods AS x WHERE x.game_id = g.game_id))
)
SELECT c.total, p.*, {columns}
FROM (SELECT count(*) AS total FROM matching) AS c
LEFT JOIN (SELECT * FROM matching ORDER BY {order} LIMIT %(limit)s OFFSET %(offset)s) AS p ON true
{joins}
ORDER BY {order}
LIMIT %(limit)s
""")

_GAME_LOGS = _of_games("""
WITH matching AS (
  SELECT g.*, side.team_code, side.opponent_code
  FROM linescore_games AS g
  CROSS JOIN LATERAL (
    VALUES (g.home_team_code, g.away_team_code), (g.away_team_code, g.home_team_code)
  ) AS side (team_code, opponent_code)
  WHERE {filters}
    AND (%(team)s::text IS NULL OR side.team_code = %(team)s)
    AND (%(opponent)s::text IS NULL OR side.opponent_code = %(opponent)s)
)
SELECT c.total, p.*, {columns}
FROM (SELECT count(*) AS total FROM matching) AS c
LEFT JOIN (SELECT * FROM matching ORDER BY {order}, team_code LIMIT %(limit)s OFFSET %(offset)s) AS p ON true
{joins}
ORDER BY {order}, p.team_code
LIMIT %(limit)s
""")

_STANDINGS = """
WITH chosen AS (
  SELECT coalesce(%(season)s, (SELECT max(season) FROM linescore_games WHERE game_kind = 'REG')) AS season
),
played AS (
  SELECT
    side.team_code, side.goals_for, side.goals_against, side.goals_for > side.goals_against AS is_won,
    side.goals_for = side.goals_against AS is_tied, s.periods > 3 AS went_on
  FROM linescore_games AS g
  JOIN chosen ON chosen.season = g.season
  JOIN (
    SELECT game_id, sum(home_goals)::int AS home, sum(away_goals)::int AS away, max(period_number) AS periods
    FROM linescore_periods
    GROUP BY game_id
  ) AS s ON s.game_id = g.game_id
  CROSS JOIN LATERAL (
    VALUES (g.home_team_code, s.home, s.away), (g.away_team_code, s.away, s.home)
  ) AS side (team_code, goals_for, goals_against)
  WHERE g.game_kind = 'REG'
),
summed AS (
  SELECT
    team_code,
    count(*)::int AS gp,
    count(*) FILTER (WHERE is_won)::int AS w,
    count(*) FILTER (WHERE NOT is_won AND NOT is_tied AND NOT went_on)::int AS losses,
    count(*) FILTER (WHERE is_tied)::int AS ties,
    count(*) FILTER (WHERE is_won AND went_on)::int AS otw,
    count(*) FILTER (WHERE NOT is_won AND NOT is_tied AND went_on)::int AS otl,
    (2 * count(*) FILTER (WHERE is_won) + count(*) FILTER (WHERE is_tied OR (NOT is_won AND went_on)))::int AS pts,
    sum(goals_for)::int AS gf,
    sum(goals_against)::int AS ga,
    sum(goals_for - goals_against)::int AS gd
  FROM played
  GROUP BY team_code
)
SELECT
  (SELECT season FROM chosen) AS season, t.team_code, t.team_name, t.city, t.arena, summed.*,
  row_number() OVER (ORDER BY pts DESC, w - otw DESC, w DESC, gd DESC, gf DESC, team_code) AS position
FROM summed
JOIN linescore_teams AS t USING (team_code)
ORDER BY {order}, position
LIMIT %(limit)s OFFSET %(offset)s
"""

_SEASONS = "SELECT DISTINCT season FROM linescore_games ORDER BY season DESC LIMIT 100"


async def teams(wanted: Mapping[str, Any], *, order: str, reader: Pool) -> list[Row]:
    """Fetch a page of teams; each row has the `total`. An empty page is one row with only the total."""
    return (await reader.fetch(_TEAMS.format(order=order), wanted)).rows


async def games(wanted: Mapping[str, Any], *, order: str, reader: Pool) -> list[Row]:
    """Fetch a page of games with teams, score and periods; `total` as for teams."""
    return (await reader.fetch(_GAMES.format(order=order), wanted)).rows


async def game_logs(wanted: Mapping[str, Any], *, order: str, reader: Pool) -> list[Row]:
    """Fetch a page of games from each team's side; `total` as for teams."""
    return (await reader.fetch(_GAME_LOGS.format(order=order), wanted)).rows


async def standings(wanted: Mapping[str, Any], *, order: str, reader: Pool) -> list[Row]:
    """Fetch the standings of a regular season, by default the latest."""
    return (await reader.fetch(_STANDINGS.format(order=order), wanted)).rows


async def seasons(*, reader: Pool) -> list[str]:
    """Fetch the seasons that have games, latest first."""
    return [row["season"] for row in (await reader.fetch(_SEASONS)).rows]
