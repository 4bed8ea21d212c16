"""The contract's convenience tools: against a mocked API with players, the real API's schema, and our own upstream."""

from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from graphql import GraphQLSchema, build_schema, parse, validate

from graphql_proxy.ingest.samples import shipped_operations
from tests.data.reference import read_text
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.mock_upstream import COMMON_NAME, MockUpstream, mock_upstream
from toolbox.database.caches import clear_all_caches

REAL_SDL = read_text("graphql/eliteprospects.graphql")

SUCCESSES: list[tuple[str, dict[str, Any]]] = [
    ("get_player", {"player": "Sebastian Aho"}),
    ("get_player", {"player": "8478427", "season": "2024-2025", "league": "nhl"}),
    ("get_team", {"team": "Carolina Hurricanes"}),
    ("get_team", {"team": "75", "season": "2024-2025"}),
    ("get_league_standings", {}),
    ("get_league_standings", {"league": "shl", "season": "2023-2024", "sort": "GF", "limit": 2}),
    ("get_league_leaders", {}),
    ("get_league_leaders", {"position": "goalies", "stat": "GAA", "limit": 3}),
    ("get_games", {}),
    ("get_games", {"team": "75", "dateFrom": "2025-02-01", "dateTo": "2025-02-28", "status": "COMPLETED"}),
    ("get_games", {"team": "Carolina", "opponent": "Boston", "sort": "oldest"}),
    ("get_game_logs", {"player": "Sebastian Aho", "season": "2024-2025"}),
    ("get_game_logs", {"team": "75", "opponent": "61"}),
]
called = [f"{tool}-{'-'.join(parameters) or 'nothing'}" for tool, parameters in SUCCESSES]


async def ask(client: httpx.AsyncClient, tool: str, **parameters: Any) -> httpx.Response:
    return await client.post(f"/api/tools/graphql_proxy/{tool}", json=parameters)


async def answer_of(client: httpx.AsyncClient, tool: str, **parameters: Any) -> dict[str, Any]:
    answer = await ask(client, tool, **parameters)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@cache
def read_real_schema() -> GraphQLSchema:
    return build_schema(REAL_SDL)


@pytest.fixture(scope="module")
def real() -> Iterator[MockUpstream]:
    with mock_upstream(read_real_schema()) as running:
        yield running


@pytest.fixture
def real_upstream(make_upstream: MakeUpstream, real: MockUpstream) -> str:
    slug = make_upstream(real.address, sdl=REAL_SDL)
    real.asked.clear()
    return slug


@pytest.mark.parametrize(("tool", "parameters"), SUCCESSES, ids=called)
async def test_it_answers_on_a_mocked_api(
    fast_client: httpx.AsyncClient, tool: str, parameters: dict[str, Any]
) -> None:
    body = await answer_of(fast_client, tool, **parameters)

    assert body["rows"] or body["record"]
    assert "clarification" not in body


async def test_they_answer_on_the_real_schema_with_documents_that_fit_it(
    fast_client: httpx.AsyncClient, real_upstream: str, real: MockUpstream
) -> None:
    for tool, parameters in SUCCESSES:
        body = await answer_of(fast_client, tool, **parameters, upstream=real_upstream)

        assert body["rows"], (tool, parameters)
        assert body["notOffered"] == [], (tool, parameters)
    documents = {said["query"] for said in real.asked}
    assert len(documents) >= len({tool for tool, _ in SUCCESSES})
    assert {document: found for document in documents if (found := validate(read_real_schema(), parse(document)))} == {}


def test_every_shipped_document_fits_the_real_schema() -> None:
    assert [validate(read_real_schema(), parse(str(row["document"]))) for row in shipped_operations()] == [[]] * 6


async def test_parameters_arrive_as_variables(
    fast_client: httpx.AsyncClient, real_upstream: str, real: MockUpstream
) -> None:
    await answer_of(
        fast_client, "get_league_leaders", league="nhl", season="2024-2025", stat="G", limit=5, upstream=real_upstream
    )

    [said] = real.asked
    assert said["variables"] == {"league": "nhl", "season": "2024-2025", "sort": "-regularStats.G", "limit": 5}


async def test_rows_are_flat(fast_client: httpx.AsyncClient, real_upstream: str) -> None:
    body = await answer_of(fast_client, "get_league_leaders", upstream=real_upstream)

    for row in body["rows"]:
        assert not [value for value in row.values() if isinstance(value, dict | list)]
    assert {"player", "playerId", "team", "GP", "PTS"} <= body["rows"][0].keys()


@pytest.mark.parametrize(("tool", "parameter"), [("get_player", "player"), ("get_team", "team"), ("get_games", "team")])
async def test_a_name_that_fits_several_is_asked_back(
    fast_client: httpx.AsyncClient, tool: str, parameter: str
) -> None:
    body = await answer_of(fast_client, tool, **{parameter: COMMON_NAME.lower()})
    several = await answer_of(fast_client, tool, **{parameter: COMMON_NAME})

    assert "clarification" not in body
    assert several["rows"] == []
    assert several["clarification"]["parameter"] == parameter
    assert [one["id"] for one in several["clarification"]["candidates"]] == ["1", "2", "3"]


async def test_the_opponent_is_asked_back_by_its_own_name(fast_client: httpx.AsyncClient) -> None:
    body = await answer_of(fast_client, "get_games", team="75", opponent=COMMON_NAME)

    assert body["clarification"]["parameter"] == "opponent"


@pytest.mark.parametrize(
    ("tool", "parameters", "said"),
    [
        ("get_games", {"season": "2024"}, "2024-2025"),
        ("get_games", {"season": "2024-2026"}, "2024-2025"),
        ("get_games", {"dateFrom": "28.2.2025"}, "YYYY-MM-DD"),
        ("get_games", {"dateFrom": "2025-02-30"}, "YYYY-MM-DD"),
        ("get_games", {"dateFrom": "2025-03-01", "dateTo": "2025-02-01"}, "after dateTo"),
        ("get_games", {"opponent": "BOS"}, "without team"),
        ("get_games", {"limit": 0}, "limit"),
        ("get_games", {"limit": 101}, "limit"),
        ("get_game_logs", {}, "Neither player nor team"),
        ("get_player", {}, "player is missing"),
        ("get_player", {"player": ""}, "player"),
        ("get_player", {"player": "x" * 101}, "player"),
        ("get_league_leaders", {"stat": "goals"}, "stat cannot be"),
    ],
)
async def test_bad_input_is_refused_in_words(
    fast_client: httpx.AsyncClient, tool: str, parameters: dict[str, Any], said: str
) -> None:
    answer = await ask(fast_client, tool, **parameters)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert said in f"{error['message']} {error['suggestion']}"


async def test_a_document_that_was_turned_off_is_missed_in_words(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream
) -> None:
    from graphql_proxy.models import SavedOperation

    def switch(*, is_enabled: bool) -> None:
        in_a_thread(lambda: SavedOperation.objects.filter(name="get_games").update(is_enabled=is_enabled))
        clear_all_caches()

    switch(is_enabled=False)
    try:
        answer = await ask(fast_client, "get_games")
    finally:
        switch(is_enabled=True)

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "NOT_CONFIGURED"


@pytest.fixture
def hockey(server: str, make_upstream: MakeUpstream, cast: SimpleNamespace) -> str:
    """Return our own upstream, as the running server serves it."""
    from tests.graphql_proxy.hockey_schema import HOCKEY_SDL

    return make_upstream(f"{server}/graphql/", sdl=HOCKEY_SDL, headers={"Authorization": f"Bearer {cast.bob}"})


async def test_our_own_upstream_has_the_table(fast_client: httpx.AsyncClient, hockey: str) -> None:
    body = await answer_of(fast_client, "get_league_standings", season="2024-2025", limit=1, upstream=hockey)

    assert body["rows"][0] == {
        "position": "1", "team": "Winnipeg Jets", "teamId": "WPG", "GP": 82, "W": 56, "L": 22, "T": 0,
        "OTW": body["rows"][0]["OTW"], "OTL": 4, "PTS": 116, "GF": 277, "GA": 191, "GD": 86, "season": "2024-2025",
    }  # fmt: skip
    assert "TeamStats.group" in body["notOffered"]


async def test_our_own_upstream_has_a_team(fast_client: httpx.AsyncClient, hockey: str) -> None:
    for name in ("CAR", "car", "Carolina Hurricanes", "hurricanes"):
        body = await answer_of(fast_client, "get_team", team=name, upstream=hockey)

        assert body["record"]["id"] == "CAR"
        assert body["rows"][0]["GP"] == 82


async def test_our_own_upstream_asks_back_which_new_york(fast_client: httpx.AsyncClient, hockey: str) -> None:
    body = await answer_of(fast_client, "get_team", team="New York", upstream=hockey)

    assert {one["id"] for one in body["clarification"]["candidates"]} == {"NYI", "NYR"}


async def test_our_own_upstream_has_both_sides_of_head_to_head(fast_client: httpx.AsyncClient, hockey: str) -> None:
    body = await answer_of(
        fast_client, "get_games", team="CAR", opponent="NYR", season="2024-2025", sort="oldest", upstream=hockey
    )

    dates = [game["date"] for game in body["rows"]]
    assert body["total"] == len(dates) == 4
    assert dates == sorted(dates)
    assert {game["home"] for game in body["rows"]} == {"Carolina Hurricanes", "New York Rangers"}


async def test_our_own_upstream_has_a_teams_games(fast_client: httpx.AsyncClient, hockey: str) -> None:
    body = await answer_of(fast_client, "get_game_logs", team="CAR", limit=3, upstream=hockey)

    assert len(body["rows"]) == 3
    assert body["total"] == 82
    assert body["rows"][0]["team"] == "Carolina Hurricanes"
    assert "GameLog.player" in body["notOffered"]


@pytest.mark.parametrize(
    ("tool", "parameters", "lacking"),
    [
        ("get_player", {"player": "Sebastian Aho"}, "players"),
        ("get_player", {"player": "8478427"}, "player"),
        ("get_league_leaders", {}, "leagueSkaterStats"),
        ("get_league_leaders", {"position": "goalies"}, "leagueGoalieStats"),
        ("get_game_logs", {"player": "8478427"}, "player"),
        ("get_game_logs", {"player": "Sebastian Aho"}, "players"),
    ],
)
async def test_our_own_upstream_says_that_it_has_no_players(
    fast_client: httpx.AsyncClient, hockey: str, tool: str, parameters: dict[str, Any], lacking: str
) -> None:
    answer = await ask(fast_client, tool, **parameters, upstream=hockey)

    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == "NOT_OFFERED"
    assert lacking in error["details"]["lacking"]
    assert "player" in error["message"]


@pytest.mark.parametrize("given", ["Quebec Nordiques", "75", "' OR 1=1 --", "{ __schema }", "🏒", "\\"])
async def test_our_own_upstream_does_not_know_every_team(
    fast_client: httpx.AsyncClient, hockey: str, given: str
) -> None:
    answer = await ask(fast_client, "get_team", team=given, upstream=hockey)

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "NOT_FOUND"


async def test_what_the_upstream_says_is_passed_on(fast_client: httpx.AsyncClient, hockey: str) -> None:
    answer = await ask(fast_client, "get_league_standings", league="shl", upstream=hockey)

    assert answer.status_code == 502
    error = answer.json()["error"]
    assert error["code"] == "REFUSED_BY_UPSTREAM"
    assert "There is no league 'shl'" in error["message"]


async def test_without_a_web_process_it_says_so(fast_client: httpx.AsyncClient, make_upstream: MakeUpstream) -> None:
    from tests.graphql_proxy.hockey_schema import HOCKEY_SDL

    nobody = make_upstream("http://127.0.0.1:9/graphql/", sdl=HOCKEY_SDL)

    answer = await ask(fast_client, "get_games", upstream=nobody)

    assert answer.status_code == 502
    error = answer.json()["error"]
    assert error["code"] == "UPSTREAM_UNREACHABLE"
    assert "is its web process running" in error["suggestion"]
