"""
Write reference_measures.json: what empyrical-reloaded and quantstats say of some daily returns.

Neither is a requirement of ours. In an environment of its own:

    pip install empyrical-reloaded==0.7.1 quantstats==0.0.86
    python tests/backtests/performance/make_reference.py
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import empyrical  # type: ignore[import-not-found]
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import quantstats.stats as qs  # type: ignore[import-not-found]

TARGET = Path(__file__).with_name("reference_measures.json")
SAMPLES = [  # name, days, mean, spread, periods a year, risk-free rate
    ("two years of shares", 504, 0.0004, 0.011, 252, 0.0),
    ("a year of losses, risk-free rate", 252, -0.0009, 0.014, 252, 0.03),
    ("crypto, every day", 365, 0.002, 0.05, 365, 0.01),
    ("a short run", 12, 0.001, 0.01, 252, 0.0),
]


def measure(name: str, *, days: int, mean: float, spread: float, periods: int, rate: float) -> dict[str, Any]:
    """Make returns up and have both measure them."""
    source = np.random.default_rng(len(name))
    benchmark = source.normal(0.0003, spread, days).round(6)
    own = (0.6 * benchmark + source.normal(mean, spread, days)).round(6)
    index = pd.date_range("2020-01-01", periods=days, freq="D")
    returns, other = pd.Series(own, index=index), pd.Series(benchmark, index=index)
    daily = (1 + rate) ** (1 / periods) - 1
    fallen = qs.drawdown_details(qs.to_drawdown_series(returns)).sort_values("max drawdown").head(5)
    return {
        "name": name, "periods": periods, "riskFree": rate, "returns": own.tolist(), "benchmark": benchmark.tolist(),
        "days": [(day - pd.Timestamp("1970-01-01")).days for day in index],
        "empyrical": {
            "cum_returns_final": empyrical.cum_returns_final(returns),
            "cagr": empyrical.cagr(returns, annualization=periods),
            "annual_volatility": empyrical.annual_volatility(returns, annualization=periods),
            "sharpe_ratio": empyrical.sharpe_ratio(returns, risk_free=daily, annualization=periods),
            "sortino_ratio": empyrical.sortino_ratio(returns, required_return=daily, annualization=periods),
            "max_drawdown": empyrical.max_drawdown(returns),
            "calmar_ratio": empyrical.cagr(returns, annualization=periods) / -empyrical.max_drawdown(returns),
            "beta": empyrical.beta(returns, other, risk_free=daily),
            "alpha": empyrical.alpha(returns, other, risk_free=daily, annualization=periods),
            "excess_sharpe": empyrical.excess_sharpe(returns, other),
        },
        "quantstats": {
            "cagr": qs.cagr(returns, periods=periods), "calmar": qs.calmar(returns, periods=periods),
            "comp": qs.comp(returns), "volatility": qs.volatility(returns, periods=periods),
            "sharpe": qs.sharpe(returns, rf=rate, periods=periods),
            "sortino": qs.sortino(returns, rf=rate, periods=periods), "max_drawdown": qs.max_drawdown(returns),
            "best": qs.best(returns), "worst": qs.worst(returns),
            "information_ratio": qs.information_ratio(returns, other, prepare_returns=False),
            "drawdowns": [
                {"depth": row["max drawdown"], "bottom": str(row["valley"])[:10]} for _, row in fallen.iterrows()
            ],
        },
    }  # fmt: skip


if __name__ == "__main__":
    cases = [
        measure(name, days=days, mean=mean, spread=spread, periods=periods, rate=rate)
        for name, days, mean, spread, periods, rate in SAMPLES
    ]
    said = {"empyrical-reloaded": version("empyrical-reloaded"), "quantstats": version("quantstats"), "cases": cases}
    TARGET.write_text(json.dumps(said, default=float) + "\n")
