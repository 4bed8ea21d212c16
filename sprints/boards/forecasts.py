"""
Monte Carlo forecasts of completion dates from a team's past throughput.

Each trial draws past periods at random, with replacement, until their sum reaches the amount. The same inputs give the
same answer. A short history, or one without a finished issue, is refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from random import Random
from statistics import median
from typing import Any

MIN_PERIODS = 4
MAX_PERIODS_AHEAD = 260
TRIALS = 10_000
LIKELIHOODS = (50, 85, 95)
WEEK_DAYS = 7.0
_ROUNDING = 1e-9

Row = dict[str, Any]


class CannotForecast(ValueError):
    """The history does not allow a forecast; the message says why and `suggestion` what to do, for a person."""

    def __init__(self, message: str, *, suggestion: str) -> None:
        super().__init__(message)
        self.suggestion = suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """The amount finished in each past period, the oldest first, and the length of a period."""

    amounts: tuple[float, ...]
    period_days: float
    unestimated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The number of periods and the date by which the work is done with this likelihood in percent."""

    likelihood: int
    periods: int
    done_at: datetime


def weekly_throughput(rows: Sequence[Row], *, unit: str) -> Throughput:
    """Return the throughput by week from the rows of boards.queries."""
    return Throughput(
        amounts=tuple(float(row[unit]) for row in rows), period_days=WEEK_DAYS,
        unestimated=sum(row["unestimated"] for row in rows) if unit == "points" else 0,
    )  # fmt: skip


def sprint_throughput(rows: Sequence[Row], *, unit: str) -> Throughput:
    """Return the throughput of closed sprints, the oldest first. A period is the median time between starts."""
    gaps = [(after["started_at"] - before["started_at"]) / timedelta(days=1) for before, after in pairwise(rows)]
    return Throughput(
        amounts=tuple(float(row[unit]) for row in rows), period_days=round(median(gaps), 2) if gaps else 0.0,
        unestimated=sum(row["unestimated"] for row in rows) if unit == "points" else 0,
    )  # fmt: skip


def forecast(amount: float, *, throughput: Throughput, as_of: datetime, trials: int = TRIALS) -> list[Completion]:
    """Forecast when `amount` is done, from `as_of` on. Raises CannotForecast."""
    history = throughput.amounts
    if len(history) < MIN_PERIODS:
        raise CannotForecast(
            f"the history is too short: {len(history)} complete periods, and a forecast needs {MIN_PERIODS}",
            suggestion="Ask with the other basis, or wait until more periods are complete.",
        )
    if not any(history):
        raise CannotForecast(
            f"nothing was finished in the last {len(history)} periods",
            suggestion="Ask with issues instead of points, or wait until work is finished.",
        )
    finished = simulate(amount, history=history, trials=trials)
    completions = []
    for likelihood in LIKELIHOODS:
        needed = math.ceil(likelihood * trials / 100)
        periods = next((number for number, done in enumerate(accumulate(finished)) if done >= needed), None)
        if periods is None:
            raise CannotForecast(
                f"at this throughput it is not done within {MAX_PERIODS_AHEAD} periods with {likelihood} % likelihood",
                suggestion=f"Ask for less: {MAX_PERIODS_AHEAD} such periods finish about {_reach(history):,}.",
            )
        done_at = as_of + timedelta(days=periods * throughput.period_days)
        completions.append(Completion(likelihood=likelihood, periods=periods, done_at=done_at))
    return completions


def _reach(history: Sequence[float]) -> int:
    return int(MAX_PERIODS_AHEAD * sum(history) / len(history))


def simulate(amount: float, *, history: Sequence[float], trials: int = TRIALS) -> list[int]:
    """Count the trials that finish after exactly 0, 1, 2 ... periods, up to MAX_PERIODS_AHEAD."""
    dice = Random(f"{amount} {list(history)} {trials}")  # noqa: S311 - a simulation, the same for the same inputs
    left = [amount] * trials
    finished = []
    for _ in range(MAX_PERIODS_AHEAD + 1):
        open_trials = [rest for rest in left if rest > _ROUNDING]
        finished.append(len(left) - len(open_trials))
        if not open_trials:
            break
        drawn = dice.choices(history, k=len(open_trials))
        left = [rest - done for rest, done in zip(open_trials, drawn, strict=True)]
    return finished
