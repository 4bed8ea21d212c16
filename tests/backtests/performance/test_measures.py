"""Measures equal published references to 1e-9 where definitions agree; nothing is ever NaN."""

import json
from decimal import Decimal
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backtests.performance.days import find_returns
from backtests.performance.measures import (
    find_drawdowns,
    find_moments,
    measure_against,
    measure_returns,
    measure_trips,
    to_date,
)

REFERENCE = json.loads((Path(__file__).with_name("reference_measures.json")).read_text())
CASES = REFERENCE["cases"]


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_returns_are_measured_as_empyrical_does(case: dict[str, Any]) -> None:
    found = measure_returns(np.array(case["returns"]), periods=case["periods"], risk_free=case["riskFree"]).values

    wanted = case["empyrical"]
    assert found["totalReturn"] == close(wanted["cum_returns_final"])
    assert found["cagr"] == close(wanted["cagr"])
    assert found["volatility"] == close(wanted["annual_volatility"])
    assert found["sharpe"] == close(wanted["sharpe_ratio"])
    assert found["sortino"] == close(wanted["sortino_ratio"])
    assert found["maxDrawdown"] == close(wanted["max_drawdown"])
    assert found["calmar"] == close(wanted["calmar_ratio"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_returns_are_measured_as_quantstats_does(case: dict[str, Any]) -> None:
    found = measure_returns(np.array(case["returns"]), periods=case["periods"], risk_free=case["riskFree"]).values

    wanted = case["quantstats"]
    assert found["totalReturn"] == close(wanted["comp"])
    assert found["cagr"] == close(wanted["cagr"])
    assert found["calmar"] == close(wanted["calmar"])
    assert found["volatility"] == close(wanted["volatility"])
    assert found["sharpe"] == close(wanted["sharpe"])
    assert found["sortino"] == close(wanted["sortino"])
    assert found["maxDrawdown"] == close(wanted["max_drawdown"])
    assert found["bestDay"] == close(wanted["best"])
    assert found["worstDay"] == close(wanted["worst"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_benchmark_is_measured_against_as_the_references_do(case: dict[str, Any]) -> None:
    found = measure_against(
        np.array(case["returns"]), benchmark=np.array(case["benchmark"]), periods=case["periods"],
        risk_free=case["riskFree"],
    ).values  # fmt: skip

    assert found["beta"] == close(case["empyrical"]["beta"])
    assert found["alpha"] == close(case["empyrical"]["alpha"])
    year = sqrt(case["periods"])  # neither reference annualises it
    assert found["informationRatio"] == close(case["empyrical"]["excess_sharpe"] * year)
    assert found["informationRatio"] == close(case["quantstats"]["information_ratio"] * year)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_drawdowns_are_those_of_quantstats(case: dict[str, Any]) -> None:
    days = np.array(case["days"], dtype=np.int32)

    found = find_drawdowns(np.array(case["returns"]), days=days)

    wanted = case["quantstats"]["drawdowns"]
    assert [one.depth * 100 for one in found[:5]] == close([one["depth"] for one in wanted])
    assert [str(one.bottom) for one in found[:5]] == [one["bottom"] for one in wanted]


def test_drawdowns_have_the_dates_of_their_peak_bottom_and_recovery() -> None:
    returns = np.array([0.1, -0.2, -0.1, 0.5, 0.1, -0.3])
    days = np.array([10, 11, 14, 15, 16, 17], dtype=np.int32)

    last, first = find_drawdowns(returns, days=days)

    assert (first.start, first.bottom, first.end, first.days) == (to_date(10), to_date(14), to_date(15), 5)
    assert first.depth == close(0.8 * 0.9 - 1)
    assert (last.start, last.bottom, last.end, last.days) == (to_date(16), to_date(17), None, 1)


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_returns_that_do_not_vary_have_no_ratio_and_a_reason(count: int) -> None:
    found = measure_returns(np.full(count, 0.001))

    assert found.values["sharpe"] is None
    assert found.undefined["sharpe"] == ("fewer than two days" if count < 2 else "the returns do not vary")
    assert all(found.values[name] is None for name in found.undefined)
    assert (found.values["totalReturn"] is None) == (count == 0)


@given(st.lists(st.floats(-0.999, 1e6), max_size=40), st.floats(-0.5, 1), st.sampled_from([1, 252, 366]))
def test_a_measure_is_finite_or_none_with_a_reason(returns: list[float], rate: float, periods: int) -> None:
    with np.errstate(all="ignore"):
        found = measure_returns(np.array(returns), periods=periods, risk_free=rate)
        against = measure_against(np.array(returns), benchmark=np.array(returns[::-1]), periods=periods, risk_free=rate)

    for one in (found, against):
        assert all(value is None or isfinite(value) for value in one.values.values())
        assert {name for name, value in one.values.items() if value is None} == set(one.undefined)


@given(st.lists(st.decimals(-1000, 1000, places=2), max_size=30))
def test_round_trips_are_measured_as_by_hand(profits: list[Decimal]) -> None:
    found = measure_trips(profits, hours=[1.0] * len(profits))

    won, lost = [one for one in profits if one > 0], [one for one in profits if one < 0]
    assert found.values["winRate"] == (close(len(won) / len(profits)) if profits else None)
    assert found.values["expectancy"] == (close(float(sum(profits) / len(profits))) if profits else None)
    assert found.values["profitFactor"] == (close(float(sum(won) / -sum(lost))) if lost else None)
    assert {name for name, value in found.values.items() if value is None} == set(found.undefined)


def test_equity_that_is_lost_has_no_returns() -> None:
    assert find_returns(np.array([10.0, -100.0, 50.0]), capital=100) is None
    assert find_returns(np.array([]), capital=100) is None
    returns = find_returns(np.array([10.0, -1.0]), capital=100)
    assert returns is not None
    assert list(returns) == close([0.1, 99 / 110 - 1])


def test_returns_too_large_for_a_spread_have_no_ratio_of_zero() -> None:
    returns = np.array([1e302, -0.5, 0.1])

    found = measure_returns(returns)
    against = measure_against(returns, benchmark=np.array([0.1, 0.2, 0.3]))

    assert {found.values[name] for name in ("volatility", "sharpe")} == {None}
    assert {found.undefined[name] for name in ("volatility", "sharpe")} == {"it is too large to be a number"}
    assert found.values["sortino"] is not None
    assert against.values["informationRatio"] is None
    assert against.undefined["informationRatio"] == "it is too large to be a number"
    assert find_moments(returns) is None
