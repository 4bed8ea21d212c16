"""Deflated Sharpe ratio, probability of overfitting and neighbours, against their published formulas step by step."""

from itertools import combinations
from math import e, sqrt
from statistics import NormalDist, mean, stdev
from typing import Any

import numpy as np
import pytest

from backtests.performance.overfitting import (
    deflate_sharpe,
    expect_best_sharpe,
    find_neighbours,
    find_overfitting,
)

NORMAL = NormalDist()


def expect(sharpes: list[float], *, trials: int) -> float:
    found = expect_best_sharpe(sharpes, trials=trials)
    assert found is not None
    return found


def test_the_papers_own_example() -> None:
    """Bailey and López de Prado 2014: 100 trials, 2.5 a year over 1,250 days, skewness -3, kurtosis 10."""
    spread = sqrt(0.5 / 250)  # a variance of 0.5 a year
    sharpes = [spread, -spread] * 50
    expected = expect(sharpes, trials=100) * spread / stdev(sharpes)

    assert expected == pytest.approx(0.1132, abs=5e-5)
    found = deflate_sharpe(2.5 / sqrt(250), expected=expected, days=1250, skewness=-3, kurtosis=10)
    assert found == pytest.approx(0.9004, abs=5e-5)


def test_more_trials_and_wider_spread_expect_more() -> None:
    assert expect_best_sharpe([0.1], trials=1) == 0
    assert expect_best_sharpe([0.1], trials=1000) is None
    assert expect_best_sharpe([0.1, 0.1], trials=2) is None
    few, many = (expect([0.0, 0.1, 0.2], trials=trials) for trials in (3, 1000))
    assert 0 < few < many
    gamma = 0.5772156649015329
    wanted = 0.1 * ((1 - gamma) * NORMAL.inv_cdf(1 - 1 / 3) + gamma * NORMAL.inv_cdf(1 - 1 / (3 * e)))
    assert few == pytest.approx(wanted, rel=1e-9)


def slow_overfitting(returns: list[list[float]], *, parts: int) -> float:
    """Walk over every halving with Python's own statistics."""
    size = len(returns[0]) // parts
    blocks = [[row[part * size : (part + 1) * size] for part in range(parts)] for row in returns]

    def sharpe(row: list[list[float]], chosen: tuple[int, ...]) -> float:
        values = [value for part in chosen for value in row[part]]
        return mean(values) / stdev(values)

    worse = 0
    halves = list(combinations(range(parts), parts // 2))
    for half in halves:
        rest = tuple(part for part in range(parts) if part not in half)
        best = max(range(len(blocks)), key=lambda at: sharpe(blocks[at], half))
        outside = [sharpe(row, rest) for row in blocks]
        rank = sum(value <= outside[best] for value in outside) / (len(blocks) + 1)
        worse += rank <= 0.5
    return worse / len(halves)


@pytest.mark.parametrize("parts", [4, 6, 8])
@pytest.mark.parametrize("seed", range(3))
def test_the_probability_is_that_of_every_halving_counted_slowly(parts: int, seed: int) -> None:
    returns = np.random.default_rng(seed).normal(0.0005, 0.01, size=(7, 103))

    found = find_overfitting(returns, parts=parts)

    assert found is not None
    assert found.probability == pytest.approx(slow_overfitting(returns.tolist(), parts=parts), abs=1e-12)
    assert found.days == 103 // parts * parts


def test_a_run_that_is_better_throughout_is_not_overfitted_and_noise_is() -> None:
    source = np.random.default_rng(1)
    noise = source.normal(0, 0.01, size=(20, 200))
    good = noise.copy()
    good[3] += 0.02

    found, lucky = find_overfitting(good, parts=10), find_overfitting(noise, parts=10)

    assert found is not None
    assert lucky is not None
    assert found.probability == 0
    assert lucky.probability > 0.2


@pytest.mark.parametrize(("runs", "days"), [(1, 100), (5, 19), (0, 0)])
def test_too_little_has_no_probability(runs: int, days: int) -> None:
    assert find_overfitting(np.zeros((runs, days)), parts=10) is None


def test_returns_that_do_not_vary_are_a_number_too() -> None:
    found = find_overfitting(np.full((4, 40), 0.01), parts=4)

    assert found is not None
    assert 0 <= found.probability <= 1


def test_a_neighbour_differs_in_one_number_by_one_step() -> None:
    grid: list[dict[str, Any]] = [
        {"fast": fast, "slow": slow, "kind": kind} for kind in "ab" for fast in (5, 10, 20) for slow in (40, 80)
    ]
    values = [float(place) for place in range(len(grid))]

    found = find_neighbours(grid, values=values)

    middle = grid.index({"fast": 10, "slow": 40, "kind": "a"})
    near = [0, 3, 4]  # fast 5 and 20 with slow 40, and fast 10 with slow 80
    assert (found[middle].count, found[middle].mean, found[middle].worst) == (3, mean(near), 0)
    assert found[0].count == 2
    assert all(one.count == 0 for one in find_neighbours([{}, {}], values=[1.0, 2.0]))


def test_a_parameter_that_no_float_holds_is_a_text() -> None:
    found = find_neighbours([{"a": 10**400}, {"a": 1}, {"a": 2}], values=[1.0, 2.0, 3.0])

    assert [one.count for one in found] == [0, 1, 1]
