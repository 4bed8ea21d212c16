"""
Measures of a run's daily returns and of its round trips. Pure; README.md defines each.

No measure is ever NaN or infinite: one that is not defined is None, and `undefined` has the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from backtests.performance.days import Days, Floats

FIRST_DAY = date(1970, 1, 1)
DEFAULT_PERIODS = 252
SAME = "the returns do not vary"
FEW = "fewer than two days"
NO_BENCHMARK_DAYS = "fewer than two days in common with the benchmark"
NOISE = 1e-13
"""Spreads and falls of daily returns below this are rounding."""


@dataclass(slots=True)
class Measures:
    """Values by name, and for those that are not defined the reason."""

    values: dict[str, float | None] = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)

    def define(self, name: str, *, value: float | None, why_not: str = "") -> None:
        """Add a measure; if it is None, infinite or NaN, add the reason instead; `why_not` is that of None."""
        is_defined = value is not None and isfinite(value)
        self.values[name] = float(value) if is_defined and value is not None else None
        if not is_defined:
            self.undefined[name] = (why_not if value is None else "") or "it is too large to be a number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawdown:
    """A fall of equity below its highest; `end` is None where it has not recovered."""

    depth: float
    start: date
    bottom: date
    end: date | None
    days: int


def to_date(day: int) -> date:
    """Return the date of a numbered day."""
    return FIRST_DAY + timedelta(days=int(day))


@np.errstate(over="ignore", invalid="ignore")
def measure_returns(returns: Floats, *, periods: int = DEFAULT_PERIODS, risk_free: float = 0.0) -> Measures:
    """Measure daily returns; `periods` is how many days a year has, `risk_free` is a yearly return."""
    found = Measures()
    count = len(returns)
    growth = np.cumprod(1 + returns)
    total = float(growth[-1]) - 1 if count else None
    years = count / periods
    found.define("totalReturn", value=total, why_not=FEW)
    found.define(
        "cagr", value=_compound(1 + total, years=1 / years) if total is not None else None,
        why_not=FEW if total is None else "",
    )  # fmt: skip
    spread = _spread(returns)
    found.define("volatility", value=None if spread is None else spread * sqrt(periods), why_not=FEW)
    excess = returns - ((1 + risk_free) ** (1 / periods) - 1)
    mean = float(excess.mean()) if count else 0.0
    found.define("sharpe", value=_divide(mean, spread, periods=periods), why_not=FEW if spread is None else SAME)
    downside = sqrt(float(np.mean(np.minimum(excess, 0) ** 2))) if count else 0.0
    found.define(
        "sortino", value=_divide(mean, downside, periods=periods) if count > 1 else None,
        why_not="no day falls below the risk-free rate" if count > 1 else FEW,
    )  # fmt: skip
    deepest = float(fall(returns).min()) if count else None
    found.define("maxDrawdown", value=deepest, why_not=FEW)
    cagr = found.values["cagr"]
    found.define(
        "calmar", value=cagr / -deepest if cagr is not None and deepest else None,
        why_not="there is no drawdown" if cagr is not None else found.undefined["cagr"],
    )  # fmt: skip
    found.define("bestDay", value=float(returns.max()) if count else None, why_not=FEW)
    found.define("worstDay", value=float(returns.min()) if count else None, why_not=FEW)
    return found


@np.errstate(over="ignore", invalid="ignore")
def measure_against(
    returns: Floats, *, benchmark: Floats, periods: int = DEFAULT_PERIODS, risk_free: float = 0.0
) -> Measures:
    """Measure returns against those of a benchmark on the same days."""
    found = Measures()
    enough = len(returns) > 1
    rate = (1 + risk_free) ** (1 / periods) - 1
    own, other = returns - rate, benchmark - rate
    spread = _spread(benchmark)
    beta = float(np.cov(own, other, ddof=1)[0, 1]) / spread**2 if spread and isfinite(spread) else None
    why_not = "the benchmark's returns do not vary" if enough else NO_BENCHMARK_DAYS
    found.define("beta", value=beta, why_not=why_not)
    alpha = _compound(1 + float((own - beta * other).mean()), years=periods) if beta is not None else None
    found.define("alpha", value=alpha, why_not=why_not)
    active = returns - benchmark
    error = _spread(active)
    found.define("trackingError", value=None if error is None else error * sqrt(periods), why_not=NO_BENCHMARK_DAYS)
    found.define(
        "informationRatio", value=_divide(float(active.mean()), error, periods=periods) if enough else None,
        why_not="the returns differ from the benchmark's by the same amount each day" if enough else NO_BENCHMARK_DAYS,
    )  # fmt: skip
    own_spread = _spread(returns)
    correlation = float(np.corrcoef(returns, benchmark)[0, 1]) if spread and own_spread else None
    found.define("correlation", value=correlation, why_not=SAME if enough else NO_BENCHMARK_DAYS)
    total = float(np.prod(1 + benchmark)) - 1 if len(benchmark) else None
    found.define("benchmarkReturn", value=total, why_not=NO_BENCHMARK_DAYS)
    return found


def measure_trips(profits: Sequence[Any], *, hours: Sequence[float]) -> Measures:
    """Measure closed round trips by their net profits, which are exact numbers, and by how many hours each lasted."""
    found = Measures()
    won = [one for one in profits if one > 0]
    lost = [one for one in profits if one < 0]
    none, count = "there is no closed round trip", len(profits)
    gain, loss = sum(won), -sum(lost)
    found.define("winRate", value=len(won) / count if count else None, why_not=none)
    found.define(
        "profitFactor", value=float(gain / loss) if loss else None, why_not="no round trip lost" if count else none
    )
    found.define("expectancy", value=float(sum(profits) / count) if count else None, why_not=none)
    found.define("averageWin", value=float(gain / len(won)) if won else None, why_not="no round trip won")
    found.define("averageLoss", value=float(-loss / len(lost)) if lost else None, why_not="no round trip lost")
    payoff = float((gain / len(won)) / (loss / len(lost))) if won and lost else None
    found.define("payoffRatio", value=payoff, why_not="it needs a round trip that won and one that lost")
    found.define("bestTrade", value=float(max(profits)) if count else None, why_not=none)
    found.define("worstTrade", value=float(min(profits)) if count else None, why_not=none)
    found.define("averageHoldingHours", value=float(np.mean(hours)) if count else None, why_not=none)
    return found


def fall(returns: Floats) -> Floats:
    """Return how far equity is below its highest so far, capital included, at the end of each day; at most 0."""
    growth = np.concatenate(([1.0], np.cumprod(1 + returns)))
    fallen: Floats = (growth / np.maximum.accumulate(growth) - 1)[1:]
    fallen[fallen > -NOISE] = 0
    return fallen


def find_drawdowns(returns: Floats, *, days: Days) -> list[Drawdown]:
    """Return all drawdowns, the deepest first; one starts on the day of the highest equity before it."""
    fallen = fall(returns)
    found: list[Drawdown] = []
    below = np.flatnonzero(fallen < 0)
    for part in np.split(below, np.flatnonzero(np.diff(below) > 1) + 1) if len(below) else []:
        first, last = int(part[0]), int(part[-1])
        bottom = first + int(fallen[first : last + 1].argmin())
        start = to_date(days[first - 1]) if first else to_date(days[0])
        end = to_date(days[last + 1]) if last + 1 < len(days) else None
        until = int(days[last + 1]) if last + 1 < len(days) else int(days[-1])
        lasted = until - int(days[first - 1] if first else days[0])
        found.append(
            Drawdown(depth=float(fallen[bottom]), start=start, bottom=to_date(days[bottom]), end=end, days=lasted)
        )
    return sorted(found, key=lambda one: one.depth)


@np.errstate(over="ignore", invalid="ignore")
def find_moments(returns: Floats) -> tuple[float, float] | None:
    """Return skewness and kurtosis of the population (3 for a normal distribution); None if the returns do not vary."""
    spread = float(returns.std()) if len(returns) > 1 and _spread(returns) else 0.0
    if not spread or not isfinite(spread):
        return None
    scaled = (returns - returns.mean()) / spread
    return float(np.mean(scaled**3)), float(np.mean(scaled**4))


def _compound(growth: float, *, years: float) -> float | None:
    """Return the return of so many years at this yearly growth; None if it is not a number."""
    try:
        return float(growth**years) - 1 if growth > 0 else None
    except OverflowError:
        return None


def _divide(mean: float, spread: float | None, *, periods: int) -> float | None:
    """Return an annualised ratio; None without a spread, infinity if the spread is none that a double holds."""
    if not spread:
        return None
    return mean / spread * sqrt(periods) if isfinite(spread) else inf


def _spread(values: Floats) -> float | None:
    """Return the sample standard deviation, 0 if it is only rounding; None for fewer than two values."""
    if len(values) < 2:  # noqa: PLR2004 - one value does not vary
        return None
    spread = float(values.std(ddof=1))
    return spread if spread > NOISE * max(float(np.abs(values).max()), 1.0) else 0.0
