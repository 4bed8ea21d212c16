"""Records that every source is parsed into, before validation and storage."""

import re
from dataclasses import dataclass, field
from datetime import date

MAX_NAME_LETTERS = 100


class NotReadable(ValueError):
    """A file or a response of an unknown format; the message says why, for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodScore:
    """One period with both teams' goals; the columns of linescore.models.Period."""

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

    The final score (home, away) is set if the source gives it beside the periods; it is only a check and is not stored.
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
        """Describe the game for a person."""
        return game_name(self.game_id, home=self.home_team_code, away=self.away_team_code, day=self.game_date)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalScore:
    """How a finished game ended (home, away), from a source that does not give its periods."""

    game_id: int
    name: str
    goals: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A game or a team that cannot be stored, with its name, the reason and, if it could be parsed, the game."""

    name: str
    reason: str
    game_id: int | None = None
    game: GameScore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedGame:
    """A valid game that is not stored for now, with the reason."""

    name: str
    reason: str
    game_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRecord:
    """A team that a file of teams lists or a game mentions."""

    team_code: str
    team_name: str
    city: str = ""
    arena: str = ""
    is_listed: bool = False

    @property
    def rank(self) -> int:
        """Rank the record among records of the same team: a file of teams, a name beside a game, a code alone."""
        return 2 if self.is_listed else int(self.team_name != self.team_code)


Record = GameScore | FinalScore | Refusal | SkippedGame | TeamRecord


def game_name(game_id: int | str, *, home: str, away: str, day: date | str | None) -> str:
    """Describe a game for a person: id, visitors at hosts, day."""
    return printable(f"{game_id} ({away} at {home}{f', {day}' if day else ''})")


def is_team_code(text: str) -> bool:
    """Return whether a text is three capital letters."""
    return re.fullmatch("[A-Z]{3}", text) is not None


def is_season(text: str) -> bool:
    """Return whether a text is two consecutive years, such as 2024-2025."""
    found = re.fullmatch("([0-9]{4})-([0-9]{4})", text)
    return found is not None and int(found[2]) == int(found[1]) + 1


def is_short_line(text: str) -> bool:
    """Return whether a text can be a name: one line that fits its column."""
    return len(text) <= MAX_NAME_LETTERS and text.isprintable()


def printable(text: str, *, most: int = 100) -> str:
    """Make untrusted text safe to show on one line: replace control characters and truncate."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:most])
    return f"{shown}..." if len(text) > most else shown
