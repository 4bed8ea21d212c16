"""Models and implementation of the tool `ingest_linescore_games`."""

from datetime import date
from typing import Literal, Self

from pydantic import Field, model_validator

from linescore.contracts import INVALID_DATE_RANGE, CalendarDate
from linescore.ingest_jobs import MAX_DAYS, from_nhl, from_samples
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import ErrorCode, ToolError
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.work.jobs import run_in_call

INGESTION_FAILED = ErrorCode("INGESTION_FAILED", 502, "The source gave no game that could be read.")


class IngestQuestion(ToolInput):
    """Which days, from where."""

    start_date: CalendarDate = Field(description="First day of the games, as YYYY-MM-DD.")
    end_date: CalendarDate = Field(description=f"Last day, included; at most {MAX_DAYS} days later.")
    source: Literal["nhl", "shipped"] = Field(
        "nhl", description="nhl: the league's web API. shipped: what is missing of the season that came along."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not 0 <= (self.end_date - self.start_date).days <= MAX_DAYS:
            latest = date.fromordinal(min(self.start_date.toordinal() + MAX_DAYS, date.max.toordinal()))
            raise ToolError(
                INVALID_DATE_RANGE,
                f"endDate {self.end_date} is not from {self.start_date} to {latest}.",
                suggestion="Give days in order, and the rest in another call.",
                field="endDate",
                retry_with={"endDate": str(latest if self.end_date > latest else self.start_date)},
            )
        return self


class IngestResult(ToolOutput):
    """What became of the games."""

    summary: str = Field(description="How many were added, changed, skipped, refused.")
    reasons: list[str] = Field(description="What did not go in, or was there already, and why; 50 lines at most.")


async def ingest(ask: IngestQuestion, *, client: ClientChannel) -> IngestResult:
    """Load the games; the NHL's are loaded by a worker as a task if the client supports tasks."""
    if ask.source == "nhl":
        await client.continue_as_task()
    work = from_nhl if ask.source == "nhl" else from_samples
    values = {"first": str(ask.start_date), "last": str(ask.end_date), "add_teams": False}
    again = "Try other days, or again later."
    outcome = await run_in_call(client, work=work, values=values, refused=INGESTION_FAILED, suggestion=again)
    return IngestResult(summary=outcome.summary, reasons=list(outcome.reasons))
