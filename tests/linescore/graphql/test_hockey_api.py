"""The season as a GraphQL API: its answers, its bounds, its words."""

from typing import Any

import pytest
from graphql import GraphQLObjectType, build_schema, get_named_type
from strawberry.types import ExecutionResult

from linescore.graphql import queries
from linescore.graphql.schema import schema
from tests.data.reference import read_text
from toolbox.contract.errors import DatabaseUnavailable

pytestmark = pytest.mark.usefixtures("django_db_setup")


async def ask(document: str, **variables: Any) -> dict[str, Any]:
    result = await schema.execute(document, variable_values=variables)
    assert isinstance(result, ExecutionResult)
    assert not result.errors, result.errors
    return result.data or {}


async def refuse(document: str) -> str:
    result = await schema.execute(document)
    assert isinstance(result, ExecutionResult)
    assert result.errors
    return result.errors[0].message


async def test_the_table_is_the_leagues_own() -> None:
    """Final standings of 2024-25 as the league published them."""
    data = await ask(
        '{ leagueStandings(slug: "nhl", season: "2024-2025")'
        " { position teamName stats { GP W L OTL PTS } team { id } } }"
    )

    lines = {line["team"]["id"]: line["stats"] for line in data["leagueStandings"]}
    assert len(lines) == 32
    assert lines["WPG"] == {"GP": 82, "W": 56, "L": 22, "OTL": 4, "PTS": 116}
    assert lines["WSH"] == {"GP": 82, "W": 51, "L": 22, "OTL": 9, "PTS": 111}
    assert lines["SJS"] == {"GP": 82, "W": 20, "L": 50, "OTL": 12, "PTS": 52}
    assert data["leagueStandings"][0]["teamName"] == "Winnipeg Jets"
    assert data["leagueStandings"][-1]["position"] == "32"


async def test_the_table_can_be_sorted_and_paged() -> None:
    data = await ask('{ leagueStandings(slug: "NHL", sort: "-GF", limit: 2, offset: 1) { stats { GF } } }')

    goals = [line["stats"]["GF"] for line in data["leagueStandings"]]
    assert len(goals) == 2
    assert goals == sorted(goals, reverse=True)


async def test_every_win_is_someones_loss() -> None:
    data = await ask('{ leagueStandings(slug: "nhl") { stats { W L OTW OTL GF GA } } }')

    stats = [line["stats"] for line in data["leagueStandings"]]
    total = {name: sum(line[name] for line in stats) for name in stats[0]}
    assert total["W"] == total["L"] + total["OTL"] == 1312
    assert total["OTW"] == total["OTL"] == 194 + 77
    assert total["GF"] == total["GA"]


async def test_teams_are_found_by_letters_name_and_city() -> None:
    data = await ask(
        '{ letters: teams(q: "car") { totalCount edges { id name } } name: teams(name: "hurricanes") { edges { id } }'
        ' none: teams(q: "Quebec Nordiques") { totalCount edges { id } } }'
    )

    assert {"id": "CAR", "name": "Carolina Hurricanes"} in data["letters"]["edges"]
    assert data["name"]["edges"] == [{"id": "CAR"}]
    assert data["none"] == {"totalCount": 0, "edges": []}


async def test_games_of_two_teams_with_their_periods() -> None:
    data = await ask(
        '{ games(homeTeam: "CAR", visitingTeam: "NYR", sort: "date", limit: 1) { totalCount edges { date homeTeamScore '
        "visitingTeamScore scoreType status homeTeam { name } livescore { periodScores { period homeTeamScore } } } } }"
    )

    game = data["games"]["edges"][0]
    assert game["homeTeam"] == {"name": "Carolina Hurricanes"}
    assert game["status"] == "COMPLETED"
    assert sum(period["homeTeamScore"] for period in game["livescore"]["periodScores"]) == game["homeTeamScore"]


async def test_days_bound_the_games_both_included() -> None:
    data = await ask(
        '{ games(dateFrom: "2025-02-08", dateTo: "2025-02-08", limit: 100) { totalCount edges { date } } }'
    )

    assert data["games"]["totalCount"] == len(data["games"]["edges"]) > 0
    assert {game["date"] for game in data["games"]["edges"]} == {"2025-02-08"}


async def test_periods_say_of_which_kind_they_are() -> None:
    data = await ask(
        '{ game(id: "2024020022") { scoreType livescore { periodScores { period type homeTeamScore '
        "visitingTeamScore } } } }"
    )

    kinds = [period["type"] for period in data["game"]["livescore"]["periodScores"]]
    assert data["game"]["scoreType"] == "SO"
    assert kinds == ["regular_period", "regular_period", "regular_period", "overtime", "penalties"]


async def test_a_page_past_the_end_still_counts() -> None:
    data = await ask(
        "{ games(offset: 5000) { totalCount edges { id } pageInfo { hasNextPage hasPreviousPage limit } } }"
    )

    assert data["games"] == {
        "totalCount": 1312,
        "edges": [],
        "pageInfo": {"hasNextPage": False, "hasPreviousPage": True, "limit": 20},
    }


async def test_a_teams_games_are_seen_from_its_side() -> None:
    data = await ask(
        '{ gameLogs(team: "CAR", opponent: "NYR", sort: "date") { totalCount edges { gameType teamScore opponentScore '
        "outcome teamName opponentName game { homeTeam { id } homeTeamScore visitingTeamScore } } } }"
    )

    assert data["gameLogs"]["totalCount"] == len(data["gameLogs"]["edges"]) > 0
    for log in data["gameLogs"]["edges"]:
        at_home = log["game"]["homeTeam"]["id"] == "CAR"
        assert (log["gameType"] == "home") is at_home
        assert log["teamScore"] == log["game"]["homeTeamScore" if at_home else "visitingTeamScore"]
        assert (log["outcome"] == "W") is (log["teamScore"] > log["opponentScore"])


async def test_one_of_each_by_its_id_and_null_for_none() -> None:
    data = await ask(
        '{ team(id: "car") { name arena { name } } nobody: team(id: "XXX") { name } game(id: "2024020001") { date }'
        ' nothing: game(id: "1") { date } league(slug: "nhl") { fullName } leagues { totalCount edges { slug } }'
        ' leagueSeasons(slug: "nhl") { slug startYear } }'
    )

    assert data["team"]["name"] == "Carolina Hurricanes"
    assert data["game"]["date"].startswith("2024-10-0")
    assert data["nobody"] is data["nothing"] is None
    assert data["leagues"] == {"totalCount": 1, "edges": [{"slug": "nhl"}]}
    assert data["leagueSeasons"] == [{"slug": "2024-2025", "startYear": 2024}]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{ games(limit: 0) { totalCount } }", "limit goes from 1 to 100"),
        ("{ games(offset: -1) { totalCount } }", "offset from 0"),
        ('{ games(sort: "goals; DROP") { totalCount } }', "sort can be -date, date"),
        ('{ games(league: "shl") { totalCount } }', "there is only 'nhl'"),
        ('{ games(season: "2024/25") { totalCount } }', "written as 2024-2025"),
        ('{ games(dateFrom: "yesterday") { totalCount } }', "written as 2025-02-28"),
        ('{ game(id: "x") { date } }', "a number"),
        ('{ player(id: "1") { name } }', "Cannot query field 'player'"),
        ("{ " + " ".join(f"a{number}: leagues {{ totalCount }}" for number in range(20)) + " }", "aliases"),
        ("{ games { totalCount } " + "# long\n" + "leagues { totalCount } " * 1000 + "}", "token"),
    ],
)
async def test_what_cannot_be_asked_is_said_in_words(document: str, said: str) -> None:
    assert said.lower() in (await refuse(document)).lower()


async def test_a_limit_above_the_most_is_lowered() -> None:
    data = await ask("{ games(limit: 5000) { edges { id } pageInfo { limit } } }")

    assert data["games"]["pageInfo"]["limit"] == len(data["games"]["edges"]) == 100


async def test_an_error_of_ours_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> Any:
        raise DatabaseUnavailable("no socket at /secret/place")

    monkeypatch.setattr(queries, "games", away)

    assert await refuse("{ games { totalCount } }") == "The question could not be answered."


async def test_what_a_caller_misspelt_is_not_logged_as_our_failure(caplog: pytest.LogCaptureFixture) -> None:
    await refuse("{ nothingLikeIt }")
    await refuse('{ games(sort: "no-such") { totalCount } }')

    assert caplog.records == []


@pytest.fixture
def statements_sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from toolbox.database.pools import reader

    statements: list[str] = []
    fetch = reader.fetch

    async def count_and_fetch(statement: str, parameters: Any = ()) -> Any:
        statements.append(statement)
        return await fetch(statement, parameters)

    monkeypatch.setattr(reader, "fetch", count_and_fetch)
    return statements


async def test_one_statement_answers_a_query_field_however_much_is_selected(statements_sent: list[str]) -> None:
    await ask(
        "{ gameLogs(limit: 100) { edges { team { name arena { name } league { name } } opponent { name } "
        "game { homeTeam { name } livescore { periodScores { period } } } } } }"
    )

    assert len(statements_sent) == 1


def test_every_name_is_the_real_apis() -> None:
    real, ours = build_schema(read_text("graphql/eliteprospects.graphql")), schema._schema

    for name, of in ours.type_map.items():
        if not isinstance(of, GraphQLObjectType) or name.startswith("__"):
            continue
        theirs = real.type_map[name]
        assert isinstance(theirs, GraphQLObjectType)
        for member, about in of.fields.items():
            expected = get_named_type(theirs.fields[member].type).name
            assert get_named_type(about.type).name == expected or expected == "Unknown", f"{name}.{member}"
            for argument, kind in about.args.items():
                assert str(kind.type) == str(theirs.fields[member].args[argument].type), f"{name}.{member}({argument})"
