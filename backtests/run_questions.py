"""What every question of a run shares: the run is there, the times make sense, the answer has a size and a clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from backtests import queries
from backtests.error_envelope import INVALID_TIME_RANGE, RUN_NOT_FOUND
from backtests.moments import moment_of
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool

FRAME_BYTES = 400
"""What an answer needs around its events."""


@dataclass(slots=True)
class RunQuestion:
    """A run that is asked about, and since when."""

    run_id: UUID
    row: dict[str, Any]
    clock: Callable[[], float]
    started: float

    @property
    def milliseconds(self) -> int:
        """Give how long it has taken, in whole milliseconds."""
        return round((self.clock() - self.started) * 1000)

    def check_moment(self, moment: datetime, *, name: str) -> None:
        """Refuse a time after the run's end. Raises ToolError."""
        end = self.row["ended_at"]
        if end is None or moment <= end:
            return
        start = self.row["started_at"]
        raise ToolError(
            INVALID_TIME_RANGE,
            f"{name[0].upper()}{name[1:]} is after the end of the run",
            suggestion=f"The run ends at {format_timestamp(end)}; ask for that or earlier.",
            field=name,
            details={
                name: format_timestamp(moment),
                "runStart": format_timestamp(start) if start else None,
                "runEnd": format_timestamp(end),
            },
            retry_with={name: format_timestamp(end)},
        )


async def ask_run(run_id: UUID, *, reader: Pool) -> RunQuestion:
    """Find the run. Raises ToolError RUN_NOT_FOUND."""
    started = reader.clock()
    return require_run(run_id, row=await queries.run(run_id, reader=reader), started=started, clock=reader.clock)


def require_run(
    run_id: UUID, *, row: dict[str, Any] | None, started: float, clock: Callable[[], float], field: str = "runId"
) -> RunQuestion:
    """Take a run whose row came with an answer; `field` named it. Raises ToolError RUN_NOT_FOUND."""
    if row is None:
        raise ToolError(
            RUN_NOT_FOUND,
            f"There is no run {run_id}.",
            suggestion="list_backtest_runs has the ids of the runs there are.",
            field=field,
            details={field: str(run_id)},
        )
    return RunQuestion(run_id, row, clock, started)


def first_moment(moment: datetime | None) -> int | None:
    """Give a range's start in microseconds since 1970."""
    return None if moment is None else moment_of(moment)


def last_moment(moment: datetime | None) -> int | None:
    """Give a range's end in microseconds since 1970; given to the millisecond, it covers that whole millisecond."""
    if moment is None:
        return None
    micros = moment_of(moment)
    return micros + 999 if micros % 1000 == 0 else micros


def budget() -> int:
    """Give how many bytes of events an answer may hold."""
    return int(settings.BACKTESTS_RESPONSE_BYTES) - FRAME_BYTES
