"""
Models of the NHL web API's documents, with only the fields that are used.

The API is public but undocumented and may add fields, so other fields are ignored. A text is "FLA" in one document
and {"default": "FLA"} in another.
"""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel


def _default_of(value: Any) -> Any:
    return value.get("default", "") if isinstance(value, dict) else value


Words = Annotated[str, BeforeValidator(_default_of)]


class Document(BaseModel):
    """Base of models with camelCase names; unknown fields are ignored."""

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
        """Join place and name, as in "Carolina Hurricanes"; return "" if the document lacks one of them."""
        name = self.common_name or self.name
        if not name or not self.place_name:
            return ""
        return name if name.startswith(self.place_name) else f"{self.place_name} {name}"


class PeriodDescriptor(Document):
    """A period's type (REG, OT or SO) and its number, counted from 1 through overtime."""

    number: int
    period_type: str = "REG"


class GameOutcome(Document):
    """The last period type of a finished game."""

    last_period_type: str
    ot_periods: int = 0


class GameHead(Document):
    """The fields of a game that every document has; in a schedule the date is in the enclosing day."""

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
    """The summary of a finished game in /landing."""

    scoring: list[ScoringPeriod]


class LandingPage(GameHead):
    """A game of /gamecenter/{id}/landing; it has no summary until it is played."""

    summary: Summary | None = None


class PlayDetails(Document):
    """The team of the play and the opposing goalkeeper, null if the net was empty."""

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
    """A day of /schedule/{date}; its games are validated one by one."""

    date: date
    games: list[Any] = []


class SchedulePage(Document):
    """A week of /schedule/{date} and the start of the next one."""

    next_start_date: date | None = None
    game_week: list[ScheduleDay]
