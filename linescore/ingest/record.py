"""A game as every source is read into, before it is checked and stored."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodScore:
    """One period, both sides; the columns of linescore.models.Period."""

    period_number: int
    period_kind: str
    home_goals: int
    away_goals: int
    home_empty_net_goals: int = 0
    away_empty_net_goals: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScore:
    """One game with its periods, in order."""

    game_id: int
    season: str
    game_date: date
    game_kind: str
    home_team_code: str
    away_team_code: str
    periods: tuple[PeriodScore, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedGame:
    """A game that cannot be stored, by name, and why."""

    name: str
    reason: str
