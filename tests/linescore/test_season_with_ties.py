"""A season in which games could end level: the table and the tool count it alike."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from linescore.graphql.schema import schema
from linescore.ingest.load import LoadRules, load_games
from linescore.ingest.report import LoadReport
from linescore.models import Game
from tests.linescore.ingest.games import TODAY, game, period
from tests.pages import as_user, rows

SEASON = "1998-1999"
LEVEL = (period(1, 1, 0), period(2, 0, 1), period(3, 0, 0), period(4, 0, 0))
HOME_WINS = (period(1, 1, 0), period(2, 1, 1), period(3, 0, 0))
AWAY_WINS_LATE = (period(1, 0, 0), period(2, 1, 1), period(3, 0, 0), period(4, 0, 1))


@pytest.fixture
def three_games(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Store a tie, a win of Buffalo and one of New Jersey in overtime, committed, for one test."""
    games = [
        game(*periods, game_id=1998020001 + number, season=SEASON, game_date=date(1998, 10, 9 + number))
        for number, periods in enumerate((LEVEL, HOME_WINS, AWAY_WINS_LATE))
    ]
    with django_db_blocker.unblock():
        report = load_games(games, rules=LoadRules(today=TODAY), report=LoadReport())
        assert (report.added, report.refused) == (3, [])
        yield
        Game.objects.filter(season=SEASON).delete()


@pytest.mark.usefixtures("three_games")
async def test_a_tie_is_no_loss_in_the_table_and_in_the_tool(fast_client: httpx.AsyncClient) -> None:
    table = await schema.execute(
        f'{{ leagueStandings(slug: "nhl", season: "{SEASON}") {{ team {{ id }} stats {{ GP W L T OTL PTS }} }} }}'
    )
    answer = await fast_client.post(
        "/api/tools/linescore/list_game_results", json={"teamCode": "BUF", "season": SEASON}
    )

    lines = {line["team"]["id"]: line["stats"] for line in (getattr(table, "data", None) or {})["leagueStandings"]}
    assert lines == {
        "BUF": {"GP": 3, "W": 1, "L": 0, "T": 1, "OTL": 1, "PTS": 4},
        "NJD": {"GP": 3, "W": 1, "L": 1, "T": 1, "OTL": 0, "PTS": 3},
    }
    data = answer.json()["data"]
    record = {name: data["record"][name] for name in ("games", "wins", "losses", "overtime_losses", "ties")}
    assert record == {"games": 3, "wins": 1, "losses": 0, "overtime_losses": 1, "ties": 1}
    assert [row["result"] for row in data["results"]] == ["OT_LOSS", "WIN", "TIE"]


@pytest.mark.usefixtures("three_games")
def test_a_tie_stands_in_the_record_on_the_team_s_page() -> None:
    """Games, wins, losses, ties, overtime losses, goals: all three games were at the same rink."""
    curator = as_user("curator")
    page = curator.get(f"/linescore/{SEASON}/BUF/")
    curator.logout()

    records = [line[:6] for line in rows(page.content, of="Season record")]
    assert records[0] == ["All games", "3", "1", "0", "1", "1"]
    assert sorted(line[1:] for line in records[1:]) == [["0"] * 5, ["3", "1", "0", "1", "1"]]
    assert "Wins, losses, ties, overtime losses" in page.content.decode()
