"""Rank the runs of a sweep, and measure how far the best of them can be trusted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from math import sqrt
from typing import Any

import numpy as np

from backtests.contracts.error_envelope import INVALID_PARAMETER
from backtests.performance import queries
from backtests.performance.contracts import (
    NeighbourMeasures,
    OverfittingMeasures,
    RankedRun,
    RankingMetadata,
    RankQuestion,
    RunRanking,
)
from backtests.performance.days import Days, Floats
from backtests.performance.measures import DEFAULT_PERIODS
from backtests.performance.overfitting import (
    Neighbours,
    deflate_sharpe,
    expect_best_sharpe,
    find_neighbours,
    find_overfitting,
)
from toolbox.contract.errors import ToolError
from toolbox.database.caches import SingleFlight, TtlCache
from toolbox.database.pools import Pool

Row = dict[str, Any]
Overfitting = tuple[OverfittingMeasures | None, str | None]
"""The measures, or why they are not defined."""
YEAR = sqrt(DEFAULT_PERIODS)
MAX_RETURNS = 4_000_000
"""Limit of all runs' daily returns together, for the probability of overfitting."""
MAX_READINGS = 3
KEEP_SECONDS = 3_600.0

_known: TtlCache[Overfitting] = TtlCache(seconds=KEEP_SECONDS, max_entries=1_000)
"""The keys are the builds of the compared runs, so an entry never becomes wrong."""
_measuring: SingleFlight[Overfitting] = SingleFlight()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A run of the sweep, and its value of the metric to rank by."""

    row: Row
    value: float | None

    @property
    def measures(self) -> dict[str, float | None]:
        measures: dict[str, float | None] = self.row["measures"]
        return measures


async def rank(ask: RankQuestion, *, reader: Pool) -> RunRanking:
    """Rank the runs of a sweep. Raises ToolError INVALID_PARAMETER if it has none, or too many."""
    started = reader.clock()
    rows, (overfitting, why_not) = await _read_sweep(ask, reader=reader)
    built = _keep_built(rows)
    found = [_Candidate(row=row, value=row["measures"].get(ask.metric)) for row in built]
    found.sort(key=lambda one: (one.value is None, -(one.value or 0.0), str(one.row["run_id"])))
    sharpes = [daily for one in found if (daily := _daily_sharpe(one)) is not None]
    trials = max(ask.trials or 0, len(rows))
    expected = expect_best_sharpe(sharpes, trials=trials)
    parameters, values = [one.row["parameters"] for one in found], [one.value for one in found]
    near = await asyncio.to_thread(find_neighbours, parameters, values=values)
    skip = ask.page_index * ask.page_size
    page = list(enumerate(zip(found, near, strict=True), start=1))[skip : skip + ask.page_size]
    return RunRanking(
        runs=[_describe(one, beside=beside, place=place, expected=expected) for place, (one, beside) in page],
        overfitting=overfitting,
        metadata=RankingMetadata(
            sweep=ask.sweep,
            metric=ask.metric,
            total_count=len(found),
            trials=trials,
            expected_best_sharpe=None if expected is None else expected * YEAR,
            periods_per_year=DEFAULT_PERIODS,
            overfitting_undefined=why_not,
            not_built=len(rows) - len(built),
            query_time_ms=round((reader.clock() - started) * 1000),
        ),
    )


class _SweepChanged(Exception):
    """A run was rebuilt after the sweep was read."""


async def _read_sweep(ask: RankQuestion, *, reader: Pool) -> tuple[list[Row], Overfitting]:
    """Read the runs of a sweep and its probability of overfitting, both of the same builds."""
    rows: list[Row] = []
    for _ in range(MAX_READINGS):
        rows = await queries.sweep(ask.sweep, reader=reader)
        if not rows or len(rows) > queries.MAX_RANKED:
            raise _refuse_sweep(ask.sweep, runs=len(rows))
        try:
            return rows, await _read_overfitting(rows, parts=ask.partitions, reader=reader)
        except _SweepChanged:
            continue
    return rows, (None, "runs of the sweep are being built anew: ask again")


async def _read_overfitting(rows: Sequence[Row], *, parts: int, reader: Pool) -> Overfitting:
    """Measure overfitting over the runs whose returns vary; cached by their builds. Raises _SweepChanged."""
    known = [row for row in _keep_built(rows) if row["measures"].get("sharpe") is not None]
    if len(known) < 2:  # noqa: PLR2004 - two runs can be compared
        return None, "fewer than two runs have returns that vary"
    builds = [(row["run_id"], row["build"]) for row in known]

    async def measure() -> Overfitting:
        curves = await queries.sweep_curves([run_id for run_id, _ in builds], reader=reader)
        if [(row["run_id"], row["build"]) for row in curves] != builds:
            raise _SweepChanged
        return await asyncio.to_thread(_measure_overfitting, curves, parts=parts)

    key = parts, blake2b(b"".join(b"%b %b," % (run_id.bytes, build.encode()) for run_id, build in builds)).digest()
    return await _known.get(key, lambda: _measuring.run(key, measure))


def _keep_built(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["measures"] is not None]


def _describe(one: _Candidate, *, beside: Neighbours, place: int, expected: float | None) -> RankedRun:
    return RankedRun(
        rank=place,
        run_id=one.row["run_id"],
        name=one.row["name"],
        parameters=one.row["parameters"],
        value=one.value,
        sharpe=one.measures.get("sharpe"),
        total_return=one.measures.get("totalReturn"),
        max_drawdown=one.measures.get("maxDrawdown"),
        closed_trades=int(one.measures.get("tradeCount") or 0),
        deflated_sharpe=_deflate(one, expected=expected),
        neighbours=NeighbourMeasures(
            count=beside.count,
            mean=beside.mean,
            worst=beside.worst,
            stability=beside.mean / one.value if beside.mean is not None and one.value and one.value > 0 else None,
        ),
    )


def _refuse_sweep(sweep: str, *, runs: int) -> ToolError:
    what = f"has more than {queries.MAX_RANKED:,} runs" if runs else "has no runs"
    return ToolError(
        INVALID_PARAMETER,
        f"The sweep {sweep[:60]!r} {what}.",
        suggestion="list_backtest_runs names the sweep of each run.",
        field="sweep",
    )


def _daily_sharpe(one: _Candidate) -> float | None:
    sharpe = one.measures.get("sharpe")
    return None if sharpe is None else sharpe / YEAR


def _deflate(one: _Candidate, *, expected: float | None) -> float | None:
    sharpe, skewness, kurtosis = _daily_sharpe(one), one.measures.get("skewness"), one.measures.get("kurtosis")
    if expected is None or sharpe is None or skewness is None or kurtosis is None:
        return None
    days = one.row["day_count"]
    return deflate_sharpe(sharpe, expected=expected, days=days, skewness=skewness, kurtosis=kurtosis)


def _measure_overfitting(curves: Sequence[Row], *, parts: int) -> Overfitting:
    """Measure overfitting on the days that all runs have."""
    returns = _align(curves)
    if returns.size > MAX_RETURNS:
        return None, f"the runs have more than {MAX_RETURNS:,} daily returns together: rank fewer runs"
    found = find_overfitting(returns, parts=parts)
    if found is None:
        return None, f"the runs have fewer than {2 * parts} days in common: ask for fewer partitions"
    if (returns == returns[0]).all():
        return None, "the runs have the same returns"
    measures = OverfittingMeasures(
        probability=found.probability, splits=found.splits, partitions=parts, days=found.days, runs=len(curves),
        median_rank=found.median_rank,
    )  # fmt: skip
    return measures, None


def _align(rows: Sequence[Row]) -> Floats:
    """Return each run's returns between the days that all runs have: a row for each run."""
    if all(row["days"] is None for row in rows[1:]):
        capital = np.array([[float(row["capital"])] for row in rows])
        profits = np.frombuffer(b"".join(row["profits"] for row in rows), "<f8").reshape(len(rows), -1)
        equity = np.empty((len(rows), profits.shape[1] + 1))
        equity[:, :1] = capital
        np.add(capital, profits, out=equity[:, 1:])
    else:
        days: list[Days] = []
        for row in rows:
            days.append(days[-1] if row["days"] is None else np.frombuffer(row["days"], "<i4"))
        common = reduce(np.intersect1d, days)
        equity = np.array([
            float(row["capital"]) + np.frombuffer(row["profits"], "<f8")[own.searchsorted(common)]
            for row, own in zip(rows, days, strict=True)
        ])  # fmt: skip
    returns: Floats = equity[:, 1:] / equity[:, :-1]
    returns -= 1
    return returns
