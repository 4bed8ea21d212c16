"""The SQL behind `query_linescore_data`: three patterns, each one index scan over the derived results."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from linescore.contracts import LinescoreQuery
from toolbox.database.pools import FetchedRows, Pool

Pattern = Literal["periods", "ranking", "two_plus_games"]

_PERIODS = """
SELECT {team_code}
  pr.game_date,
  pr.home_team_code,
  pr.away_team_code,
  pr.period_number,
  pr.goals_for,
  pr.goals_against,
  pr.empty_net_goals,
  pr.period_outcome
FROM linescore_period_results AS pr
{where}
ORDER BY pr.game_date, pr.period_number, pr.game_id, pr.team_code
LIMIT %(most)s
"""

_RANKING = """
SELECT
  pr.team_code,
  t.team_name,
  pr.periods_won
FROM (
  SELECT pr.team_code, count(*) AS periods_won
  FROM linescore_period_results AS pr
  {where}
  GROUP BY pr.team_code
) AS pr
JOIN linescore_teams AS t USING (team_code)
ORDER BY pr.periods_won DESC, pr.team_code
LIMIT %(most)s
"""

_TWO_PLUS_GAMES = """
SELECT
  pr.game_date,
  pr.team_code,
  pr.home_team_code,
  pr.away_team_code,
  count(*) FILTER (WHERE pr.period_outcome = 'WIN') AS regulation_periods_won
FROM linescore_period_results AS pr
{where}
GROUP BY pr.game_date, pr.team_code, pr.home_team_code, pr.away_team_code
{having}
ORDER BY pr.game_date DESC, pr.team_code, pr.home_team_code
LIMIT %(most)s
"""

_TEAMS = "SELECT team_code, team_name, city FROM linescore_teams ORDER BY team_code LIMIT 200"

_MONTHS = """
SELECT DISTINCT date_trunc('month', game_date)::date AS month FROM linescore_games ORDER BY month DESC LIMIT 1200
"""

_SEASONS = "SELECT DISTINCT season FROM linescore_games ORDER BY season DESC LIMIT 200"

_PLAYED = """
SELECT DISTINCT game_date FROM linescore_games
WHERE %(team_code)s IN (home_team_code, away_team_code) ORDER BY game_date DESC LIMIT 1200
"""

_COVERAGE = """
WITH played AS (
  SELECT season, game_date FROM linescore_games
  WHERE %(team_code)s::text IS NULL OR %(team_code)s IN (home_team_code, away_team_code)
), possible AS (
  SELECT game_date FROM played WHERE season BETWEEN %(first_season)s AND %(last_season)s
)
SELECT
  (SELECT min(game_date) FROM played) AS first_date,
  (SELECT max(game_date) FROM played) AS last_date,
  (SELECT array_agg(DISTINCT season ORDER BY season) FROM played) AS seasons,
  (SELECT max(game_date) FROM possible WHERE game_date < %(start_date)s::date) AS date_before,
  (SELECT min(game_date) FROM possible WHERE game_date > %(end_date)s::date) AS date_after
"""
"""The days of a team's games, or of all teams'; and the days nearest to the given ones in the seasons that fit."""

_HAS_ROWS = "SELECT EXISTS (SELECT FROM linescore_period_results AS pr {where}) AS has_rows"


_FILTERS = {
    "team_code": "pr.team_code = %(team_code)s",
    "start_date": "pr.game_date >= %(start_date)s",
    "end_date": "pr.game_date <= %(end_date)s",
    "period_outcome": "pr.period_outcome = %(period_outcome)s",
    "won_two_plus_reg_periods": "pr.won_two_plus_reg_periods = %(won_two_plus_reg_periods)s",
    "season": "pr.season = %(season)s",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One parameterised SELECT."""

    sql: str
    parameters: dict[str, Any]


def pattern_of(ask: LinescoreQuery) -> Pattern:
    """Choose the contract's SQL pattern: the two-plus filter before the ranking, the periods where neither is asked."""
    if ask.won_two_plus_reg_periods is not None:
        return "two_plus_games"
    return "ranking" if ask.period_outcome and not ask.team_code else "periods"


def statement(ask: LinescoreQuery) -> Statement:
    """
    Write the SELECT for a question; the text depends only on which filters are given, so it is prepared once.

    It asks for one row more than the limit, to know whether there are more.
    """
    parameters = _given(ask)
    sql = _text(pattern_of(ask), given=frozenset(parameters))
    return Statement(sql=sql, parameters=parameters | {"most": ask.limit + 1})


def _given(ask: LinescoreQuery) -> dict[str, Any]:
    return {name: value for name, value in vars(ask).items() if value is not None and name in _FILTERS}


@lru_cache(maxsize=256)
def _text(pattern: Pattern, *, given: frozenset[str]) -> str:
    filters = {name: sql for name, sql in _FILTERS.items() if name in given}
    having = ""
    if pattern == "two_plus_games":
        filters["period_number"] = "pr.period_number <= 3"
        if filters.pop("period_outcome", None):
            having = "HAVING bool_or(pr.period_outcome = %(period_outcome)s)"
    where = "WHERE " + "\n  AND ".join(filters.values()) if filters else ""
    text = {"periods": _PERIODS, "ranking": _RANKING, "two_plus_games": _TWO_PLUS_GAMES}[pattern]
    team_code = "" if "team_code" in given else "\n  pr.team_code,"
    return text.format(where=where, having=having, team_code=team_code)


async def period_results(ask: LinescoreQuery, *, reader: Pool) -> FetchedRows:
    """Fetch the rows that answer a question, at most limit + 1 of them; one statement."""
    wanted = statement(ask)
    return await reader.fetch(wanted.sql, wanted.parameters)


async def teams(*, reader: Pool) -> list[dict[str, str]]:
    """Fetch code, name and city of every team, by code."""
    return (await reader.fetch(_TEAMS)).rows


async def coverage(ask: LinescoreQuery, *, seasons: tuple[str, str], reader: Pool) -> dict[str, Any]:
    """
    Fetch the days and seasons of the asked team's games, or of all teams'; None where there are none.

    `date_before` and `date_after` are the days with games next to the asked ones, in seasons from the first to the
    last of `seasons`.
    """
    wanted = {"team_code": ask.team_code, "start_date": ask.start_date, "end_date": ask.end_date}
    first, last = seasons
    found = await reader.fetch(_COVERAGE, wanted | {"first_season": first, "last_season": last})
    return found.rows[0]


async def has_rows(ask: LinescoreQuery, *, reader: Pool) -> bool:
    """Tell whether any period fits the question; one statement."""
    parameters = _given(ask)
    filters = [sql for name, sql in _FILTERS.items() if name in parameters]
    where = "WHERE " + " AND ".join(filters) if filters else ""
    return bool((await reader.fetch(_HAS_ROWS.format(where=where), parameters)).rows[0]["has_rows"])


async def months(*, reader: Pool) -> list[date]:
    """Fetch the first day of every month that has games, latest first."""
    return [row["month"] for row in (await reader.fetch(_MONTHS)).rows]


async def played(team_code: str, *, reader: Pool) -> list[date]:
    """Fetch the days on which a team played, latest first."""
    return [row["game_date"] for row in (await reader.fetch(_PLAYED, {"team_code": team_code})).rows]


async def seasons(*, reader: Pool) -> list[str]:
    """Fetch every season that has games, latest first."""
    return [row["season"] for row in (await reader.fetch(_SEASONS)).rows]
