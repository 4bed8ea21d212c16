"""Input and output models of the six hockey tools."""

import re
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel

from graphql_proxy.contracts import ASKING_ERRORS, UPSTREAM
from toolbox.contract.errors import KERNEL_ENVELOPE, ErrorCode, ToolError
from toolbox.contract.models import NullMeans, ToolInput, ToolOutput, WholeNumber

NOT_OFFERED = ErrorCode("NOT_OFFERED", 404, "The upstream lacks what the tool asks for.")
NOT_FOUND = ErrorCode("NOT_FOUND", 404, "Nothing of that name or id is known to the upstream.")
NOT_CONFIGURED = ErrorCode("NOT_CONFIGURED", 503, "The tool's document is missing, turned off or not usable.")
REFUSED_BY_UPSTREAM = ErrorCode("REFUSED_BY_UPSTREAM", 502, "The upstream answered the tool's document with errors.")
OPERATION_ERRORS = (*ASKING_ERRORS, NOT_OFFERED, NOT_FOUND, NOT_CONFIGURED, REFUSED_BY_UPSTREAM)

DEFAULT_LEAGUE = "nhl"
DEFAULT_LIMIT, MAX_ROWS = 20, 100
MAX_NAME = 100


def _season(value: str) -> str:
    """Accept 2024-2025, and refuse other forms with the likely season."""
    parts = re.fullmatch(r"([0-9]{4})-([0-9]{4})", value)
    if parts and int(parts[2]) == int(parts[1]) + 1:
        return value
    first = re.match(r"(?:19|20)[0-9]{2}", value)
    corrected = f"{first[0]}-{int(first[0]) + 1}" if first else ""
    raise ToolError(
        KERNEL_ENVELOPE.bad_input,
        f"season is two years that follow each other, not {value[:40]!r}.",
        suggestion=f"Use {corrected!r}." if corrected else "Use the form '2024-2025'.",
        field="season",
        retry_with={"season": corrected} if corrected else None,
    )


def _day(value: str, info: ValidationInfo) -> str:
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    name = to_camel(str(info.field_name))
    raise ToolError(
        KERNEL_ENVELOPE.bad_input,
        f"{name} is a day written as YYYY-MM-DD, not {value[:40]!r}.",
        suggestion="Use the form '2025-02-28', and a day of the calendar.",
        field=name,
    )


Limit = Annotated[WholeNumber, Field(ge=1, le=MAX_ROWS), NullMeans(DEFAULT_LIMIT)]
Season = Annotated[str, AfterValidator(_season), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{4}$"})]
Day = Annotated[str, AfterValidator(_day), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"})]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
League = Annotated[str, Field(min_length=1, max_length=60)]

_SEASON_FIELD = Field(None, description="The season, as '2024-2025'; the latest or all if not given.")
_LIMIT_FIELD = Field(DEFAULT_LIMIT, description="Most rows to answer.")
_LEAGUE_FIELD = Field(None, description="The league's slug, such as 'nhl'; all if not given.")
_ONE_LEAGUE_FIELD = Field(DEFAULT_LEAGUE, description="The league's slug, such as 'nhl', 'ahl' or 'shl'.")


class PlayerQuestion(ToolInput):
    """Which player, and which seasons."""

    player: Name = Field(description="The player's id or name, such as 'Sebastian Aho'.")
    season: Season | None = _SEASON_FIELD
    league: League | None = _LEAGUE_FIELD
    limit: Limit = _LIMIT_FIELD
    upstream: str | None = UPSTREAM


class TeamQuestion(ToolInput):
    """Which team, and which seasons."""

    team: Name = Field(description="The team's id or name, such as 'CAR' or 'Carolina Hurricanes'.")
    season: Season | None = _SEASON_FIELD
    league: League | None = _LEAGUE_FIELD
    limit: Limit = _LIMIT_FIELD
    upstream: str | None = UPSTREAM


class StandingsQuestion(ToolInput):
    """Which table."""

    league: League = _ONE_LEAGUE_FIELD
    season: Season | None = _SEASON_FIELD
    sort: Literal["GP", "W", "L", "OTW", "OTL", "PTS", "GF", "GA", "GD"] | None = Field(
        None, description="Order by this number, highest first; by position if not given."
    )
    limit: Limit = Field(40, description="Most rows to answer.")
    upstream: str | None = UPSTREAM


class LeadersQuestion(ToolInput):
    """Which leaders."""

    league: League = _ONE_LEAGUE_FIELD
    season: Season | None = _SEASON_FIELD
    position: Literal["skaters", "goalies"] = Field("skaters", description="Leaders among skaters or goalies.")
    stat: Literal["GP", "G", "A", "PTS", "PIM", "PM", "GAA", "SVP", "W", "SO"] | None = Field(
        None,
        description="Best at what: PTS for skaters and SVP for goalies if not given; for GAA the lowest are the best.",
    )
    limit: Limit = Field(10, description="Most rows to answer.")
    upstream: str | None = UPSTREAM

    def chosen_stat(self) -> str:
        """Return the stat to order by."""
        return self.stat or ("SVP" if self.position == "goalies" else "PTS")


class _DayRange(ToolInput):
    """Days that bound games."""

    date_from: Day | None = Field(None, description="First day of the games, as '2025-02-01'.")
    date_to: Day | None = Field(None, description="Last day of the games, included, as '2025-02-28'.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.date_from and self.date_to and self.date_from > self.date_to:
            raise ToolError(
                KERNEL_ENVELOPE.bad_input,
                f"dateFrom {self.date_from} is after dateTo {self.date_to}.",
                suggestion="Exchange the two days.",
                field="dateFrom",
                retry_with={"dateFrom": self.date_to, "dateTo": self.date_from},
            )
        return self


class GamesQuestion(_DayRange):
    """Which games."""

    team: Name | None = Field(None, description="A team's id or name; every team if not given.")
    opponent: Name | None = Field(None, description="Another team, for the games of both against each other.")
    season: Season | None = _SEASON_FIELD
    league: League | None = _LEAGUE_FIELD
    status: Literal["UPCOMING", "COMPLETED", "POSTPONED"] | None = Field(None, description="Only games in this state.")
    sort: Literal["newest", "oldest"] = Field("newest", description="Which games come first.")
    limit: Limit = _LIMIT_FIELD
    upstream: str | None = UPSTREAM

    @model_validator(mode="after")
    def _two_teams(self) -> Self:
        if self.opponent and not self.team:
            raise ToolError(
                KERNEL_ENVELOPE.bad_input,
                "opponent was given without team.",
                suggestion="Give the other team as team, or the one team as team alone.",
                field="opponent",
                retry_with={"team": self.opponent, "opponent": None} if self.opponent.isprintable() else None,
            )
        return self


class GameLogsQuestion(_DayRange):
    """Whose games."""

    player: Name | None = Field(None, description="A player's id or name.")
    team: Name | None = Field(None, description="A team's id or name; with player, games that were played for it.")
    opponent: Name | None = Field(None, description="Only games against this team.")
    season: Season | None = _SEASON_FIELD
    league: League | None = _LEAGUE_FIELD
    sort: Literal["newest", "oldest"] = Field("newest", description="Which games come first.")
    limit: Limit = _LIMIT_FIELD
    upstream: str | None = UPSTREAM

    @model_validator(mode="after")
    def _someone(self) -> Self:
        if not (self.player or self.team):
            raise ToolError(
                KERNEL_ENVELOPE.bad_input,
                "Neither player nor team was given.",
                suggestion="Give player for a player's games, or team for a team's.",
                field="player",
            )
        return self


class Clarification(ToolOutput):
    """A name that fits several; ask again with an id."""

    parameter: str = Field(description="The parameter whose value fits several.")
    question: str = Field(description="What has to be decided.")
    candidates: list[dict[str, Any]] = Field(description="What fits; give the id of one as the parameter.")


class OperationAnswer(ToolOutput):
    """Flat values, as few as say it."""

    upstream: str = Field(description="Which upstream was asked.")
    record: dict[str, Any] | None = Field(None, description="The one thing asked about; unknown values are absent.")
    rows: list[dict[str, Any]] = Field(description="One flat object a row; values that are not known are absent.")
    total: int | None = Field(None, description="How many rows the upstream has, where it says so.")
    clarification: Clarification | None = Field(None, description="Set instead of rows where a name fits several.")
    not_offered: list[str] = Field(
        description="What the upstream does not have of what the tool asks for, as Type.field.",
        serialization_alias="notOffered",
    )
    notes: list[str] = Field(description="Errors of the upstream about parts of the answer.")

    def row_count(self) -> int:
        """Count the rows."""
        return len(self.rows)
