"""Games and periods are corrected here; results follow, and are never edited."""

from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from linescore.models import Game, Period, PeriodResult

LISTS = ["/admin/linescore/game/", "/admin/linescore/periodresult/", "/admin/linescore/team/"]
OPENING_GAME = 2024020001  # Buffalo 1, New Jersey 4, in Prague; won in regulation
TOOL = "/api/tools/linescore/query_linescore_data"


@pytest.fixture
def curator(db: None) -> Client:
    return log_in()


def log_in() -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def address(game_id: int) -> str:
    return f"/admin/linescore/game/{game_id}/change/"


def form_of(game_id: int) -> dict[str, Any]:
    """Return what a browser would send for the unchanged game."""
    game = Game.objects.get(pk=game_id)
    periods = list(game.periods.order_by("period_number"))
    form: dict[str, Any] = {
        "season": game.season,
        "game_date": game.game_date.isoformat(),
        "game_kind": game.game_kind,
        "home_team": game.home_team_id,
        "away_team": game.away_team_id,
        "results-TOTAL_FORMS": 0,
        "results-INITIAL_FORMS": 0,
        "periods-TOTAL_FORMS": len(periods),
        "periods-INITIAL_FORMS": len(periods),
    }
    for row, period in enumerate(periods):
        form |= {f"periods-{row}-{name}": value for name, value in columns(period).items()}
    return form


def columns(period: Period) -> dict[str, Any]:
    names = ["id", "period_number", "period_kind", "home_goals", "away_goals"]
    names += ["home_empty_net_goals", "away_empty_net_goals"]
    return {name: getattr(period, name) for name in names} | {"game": period.game_id}


def outcomes(game_id: int) -> list[tuple[int, str, str, bool]]:
    rows = PeriodResult.objects.filter(game=game_id).order_by("period_number", "team_id")
    return list(rows.values_list("period_number", "team_id", "period_outcome", "won_two_plus_reg_periods"))


@pytest.mark.parametrize("page", LISTS)
def test_a_list_asks_as_many_queries_for_two_rows_as_for_a_page(curator: Client, page: str) -> None:
    with CaptureQueriesContext(connection) as many:
        answer = curator.get(page)
    Game.objects.exclude(pk__in=[OPENING_GAME, OPENING_GAME + 1]).delete()
    with CaptureQueriesContext(connection) as few:
        curator.get(page)

    assert len(many) == len(few) <= 12
    assert len(answer.context["cl"].result_list) <= 50


def test_the_list_of_games_shows_the_score_as_the_league_has_it(curator: Client) -> None:
    page = curator.get("/admin/linescore/game/", {"q": str(OPENING_GAME)}).content.decode()

    assert "4-1" in page
    assert "NJD" in page


def test_a_shootout_is_marked_and_counts_one_goal(curator: Client) -> None:
    game = Game.objects.filter(periods__period_kind="SO").order_by("pk")[0]
    periods = list(game.periods.all())
    away, home = sum(row.away_goals for row in periods), sum(row.home_goals for row in periods)

    page = curator.get("/admin/linescore/game/", {"q": str(game.pk)}).content.decode()

    assert f"{away}-{home} SO" in page
    assert abs(away - home) == 1


@pytest.mark.parametrize("wanted", ["CAR", "Hurricanes", "20240212"])
def test_games_are_found_by_code_name_and_id(curator: Client, wanted: str) -> None:
    answer = curator.get("/admin/linescore/game/", {"q": wanted})

    games = answer.context["cl"].result_list
    assert len(games) > 5
    assert all("CAR" in (game.home_team_id, game.away_team_id) or str(game.pk).startswith(wanted) for game in games)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"team": "CAR"}, 82),
        ({"season": "2024-2025"}, 1312),
        ({"game_kind__exact": "POST"}, 0),
        ({"team": "CAR", "game_date_from": "2025-02-01", "game_date_to": "2025-02-28"}, 7),
    ],
)
def test_games_are_filtered(curator: Client, query: dict[str, str], count: int) -> None:
    answer = curator.get("/admin/linescore/game/", query)

    assert answer.context["cl"].result_count == count


@pytest.mark.parametrize(
    "query",
    [
        {"team": "CAR"}, {"season": "2024-2025"}, {"period_outcome__exact": "TIE"}, {"period_number": "3"},
        {"won_two_plus_reg_periods__exact": "1"}, {"game_date_from": "2025-04-17"}, {"q": "Hurricanes"},
    ],
)  # fmt: skip
def test_results_are_filtered(curator: Client, query: dict[str, str]) -> None:
    answer = curator.get("/admin/linescore/periodresult/", query)

    assert 0 < answer.context["cl"].result_count <= 8568


@pytest.mark.parametrize("page", LISTS)
@pytest.mark.parametrize("value", ["\x00'; DROP TABLE linescore_games; --", "2025-02-30", "9" * 40])
@pytest.mark.parametrize(
    "name", ["q", "p", "o", "team", "season", "game_date_from", "period_number", "game_date__year", "no_such"]
)
def test_nonsense_in_the_address_of_a_list_is_no_server_error(
    curator: Client, page: str, name: str, value: str
) -> None:
    answer = curator.get(page, {name: value})

    assert answer.status_code in (200, 302)


def test_results_say_where_they_are_corrected(curator: Client) -> None:
    page = curator.get("/admin/linescore/periodresult/", {"q": str(OPENING_GAME)}).content.decode()

    assert "correct its period under the game" in page
    assert page.count("correct this period") == 6
    assert address(OPENING_GAME) in page


@pytest.mark.parametrize("action", ["add", "change", "delete"])
def test_nobody_edits_a_result_by_itself(curator: Client, action: str) -> None:
    result = PeriodResult.objects.filter(game=OPENING_GAME)[0]
    path = "add" if action == "add" else f"{result.pk}/{action}"

    answer = curator.post(f"/admin/linescore/periodresult/{path}/", {"period_outcome": "WIN", "post": "yes"})

    assert answer.status_code == 403
    assert PeriodResult.objects.filter(pk=result.pk, period_outcome=result.period_outcome).exists()


def test_a_corrected_period_changes_both_teams_results(curator: Client) -> None:
    form = form_of(OPENING_GAME) | {"periods-1-home_goals": 5, "periods-2-home_goals": 5}

    answer = curator.post(address(OPENING_GAME), form)

    assert answer.status_code == 302, answer.context["errors"]
    assert outcomes(OPENING_GAME) == [
        (1, "BUF", "LOSS", True), (1, "NJD", "WIN", False),
        (2, "BUF", "WIN", True), (2, "NJD", "LOSS", False),
        (3, "BUF", "WIN", True), (3, "NJD", "LOSS", False),
    ]  # fmt: skip


def test_a_correction_stays_in_the_games_history(curator: Client) -> None:
    curator.post(address(OPENING_GAME), form_of(OPENING_GAME) | {"periods-1-home_goals": 2})

    entry = LogEntry.objects.get(object_id=str(OPENING_GAME))
    assert entry.user.get_username() == "curator"
    assert "Home goals" in entry.get_change_message()


REFUSALS = [
    ({"periods-1-DELETE": "on"}, "regulation period 2 is missing"),
    ({"periods-2-home_empty_net_goals": 2}, "A side cannot score more empty-net goals than goals."),
    ({"periods-2-period_kind": "OT"}, "Periods 1 to 3 are regulation, later ones overtime or shootout."),
    ({"periods-2-period_number": 2}, "period_number"),
    ({"away_team": "BUF"}, "A team cannot play itself."),
    ({"away_team": "XXX"}, "Select a valid choice"),
    ({"game_date": "2999-01-01", "season": "2998-2999"}, "future date 2999-01-01"),
    ({"game_date": "2025-02-30"}, "Enter a valid date."),
    ({"season": "2024-2026"}, "season 2024-2026 is not one"),
    ({"season": "last year"}, "A season is two years running, as 2024-2025."),
    ({"season": "2024-202\x00"}, "Null characters are not allowed."),
    ({"periods-0-home_goals": -1}, "greater than or equal to 0"),
    ({"periods-0-home_goals": 99999}, "less than or equal to"),
    ({"periods-0-home_goals": 3}, "it ends 4-4, without a winner"),
]


@pytest.mark.parametrize(("change", "words"), REFUSALS)
def test_a_correction_that_breaks_a_rule_is_refused_in_words(
    curator: Client, change: dict[str, Any], words: str
) -> None:
    before = outcomes(OPENING_GAME)

    answer = curator.post(address(OPENING_GAME), form_of(OPENING_GAME) | change)

    assert answer.status_code == 200
    assert words in answer.content.decode() or escape(words) in answer.content.decode()
    assert outcomes(OPENING_GAME) == before


def test_a_period_that_is_deleted_takes_both_results_along(curator: Client) -> None:
    game = Game.objects.filter(periods__period_kind="OT").exclude(periods__period_kind="SO").order_by("pk")[0]
    winner = "home" if game.periods.get(period_number=4).home_goals else "away"
    goals = getattr(game.periods.get(period_number=3), f"{winner}_goals")
    form = form_of(game.pk) | {"periods-3-DELETE": "on", f"periods-2-{winner}_goals": goals + 1}

    answer = curator.post(address(game.pk), form)

    assert answer.status_code == 302, answer.context["errors"]
    assert {number for number, *_ in outcomes(game.pk)} == {1, 2, 3}


def test_a_game_is_entered_with_its_periods(curator: Client) -> None:
    form = form_of(OPENING_GAME)
    new = {name: value for name, value in form.items() if not name.endswith(("-id", "-game"))}
    new |= {"game_id": 2024029999, "home_team": "CAR", "periods-INITIAL_FORMS": 0}

    answer = curator.post("/admin/linescore/game/add/", new)

    assert answer.status_code == 302, answer.context["errors"]
    assert len(outcomes(2024029999)) == 6


def test_a_game_is_deleted_with_its_results(curator: Client) -> None:
    answer = curator.post(f"/admin/linescore/game/{OPENING_GAME}/delete/", {"post": "yes"})

    assert answer.status_code == 302
    assert not Game.objects.filter(pk=OPENING_GAME).exists()
    assert outcomes(OPENING_GAME) == []


def test_a_team_with_games_cannot_be_deleted(curator: Client) -> None:
    answer = curator.post("/admin/linescore/team/CAR/delete/", {"post": "yes"})

    assert answer.status_code in (200, 403)
    assert Game.objects.filter_team("CAR").count() == 82


def test_the_page_of_a_game_has_periods_to_correct_and_results_to_read(curator: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        page = curator.get(address(OPENING_GAME)).content.decode()

    assert 'name="periods-2-home_goals"' in page
    assert 'name="results-0-goals_for"' not in page
    assert "computed from the periods above" in page
    assert len(queries) <= 12


async def test_what_is_corrected_here_is_what_the_tool_answers(
    scratch_database: None, fast_client: httpx.AsyncClient
) -> None:
    question = {"teamCode": "BUF", "startDate": "2024-10-04", "endDate": "2024-10-04", "wonTwoPlusRegPeriods": True}
    before = await fast_client.post(TOOL, json=question)

    await sync_to_async(correct_two_periods)()

    periods = await fast_client.post(TOOL, json=question | {"wonTwoPlusRegPeriods": None})
    after = await fast_client.post(TOOL, json=question)
    assert before.status_code == 404
    assert [row["period_outcome"] for row in periods.json()["data"]["results"]] == ["LOSS", "WIN", "WIN"]
    assert [row["regulation_periods_won"] for row in after.json()["data"]["results"]] == [2]


def correct_two_periods() -> None:
    form = form_of(OPENING_GAME) | {"periods-1-home_goals": 5, "periods-2-home_goals": 5}
    assert log_in().post(address(OPENING_GAME), form).status_code == 302
