"""A question about games, the tool calls that answer it, and the same question in words."""

from dataclasses import dataclass
from typing import Any, Literal

Measure = Literal["record", "games", "periods", "ranking", "two_plus"]
Ending = Literal["REG", "BEYOND", "OT", "SO"]

MAX_ROWS = 1000
RECORD_ROWS = 100
RANKED = 10

_PERIODS = {1: "first", 2: "second", 3: "third"}
_ENDINGS = {"REG": "in regulation", "BEYOND": "in overtime or a shootout", "OT": "in overtime", "SO": "in a shootout"}
_VERBS = {"WIN": ("win", "won", "wins"), "LOSS": ("lose", "lost", "losses"), "TIE": ("tie", "tied", "ties")}
_PLAYED = ("play", "played", "games")


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team: its code and its name."""

    code: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """
    The days or the season that a question is about, in words that follow a verb ("in January 2025").

    `is_day` means one day; `is_default` that the question does not say it.
    """

    label: str
    arguments: tuple[tuple[str, str], ...]
    is_day: bool = False
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GameQuestion:
    """
    What is asked of which games.

    `teams` has two only to set one beside the other; `opponent` is whom they played. `outcome` and `ending` keep the
    games that ended so; in a ranking, and with `two_plus`, the outcome is that of periods. `period` is one of three.
    `latest` keeps that many of the latest games; with `by_margin`, of those with the largest margin.
    """

    measure: Measure
    span: TimeSpan
    teams: tuple[Team, ...] = ()
    opponent: Team | None = None
    venue: Literal["home", "away"] | None = None
    outcome: Literal["WIN", "LOSS", "TIE"] | None = None
    ending: Ending | None = None
    period: int | None = None
    latest: int | None = None
    by_margin: bool = False

    @property
    def calls(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Return the tool and the arguments of each call: one, or one for each of two teams."""
        return tuple(self._plan(team) for team in self.teams) or (self._plan(None),)

    def _plan(self, team: Team | None) -> tuple[str, dict[str, Any]]:
        filters: dict[str, Any] = dict(self.span.arguments)
        if team:
            filters["teamCode"] = team.code
        if self.opponent:
            filters["opponent"] = self.opponent.code
        if self.venue:
            filters["venue"] = self.venue
        if self.measure == "ranking":
            return "query_linescore_data", filters | {"periodOutcome": self.outcome, "limit": RANKED}
        if self.measure == "two_plus":
            return "query_linescore_data", filters | {"wonTwoPlusRegPeriods": True, "limit": MAX_ROWS}
        if self.measure == "periods":
            return "query_linescore_data", filters | {"limit": MAX_ROWS}
        return "list_game_results", filters | {"limit": RECORD_ROWS if self.measure == "record" else MAX_ROWS}

    @property
    def scope(self) -> str:
        """Return the filters in words, with a space before them: " at home against Boston Bruins in January 2025"."""
        venue = {"home": " at home", "away": " away"}.get(self.venue or "", "")
        against = f" against {self.opponent.name}" if self.opponent else ""
        return f"{venue}{against} {self.span.label}"

    @property
    def names(self) -> str:
        """Return the teams' names."""
        return " and ".join(team.name for team in self.teams)

    def __str__(self) -> str:
        """Write the question in words that are read as the same question."""
        if self.measure == "record":
            return f"How did {self.names} do{self.scope}?"
        if self.measure == "periods":
            part = f" in the {_PERIODS[self.period]} period" if self.period else " period by period"
            return f"How did {self.names} do{part}{self.scope}?"
        if self.measure == "ranking":
            return f"Which teams {_VERBS[self.outcome or 'WIN'][1]} the most periods{self.scope}?"
        if self.measure == "two_plus":
            who = f"How often did {self.names} win" if self.teams else "Which teams won"
            return f"{who} two or more regulation periods{self.scope}?"
        return self._write_games()

    def _write_games(self) -> str:
        ending = f" {_ENDINGS[self.ending]}" if self.ending else ""
        verb, _, plural = _VERBS.get(self.outcome or "", _PLAYED)
        if not self.teams:
            return f"Which games were {'decided' if ending else 'played'}{ending}{self.scope}?"
        if self.latest:
            kind = "biggest" if self.by_margin else "last"
            return f"What were the {kind} {self.latest} {plural} of {self.names}{ending}{self.scope}?"
        if ending and not self.outcome:
            return f"Which games of {self.names} were decided{ending}{self.scope}?"
        return f"Which games did {self.names} {verb}{ending}{self.scope}?"


def describe_ending(ending: str) -> str:
    """Return an ending in words: "in overtime or a shootout"."""
    return _ENDINGS[ending]


def describe_period(number: int) -> str:
    """Return the name of a period of regulation."""
    return _PERIODS[number]


def past_of(outcome: str | None) -> str:
    """Return the past of an outcome's verb: "won", "lost", "tied"; "played" for None."""
    return _VERBS.get(outcome or "", _PLAYED)[1]
