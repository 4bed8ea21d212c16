"""What the database derives from periods, however they are written, is what the arithmetic here says."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linescore.models import Game, Period, PeriodResult

GAME_ID = 2024029998
OUTCOME_OF = {1: "WIN", 0: "TIE", -1: "LOSS"}


class Goals(NamedTuple):
    """One period: goals of both sides, and how many of them went into an empty net."""

    home: int
    away: int
    home_empty: int
    away_empty: int


@st.composite
def goals(draw: st.DrawFn) -> Goals:
    home, away = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    return Goals(home, away, draw(st.integers(0, home)), draw(st.integers(0, away)))


games = st.lists(goals(), min_size=1, max_size=5)


@contextmanager
def game_of(periods: list[Goals]) -> Iterator[Game]:
    """Store a game of Boston at Carolina, deleted afterwards."""
    with transaction.atomic():
        game = Game.objects.create(
            game_id=GAME_ID,
            season="2024-2025",
            game_date=date(2025, 1, 1),
            home_team_id="CAR",
            away_team_id="BOS",
        )
        Period.objects.bulk_create(period(number, goals) for number, goals in enumerate(periods, 1))
        yield game
        transaction.set_rollback(True)


def period(number: int, goals: Goals) -> Period:
    return Period(
        game_id=GAME_ID,
        period_number=number,
        period_kind="REG" if number <= 3 else "OT",
        home_goals=goals.home,
        away_goals=goals.away,
        home_empty_net_goals=goals.home_empty,
        away_empty_net_goals=goals.away_empty,
    )


def outcome(number: int, goals: Goals) -> str:
    """Return how the period ended for the home side; in period 3 empty-net goals do not count."""
    margin = goals.home - goals.away
    if number == 3:
        margin = (goals.home - goals.home_empty) - (goals.away - goals.away_empty)
    return "WIN" if margin > 0 else "LOSS" if margin < 0 else "TIE"


def derive_by_hand(periods: list[Goals], *, home: str = "CAR", away: str = "BOS") -> set[tuple[object, ...]]:
    """Return every expected row: number, team, goals for, against, into an empty net, outcome, flag."""
    mirrored = {"WIN": "LOSS", "LOSS": "WIN", "TIE": "TIE"}
    ended = [outcome(number, goals) for number, goals in enumerate(periods, 1)]
    home_flag, away_flag = ended[:3].count("WIN") >= 2, ended[:3].count("LOSS") >= 2
    rows: set[tuple[object, ...]] = set()
    for number, goals in enumerate(periods, 1):
        how = ended[number - 1]
        rows.add((number, home, goals.home, goals.away, goals.home_empty, how, home_flag))
        rows.add((number, away, goals.away, goals.home, goals.away_empty, mirrored[how], away_flag))
    return rows


def fetch_results() -> set[tuple[object, ...]]:
    return set(
        PeriodResult.objects.filter(game=GAME_ID).values_list(
            "period_number", "team_id", "goals_for", "goals_against", "empty_net_goals", "period_outcome",
            "won_two_plus_reg_periods",
        )
    )  # fmt: skip


tried = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@tried
@given(periods=games)
def test_both_teams_rows_are_what_the_arithmetic_says(db: None, periods: list[Goals]) -> None:
    with game_of(periods):
        found = fetch_results()

    assert found == derive_by_hand(periods)


@tried
@given(periods=games)
def test_the_two_teams_mirror_each_other(db: None, periods: list[Goals]) -> None:
    with game_of(periods):
        rows = {(row.period_number, row.team_id): row for row in PeriodResult.objects.filter(game=GAME_ID)}

    for number in range(1, len(periods) + 1):
        home, away = rows[number, "CAR"], rows[number, "BOS"]
        assert (home.goals_for, home.goals_against) == (away.goals_against, away.goals_for)
        assert {home.period_outcome, away.period_outcome} in ({"WIN", "LOSS"}, {"TIE"})
    assert not (rows[1, "CAR"].won_two_plus_reg_periods and rows[1, "BOS"].won_two_plus_reg_periods)


@tried
@given(periods=games, change=goals(), data=st.data())
def test_a_direct_sql_update_of_one_period_is_followed(
    db: None, periods: list[Goals], change: Goals, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(periods)))

    with game_of(periods), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE linescore_periods SET home_goals = %s, away_goals = %s, home_empty_net_goals = %s,"
            " away_empty_net_goals = %s WHERE game_id = %s AND period_number = %s",
            [*change, GAME_ID, number],
        )
        found = fetch_results()

    assert found == derive_by_hand([*periods[: number - 1], change, *periods[number:]])


@tried
@given(periods=st.lists(goals(), min_size=2, max_size=5))
def test_a_deleted_period_takes_its_rows_along_and_the_flag_follows(db: None, periods: list[Goals]) -> None:
    with game_of(periods) as game:
        game.periods.filter(period_number=len(periods)).delete()
        found = fetch_results()

    assert found == derive_by_hand(periods[:-1])


def test_a_bulk_update_of_many_games_is_followed_for_each(db: None) -> None:
    before = PeriodResult.objects.filter(period_number=1, period_outcome="WIN").count()

    Period.objects.filter(period_number=1).update(home_goals=F("away_goals"), home_empty_net_goals=0)

    assert before > 0
    assert not PeriodResult.objects.filter(period_number=1).exclude(period_outcome="TIE").exists()
    assert PeriodResult.objects.filter(period_number=1).count() == 2 * Game.objects.count()


@pytest.mark.parametrize("write", ["orm", "sql"])
def test_another_team_and_day_of_the_game_are_followed(db: None, write: str) -> None:
    periods = [Goals(2, 1, 0, 0), Goals(1, 0, 0, 0), Goals(0, 3, 0, 0)]

    with game_of(periods) as game:
        if write == "orm":
            Game.objects.filter(pk=game.pk).update(away_team_id="NYR", game_date=date(2025, 1, 2))
        else:
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE linescore_games SET away_team_code = 'NYR', game_date = '2025-01-02' WHERE game_id = %s",
                    [game.pk],
                )
        found = fetch_results()
        days = set(PeriodResult.objects.filter(game=game).values_list("game_date", "home_team_code", "away_team_code"))

    assert found == derive_by_hand(periods, away="NYR")
    assert days == {(date(2025, 1, 2), "CAR", "NYR")}


def test_sides_that_swap_are_followed(db: None) -> None:
    periods = [Goals(2, 1, 0, 0), Goals(1, 0, 0, 0), Goals(0, 3, 0, 2)]

    with game_of(periods) as game:
        Game.objects.filter(pk=game.pk).update(home_team_id="BOS", away_team_id="CAR")
        found = fetch_results()

    assert found == derive_by_hand(periods, home="BOS", away="CAR")


def test_a_period_moved_to_another_game_leaves_the_first(db: None) -> None:
    periods = [Goals(1, 0, 0, 0), Goals(1, 0, 0, 0), Goals(0, 1, 0, 0), Goals(1, 0, 0, 0)]

    with game_of(periods) as game:
        other = Game.objects.create(
            game_id=GAME_ID + 1, season="2024-2025", game_date=date(2025, 1, 3), home_team_id="NYR", away_team_id="NJD"
        )
        game.periods.filter(period_number=4).update(game=other)
        found = fetch_results()
        moved = set(PeriodResult.objects.filter(game=other).values_list("team_id", "period_outcome"))

    assert found == derive_by_hand(periods[:3])
    assert moved == {("NYR", "WIN"), ("NJD", "LOSS")}


def test_a_deleted_game_leaves_nothing(db: None) -> None:
    with game_of([Goals(1, 0, 0, 0)] * 3) as game:
        game.delete()
        found = fetch_results()

    assert found == set()
