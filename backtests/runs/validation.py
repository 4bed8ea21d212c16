"""Checks shared by all queries of a run: the run exists, the times are valid, the answer's size is limited."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings

from backtests.contracts.answers import CamelAnswer, IncompleteRun
from backtests.contracts.error_envelope import INVALID_TIME_RANGE, RUN_NOT_FOUND
from backtests.moments import moment_of
from backtests.runs import queries
from backtests.runs.open_loads import describe_open_loads, tell_how_to_complete
from toolbox.contract.encoding import format_timestamp
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool

Metadata = TypeVar("Metadata", bound=CamelAnswer)
FRAME_BYTES = 400
"""Bytes that an answer needs besides its events."""


@dataclass(slots=True)
class RunQuestion:
    """The run of a query, and when the query started."""

    run_id: UUID
    row: dict[str, Any]
    clock: Callable[[], float]
    started: float

    @property
    def milliseconds(self) -> int:
        """Return the elapsed time in whole milliseconds."""
        return round((self.clock() - self.started) * 1000)

    @property
    def incomplete(self) -> IncompleteRun | None:
        """Return what the run lacks; None if it is stored whole."""
        return describe_open_loads(self.row)

    def make_metadata(self, model: type[Metadata], **values: Any) -> Metadata:
        """Build an answer's metadata: with the time that the query took, and with what the run lacks."""
        return model(query_time_ms=self.milliseconds, incomplete=self.incomplete, **values)

    def check_moment(self, moment: datetime, *, name: str) -> None:
        """
        Check that a time is not after the run's end, or after the last event of a run that is not stored whole.

        Nothing is known of the time after that event, and an answer would look as if nothing had happened then. Raises
        ToolError.
        """
        incomplete = self.incomplete
        end = self.row["ended_at"] if incomplete is None else incomplete.last_event_at
        if end is None or moment <= end:
            return
        start = self.row["started_at"]
        if incomplete is None:
            what, fix = "the end of the run", f"The run ends at {format_timestamp(end)}; ask for that or earlier."
        else:
            what = "the last event that is stored of the run so far"
            fix = f"Ask for {format_timestamp(end)} or earlier. {tell_how_to_complete(incomplete)}"
        raise ToolError(
            INVALID_TIME_RANGE,
            f"{name[0].upper()}{name[1:]} is after {what}",
            suggestion=fix,
            field=name,
            details={
                name: format_timestamp(moment),
                "runStart": format_timestamp(start) if start else None,
                "runEnd": format_timestamp(end),
            },
            retry_with={name: format_timestamp(end)},
        )


async def ask_run(run_id: UUID, *, reader: Pool) -> RunQuestion:
    """Fetch the run of a query. Raises ToolError RUN_NOT_FOUND."""
    started = reader.clock()
    return require_run(run_id, row=await queries.run(run_id, reader=reader), started=started, clock=reader.clock)


def require_run(
    run_id: UUID, *, row: dict[str, Any] | None, started: float, clock: Callable[[], float], field: str = "runId"
) -> RunQuestion:
    """Check the row of a run that came with other rows; `field` is its parameter. Raises ToolError RUN_NOT_FOUND."""
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
    """Return a range's start in microseconds since 1970."""
    return None if moment is None else moment_of(moment)


def last_moment(moment: datetime | None) -> int | None:
    """Return a range's end in microseconds since 1970; an end in milliseconds includes that whole millisecond."""
    if moment is None:
        return None
    micros = moment_of(moment)
    return micros + 999 if micros % 1000 == 0 else micros


def budget() -> int:
    """Return how many bytes of events an answer may hold."""
    return int(settings.BACKTESTS_RESPONSE_BYTES) - FRAME_BYTES
