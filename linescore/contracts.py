"""Input and output models and the error envelope of `query_linescore_data` and `list_game_results`."""

import re
from calendar import monthrange
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SkipValidation,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel

from toolbox.contract.errors import ErrorCode, ErrorEnvelope, Schema, ToolError, make_object_schema, merge_details
from toolbox.contract.models import NullMeans, ToolInput, ToolOutput, WholeNumber

DEFAULT_LIMIT = 100
MAX_ROWS = 1000
MAX_PAGE = 100_000

INVALID_PARAMETER = ErrorCode("INVALID_PARAMETER", 400, "A parameter is unknown or of the wrong form.")
INVALID_TEAM_CODE = ErrorCode("INVALID_TEAM_CODE", 400, "The team is not in the database.")
INVALID_DATE = ErrorCode("INVALID_DATE", 400, "A date is not YYYY-MM-DD, or not in the calendar.")
INVALID_DATE_RANGE = ErrorCode("INVALID_DATE_RANGE", 400, "The start date is after the end date.")
INVALID_SEASON = ErrorCode("INVALID_SEASON", 400, "The season is not two years that follow each other.")
NO_RESULTS = ErrorCode("NO_RESULTS", 404, "The filters are good, and no game fits them.")
QUERY_TIMEOUT = ErrorCode("QUERY_TIMEOUT", 504, "The query took longer than 5 s.")
DATABASE_ERROR = ErrorCode("DATABASE_ERROR", 503, "The database cannot be reached.")
INTERNAL_ERROR = ErrorCode("INTERNAL_ERROR", 500, "The tool failed in a way nobody planned.")

ErrorType = Literal["QUERY_ERROR", "VALIDATION_ERROR", "DATABASE_ERROR"]


class LinescoreErrorEnvelope(ErrorEnvelope):
    """`{success, data}` or `{success, error: {type, message, field?, details, suggestion}}`; the code is in details."""

    bad_input = INVALID_PARAMETER
    timeout = QUERY_TIMEOUT
    database_down = DATABASE_ERROR
    crash = INTERNAL_ERROR

    def success(self, answer: object) -> object:
        """Wrap an answer in the contract's success envelope."""
        return {"success": True, "data": answer}

    def refusal(self, error: ToolError) -> object:
        """Render an error in the contract's error envelope."""
        body: dict[str, Any] = {"type": error_type(error.code), "message": error.message}
        if error.field:
            body["field"] = error.field
        body["details"] = {"code": error.code.code, **merge_details(error)}
        body["suggestion"] = error.suggestion
        return {"success": False, "error": body}

    def success_schema(self, answer: Schema) -> Schema:
        """Return the JSON Schema of a success."""
        success = {"type": "boolean", "const": True, "description": "The question was answered."}
        data = {**answer, "description": "The rows and what is known about the query."}
        return make_object_schema({"success": success, "data": data}, required=["success", "data"])

    def refusal_schema(self) -> Schema:
        """Return the JSON Schema of an error."""
        types = ["QUERY_ERROR", "VALIDATION_ERROR", "DATABASE_ERROR"]
        error = make_object_schema(
            {
                "type": {"type": "string", "enum": types, "description": "What kind of error it is."},
                "message": {"type": "string", "description": "What went wrong."},
                "field": {"type": "string", "description": "The parameter at fault."},
                "details": {
                    "type": "object",
                    "description": "The finer code; retryWith, merged into the parameters, fixes the call.",
                },
                "suggestion": {"type": "string", "description": "What to do next."},
            },
            required=["type", "message", "suggestion"],
            description="Why there is no answer.",
        )
        success = {"type": "boolean", "const": False, "description": "The question was not answered."}
        return make_object_schema({"success": success, "error": error}, required=["success", "error"])


def error_type(code: ErrorCode) -> ErrorType:
    """Map an error code to one of the contract's three error types."""
    if code is DATABASE_ERROR:
        return "DATABASE_ERROR"
    return "VALIDATION_ERROR" if code.status in (400, 413) else "QUERY_ERROR"


def _team_code(value: object) -> object:
    return None if value == "null" else value


def _calendar_date(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    field, fixed = to_camel(str(info.field_name)), _nearest_day(value)
    raise ToolError(
        INVALID_DATE,
        f"{field} is not a day of the calendar as YYYY-MM-DD: {value[:40]!r}.",
        suggestion=f"Use '{fixed}'." if fixed else "Use the form YYYY-MM-DD, such as '2025-02-28'.",
        field=field,
        retry_with={field: str(fixed)} if fixed else None,
    )


def _nearest_day(text: str) -> date | None:
    """Parse year, month and day in that order, with any separator; clamp a day past the month's end to its last day."""
    parts = re.match(r"\s*([0-9]{4})\D?([0-9]{1,2})\D?([0-9]{1,2})(?![0-9])", text)
    if parts is None:
        return None
    year, month, day = map(int, parts.groups())
    if not year or month not in range(1, 13):
        return None
    return date(year, month, min(max(day, 1), monthrange(year, month)[1]))


def _season(value: str) -> str:
    parts = re.fullmatch(r"([0-9]{4})-([0-9]{4})", value)
    if parts and int(parts[2]) == int(parts[1]) + 1:
        return value
    first = re.match(r"[0-9]{4}", value)
    fixed = f"{first[0]}-{int(first[0]) + 1:04}" if first and first[0] != "9999" else ""
    raise ToolError(
        INVALID_SEASON,
        f"A season is two years that follow each other, not {value[:40]!r}.",
        suggestion=f"Use '{fixed}'." if fixed else "Use the form YYYY-YYYY, such as '2024-2025'.",
        field="season",
        retry_with={"season": fixed} if fixed else None,
    )


def _clamp_limit(value: int) -> int:
    return min(max(value, 1), MAX_ROWS)


CalendarDate = Annotated[
    date,
    BeforeValidator(_calendar_date),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}),
]
Limit = Annotated[
    WholeNumber,
    AfterValidator(_clamp_limit),
    WithJsonSchema({"type": "number", "multipleOf": 1, "minimum": 1, "maximum": MAX_ROWS}),
    NullMeans(DEFAULT_LIMIT),
]


Season = Annotated[str, AfterValidator(_season), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{4}$"})]
Team = Annotated[str | None, BeforeValidator(_team_code)]
TEAM_SCHEMA: dict[str, Any] = {"type": ["string", "null"], "pattern": "^[A-Z]{3}$|^null$"}


class GameFilters(ToolInput):
    """Which games, and which page of the answer. Every filter given is applied."""

    team_code: Team = Field(
        None,
        description="The team by the NHL's three letters, such as 'CAR', 'TBL' or 'DAL'; null for all teams.",
        json_schema_extra=TEAM_SCHEMA,
    )
    start_date: CalendarDate | None = Field(None, description="First day of the games, as YYYY-MM-DD.")
    end_date: CalendarDate | None = Field(
        None, description="Last day of the games, as YYYY-MM-DD; not before startDate."
    )
    opponent: Team = Field(None, description="The other team.", json_schema_extra=TEAM_SCHEMA)
    venue: Literal["home", "away"] | None = Field(None, description="Where the team played.")
    season: Season | None = Field(None, description="The season, as '2024-2025'.")
    limit: Limit = Field(DEFAULT_LIMIT, description="Most rows to answer; 100 if not given, 1000 at most.")
    page: WholeNumber = Field(1, ge=1, le=MAX_PAGE, description="Page of rows.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start_date and self.end_date and self.start_date > self.end_date:
            raise ToolError(
                INVALID_DATE_RANGE,
                f"startDate {self.start_date} is after endDate {self.end_date}.",
                suggestion="Start date must be before or equal to end date",
                field="startDate",
                retry_with={"startDate": str(self.end_date), "endDate": str(self.start_date)},
            )
        return self

    @model_validator(mode="after")
    def _has_two_teams(self) -> Self:
        if self.team_code is not None and self.team_code == self.opponent:
            raise ToolError(
                INVALID_PARAMETER,
                f"opponent {self.opponent[:40]!r} is teamCode itself.",
                suggestion="Give the other team, or leave opponent out.",
                field="opponent",
                retry_with={"opponent": None},
            )
        return self

    def filters(self) -> list[str]:
        """Return the names of the given filters, as the contract's `filters_applied`."""
        dates = [] if self.start_date is None and self.end_date is None else ["dateRange"]
        own = [name for name in type(self).model_fields if name not in _NO_FILTERS and getattr(self, name) is not None]
        names = sorted(map(to_camel, own), key=lambda name: name == "season")
        return names[: names.count("teamCode")] + dates + names[names.count("teamCode") :]


_NO_FILTERS = ("start_date", "end_date", "limit", "page")


class LinescoreQuery(GameFilters):
    """Filters over period results. All are optional; every one given is applied."""

    period_outcome: Literal["WIN", "LOSS", "TIE"] | None = Field(
        None,
        description="Keep periods that ended so for the team; without teamCode, rank the teams by their number.",
        json_schema_extra={"type": ["string", "null"], "enum": ["WIN", "LOSS", "TIE", None]},
    )
    won_two_plus_reg_periods: bool | None = Field(
        None,
        description="true: games in which the team won two or three regulation periods; false: the others.",
    )


class GamesQuery(GameFilters):
    """Filters over whole games."""

    result: Literal["WIN", "LOSS", "OT_LOSS", "TIE"] | None = Field(
        None, description="How the game ended for teamCode; OT_LOSS: lost in overtime or shootout, regular season."
    )

    @model_validator(mode="after")
    def _names_team(self) -> Self:
        needs_team = [name for name in ("venue", "result") if getattr(self, name) is not None]
        if self.team_code is None and needs_team:
            raise ToolError(
                INVALID_PARAMETER,
                f"{' and '.join(needs_team)} can be asked of one team only.",
                suggestion="Give teamCode too.",
                field="teamCode",
            )
        return self


class QueryMetadata(ToolOutput):
    """How the rows were found."""

    execution_time_ms: float = Field(description="Milliseconds that the database took.")
    was_limited: bool = Field(description="True if there were more rows than the limit let through.")
    filters_applied: list[str] = Field(description="The filters that were used.")
    counted: str | None = Field(None, description="What the numbers count. Absent where rows are single periods.")
    missing_games: dict[str, int] | None = Field(
        None, description="Games that the rows lack, by season: their source was refused. Absent where none is known."
    )


class LinescoreRows(ToolOutput):
    """Rows whose columns follow the question: periods, a ranking of teams, or games."""

    results: SkipValidation[list[dict[str, Any]]] = Field(
        description=(
            "One object a row. Periods: game_date, home_team_code, away_team_code, period_number, goals_for, "
            "goals_against, empty_net_goals, period_outcome (and team_code, when no team was asked for), oldest first. "
            "Ranking: team_code, team_name, periods_won, most first. Games: game_date, team_code, home_team_code, "
            "away_team_code, regulation_periods_won, newest first."
        )
    )
    count: int = Field(description="Number of rows answered.")
    query_metadata: QueryMetadata = Field(description="How the rows were found.")

    def row_count(self) -> int:
        """Count the rows."""
        return self.count


class TeamRecord(ToolOutput):
    """How a team's games ended."""

    games: int = Field(description="Games played.")
    wins: int = Field(description="Won, in regulation, overtime or shootout.")
    losses: int = Field(description="Lost in regulation, or in a playoff's overtime.")
    overtime_losses: int = Field(description="Lost in overtime or shootout of the regular season.")
    ties: int = Field(description="Ended level, before 2005-2006.")
    goals_for: int = Field(description="Goals of the team; a shootout that it won counts one.")
    goals_against: int = Field(description="Goals of its opponents.")
    periods_won: int = Field(description="Periods won; overtime and shootout count as periods.")
    periods_lost: int = Field(description="Periods lost, counted alike.")
    periods_tied: int = Field(description="Periods level, counted alike.")


class GameResults(ToolOutput):
    """Games with their final scores, and the team's record over all that fit."""

    record: TeamRecord | None = Field(
        description="Of teamCode, over all its games that fit the filters but result, whatever the page; else null."
    )
    results: SkipValidation[list[dict[str, Any]]] = Field(
        description=(
            "One object a game, latest first: game_id, game_date, season, home_team_code, away_team_code, home_goals, "
            "away_goals, decided_in (REG, OT or SO), result (of teamCode, else null)."
        )
    )
    count: int = Field(description="Number of games answered.")
    query_metadata: QueryMetadata = Field(description="How the rows were found.")

    def row_count(self) -> int:
        """Count the rows."""
        return self.count
