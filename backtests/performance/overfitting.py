"""
Whether the best of many runs is good or lucky: deflated Sharpe ratio, probability of overfitting, neighbours. Pure.

Deflated Sharpe ratio: Bailey and López de Prado, "The Deflated Sharpe Ratio", 2014. Probability of backtest overfitting
by combinatorially symmetric cross-validation: Bailey, Borwein, López de Prado and Zhu, 2017.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import e, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backtests.performance.days import Floats

EULER = 0.5772156649015329
LARGEST = 1e300
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverfittingResult:
    """How the best run of one half of the days ranks in the other half, over all ways to halve them."""

    probability: float
    splits: int
    days: int
    median_rank: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Results of the runs whose parameters differ in one number, by one step."""

    count: int
    mean: float | None
    worst: float | None


def expect_best_sharpe(sharpes: Sequence[float], *, trials: int) -> float | None:
    """
    Return the Sharpe ratio expected of the best of so many worthless trials.

    Returns 0 for one trial, which is not chosen from several; None without two different Sharpe ratios, from which to
    estimate how far trials spread.
    """
    if trials < 2:  # noqa: PLR2004 - as said
        return 0.0
    if len(set(sharpes)) < 2:  # noqa: PLR2004 - as said
        return None
    spread = float(np.std(sharpes, ddof=1))
    first, second = (_NORMAL.inv_cdf(1 - 1 / (trials * factor)) for factor in (1, e))
    return spread * ((1 - EULER) * first + EULER * second)


def deflate_sharpe(sharpe: float, *, expected: float, days: int, skewness: float, kurtosis: float) -> float | None:
    """
    Return the probability that a daily Sharpe ratio is above what the best of worthless trials would have.

    `kurtosis` is 3 for a normal distribution. None for fewer than two days, or if the variance is not positive.
    """
    variance = 1 - skewness * sharpe + (kurtosis - 1) / 4 * sharpe**2
    if days < 2 or variance <= 0 or not isfinite(variance):  # noqa: PLR2004 - as said
        return None
    return _NORMAL.cdf((sharpe - expected) * sqrt(days - 1) / sqrt(variance))


def find_overfitting(returns: Floats, *, parts: int) -> OverfittingResult | None:
    """
    Find how often the run with the best Sharpe ratio in half of the parts is not in the better half in the others.

    `returns` has a row for each run and a column for each day; days that do not fill the last part are left out. None
    for fewer than two runs, or fewer than two days in a part.
    """
    runs, days = returns.shape
    size = days // parts
    if runs < 2 or size < 2:  # noqa: PLR2004 - as said
        return None
    blocks = returns[:, : size * parts].reshape(runs, parts, size)
    sums, squares = blocks.sum(axis=2), (blocks**2).sum(axis=2)
    chosen = _halves(parts)
    inside = _sharpes(chosen @ sums.T, squares=chosen @ squares.T, count=size * parts // 2)
    outside = inside[::-1]  # combinations come in an order in which the last one is what the first leaves, and so on
    best = inside.argmax(axis=1)
    reached = outside[np.arange(len(best)), best][:, None]
    below, same = (outside < reached).sum(axis=1), (outside == reached).sum(axis=1)
    ranks = (below + (same + 1) / 2) / (runs + 1)
    return OverfittingResult(
        probability=float(np.mean(ranks <= 0.5)), splits=len(best), days=size * parts,  # noqa: PLR2004 - the median
        median_rank=float(np.median(ranks)),
    )  # fmt: skip


def find_neighbours(parameters: Sequence[Mapping[str, Any]], *, values: Sequence[float | None]) -> list[Neighbours]:
    """
    Find, for each run, the runs whose parameters differ in one number, by one step among the numbers that it takes.

    Parameters that are not numbers must be the same.
    """
    names = sorted({name for one in parameters for name in one})
    steps = {name: _steps_of(parameters, name=name) for name in names}
    places: dict[tuple[Any, ...], list[int]] = {}
    keys = [tuple(_place(one.get(name), steps=steps[name]) for name in names) for one in parameters]
    for at, key in enumerate(keys):
        places.setdefault(key, []).append(at)
    found = []
    for key in keys:
        near = [
            values[other]
            for at, place in enumerate(key) if isinstance(place, int)
            for step in (-1, 1)
            for other in places.get((*key[:at], place + step, *key[at + 1 :]), ())
        ]  # fmt: skip
        known = [value for value in near if value is not None]
        mean = sum(known) / len(known) if known else None
        found.append(Neighbours(count=len(known), mean=mean, worst=min(known) if known else None))
    return found


def _steps_of(parameters: Sequence[Mapping[str, Any]], *, name: str) -> dict[float, int]:
    numbers = sorted({float(one[name]) for one in parameters if _is_number(one.get(name))})
    return {number: place for place, number in enumerate(numbers)}


def _place(value: Any, *, steps: Mapping[float, int]) -> int | str:
    return steps[float(value)] if _is_number(value) else f"text {value!r}"


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


@lru_cache
def _halves(parts: int) -> NDArray[np.float64]:
    """Return a row for each half of the parts: 1 for a part that is in it, else 0."""
    halves = map(set, combinations(range(parts), parts // 2))
    return np.array([[part in half for part in range(parts)] for half in halves], float)


def _sharpes(sums: NDArray[np.float64], *, squares: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return Sharpe ratios from sums and sums of squares; 0 if nothing varies, which is neither good nor bad."""
    means = sums / count
    variances = (squares - sums * means) / (count - 1)
    varies = variances > np.maximum(squares, 1e-300) * 1e-13
    spreads = np.sqrt(variances, where=varies, out=np.ones_like(variances))
    sharpes: NDArray[np.float64] = np.divide(means, spreads, where=varies, out=np.zeros_like(means))
    return sharpes
