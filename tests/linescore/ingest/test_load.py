"""Games into rows: whole or not at all, safe to repeat, counted and named."""

from dataclasses import replace
from datetime import date

import pytest
from django.db import connection

from linescore.ingest.load import LoadRules, TeamRules, load_games, load_teams
from linescore.ingest.record import GameScore, Refused, Skipped, TeamRecord
from linescore.ingest.report import LoadReport
from linescore.models import Game, MissingGame, Period, PeriodResult, Team
from tests.linescore.ingest.games import TODAY, game, period

pytestmark = pytest.mark.usefixtures("no_games")
RULES = LoadRules(today=TODAY)


def test_a_new_game_is_added_with_its_periods_and_results() -> None:
    report = _load(game())

    assert report.summary() == "1 added, 0 changed, 0 skipped, 0 refused"
    assert Game.objects.get().game_date == date(2024, 10, 4)
    assert list(Period.objects.order_by("period_number").values_list("home_goals", "away_goals")) == [
        (0, 2), (0, 1), (1, 1)
    ]  # fmt: skip
    assert PeriodResult.objects.count() == 6


def test_the_same_game_again_is_skipped_and_nothing_is_written() -> None:
    _load(game())
    before = _versions()

    report = _load(game())

    assert report.summary() == "0 added, 0 changed, 1 skipped, 0 refused"
    assert _versions() == before


def test_a_game_that_differs_is_changed_and_a_period_that_is_gone_goes() -> None:
    tied = (period(1, 1, 1), period(2, 0, 0), period(3, 0, 0))
    _load(game(*tied, period(4, 1, 0)))

    report = _load(game())

    assert report.summary() == "0 added, 1 changed, 0 skipped, 0 refused"
    assert Period.objects.count() == 3
    assert PeriodResult.objects.get(team="NJD", period_number=1).goals_for == 2


def test_what_a_curator_corrected_stays_where_nothing_may_be_replaced() -> None:
    _load(game())
    Period.objects.filter(period_number=1).update(away_goals=3)

    report = load_games([game()], rules=replace(RULES, replaces_stored=False), report=LoadReport())

    assert report.summary() == "0 added, 0 changed, 1 skipped, 0 refused"
    assert Period.objects.get(period_number=1).away_goals == 3


def test_a_game_that_breaks_a_rule_is_named_and_the_rest_goes_in() -> None:
    report = _load(game(game_id=1), game(game_id=2, game_date=date(2025, 9, 9)), game(game_id=3))

    assert list(Game.objects.order_by("game_id").values_list("game_id", flat=True)) == [1, 3]
    assert list(report.reasons()) == ["refused: 2 (NJD at BUF, 2025-09-09): future date 2025-09-09"]


def test_a_game_that_comes_again_in_a_source_counts_once() -> None:
    report = _load(game(), game())

    assert report.summary() == "1 added, 0 changed, 0 skipped, 0 refused"


def test_refused_and_skipped_games_are_reported_as_they_came() -> None:
    report = _load(
        Refused(name="7", reason="not a game"), Skipped(game_id=8, name="8", reason="not finished"), game(game_id=9)
    )

    assert report.summary() == "1 added, 0 changed, 1 skipped, 1 refused"
    assert list(report.reasons()) == ["refused: 7: not a game", "skipped: 8: not finished"]


def test_a_batch_is_told_when_it_is_stored() -> None:
    seen: list[int] = []
    rules = replace(RULES, batch_games=2)

    load_games(
        [game(game_id=at) for at in range(1, 6)], rules=rules, report=LoadReport(),
        on_progress=lambda report: seen.append((report.added, Game.objects.count())[1]),
    )  # fmt: skip

    assert seen == [2, 4, 5]


def test_a_listed_team_is_added_or_corrected_and_what_it_does_not_say_is_kept() -> None:
    report = LoadReport()
    listed = [
        TeamRecord(team_code="ARI", team_name="Arizona Coyotes", is_listed=True),
        TeamRecord(team_code="UTA", team_name="Utah Mammoth", is_listed=True),
        TeamRecord(team_code="BUF", team_name="Buffalo Sabres", is_listed=True),
    ]

    load_teams(listed, rules=TeamRules(), report=report)

    assert (report.teams_added, report.teams_changed) == (["ARI"], ["UTA"])
    assert Team.objects.get(team_code="UTA").team_name == "Utah Mammoth"
    assert Team.objects.get(team_code="UTA").city == "Salt Lake City"


def test_a_team_under_the_name_of_another_is_refused() -> None:
    report = LoadReport()
    twin = TeamRecord(team_code="BFL", team_name="Buffalo Sabres", is_listed=True)

    load_teams([twin], rules=TeamRules(), report=report)

    assert list(report.reasons()) == ["refused: team BFL: its name, Buffalo Sabres, is that of BUF"]


@pytest.mark.parametrize("adds", [True, False])
def test_a_team_that_is_only_mentioned_is_added_if_asked_and_never_corrects(*, adds: bool) -> None:
    report = LoadReport()
    mentioned = [
        TeamRecord(team_code="HFX", team_name="Halifax Explorers"),
        TeamRecord(team_code="BUF", team_name="Buffalo Bisons"),
    ]

    load_teams(mentioned, rules=TeamRules(adds_mentioned=adds), report=report)

    assert report.teams_added == (["HFX"] if adds else [])
    assert Team.objects.get(team_code="BUF").team_name == "Buffalo Sabres"


def test_a_long_reason_is_recorded_as_far_as_its_column_goes() -> None:
    _load(Refused(name="a game", reason="x" * 300, game_id=2024020009))

    assert MissingGame.objects.get().reason == "x" * 200


def _load(*games: GameScore | Refused | Skipped) -> LoadReport:
    return load_games(games, rules=RULES, report=LoadReport())


def _versions() -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'game', xmin::text, ctid::text FROM linescore_games "
            "UNION ALL SELECT 'period', xmin::text, ctid::text FROM linescore_periods "
            "UNION ALL SELECT 'result', xmin::text, ctid::text FROM linescore_period_results ORDER BY 1, 2, 3"
        )
        rows: list[tuple[str, ...]] = cursor.fetchall()
    return rows
