"""
The NHL web API's own documents, as far as we read them.

The API is public and not documented; it adds fields at will, so only what is needed is declared and the rest ignored.
Text comes as "FLA" in one document and as {"default": "FLA"} in another.
"""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel


def _default_of(value: Any) -> Any:
    return value.get("default", "") if isinstance(value, dict) else value


Words = Annotated[str, BeforeValidator(_default_of)]


class Document(BaseModel):
    """A piece of JSON in camelCase, of which some fields are read."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True)


class Side(Document):
    """One of the two teams of a game."""

    id: int = 0
    abbrev: Words
    score: int | None = None
    place_name: Words = ""
    common_name: Words = ""
    name: Words = ""

    @property
    def full_name(self) -> str:
        """Join place and name, as "Carolina Hurricanes"; empty where the document does not give both."""
        name = self.common_name or self.name
        if not name or not self.place_name:
            return ""
        return name if name.startswith(self.place_name) else f"{self.place_name} {name}"


class PeriodDescriptor(Document):
    """Which period: REG, OT or SO, counted from 1 through overtime."""

    number: int
    period_type: str = "REG"


class GameOutcome(Document):
    """How far a finished game went."""

    last_period_type: str
    ot_periods: int = 0


class GameHead(Document):
    """What every document says about a game; in a schedule the day stands above it."""

    id: int
    season: int
    game_type: int
    game_date: date | None = None
    game_state: str
    game_schedule_state: str = "OK"
    home_team: Side
    away_team: Side
    period_descriptor: PeriodDescriptor | None = None
    game_outcome: GameOutcome | None = None


class Goal(Document):
    """A goal of /score and /landing."""

    period: int | None = None
    period_descriptor: PeriodDescriptor | None = None
    team_abbrev: Words
    goal_modifier: str = "none"


class DayGame(GameHead):
    """A game of /score/{date}."""

    goals: list[Goal] = []


class ScoringPeriod(Document):
    """The goals of one period, in /landing."""

    period_descriptor: PeriodDescriptor
    goals: list[Goal] = []


class Summary(Document):
    """What a finished game's /landing sums up."""

    scoring: list[ScoringPeriod]


class LandingPage(GameHead):
    """A game of /gamecenter/{id}/landing; without summary until it is played."""

    summary: Summary | None = None


class PlayDetails(Document):
    """Who did it, and the goalkeeper it was done to (none where the net was empty)."""

    event_owner_team_id: int | None = None
    goalie_in_net_id: int | None = None


class Play(Document):
    """One event of a game."""

    period_descriptor: PeriodDescriptor
    type_desc_key: str = ""
    situation_code: str = ""
    details: PlayDetails | None = None


class PlayByPlay(GameHead):
    """A game of /gamecenter/{id}/play-by-play."""

    plays: list[Play]


class ScheduleDay(Document):
    """A day of /schedule/{date}; its games are read one by one."""

    date: date
    games: list[Any] = []


class SchedulePage(Document):
    """A week of /schedule/{date}, and where the next one starts."""

    next_start_date: date | None = None
    game_week: list[ScheduleDay]
