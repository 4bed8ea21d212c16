"""What every source is read into, before it is checked and stored."""

import re
from dataclasses import dataclass, field
from datetime import date

MAX_NAME_LETTERS = 100


class NotReadable(ValueError):
    """A file or an answer is not what we read; the message says why, for a person."""


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
    """
    One game with its periods, in order.

    The final score (home, away) is what the source says beside the periods, where it says it: a check, not stored.
    """

    game_id: int
    season: str
    game_date: date
    game_kind: str
    home_team_code: str
    away_team_code: str
    periods: tuple[PeriodScore, ...]
    final_score: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Say which game this is, to a person."""
        return game_name(self.game_id, home=self.home_team_code, away=self.away_team_code, day=self.game_date)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalScore:
    """How a finished game ended (home, away), from a source that does not give its periods."""

    game_id: int
    name: str
    goals: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A game or a team that cannot be stored, by name, and why; with the game, where it could be read."""

    name: str
    reason: str
    game_id: int | None = None
    game: GameScore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedGame:
    """A game that is left out for now without fault of its own, and why."""

    name: str
    reason: str
    game_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRecord:
    """A team, listed in a file of teams, or only mentioned by a game."""

    team_code: str
    team_name: str
    city: str = ""
    arena: str = ""
    is_listed: bool = False

    @property
    def rank(self) -> int:
        """Order what sources say of one team: a file of teams, a name beside a game, a code alone."""
        return 2 if self.is_listed else int(self.team_name != self.team_code)


Record = GameScore | FinalScore | Refusal | SkippedGame | TeamRecord


def game_name(game_id: int | str, *, home: str, away: str, day: date | str | None) -> str:
    """Name a game as a person would look for it: id, visitors at hosts, day."""
    return printable(f"{game_id} ({away} at {home}{f', {day}' if day else ''})")


def is_team_code(text: str) -> bool:
    """Tell whether a text is three capital letters."""
    return re.fullmatch("[A-Z]{3}", text) is not None


def is_season(text: str) -> bool:
    """Tell whether a text is two years that follow each other, as 2024-2025."""
    found = re.fullmatch("([0-9]{4})-([0-9]{4})", text)
    return found is not None and int(found[2]) == int(found[1]) + 1


def is_short_line(text: str) -> bool:
    """Tell whether a text may be a name: one line that fits its column."""
    return len(text) <= MAX_NAME_LETTERS and text.isprintable()


def printable(text: str, *, most: int = 100) -> str:
    """Make a stranger's text safe to show on one line: no control characters, not endless."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:most])
    return f"{shown}..." if len(text) > most else shown
