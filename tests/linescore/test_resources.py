"""The tables behind the tool, for programmers: filtered, ordered, in pages, read only."""

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from linescore.models import Game

ROOT = "/api/resources/linescore/"
RESOURCES = ["teams", "games", "periods", "period-results"]
FILTERS = {
    "teams": ["team_name", "city"],
    "games": [
        "season", "game_kind", "team_code", "home_team_code", "away_team_code", "game_date", "first_date", "last_date",
    ],
    "periods": ["game_id", "season", "period_number", "period_kind", "first_date", "last_date"],
    "period-results": [
        "game_id", "team_code", "season", "period_number", "period_outcome", "won_two_plus_reg_periods", "first_date",
        "last_date",
    ],
}  # fmt: skip
EVERY_PARAMETER = [
    (resource, name) for resource in RESOURCES for name in [*FILTERS[resource], "ordering", "page", "page_size"]
]
FREE_TEXT = {"team_name", "city"}


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def rows(client: Client, resource: str, **query: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}{resource}/", query)
    assert answer.status_code == 200, answer.content
    page: dict[str, Any] = answer.json()
    return page


@pytest.mark.parametrize(
    ("resource", "count"), [("teams", 32), ("games", 1312), ("periods", 4284), ("period-results", 8568)]
)
def test_the_whole_season_is_there(staff: Client, resource: str, count: int) -> None:
    assert rows(staff, resource)["count"] == count


@pytest.mark.parametrize(
    ("resource", "query", "count"),
    [
        ("teams", {"team_name": "hurricanes"}, 1),
        ("teams", {"city": "new york"}, 1),
        ("games", {"team_code": "CAR"}, 82),
        ("games", {"home_team_code": "CAR"}, 41),
        ("games", {"home_team_code": "CAR", "away_team_code": "CAR"}, 0),
        ("games", {"game_kind": "POST"}, 0),
        ("games", {"season": "2023-2024"}, 0),
        ("games", {"team_code": "CAR", "first_date": "2025-02-01", "last_date": "2025-02-28"}, 7),
        ("games", {"team_code": "ZZZ"}, 0),
        ("periods", {"game_id": 2024020001}, 3),
        ("periods", {"period_kind": "SO"}, 77),
        ("periods", {"period_kind": "OT"}, 271),
        ("periods", {"period_number": 9}, 0),
        ("period-results", {"game_id": 2024020001, "team_code": "NJD", "period_outcome": "WIN"}, 2),
        ("period-results", {"game_id": 2024020001, "won_two_plus_reg_periods": "true"}, 3),
        ("period-results", {"game_id": 2024020001, "won_two_plus_reg_periods": "false"}, 3),
        ("period-results", {"season": "2024-2025", "period_number": 5}, 154),
    ],
)
def test_filters_keep_what_the_season_has(staff: Client, resource: str, query: dict[str, Any], count: int) -> None:
    assert rows(staff, resource, **query)["count"] == count


def test_a_game_comes_with_its_periods(staff: Client) -> None:
    game = staff.get(f"{ROOT}games/2024020001/").json()

    assert (game["away_team_code"], game["home_team_code"], game["game_date"]) == ("NJD", "BUF", "2024-10-04")
    assert [(row["away_goals"], row["home_goals"]) for row in game["periods"]] == [(2, 0), (1, 0), (1, 1)]


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_row_has_a_page_of_its_own(staff: Client, resource: str) -> None:
    row = rows(staff, resource, page_size=1)["results"][0]
    key = next(iter(row.values()))

    own = staff.get(f"{ROOT}{resource}/{key}/")

    assert own.status_code == 200
    assert row.items() <= own.json().items()


@pytest.mark.parametrize("resource", RESOURCES)
def test_pages_follow_each_other_without_gap_or_overlap(staff: Client, resource: str) -> None:
    whole = rows(staff, resource, page_size=60)["results"]

    parts = [rows(staff, resource, page_size=20, page=page)["results"] for page in (1, 2)]

    assert [*parts[0], *parts[1]] == whole[:40]


def test_rows_that_are_equal_in_the_order_asked_for_stay_in_place(staff: Client) -> None:
    pages = [rows(staff, "period-results", ordering="goals_for", page_size=500, page=page) for page in range(1, 18)]

    ids = [row["id"] for page in pages for row in page["results"]]
    assert len(set(ids)) == 17 * 500


def test_the_order_can_be_reversed(staff: Client) -> None:
    days = [date.fromisoformat(row["game_date"]) for row in rows(staff, "games", ordering="-game_date")["results"]]

    assert days == sorted(days, reverse=True)
    assert days[0] == date(2025, 4, 17)


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_list_asks_two_queries_whatever_it_holds(staff: Client, resource: str) -> None:
    counts = []
    for size in (1, 1000):
        with CaptureQueriesContext(connection) as queries:
            rows(staff, resource, page_size=size)
        counts.append(len([query for query in queries if "linescore_" in query["sql"]]))

    assert counts == [2, 2]


def test_one_game_asks_two_queries(staff: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        staff.get(f"{ROOT}games/2024020001/")

    assert len([query for query in queries if "linescore_" in query["sql"]]) == 2


@pytest.mark.parametrize(("resource", "name"), EVERY_PARAMETER)
@pytest.mark.parametrize("value", ["'; DROP TABLE linescore_games; --", "CAR\x00", "1e400", "9" * 400, " "])
def test_nonsense_is_refused_with_a_sentence(staff: Client, resource: str, name: str, value: str) -> None:
    answer = staff.get(f"{ROOT}{resource}/", {name: value})

    if name in FREE_TEXT and "\x00" not in value and len(value) <= 100:
        assert answer.status_code == 200
    elif value == " ":
        assert answer.status_code in (200, 400)
    else:
        assert answer.status_code == 400, answer.content
        assert name in answer.json()["error"]["message"]
    assert Game.objects.count() == 1312


@pytest.mark.parametrize(
    ("resource", "query", "words"),
    [
        ("games", {"game_date": "2025-02-30"}, "A date that exists is needed"),
        ("games", {"season": "2024/25"}, "A season is written as 2024-2025."),
        ("games", {"team_code": "car"}, "A team code has three capital letters"),
        ("games", {"teamcode": "CAR"}, "did you mean team_code?"),
        ("games", {"ordering": "home_team__team_name"}, "Rows can be ordered by game_date, game_id, season"),
        ("games", {"ordering": "-game_date,password"}, "Rows can be ordered by"),
        ("games", {"page_size": 10**9}, "A page holds 1 to 1000 rows."),
        ("games", {"page_size": 0}, "A page holds 1 to 1000 rows."),
        ("games", {"page": "last"}, "A whole number is needed."),
        ("period-results", {"won_two_plus_reg_periods": "maybe"}, "true or false is needed."),
        ("period-results", {"period_outcome": "win"}, "Select a valid choice"),
        ("periods", {"period_number": "1.5"}, "Enter a whole number."),
        ("periods", {"period_number": 2**31}, "less than or equal to"),
    ],
)
def test_a_refusal_says_what_would_do(staff: Client, resource: str, query: dict[str, Any], words: str) -> None:
    answer = staff.get(f"{ROOT}{resource}/", query)

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert error["code"] == "INVALID_PARAMETERS"
    assert words in error["message"]
    assert error["suggestion"]
    assert next(iter(query)) in error["details"]["parameters"]


@pytest.mark.parametrize(
    "address",
    [
        "games/?page=1000000000", "games/?page=9223372036854775808", "games/1/", "games/99999999999999999999999/",
        "games/abc/", "games/%00/", "teams/ZZZ/", "teams/%00%00%00/", "teams/' OR 1=1/", "periods/-1/",
        "period-results/1.5/", "games/\N{ARABIC-INDIC DIGIT ONE}/",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_found(staff: Client, address: str) -> None:
    answer = staff.get(ROOT + address)

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "NOT_FOUND"


def test_the_domain_lists_its_resources(staff: Client) -> None:
    assert list(staff.get(ROOT).json()) == RESOURCES


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_browser_gets_a_page(staff: Client, resource: str) -> None:
    answer = staff.get(f"{ROOT}{resource}/", headers={"Accept": "text/html"})

    assert answer.status_code == 200
    assert "text/html" in answer["Content-Type"]


def test_every_filter_is_in_the_openapi_description(staff: Client) -> None:
    paths = staff.get("/api/resources/openapi.json").json()["paths"]

    for resource in RESOURCES:
        listed = {parameter["name"] for parameter in paths[f"{ROOT}{resource}/"]["get"]["parameters"]}
        assert listed == {*FILTERS[resource], "ordering", "page", "page_size"}
    assert [path for path in paths if not path.startswith("/api/resources/")] == []


def test_the_openapi_description_is_valid_and_complete(tmp_path: Any) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "openapi.yaml"))
