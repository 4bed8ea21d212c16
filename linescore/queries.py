"""The SQL of `query_linescore_data` and `list_game_results`. Each pattern is one index scan over derived results."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from linescore.contracts import GameFilters, GamesQuery, LinescoreQuery
from toolbox.database.pools import FetchedRows, Pool

Pattern = Literal["periods", "ranking", "two_plus_games"]

_PERIODS = """
{missing}
SELECT {team_code}
  pr.game_date,
  pr.home_team_code,
  pr.away_team_code,
  pr.period_number,
  pr.goals_for,
  pr.goals_against,
  pr.empty_net_goals,
  pr.period_outcome,
  (TABLE missing) AS missing_games
FROM linescore_period_results AS pr
{where}
ORDER BY pr.game_date, pr.period_number, pr.game_id, pr.team_code
LIMIT %(most)s OFFSET %(skipped)s
"""

_RANKING = """
{missing}
SELECT
  pr.team_code,
  t.team_name,
  pr.periods_won,
  (TABLE missing) AS missing_games
FROM (
  SELECT pr.team_code, count(*) AS periods_won
  FROM linescore_period_results AS pr
  {where}
  GROUP BY pr.team_code
) AS pr
JOIN linescore_teams AS t USING (team_code)
ORDER BY pr.periods_won DESC, pr.team_code
LIMIT %(most)s OFFSET %(skipped)s
"""

_TWO_PLUS_GAMES = """
{missing}
SELECT
  pr.game_date,
  pr.team_code,
  pr.home_team_code,
  pr.away_team_code,
  count(*) FILTER (WHERE pr.period_outcome = 'WIN') AS regulation_periods_won,
  (TABLE missing) AS missing_games
FROM linescore_period_results AS pr
{where}
GROUP BY pr.game_date, pr.team_code, pr.home_team_code, pr.away_team_code
{having}
ORDER BY pr.game_date DESC, pr.team_code, pr.home_team_code
LIMIT %(most)s OFFSET %(skipped)s
"""

_GAMES = """
{missing}, sides AS (
  SELECT
    g.game_id, g.game_date, g.season, g.home_team_code, g.away_team_code,
    sum(p.home_goals) AS home_goals, sum(p.away_goals) AS away_goals,
    (array_agg(p.period_kind ORDER BY p.period_number DESC))[1] AS decided_in,
    CASE
      WHEN %(team_code)s::text IS NULL THEN NULL
      WHEN sum(p.home_goals) = sum(p.away_goals) THEN 'TIE'
      WHEN (sum(p.home_goals) > sum(p.away_goals)) = (g.home_team_code = %(team_code)s) THEN 'WIN'
      WHEN g.game_kind = 'REG' AND max(p.period_number) > 3 THEN 'OT_LOSS'
      ELSE 'LOSS'
    END AS result
  FROM linescore_games AS g JOIN linescore_periods AS p USING (game_id)
  {where}
  GROUP BY g.game_id
)
"""
"""Games with their final score and, if a team is given, its result; a shootout counts as one goal."""

_GAME_ROWS = (
    _GAMES
    + """
SELECT *, (TABLE missing) AS missing_games FROM sides {result}
ORDER BY game_date DESC, game_id DESC
LIMIT %(most)s OFFSET %(skipped)s
"""
)

_RECORD = (
    _GAMES
    + """, periods AS (
  SELECT
    count(*) FILTER (WHERE r.period_outcome = 'WIN') AS won,
    count(*) FILTER (WHERE r.period_outcome = 'LOSS') AS lost,
    count(*) FILTER (WHERE r.period_outcome = 'TIE') AS tied
  FROM linescore_period_results AS r JOIN sides USING (game_id)
  WHERE r.team_code = %(team_code)s
)
SELECT
  (SELECT won FROM periods) AS periods_won,
  (SELECT lost FROM periods) AS periods_lost,
  (SELECT tied FROM periods) AS periods_tied,
  count(*) AS games,
  count(*) FILTER (WHERE result = 'WIN') AS wins,
  count(*) FILTER (WHERE result = 'LOSS') AS losses,
  count(*) FILTER (WHERE result = 'OT_LOSS') AS overtime_losses,
  count(*) FILTER (WHERE result = 'TIE') AS ties,
  coalesce(sum(CASE WHEN home_team_code = %(team_code)s THEN home_goals ELSE away_goals END), 0) AS goals_for,
  coalesce(sum(CASE WHEN home_team_code = %(team_code)s THEN away_goals ELSE home_goals END), 0) AS goals_against
FROM sides
LIMIT 1
"""
)

_GAME_FILTERS = {
    "team_code": "%(team_code)s IN (g.home_team_code, g.away_team_code)",
    "opponent": "%(opponent)s IN (g.home_team_code, g.away_team_code)",
    "venue": "(g.home_team_code = %(team_code)s) = (%(venue)s = 'home')",
    "start_date": "g.game_date >= %(start_date)s",
    "end_date": "g.game_date <= %(end_date)s",
    "season": "g.season = %(season)s",
}

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
SELECT
  min(game_date) AS first_date,
  max(game_date) AS last_date,
  array_agg(DISTINCT season ORDER BY season) AS seasons
FROM linescore_games
WHERE %(team_code)s::text IS NULL OR %(team_code)s IN (home_team_code, away_team_code)
"""
"""First and last day and the seasons of a team's games, or of all games."""

_NEAREST_DAYS = """
SELECT
  max(game_date) FILTER (WHERE game_date < %(start_date)s::date) AS date_before,
  min(game_date) FILTER (WHERE game_date > %(end_date)s::date) AS date_after
FROM {rows} AS fitting
WHERE season BETWEEN %(first_season)s AND %(last_season)s
LIMIT 1
"""
"""The days nearest to the range within the seasons; `rows` match every other filter."""

_HAS_ROWS = "SELECT EXISTS (SELECT FROM linescore_period_results AS pr {where}) AS has_rows"


_MISSING = """
WITH missing AS (
  SELECT jsonb_object_agg(season, games) FROM (
    SELECT season, count(*) AS games FROM linescore_missing_games AS m {where} GROUP BY season LIMIT 200
  ) AS counted
)"""
"""The value of an extra column, the same in each row: the number of refused games by season; null for none."""
NOT_STORED = "NOT EXISTS (SELECT FROM linescore_games AS g WHERE g.game_id = m.game_id)"
_MISSING_FILTERS = {
    "team_code": "(home_team_code = '' OR %(team_code)s IN (home_team_code, away_team_code))",
    "opponent": "(home_team_code = '' OR %(opponent)s IN (home_team_code, away_team_code))",
    "start_date": "(game_date IS NULL OR game_date >= %(start_date)s)",
    "end_date": "(game_date IS NULL OR game_date <= %(end_date)s)",
    "season": "season = %(season)s",
}

_FILTERS = {
    "team_code": "pr.team_code = %(team_code)s",
    "start_date": "pr.game_date >= %(start_date)s",
    "end_date": "pr.game_date <= %(end_date)s",
    "opponent": "%(opponent)s IN (pr.home_team_code, pr.away_team_code) AND pr.team_code <> %(opponent)s",
    "venue": "(pr.team_code = pr.home_team_code) = (%(venue)s = 'home')",
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
    """Choose the contract's SQL pattern: the two-plus filter precedes the ranking; periods are the default."""
    if ask.won_two_plus_reg_periods is not None:
        return "two_plus_games"
    return "ranking" if ask.period_outcome and not ask.team_code else "periods"


def statement(ask: LinescoreQuery) -> Statement:
    """
    Build the SELECT of a query; its text depends only on which filters are set, so it is prepared once.

    It selects one row more than the limit, which shows whether there are more.
    """
    parameters = _list_parameters(ask)
    sql = _text(pattern_of(ask), given=frozenset(parameters))
    return Statement(sql=sql, parameters=parameters | {"most": ask.limit + 1, "skipped": (ask.page - 1) * ask.limit})


def _list_parameters(ask: GameFilters) -> dict[str, Any]:
    return {name: value for name, value in vars(ask).items() if value is not None and name in _FILTERS}


@lru_cache(maxsize=256)
def _text(pattern: Pattern, *, given: frozenset[str]) -> str:
    filters, having = _list_filters(given), ""
    if pattern == "two_plus_games" and "period_outcome" in filters:
        del filters["period_outcome"]
        having = "HAVING bool_or(pr.period_outcome = %(period_outcome)s)"
    where = _where_clause(filters.values())
    missing = _format_missing(given)
    text = {"periods": _PERIODS, "ranking": _RANKING, "two_plus_games": _TWO_PLUS_GAMES}[pattern]
    team_code = "" if "team_code" in given else "\n  pr.team_code,"
    return text.format(where=where, having=having, team_code=team_code, missing=missing)


def _list_filters(given: Collection[str]) -> dict[str, str]:
    filters = {name: sql for name, sql in _FILTERS.items() if name in given}
    if "won_two_plus_reg_periods" in filters:
        filters["period_number"] = "pr.period_number <= 3"
    return filters


def _format_missing(given: Collection[str]) -> str:
    filters = [sql for name, sql in _MISSING_FILTERS.items() if name in given]
    return _MISSING.format(where=_where_clause([NOT_STORED, *filters]))


def _where_clause(filters: Iterable[str]) -> str:
    text = "\n  AND ".join(filters)
    return f"WHERE {text}" if text else ""


async def period_results(ask: LinescoreQuery, *, reader: Pool) -> FetchedRows:
    """Fetch the rows of a query, at most limit + 1, each with `missing_games`; one statement."""
    select = statement(ask)
    return await reader.fetch(select.sql, select.parameters)


def split_missing(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, int] | None]:
    """Remove the column `missing_games` from the rows, in place, and return it beside them."""
    missing = rows[0]["missing_games"] if rows else None
    for row in rows:
        del row["missing_games"]
    return rows, missing


async def game_rows(ask: GamesQuery, *, reader: Pool) -> FetchedRows:
    """Fetch games with their scores, latest first, at most limit + 1, each with `missing_games`; one statement."""
    sql = _GAME_ROWS.replace("{result}", _where_result(ask))
    return await _fetch_games(sql, ask=ask, reader=reader)


async def record(ask: GamesQuery, *, reader: Pool) -> dict[str, int]:
    """Count the team's wins and losses, ignoring the filter on the result and the page; one statement."""
    return (await _fetch_games(_RECORD, ask=ask, reader=reader)).rows[0]


def _where_result(ask: GamesQuery) -> str:
    return "WHERE result = %(result)s" if ask.result else ""


async def _fetch_games(
    sql: str, *, ask: GamesQuery, reader: Pool, more: Mapping[str, Any] | None = None
) -> FetchedRows:
    parameters = {name: value for name, value in vars(ask).items() if value is not None}
    filters = [text for name, text in _GAME_FILTERS.items() if name in parameters]
    missing = _format_missing(parameters)
    given = parameters | {"team_code": ask.team_code, "most": ask.limit + 1, "skipped": (ask.page - 1) * ask.limit}
    return await reader.fetch(sql.format(missing=missing, where=_where_clause(filters)), given | dict(more or {}))


async def teams(*, reader: Pool) -> list[dict[str, str]]:
    """Fetch code, name and city of every team, by code."""
    return (await reader.fetch(_TEAMS)).rows


async def coverage(ask: GameFilters, *, reader: Pool) -> dict[str, Any]:
    """Fetch the first and last day and the seasons of the team's games, or of all games; None if there are none."""
    return (await reader.fetch(_COVERAGE, {"team_code": ask.team_code})).rows[0]


async def has_rows(ask: GameFilters, *, reader: Pool) -> bool:
    """Return whether any period or game matches the filters, on any page; one statement."""
    if isinstance(ask, GamesQuery):
        return bool((await game_rows(ask.model_copy(update={"page": 1, "limit": 1}), reader=reader)).rows)
    parameters = _list_parameters(ask)
    where = _where_clause(_list_filters(parameters).values())
    return bool((await reader.fetch(_HAS_ROWS.format(where=where), parameters)).rows[0]["has_rows"])


async def nearest_days(ask: GameFilters, *, seasons: tuple[str, str], reader: Pool) -> tuple[date | None, date | None]:
    """Fetch the last matching day before the range and the first after it, within the seasons from first to last."""
    first, last = seasons
    given = {"start_date": ask.start_date, "end_date": ask.end_date, "first_season": first, "last_season": last}
    free = ask.model_copy(update={"start_date": None, "end_date": None})
    if isinstance(free, GamesQuery):
        sql = _GAMES + _NEAREST_DAYS.format(rows=f"(SELECT * FROM sides {_where_result(free)})")
        found = await _fetch_games(sql, ask=free, reader=reader, more=given)
    else:
        parameters = _list_parameters(free)
        where = _where_clause(_list_filters(parameters).values())
        sql = _NEAREST_DAYS.format(rows=f"(SELECT * FROM linescore_period_results AS pr {where})")
        found = await reader.fetch(sql, parameters | given)
    return found.rows[0]["date_before"], found.rows[0]["date_after"]


async def months(*, reader: Pool) -> list[date]:
    """Fetch the first day of each month that has games, latest first."""
    return [row["month"] for row in (await reader.fetch(_MONTHS)).rows]


async def fetch_game_days(team_code: str, *, reader: Pool) -> list[date]:
    """Fetch the days on which a team played, latest first."""
    return [row["game_date"] for row in (await reader.fetch(_PLAYED, {"team_code": team_code})).rows]


async def seasons(*, reader: Pool) -> list[str]:
    """Fetch the seasons that have games, latest first."""
    return [row["season"] for row in (await reader.fetch(_SEASONS)).rows]
