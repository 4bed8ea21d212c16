"""Validation rules of a game. Pure: today's date and the known teams are arguments."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date

from linescore.ingest.franchises import FRANCHISES
from linescore.ingest.record import GameScore, is_season

REGULATION = 3
MAX_PERIODS = 15
MAX_GOALS_IN_A_PERIOD = 15
FIRST_SEASON_WITHOUT_TIES = "2005-2006"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a game is validated against: known teams, today, and what else the source says of it."""

    known_teams: Collection[str]
    today: date
    finals: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    contradicted: Collection[int] = ()


def refusal_reason(game: GameScore, *, around: Surroundings) -> str | None:
    """Describe the first rule that the game breaks; return None for a valid game."""
    for rule in (_identity, _teams, _day):
        if reason := rule(game, around=around):
            return reason
    for own_rule in (_which_periods, _kinds, _goals, _overtime, _shootout, _check_winner):
        if reason := own_rule(game):
            return reason
    return _final_score(game, around=around)


def _identity(game: GameScore, *, around: Surroundings) -> str | None:
    if not 0 < game.game_id < 2**63:
        return "its id is not one"
    if game.game_id in around.contradicted:
        return "it is there twice with different contents (in CSV, rows of one game stand together)"
    return None


def _teams(game: GameScore, *, around: Surroundings) -> str | None:
    for code in (game.home_team_code, game.away_team_code):
        if code not in around.known_teams:
            return f"unknown team {code}"
        if code in FRANCHISES and not (club := FRANCHISES[code]).has_season(game.season):
            return f"{code} played from {club.first_season} to {club.last_season}, not in {game.season}"
    return f"{game.home_team_code} plays itself" if game.home_team_code == game.away_team_code else None


def _day(game: GameScore, *, around: Surroundings) -> str | None:
    """Check that the day is in the season: August to September of the next year, when the playoffs of 2020 ended."""
    if game.game_date > around.today:
        return f"future date {game.game_date}"
    if not is_season(game.season):
        return f"season {game.season} is not one"
    first, second = map(int, game.season.split("-"))
    if not (first, 8) <= (game.game_date.year, game.game_date.month) <= (second, 9):
        return f"{game.game_date} is not in season {game.season}"
    return None


def _which_periods(game: GameScore) -> str | None:
    numbers = [period.period_number for period in game.periods]
    if len(set(numbers)) != len(numbers):
        return "a period is there twice"
    if strange := [number for number in numbers if not 1 <= number <= MAX_PERIODS]:
        return f"there is no period {strange[0]}"
    for number in range(1, max([REGULATION, *numbers]) + 1):
        if number not in numbers:
            return f"{'regulation ' if number <= REGULATION else ''}period {number} is missing"
    return None


def _kinds(game: GameScore) -> str | None:
    for period in game.periods:
        if period.period_kind not in _kinds_that_fit(period.period_number, game=game):
            return f"period {period.period_number} of a {game.game_kind} game cannot be {period.period_kind}"
    return None


def _kinds_that_fit(number: int, *, game: GameScore) -> tuple[str, ...]:
    if number <= REGULATION:
        return ("REG",)
    if game.game_kind == "POST" or number == REGULATION + 1:
        return ("OT",)
    return ("SO",) if number == REGULATION + 2 else ()


def _goals(game: GameScore) -> str | None:
    for period in game.periods:
        for goals, empty_net_goals in (
            (period.home_goals, period.home_empty_net_goals),
            (period.away_goals, period.away_empty_net_goals),
        ):
            if goals < 0 or empty_net_goals < 0:
                return f"negative goals in period {period.period_number}"
            if goals > MAX_GOALS_IN_A_PERIOD:
                return f"{goals} goals by one side in period {period.period_number}"
            if empty_net_goals > goals:
                return f"more empty-net goals than goals in period {period.period_number}"
    return None


def _overtime(game: GameScore) -> str | None:
    home, away = 0, 0
    for period in game.periods:
        if period.period_number > REGULATION and home != away:
            return f"period {period.period_number} of a game that was already won"
        if period.period_kind == "OT" and period.home_goals + period.away_goals > 1:
            return f"more than one goal in overtime (period {period.period_number})"
        home, away = home + period.home_goals, away + period.away_goals
    return None


def _shootout(game: GameScore) -> str | None:
    for period in game.periods:
        if period.period_kind == "SO":
            if {period.home_goals, period.away_goals} != {0, 1}:
                return "a shootout counts 1-0 to its winner"
            if period.home_empty_net_goals + period.away_empty_net_goals:
                return "empty-net goals in a shootout"
    return None


def _check_winner(game: GameScore) -> str | None:
    home, away = _sum(game)
    can_tie = game.game_kind == "PRE" or (game.game_kind == "REG" and game.season < FIRST_SEASON_WITHOUT_TIES)
    return f"it ends {home}-{away}, without a winner" if home == away and not can_tie else None


def _final_score(game: GameScore, *, around: Surroundings) -> str | None:
    for final in (game.final_score, around.finals.get(game.game_id)):
        if final and final != _sum(game):
            stated, summed = (f"{home}-{away}" for home, away in (final, _sum(game)))
            return f"the two teams' goals are not mirrored: final score {stated}, but the periods add up to {summed}"
    return None


def _sum(game: GameScore) -> tuple[int, int]:
    return sum(period.home_goals for period in game.periods), sum(period.away_goals for period in game.periods)
