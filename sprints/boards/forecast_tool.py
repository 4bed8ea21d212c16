"""Our own tool `forecast_completion`."""

import asyncio
from datetime import date, datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from sprints.boards import queries
from sprints.boards.forecasts import TRIALS, CannotForecast, Throughput, forecast, sprint_throughput, weekly_throughput
from sprints.contracts import CamelAnswer
from toolbox.contract.errors import ErrorCode, ToolError
from toolbox.contract.models import ToolInput, WholeNumber
from toolbox.database.pools import Pool

UNKNOWN_TEAM = ErrorCode("UNKNOWN_TEAM", 400, "No team, or more than one, has this key or name.")
NO_FORECAST = ErrorCode("NO_FORECAST", 400, "The team's history does not say when the work will be done.")
MAX_AMOUNT = 100_000


class ForecastQuestion(ToolInput):
    """How much work, of which team, by which past."""

    team: str = Field(description="The team's key or name, as ACCEL.", min_length=1, max_length=200)
    points: float | None = Field(None, description="Story points to be done; if not issues.", gt=0, le=MAX_AMOUNT)
    issues: WholeNumber | None = Field(None, description="Issues to be done; if not points.", gt=0, le=MAX_AMOUNT)
    basis: Literal["weeks", "sprints"] = Field(
        "weeks", description="What is drawn from the past: weeks before the latest data, or closed sprints."
    )
    history: WholeNumber = Field(12, description="How many past weeks or sprints, at most.", ge=4, le=52)

    @model_validator(mode="after")
    def check_one_amount(self) -> Self:
        """Refuse both amounts, or neither."""
        if (self.points is None) == (self.issues is None):
            raise ValueError("give either points or issues")
        return self


class ForecastDate(CamelAnswer):
    """When the work is done with this likelihood."""

    likelihood_percent: int = Field(description="In how many of 100 trials the work is done by then.")
    periods: int = Field(description="Weeks or sprints from asOf.")
    done_by: date = Field(description="The day, UTC.")


class ForecastResult(CamelAnswer):
    """When the work will be done, as a range."""

    team: str = Field(description="The team's key.")
    amount: float = Field(description="How much is to be done.")
    unit: Literal["points", "issues"] = Field(description="What the amount is counted in.")
    as_of: datetime = Field(description="The latest moment of the team's data; the forecast counts from it.")
    forecast: list[ForecastDate] = Field(description="The dates for 50, 85 and 95 %.")
    past_throughput: list[float] = Field(description="What was done in each past period, the oldest first.")
    period_days: float = Field(description="Days in a period.")
    assumptions: list[str] = Field(description="What the forecast takes for granted.")


async def forecast_completion(ask: ForecastQuestion, *, reader: Pool) -> ForecastResult:
    """Forecast from the team's history. Runs three statements."""
    found = await queries.find_teams(reader, name=ask.team)
    if len(found) != 1:
        raise await _unknown_team(ask.team, found=len(found), reader=reader)
    team, unit = found[0], "points" if ask.points is not None else "issues"
    rows = await queries.read_throughput(reader, team_id=team["team_id"], basis=ask.basis, most=ask.history)
    throughput = (weekly_throughput if ask.basis == "weeks" else sprint_throughput)(rows, unit=unit)
    amount = float(ask.points if ask.points is not None else ask.issues or 0)
    try:
        dates = await asyncio.to_thread(forecast, amount, throughput=throughput, as_of=team["data_as_of"])
    except CannotForecast as reason:
        raise ToolError(
            NO_FORECAST, f"No forecast for {team['team_key']}: {reason}.", suggestion=reason.suggestion,
            details={"pastThroughput": list(throughput.amounts)},
        ) from reason  # fmt: skip
    return ForecastResult(
        team=team["team_key"], amount=amount, unit="points" if unit == "points" else "issues",
        as_of=team["data_as_of"],
        forecast=[
            ForecastDate(likelihood_percent=one.likelihood, periods=one.periods, done_by=one.done_at.date())
            for one in dates
        ],
        past_throughput=list(throughput.amounts), period_days=throughput.period_days,
        assumptions=_assumptions(ask, throughput=throughput),
    )  # fmt: skip


def _assumptions(ask: ForecastQuestion, *, throughput: Throughput) -> list[str]:
    period = "weeks" if ask.basis == "weeks" else "closed sprints"
    said = [
        f"The team goes on as in its last {len(throughput.amounts)} {period}, each as likely as any other.",
        "No work is added, and the team works on nothing else first.",
        f"{TRIALS:,} trials; the same question about the same data gives the same dates.",
    ]
    if throughput.unestimated:
        said.append(f"{throughput.unestimated} finished issues had no story points and count as 0.")
    return said


async def _unknown_team(name: str, *, found: int, reader: Pool) -> ToolError:
    keys = await queries.list_team_keys(reader)
    said = "No team" if not found else "More than one team"
    return ToolError(
        UNKNOWN_TEAM, f"{said} has the key or name {name[:100]!r}.", field="team",
        suggestion=f"Use one of these keys: {', '.join(keys[:30]) or 'no team is stored yet'}.",
    )  # fmt: skip
