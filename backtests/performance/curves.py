"""Profit by day of a run in one currency, to be measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from backtests.contracts.error_envelope import INVALID_PARAMETER, PERFORMANCE_NOT_BUILT
from backtests.performance import queries
from backtests.performance.days import Days, Floats, find_returns
from backtests.runs.open_loads import tell_how_to_complete
from backtests.runs.validation import RunQuestion, require_run
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCurve:
    """A run's profit by day in one currency; `capital` is None if neither the log nor the caller gives it."""

    asked: RunQuestion
    row: Row
    days: Days
    profits: Floats
    held: Floats
    capital: Decimal | None

    @property
    def currency(self) -> str:
        """Return the currency; "" if it was not logged."""
        return str(self.row["currency"])

    def equity(self) -> Floats | None:
        """Return the equity at the end of each day; None without capital."""
        if self.capital is None:
            return None
        equity: Floats = float(self.capital) + self.profits
        return equity

    def returns(self) -> Floats | None:
        """Return daily returns; None without capital, or if equity is not above zero throughout."""
        return None if self.capital is None else find_returns(self.profits, capital=float(self.capital))

    def why_no_returns(self) -> str:
        """Return the reason for which there are no returns."""
        if self.capital is None:
            return "the log does not say the capital at the start: give initialCapital"
        return "equity is not above zero throughout" if len(self.days) else "the run has no days"


async def read_curve(
    run_id: UUID, *, currency: str | None, capital: float | None, reader: Pool, field: str = "runId"
) -> RunCurve:
    """
    Read a run's profit by day; `field` is the parameter that names the run.

    Raises ToolError RUN_NOT_FOUND, PERFORMANCE_NOT_BUILT, and INVALID_PARAMETER for a currency that must be named.
    """
    started = reader.clock()
    rows = await queries.curves([run_id], reader=reader)
    return choose_curve(
        run_id, rows=rows, currency=currency, capital=capital, started=started, clock=reader.clock, field=field
    )


def choose_curve(
    run_id: UUID, *, rows: Sequence[Row], currency: str | None, capital: float | None, started: float,
    clock: Callable[[], float], field: str = "runId",
) -> RunCurve:  # fmt: skip
    """Return the curve of a currency from a run's rows. Raises ToolError as `read_curve` does."""
    asked = require_run(run_id, row=rows[0] if rows else None, started=started, clock=clock, field=field)
    require_built(asked, row=rows[0], field=field)
    if currency is None:
        chosen = next((row for row in rows if row["is_main"]), None)
    else:
        chosen = next((row for row in rows if row["currency"] == currency), None)
    if chosen is None:
        raise _name_currency(rows, given=currency, field=field)
    return RunCurve(
        asked=asked, row=chosen, days=np.frombuffer(chosen["days"], "<i4"),
        profits=np.frombuffer(chosen["profits"], "<f8"), held=np.frombuffer(chosen["held"], "<f8"),
        capital=chosen["capital"] if capital is None else Decimal(repr(capital)),
    )  # fmt: skip


def require_built(asked: RunQuestion, *, row: Row, field: str = "runId") -> None:
    """Raise ToolError if the results are not built from all events: the run is loading, or was loaded by older code."""
    if row["is_current"]:
        return
    incomplete = asked.incomplete
    raise ToolError(
        PERFORMANCE_NOT_BUILT,
        f"The results of the run {asked.run_id} are not built for all of its {row['event_count']:,} events.",
        suggestion=tell_how_to_complete(incomplete)
        if incomplete
        else "If its load has just ended, ask again; else have an administrator run "
        "`manage.py build_backtest_performance`.",
        field=field,
        details={"runId": str(asked.run_id)},
    )


def _name_currency(rows: Sequence[Row], *, given: str | None, field: str) -> ToolError:
    """Return the error that asks for a currency; only for `runId` is there a parameter that can name one."""
    known = [row["currency"] for row in rows]
    wrong = "has profits in several currencies" if given is None else f"has no profits in {given[:20]!r}"
    return ToolError(
        INVALID_PARAMETER,
        f"The run {wrong}: {', '.join(repr(one) for one in known[:20])}.",
        suggestion="Name one of them as currency."
        if field == "runId"
        else "Name a run with profits in one currency; performance_summary measures this one by currency.",
        field="currency" if field == "runId" else field,
        details={"currencies": known},
        retry_with={"currency": known[0]} if field == "runId" else None,
    )
