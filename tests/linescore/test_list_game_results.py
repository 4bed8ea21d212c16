"""Games with final scores and a team's record, held against arithmetic over the NHL's figures."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from linescore.models import MissingGame
from tests.linescore.season_by_hand import Row, sides

ADDRESS = "/api/tools/linescore/list_game_results"
PERIODS = "/api/tools/linescore/query_linescore_data"


async def test_a_team_s_record_is_that_of_its_season(fast_client: httpx.AsyncClient) -> None:
    """Washington ended 2024-25 with 51-22-9, as the league's table has it."""
    data = await _data(fast_client, teamCode="WSH", season="2024-2025", limit=1)

    record = data["record"]
    assert (record["wins"], record["losses"], record["overtime_losses"], record["ties"]) == (51, 22, 9, 0)
    assert data["query_metadata"]["was_limited"] is True


@pytest.mark.parametrize(
    "ask",
    [{"teamCode": "CAR"}, {"teamCode": "CAR", "venue": "home"}, {"teamCode": "CAR", "venue": "away"},
     {"teamCode": "SJS", "opponent": "LAK"}, {"teamCode": "TOR", "startDate": "2025-01-01", "endDate": "2025-01-31"},
     {"teamCode": "NYR", "result": "OT_LOSS"}, {"teamCode": "NYR", "result": "LOSS", "venue": "away"},
     {"startDate": "2025-02-01", "endDate": "2025-02-01"}, {"opponent": "CAR"}],
    ids=str,
)  # fmt: skip
async def test_games_and_record_are_what_arithmetic_gives(fast_client: httpx.AsyncClient, ask: dict[str, Any]) -> None:
    wanted = [game for game in _games_by_hand() if _fits(game, ask)]
    counted = Counter(game["results"].get(ask.get("teamCode")) for game in wanted)
    kept = [game for game in wanted if ask.get("result") in (None, game["results"].get(ask.get("teamCode")))]

    data = await _data(fast_client, **ask, limit=1000)

    scores = {row["game_id"]: (row["home_goals"], row["away_goals"]) for row in data["results"]}
    assert scores == {game["game_id"]: game["score"] for game in kept[:1000]}
    if "teamCode" in ask:
        record = data["record"]
        assert (record["wins"], record["losses"], record["overtime_losses"]) == (
            counted["WIN"], counted["LOSS"], counted["OT_LOSS"],
        )  # fmt: skip
    else:
        assert data["record"] is None


async def test_periods_of_the_record_are_those_of_the_ranking(fast_client: httpx.AsyncClient) -> None:
    january = {"startDate": "2025-01-01", "endDate": "2025-01-31"}
    ranking = (await fast_client.post(PERIODS, json=january | {"periodOutcome": "WIN"})).json()["data"]["results"]

    data = await _data(fast_client, teamCode="CAR", **january)

    assert data["record"]["periods_won"] == next(row["periods_won"] for row in ranking if row["team_code"] == "CAR")


async def test_pages_follow_each_other_to_the_last_row(fast_client: httpx.AsyncClient) -> None:
    ask = {"teamCode": "CAR", "season": "2024-2025", "limit": 30}

    pages = [(await _data(fast_client, **ask, page=page))["results"] for page in (1, 2, 3)]
    past = (await fast_client.post(ADDRESS, json=ask | {"page": 4})).json()["error"]

    assert [len(page) for page in pages] == [30, 30, 22]
    assert len({row["game_id"] for page in pages for row in page}) == 82
    assert past["details"] == {"code": "NO_RESULTS", "retryWith": {"page": 1}}


async def test_periods_beyond_a_thousand_rows_are_on_further_pages(fast_client: httpx.AsyncClient) -> None:
    ask = {"season": "2024-2025", "limit": 1000}

    first, second = [(await fast_client.post(PERIODS, json=ask | {"page": page})).json()["data"] for page in (1, 2)]

    assert (first["count"], second["count"]) == (1000, 1000)
    assert first["results"][-1] != second["results"][0]
    assert first["results"][-1]["game_date"] <= second["results"][0]["game_date"]


async def test_what_needs_a_team_says_so(fast_client: httpx.AsyncClient) -> None:
    error = (await fast_client.post(ADDRESS, json={"venue": "home"})).json()["error"]

    assert (error["field"], error["suggestion"]) == ("teamCode", "Give teamCode too.")


@pytest.mark.parametrize(
    ("ask", "retry"),
    [({"teamCode": "CAR", "opponent": "Boston"}, {"opponent": "BOS"}), ({"teamCode": "CAR", "result": "TIE"},
      {"result": None}), ({"teamCode": "CAR", "season": "2023-2024"}, None),
     ({"teamCode": "CAR", "opponent": "CAR"}, {"opponent": None}),
     ({"teamCode": "CAR", "result": "OT_LOSS", "startDate": "2024-12-01", "endDate": "2024-12-02", "page": 2},
      {"startDate": "2024-11-23", "endDate": "2024-12-31", "page": 1})],
    ids=str,
)  # fmt: skip
async def test_a_refusal_relaxes_what_conflicts(
    fast_client: httpx.AsyncClient, ask: dict[str, Any], retry: dict[str, Any] | None
) -> None:
    error = (await fast_client.post(ADDRESS, json=ask)).json()["error"]

    assert error["details"].get("retryWith") == retry


@pytest.fixture
def refused_game(django_db_blocker: Any) -> Iterator[None]:
    """Store a refused game of Carolina, committed, for one test."""
    with django_db_blocker.unblock():
        row = MissingGame.objects.create(
            game_id=2024029999, season="2024-2025", game_date="2025-02-02", home_team_code="CAR", away_team_code="XXX",
            reason="unknown team XXX",
        )  # fmt: skip
        yield
        row.delete()


@pytest.mark.usefixtures("refused_game")
async def test_an_answer_names_the_games_that_its_season_lacks(fast_client: httpx.AsyncClient) -> None:
    lacking = [await _fetch_missing(fast_client, ADDRESS, teamCode="CAR"), await _fetch_missing(fast_client, PERIODS)]
    whole = [
        await _fetch_missing(fast_client, ADDRESS, teamCode="BOS"),
        await _fetch_missing(fast_client, PERIODS, startDate="2025-03-01"),
    ]

    assert lacking == [{"2024-2025": 1}] * 2
    assert whole == [None, None]


async def _fetch_missing(client: httpx.AsyncClient, address: str, **ask: Any) -> Any:
    data = (await client.post(address, json=ask)).json()["data"]
    return data["query_metadata"].get("missing_games")


async def _data(client: httpx.AsyncClient, **ask: Any) -> dict[str, Any]:
    answer = await client.post(ADDRESS, json=ask)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def _games_by_hand() -> list[Row]:
    games: dict[int, Row] = {}
    for side in sides():
        game = games.setdefault(side["game_id"], {"game_id": side["game_id"], "date": side["game_date"],
                                "home": side["home_team_code"], "away": side["away_team_code"],
                                "goals": Counter(), "last": 0})  # fmt: skip
        game["goals"][side["team_code"]] += side["goals_for"]
        game["last"] = max(game["last"], side["period_number"])
    for game in games.values():
        game["score"] = (game["goals"][game["home"]], game["goals"][game["away"]])
        winner = game["home"] if game["score"][0] > game["score"][1] else game["away"]
        lost = "OT_LOSS" if game["last"] > 3 else "LOSS"
        game["results"] = {code: "WIN" if code == winner else lost for code in (game["home"], game["away"])}
    return sorted(games.values(), key=lambda game: (game["date"], game["game_id"]), reverse=True)


def _fits(game: Row, ask: dict[str, Any]) -> bool:
    both = (game["home"], game["away"])
    team, venue = ask.get("teamCode"), ask.get("venue")
    return (
        (team is None or team in both)
        and ("opponent" not in ask or ask["opponent"] in both)
        and (venue is None or game[venue] == team)
        and ask.get("startDate", "") <= game["date"] <= ask.get("endDate", "9999")
    )
