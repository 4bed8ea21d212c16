"""A run's performance summary: returns, drawdowns, round trips, exposure, a benchmark."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np

from backtests.performance import queries
from backtests.performance.contracts import (
    BenchmarkMeasures,
    DrawdownAnswer,
    ExposureMeasures,
    ReturnMeasures,
    Summary,
    SummaryMetadata,
    SummaryQuestion,
    TradeMeasures,
)
from backtests.performance.curves import RunCurve, read_curve
from backtests.performance.days import Days, Floats
from backtests.performance.measures import (
    Measures,
    find_drawdowns,
    measure_against,
    measure_returns,
    measure_trips,
    to_date,
)
from backtests.performance.read_lists import read_close
from backtests.store.lists import entity_lists
from toolbox.database.pools import Pool

RETURN_NAMES = (
    "totalReturn", "cagr", "volatility", "sharpe", "sortino", "calmar", "maxDrawdown", "bestDay", "worstDay",
)  # fmt: skip
MAX_DRAWDOWNS = 5
Row = dict[str, Any]


async def summarize(ask: SummaryQuestion, *, reader: Pool) -> Summary:
    """Measure a run. Raises ToolError as `read_curve` does."""
    curve = await read_curve(ask.run_id, currency=ask.currency, capital=ask.initial_capital, reader=reader)
    return await summarize_curve(curve, ask=ask, reader=reader)


async def summarize_curve(curve: RunCurve, *, ask: SummaryQuestion, reader: Pool) -> Summary:
    """Measure a run's profit by day. Raises ToolError as `read_curve` does, for a benchmark."""
    trips = await queries.closed_trips(ask.run_id, currency=curve.currency, reader=reader)
    returns = curve.returns()
    measured, undefined = _measure_returns(curve, returns=returns, ask=ask)
    traded = measure_trips(trips["profits"] or [], hours=trips["hours"] or [])
    exposed = _measure_exposure(curve, periods=ask.periods_per_year)
    benchmark, against = await _measure_benchmark(curve, ask=ask, reader=reader)
    for one in (traded, exposed, against):
        undefined |= one.undefined
    drawdowns = None if returns is None else find_drawdowns(returns, days=curve.days)
    return Summary(
        run_id=ask.run_id,
        returns=ReturnMeasures(**measured),
        drawdowns=[
            DrawdownAnswer(
                depth=one.depth, start_date=one.start, bottom_date=one.bottom, end_date=one.end, days=one.days
            )
            for one in (drawdowns or [])[:MAX_DRAWDOWNS]
        ],
        drawdown_count=None if drawdowns is None else len(drawdowns),
        trades=TradeMeasures(
            closed=len(trips["profits"] or []), open=trips["open"], net_profit=trips["net_profit"],
            commission=trips["commission"], **traded.values,
        ),
        exposure=ExposureMeasures(**exposed.values),
        benchmark=benchmark,
        undefined=undefined,
        metadata=_describe(curve, ask=ask, trips=trips),
    )  # fmt: skip


def _measure_returns(
    curve: RunCurve, *, returns: Floats | None, ask: SummaryQuestion
) -> tuple[dict[str, float | None], dict[str, str]]:
    if returns is None:
        return dict.fromkeys(RETURN_NAMES), dict.fromkeys(RETURN_NAMES, curve.why_no_returns())
    found = measure_returns(returns, periods=ask.periods_per_year, risk_free=ask.risk_free_rate)
    return found.values, found.undefined


def _measure_exposure(curve: RunCurve, *, periods: int) -> Measures:
    found, span = Measures(), curve.row["time_span"]
    share = curve.row["time_held"] / span if span else None
    found.define("timeInMarket", value=share, why_not="all events are of one moment")
    equity, why_not = curve.equity(), curve.why_no_returns()
    if equity is None or curve.returns() is None:
        found.define("averageHeld", value=None, why_not=why_not)
        found.define("turnover", value=None, why_not=why_not)
        return found
    found.define("averageHeld", value=float(np.mean(curve.held / equity)))
    years = len(equity) / periods
    found.define("turnover", value=float(curve.row["traded"]) / float(equity.mean()) / years)
    return found


async def _measure_benchmark(
    curve: RunCurve, *, ask: SummaryQuestion, reader: Pool
) -> tuple[BenchmarkMeasures | None, Measures]:
    """Measure against the requested benchmark, on the days on which both have a value."""
    if ask.benchmark_run_id is None and ask.benchmark_symbol is None:
        return None, Measures()
    if ask.benchmark_run_id is not None:
        other = await read_curve(
            ask.benchmark_run_id, currency=None, capital=None, reader=reader, field="benchmarkRunId"
        )
        name, days = str(other.row["name"] or ask.benchmark_run_id), other.days
        levels = other.equity() if other.returns() is not None else None
        why_not = "" if levels is not None else f"the benchmark run has no returns: {other.why_no_returns()}"
    else:
        name = ask.benchmark_symbol or ""
        days, levels = await _read_closes(ask.run_id, symbol=name, days=curve.days, reader=reader)
        why_not = ""
    equity = curve.equity() if curve.returns() is not None else None
    if equity is None or levels is None:
        own, theirs = np.empty(0), np.empty(0)
    else:
        _, places, other_places = np.intersect1d(curve.days, days, return_indices=True)
        own, theirs = _changes(equity[places]), _changes(levels[other_places])
    if equity is None:
        why_not = curve.why_no_returns()
    found = measure_against(own, benchmark=theirs, periods=ask.periods_per_year, risk_free=ask.risk_free_rate)
    if why_not:
        found.undefined = dict.fromkeys(found.undefined, why_not)
    return BenchmarkMeasures(name=name, days=len(own), **found.values), found


async def _read_closes(run_id: UUID, *, symbol: str, days: Days, reader: Pool) -> tuple[Days, Floats]:
    """Return a security's last price on or before each day; leaves out days before its first price."""
    [name] = entity_lists("SecuritySymbol", value=symbol, event_types=["MarketDataEvent"])
    rows = await queries.closes(run_id, name=name, days=days.tolist(), reader=reader)
    known = [(row["day"], price) for row in rows if (price := read_close(row["properties"])) is not None]
    return np.array([day for day, _ in known], dtype=np.int32), np.array([price for _, price in known], dtype=float)


def _changes(levels: Floats) -> Floats:
    changes: Floats = levels[1:] / levels[:-1] - 1
    return changes


def _describe(curve: RunCurve, *, ask: SummaryQuestion, trips: Row) -> SummaryMetadata:
    days = curve.days
    return curve.asked.make_metadata(
        SummaryMetadata,
        currency=curve.currency,
        profit_source=curve.row["source"],
        initial_capital=curve.capital,
        total_profit=curve.row["total_profit"],
        first_day=to_date(days[0]) if len(days) else None,
        last_day=to_date(days[-1]) if len(days) else None,
        days=len(days),
        longest_gap_days=int(np.diff(days).max()) if len(days) > 1 else 0,
        periods_per_year=ask.periods_per_year,
        years=len(days) / ask.periods_per_year,
        risk_free_rate=ask.risk_free_rate,
        executions_left_out=curve.row["executions_left_out"],
        notes=_find_notes(curve, trips=trips),
    )


def _find_notes(curve: RunCurve, *, trips: Row) -> Sequence[str]:
    """Return notes on what is surprising about the figures."""
    notes = []
    if trips["has_other_commissions"]:
        notes.append("Commissions of some round trips are in another currency and not part of their net profit.")
    if curve.row["source"] == "accounts" and trips["profits"] is None and not trips["open"]:
        notes.append(f"No round trip has profits in {curve.currency or 'this currency'}: name another currency.")
    if curve.row["executions_left_out"]:
        notes.append("Executions without symbol, direction, quantity or price are in no round trip.")
    return notes
