"""Forecasts against what can be computed exactly: constant throughput, and the convolution of the past."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import accumulate

import httpx
import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from sprints.boards import queries
from sprints.boards.forecasts import (
    MAX_PERIODS_AHEAD,
    TRIALS,
    CannotForecast,
    Throughput,
    forecast,
    simulate,
    sprint_throughput,
)

AS_OF = datetime(2026, 11, 18, 12, tzinfo=UTC)
ADDRESS = "/api/tools/sprints/forecast_completion"
SAMPLING = 4 * (0.25 / TRIALS) ** 0.5
"""Four standard deviations of a share of the trials."""


def of(*amounts: float) -> Throughput:
    return Throughput(amounts=amounts, period_days=7.0)


def exactly(amount: int, *, history: tuple[int, ...], most: int) -> list[float]:
    """Return the probability of being done after 0, 1, 2 … periods, by convolution."""
    chance = {value: number / len(history) for value, number in Counter(history).items()}
    left, done = {amount: 1.0}, []
    for _ in range(most):
        done.append(sum(share for rest, share in left.items() if rest <= 0))
        following: Counter[int] = Counter()
        for rest, share in left.items():
            for value, part in chance.items() if rest > 0 else [(0, 1.0)]:
                following[rest - value] += share * part  # type: ignore[assignment]
        left = dict(following)
    return done


@given(
    amount=st.integers(1, 40),
    history=st.lists(st.integers(0, 12), min_size=4, max_size=12).filter(any).map(tuple),
)
@settings(max_examples=25, deadline=None)
def test_the_simulated_distribution_is_the_exact_one(amount: int, history: tuple[int, ...]) -> None:
    simulated = list(accumulate(simulate(amount, history=history)))

    for known, share in zip(exactly(amount, history=history, most=12), simulated, strict=False):
        assert share / TRIALS == pytest.approx(known, abs=SAMPLING)


@pytest.mark.parametrize(("amount", "periods"), [(1, 1), (5, 1), (5.5, 2), (10, 2), (31, 7)])
def test_constant_throughput_has_one_date(amount: float, periods: int) -> None:
    found = forecast(amount, throughput=of(5, 5, 5, 5), as_of=AS_OF)

    assert [one.likelihood for one in found] == [50, 85, 95]
    assert {one.periods for one in found} == {periods}
    assert {one.done_at for one in found} == {AS_OF + timedelta(days=7 * periods)}


def test_of_two_values_the_range_is_that_of_the_binomial() -> None:
    """Four each week or nothing, as likely: after n weeks 12 are done if at least 3 of n weeks counted."""
    found = forecast(12, throughput=of(4, 0, 4, 0), as_of=AS_OF)

    assert [one.periods for one in found] == [5, 8, 11]  # 0.500 of 5, 0.855 of 8, 0.967 of 11 (0.945 of 10)


def test_the_same_inputs_give_the_same_dates() -> None:
    assert simulate(30, history=(1, 5, 9, 2)) == simulate(30, history=(1, 5, 9, 2))


@pytest.mark.parametrize(
    ("throughput", "reason"),
    [
        (of(5, 5, 5), "the history is too short: 3 complete periods"),
        (of(), "the history is too short: 0"),
        (of(0, 0, 0, 0), "nothing was finished"),
        (of(0, 0, 0, 0.001), f"not done within {MAX_PERIODS_AHEAD} periods"),
    ],
)
def test_what_the_past_does_not_say_is_refused(throughput: Throughput, reason: str) -> None:
    with pytest.raises(CannotForecast, match=reason):
        forecast(30, throughput=throughput, as_of=AS_OF)


def test_nothing_left_is_done_already() -> None:
    assert {one.periods for one in forecast(0, throughput=of(1, 1, 1, 1), as_of=AS_OF)} == {0}


def test_a_sprint_lasts_from_one_start_to_the_next() -> None:
    starts = [AS_OF + timedelta(days=days) for days in (0, 14, 28, 49)]
    rows = [{"started_at": start, "points": 8, "issues": 2, "unestimated": 1} for start in starts]

    assert sprint_throughput(rows, unit="points") == Throughput(
        amounts=(8.0,) * 4, period_days=14.0, unestimated=4
    )  # fmt: skip


@pytest.mark.django_db
def test_weeks_hold_what_was_resolved_in_them_and_none_is_before_the_first_issue() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT team_id, data_as_of FROM sprintscope.teams WHERE team_key = 'ACCEL'")
        team_id, as_of = cursor.fetchone()
        cursor.execute(
            "SELECT resolved_at FROM sprintscope.issues WHERE team_id = %s AND resolved_at IS NOT NULL", [team_id]
        )
        moments = [row[0] for row in cursor.fetchall()]

    weeks = queries.weeks_done(team_id)

    assert [week["ago"] for week in weeks] == list(range(12, 0, -1))
    for week in weeks:
        ends = as_of - timedelta(days=7 * (week["ago"] - 1))
        assert week["issues"] == sum(ends - timedelta(days=7) < moment <= ends for moment in moments)


@pytest.mark.parametrize("asked", [{"points": 30}, {"issues": 12}, {"points": 30, "basis": "sprints"}])
async def test_the_tool_gives_a_range(fast_client: httpx.AsyncClient, asked: dict[str, object]) -> None:
    reply = await fast_client.post(ADDRESS, json={"team": "accel"} | asked)

    body = reply.json()
    assert reply.status_code == 200, body
    assert [one["likelihoodPercent"] for one in body["forecast"]] == [50, 85, 95]
    assert body["forecast"] == sorted(body["forecast"], key=lambda one: one["doneBy"])
    assert body["asOf"][:10] < body["forecast"][0]["doneBy"]
    assert (await fast_client.post(ADDRESS, json={"team": "accel"} | asked)).json() == body


@pytest.mark.parametrize(
    ("asked", "code", "suggestion"),
    [
        ({"team": "NOBODY", "points": 3}, "UNKNOWN_TEAM", "ACCEL"),
        ({"team": "ACCEL", "points": 90_000}, "NO_FORECAST", "Ask for less"),
        ({"team": "ACCEL", "issues": 90_000}, "NO_FORECAST", "Ask for less"),
        ({"team": "ACCEL"}, "INVALID_PARAMETERS", ""),
        ({"team": "ACCEL", "points": 3, "issues": 3}, "INVALID_PARAMETERS", ""),
    ],
)
async def test_the_tool_refuses_with_words(
    fast_client: httpx.AsyncClient, asked: dict[str, object], code: str, suggestion: str
) -> None:
    body = (await fast_client.post(ADDRESS, json=asked)).json()

    assert body["error"]["code"] == code
    assert suggestion in body["error"]["suggestion"]
    assert body["error"]["suggestion"]


async def test_what_the_suggested_amount_says_can_be_forecast(fast_client: httpx.AsyncClient) -> None:
    refused = (await fast_client.post(ADDRESS, json={"team": "ACCEL", "points": 90_000})).json()
    (reached,) = re.findall(r"about ([\d,]+)", refused["error"]["suggestion"])

    less = {"team": "ACCEL", "points": 0.8 * int(reached.replace(",", ""))}
    assert (await fast_client.post(ADDRESS, json=less)).status_code == 200
