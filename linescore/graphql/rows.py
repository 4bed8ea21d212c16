"""Conversion of database rows to types of the API. Pure."""

from datetime import date
from typing import Any

import strawberry

from linescore.graphql.queries import Row
from linescore.graphql.vocabulary import (
    Arena,
    Game,
    GameLog,
    GameLogOutcome,
    GameStatus,
    GameType,
    LeagueSeason,
    Livescore,
    LivescorePeriodScore,
    LivescorePeriodScoreType,
    RegularTeamStats,
    ScoreType,
    Season,
    SeasonType,
    Team,
    TeamStats,
    the_league,
)


def team_of(row: Row) -> Team:
    """Build a team from a row."""
    return _team(row["team_code"], name=row["team_name"], city=row["city"], arena=row["arena"])


def game_of(row: Row) -> Game:
    """Build a game with both teams, score and periods from a row."""
    home = _team(row["home_team_code"], name=row["home_team_name"], city=row["home_city"], arena=row["home_arena"])
    away = _team(row["away_team_code"], name=row["away_team_name"], city=row["away_city"], arena=row["away_arena"])
    played_on: date = row["game_date"]
    periods = row["periods"] or []
    return Game(
        id=strawberry.ID(str(row["game_id"])),
        played_on=played_on,
        season=Season.from_slug(row["season"]),
        season_type=SeasonType(row["game_kind"]),
        league=the_league(),
        home_team=home,
        home_team_name=home.name,
        visiting_team=away,
        visiting_team_name=away.name,
        status=GameStatus.COMPLETED if periods else GameStatus.UPCOMING,
        score_type=ScoreType(row["ended"]) if row["ended"] else None,
        home_team_score=row["home_score"],
        visiting_team_score=row["away_score"],
        livescore=Livescore(period_scores=[_period(*period) for period in periods]) if periods else None,
    )


def game_log_of(row: Row) -> GameLog:
    """Build a game log from a row: the game from one team's side."""
    game = game_of(row)
    at_home = row["team_code"] == row["home_team_code"]
    own, other = (game.home_team, game.visiting_team) if at_home else (game.visiting_team, game.home_team)
    scores = (game.home_team_score, game.visiting_team_score)
    score, against = scores if at_home else scores[::-1]
    return GameLog(
        id=strawberry.ID(f"{row['game_id']}-{row['team_code']}"),
        game=game,
        team=own,
        team_name=own.name if own else None,
        opponent=other,
        opponent_name=other.name if other else None,
        game_type=GameType.home if at_home else GameType.away,
        team_score=score,
        opponent_score=against,
        outcome=_outcome(score, against),
    )


def read_standing(row: Row) -> TeamStats:
    """Build a line of the standings from a row."""
    league = the_league()
    columns = ("gp", "w", "losses", "ties", "otw", "otl", "pts", "gf", "ga", "gd")
    numbers: dict[str, Any] = {name: row[name] for name in columns}
    return TeamStats(
        id=strawberry.ID(f"{row['season']}-{row['team_code']}"),
        season=Season.from_slug(row["season"]),
        team=team_of(row),
        team_name=row["team_name"],
        league=league,
        league_slug=league.slug,
        league_name=league.name,
        position=str(row["position"]),
        stats=RegularTeamStats(**numbers),
    )


def league_season(slug: str) -> LeagueSeason:
    """Build a season of the league."""
    season, league = Season.from_slug(slug), the_league()
    return LeagueSeason(
        slug=slug,
        start_year=season.start_year,
        end_year=season.end_year,
        league_slug=league.slug,
        league_name=league.name,
    )


def _team(code: str, *, name: str, city: str, arena: str) -> Team:
    return Team(
        id=strawberry.ID(code),
        name=name,
        full_name=name,
        city=city or None,
        league=the_league(),
        arena=Arena(name=arena) if arena else None,
    )


def _period(number: int, home: int, away: int, kind: str) -> LivescorePeriodScore:
    of = LivescorePeriodScoreType(kind)
    return LivescorePeriodScore(period=number, home_team_score=home, visiting_team_score=away, type=of)


def _outcome(score: int | None, against: int | None) -> GameLogOutcome | None:
    if score is None or against is None:
        return None
    return GameLogOutcome.W if score > against else GameLogOutcome.L if score < against else GameLogOutcome.T
