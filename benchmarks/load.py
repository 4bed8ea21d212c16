"""
Load ten seasons: the shipped one, and nine copies, each a year earlier.

The copies have their own ids, seasons and dates; teams and results stay, so that every question has as many rows as on
real data, in a table ten times as large.
"""

from dataclasses import dataclass

from django.db import connection

from linescore.ingest.samples import load_samples

COPIES = 9

_COPY_GAMES = """
INSERT INTO linescore_games (game_id, season, game_date, game_kind, home_team_code, away_team_code)
SELECT
  game_id - years * 1000000,
  (left(season, 4)::int - years) || '-' || (right(season, 4)::int - years),
  (game_date - make_interval(years => years))::date,
  game_kind,
  home_team_code,
  away_team_code
FROM linescore_games
CROSS JOIN generate_series(1, %(copies)s) AS years
"""

_COPY_PERIODS = """
INSERT INTO linescore_periods (
  game_id, period_number, period_kind, home_goals, away_goals, home_empty_net_goals, away_empty_net_goals
)
SELECT
  game_id - years * 1000000, period_number, period_kind, home_goals, away_goals, home_empty_net_goals,
  away_empty_net_goals
FROM linescore_periods
CROSS JOIN generate_series(1, %(copies)s) AS years
"""

_COUNT = """
SELECT
  (SELECT count(*) FROM linescore_games),
  (SELECT count(*) FROM linescore_periods),
  (SELECT count(*) FROM linescore_period_results)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The numbers of loaded rows."""

    games: int
    periods: int
    results: int


def load_ten_seasons() -> Loaded:
    """Fill an empty database through Django's connection; leaves it vacuumed and analysed."""
    load_samples()
    with connection.cursor() as cursor:
        cursor.execute(_COPY_GAMES, {"copies": COPIES})
        cursor.execute(_COPY_PERIODS, {"copies": COPIES})
        # As autovacuum does within a minute: statistics, and the visibility map for index-only scans.
        cursor.execute("VACUUM ANALYZE linescore_teams, linescore_games, linescore_periods, linescore_period_results")
        cursor.execute(_COUNT)
        games, periods, results = cursor.fetchone()
    return Loaded(games=games, periods=periods, results=results)
