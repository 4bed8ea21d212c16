"""What is unclear is asked of the person, in both eras; where nobody answers, the contract's own words come back."""

from typing import Any

import pytest

from tests.mock_upstream import COMMON_NAME, MockUpstream
from tests.toolbox.dispatching import connect_answering, first_choice
from tests.toolbox.transports import mcp_in_memory

pytestmark = pytest.mark.usefixtures("cast")
both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])
AVERY = {"naturalLanguageQuery": "What is Avery working on?"}


@both_eras
async def test_a_name_of_several_is_asked_and_the_sql_is_of_the_one_picked(mode: str) -> None:
    async with connect_answering(lambda entries: {"answer_1": entries["answer_1"]["enum"][1]}, mode=mode) as client:
        told = (await client.call_tool("generate_sql", AVERY)).structured_content
        rows = (await client.call_tool("execute_query", {"sql": told["sql"]})).structured_content

    assert (told["isAmbiguous"], told["clarification"]) == (False, None)
    assert client.asked[0].startswith("Which Avery are you referring to?")  # type: ignore[attr-defined]
    assert len(client.asked) == 1  # type: ignore[attr-defined]
    assert rows["rowCount"] > 0


@pytest.mark.parametrize("fills", [lambda _: None, lambda _: {}, lambda _: {"answer_1": "somebody else"}])
async def test_who_declines_or_says_what_was_not_offered_gets_the_contract_s_clarification(fills: Any) -> None:
    async with connect_answering(fills) as client, mcp_in_memory() as silent:
        told = (await client.call_tool("generate_sql", AVERY)).structured_content
        expected = (await silent.call_tool("generate_sql", AVERY)).structured_content

    assert told == expected
    assert told["isAmbiguous"] is True


async def test_a_question_that_is_not_understood_is_asked_in_other_words() -> None:
    async with connect_answering(lambda _: {"answer_1": "What is blocked?"}) as client:
        told = await client.call_tool("generate_sql", {"naturalLanguageQuery": "Blorf the frobnicator"})

    assert told.structured_content["sql"]


async def test_a_day_that_may_be_two_is_asked() -> None:
    question = {"naturalLanguageQuery": "Show all issues created since 03/04/2025 in team ACCEL"}

    async with connect_answering(first_choice) as client:
        told = (await client.call_tool("generate_sql", question)).structured_content

    assert client.asked[0] == "Is '03/04/2025' 3 April 2025 or 4 March 2025?"  # type: ignore[attr-defined]
    assert "'2025-04-03" in told["sql"]


@both_eras
async def test_a_place_of_two_teams_is_asked_and_the_call_goes_on(mode: str) -> None:
    async with connect_answering(first_choice, mode=mode) as client:
        told = await client.call_tool("query_linescore_data", {"teamCode": "New York", "limit": 3})
        sure = await client.call_tool("query_linescore_data", {"teamCode": "Carolina Hurricanes"})

    assert told.is_error is False
    rows = told.structured_content["data"]["results"]
    assert all({row["home_team_code"], row["away_team_code"]} & {"NYR", "NYI"} for row in rows)
    assert client.asked == ["Which team is 'New York'?"]  # type: ignore[attr-defined]
    assert sure.structured_content["error"]["details"]["code"] == "INVALID_TEAM_CODE"


@both_eras
async def test_a_player_of_several_is_asked_and_looked_up_by_id(mock: MockUpstream, mode: str) -> None:
    async with connect_answering(first_choice, mode=mode) as client:
        told = (await client.call_tool("get_player", {"player": COMMON_NAME})).structured_content

    assert "clarification" not in told
    assert told["record"]
    assert client.asked == [f"Which player is '{COMMON_NAME}', the first 3 of 7?"]  # type: ignore[attr-defined]
    assert [said["variables"].get("id") for said in mock.asked[-2:]] == [None, "1"]
