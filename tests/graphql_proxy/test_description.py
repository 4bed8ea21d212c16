"""The fourth property of the contract: what the description of `execute_graphql` tells the model that chooses."""

import re

import pytest

from graphql_proxy.operations import counting, figures
from graphql_proxy.tools import toolkit
from tests.graphql_proxy.conftest import MakeUpstream
from tests.graphql_proxy.hockey_schema import WITH_PLAYERS_SDL
from tests.graphql_proxy.upstream_data import SMALL_SDL
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry

TOOL = next(tool for tool in toolkit.tools if tool.name == "execute_graphql")


@pytest.mark.parametrize(
    "element",
    [
        "introspect_schema",
        "321 available queries",
        "get_player",
        "get_team",
        "get_league_standings",
        "get_league_leaders",
        "get_games",
        "get_game_logs",
        "Example: { leagueStandings(",
        "First try a convenience tool",
    ],
)
def test_the_description_is_complete(element: str) -> None:
    assert element in " ".join(TOOL.documentation.split())


def test_every_tool_that_it_names_is_there() -> None:
    known = {tool.name for tool in registry.tools(domain="graphql_proxy")}

    named = set(re.findall(r"get_[a-z_]+|introspect_schema|validate_query", TOOL.documentation))

    assert named == known - {"execute_graphql", "execute_graphql_mutation"}


async def test_the_live_figures_count_the_schema_that_is_stored(make_upstream: MakeUpstream) -> None:
    slug = make_upstream("http://127.0.0.1:9/", sdl=SMALL_SDL, slug="aaa-small")

    await counting.refresh()

    assert f"{slug}: 5 queries" in TOOL.description
    assert "(the default)" in TOOL.description
    assert "5 queries" not in TOOL.documentation


async def test_the_figures_are_there_once_rows_were_gathered(cast: object) -> None:
    await dynamic_tools.wait_until_loaded()

    assert "Upstreams now: " in TOOL.description


async def test_an_operation_says_which_upstream_has_it(make_upstream: MakeUpstream) -> None:
    with_players = make_upstream("http://127.0.0.1:9/", sdl=WITH_PLAYERS_SDL, slug="aaa-players")
    without = make_upstream("http://127.0.0.1:9/", sdl="type Query { teams: Int }", slug="aab-without")

    await counting.refresh()

    player = next(tool for tool in toolkit.tools if tool.name == "get_player")
    having, _, lacking = player.description.rpartition("Upstreams that have it: ")[2].partition("Not there: ")
    assert with_players in having
    assert without in lacking


async def test_the_sample_says_how_much_of_the_full_api_it_is(cast: object) -> None:
    await counting.refresh()

    if "hockey" in figures.describe_counts():
        assert "the full hockey API has 321" in TOOL.description


async def test_a_very_large_schema_is_counted_and_not_parsed_for_it(
    make_upstream: MakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = make_upstream("http://127.0.0.1:9/", sdl="this is never parsed", slug="aaa-large")
    monkeypatch.setattr(counting, "MAX_JUDGED_BYTES", 10)

    await counting.refresh()

    assert f"{slug}: 5 queries" in figures.describe_counts()
    assert slug not in figures.describe_operation("get_player")()
