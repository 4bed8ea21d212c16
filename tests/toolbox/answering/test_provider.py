"""Without a model, answerers take the steps that a model would."""

import json

import pytest
from pydantic import BaseModel

from tests.toolbox.answering.conversation import end, hold_conversation, request, step, text
from toolbox.answering.decision import NOT_COVERED
from toolbox.answering.provider import NO_EXAMPLES, NOTICE, AnswererModel
from toolbox.catalogue.registry import registry
from toolbox.contract.tool import Tool
from toolbox.examples.few_shot import shots
from toolbox.model import Message, ModelUnavailable, StepEnd, ToolRequest


@pytest.fixture
def tools(cast: object) -> list[Tool]:
    """Return linescore's tools."""
    return list(registry.tools(domain="linescore"))


async def test_a_question_becomes_a_call(tools: list[Tool]) -> None:
    events = await step([Message.user("How did Carolina do in February 2025?")], tools=tools)

    made = request(events)
    assert made.name == "list_game_results"
    assert json.loads(made.arguments) == {
        "teamCode": "CAR",
        "startDate": "2025-02-01",
        "endDate": "2025-02-28",
        "limit": 100,
    }
    assert events[-1] == StepEnd(reason="calls")


async def test_the_answer_is_worded_and_says_that_there_is_no_model(tools: list[Tool]) -> None:
    messages = await hold_conversation("How did Carolina do in February 2025?", tools=tools)

    assert messages[-1].text == (
        f"{NOTICE}\n\nIn February 2025, Carolina Hurricanes played 7 games and won 2, lost 5 and lost 0 more "
        "in overtime or shootouts; goals 18 to 24. Of the periods, overtime and shootouts included, "
        "goals into empty nets not, they won 4, lost 10 and tied 7."
    )


async def test_it_is_said_once_a_conversation(tools: list[Tool]) -> None:
    messages = await hold_conversation("How did Carolina do in February 2025?", "And Boston in March?", tools=tools)

    assert sum(NOTICE in message.text for message in messages) == 1
    assert messages[-1].text.startswith("In March 2025, Boston Bruins played 14 games")


async def test_it_asks_back_and_understands_the_reply(tools: list[Tool]) -> None:
    messages = await hold_conversation("How did New York do in February?", "the Rangers", tools=tools)

    assert "Which team do you mean: New York Islanders, New York Rangers?" in messages[1].text
    assert "New York Rangers played 9 games" in messages[-1].text


async def test_what_is_missing_is_asked_for_and_taken_from_the_reply(cast: object) -> None:
    tools = list(registry.tools(domain="backtests"))
    messages = await hold_conversation("How many trades were made?", "in February 2012", tools=tools)

    assert "Which month do you mean, for example" in messages[1].text
    assert json.loads(messages[3].calls[0].arguments)["startTime"] == "2012-02-01T00:00:00Z"


async def test_a_time_that_is_not_said_is_the_latest_season_until_the_next_question_says_one(tools: list[Tool]) -> None:
    messages = await hold_conversation("How many overtime games did Ottawa have?", "in February 2025", tools=tools)

    assert [json.loads(one.calls[0].arguments) for one in messages if one.calls] == [
        {"teamCode": "OTT", "season": "2024-2025", "limit": 1000},
        {"teamCode": "OTT", "startDate": "2025-02-01", "endDate": "2025-02-28", "limit": 1000},
    ]


async def test_what_it_does_not_cover_it_says_and_names_the_nearest(tools: list[Tool]) -> None:
    messages = await hold_conversation("Which teams won the Stanley Cup in 1980?", tools=tools)

    first, second, *listed = messages[-1].text.removeprefix(f"{NOTICE}\n\n").splitlines()
    assert first == f"{NOT_COVERED} The word 'Stanley' is not understood."
    assert second == "The nearest questions that can be answered:"
    assert "- Which teams won the most periods in 2024-25?" in listed


async def test_a_refusal_is_put_into_words(tools: list[Tool]) -> None:
    messages = await hold_conversation("How did Carolina do in July 2024?", tools=tools)

    assert "No games found for these filters." in messages[-1].text
    assert "{" not in messages[-1].text


@pytest.mark.usefixtures("shipped_run_alone")
async def test_sentences_of_a_refusal_are_separate(cast: object) -> None:
    tools = list(registry.tools(domain="backtests"))
    messages = await hold_conversation("What was the state of the strategy on 2024-03-01?", tools=tools)

    assert "Timestamp is after the end of the run. The run ends at " in messages[-1].text


async def test_no_example_for_the_tools_is_said(cast: object) -> None:
    assert NO_EXAMPLES in text(await step([Message.user("How did Carolina do?")], tools=[]))


async def test_an_answer_to_another_providers_call_is_shown(tools: list[Tool]) -> None:
    made = ToolRequest(id="call_1", name="query_linescore_data")
    told = Message.tool_answer("fenced", request=made, answer={"rows": 2})

    events = await step([Message.user("?"), Message.assistant(calls=(made,)), told], tools=tools)

    assert 'The tool query_linescore_data answered: {"rows": 2}' in text(events)


async def test_it_makes_no_shapes() -> None:
    with pytest.raises(ModelUnavailable, match="AGENT_MODEL"):
        await AnswererModel().complete_structured([], schema=BaseModel, deadline_seconds=1)


async def test_a_model_is_shown_the_nearest_examples(tools: list[Tool]) -> None:
    shown = await shots("how did the Bruins do last March", tools=tools, count=2)

    assert shown
    assert shown.role == "system"
    said = [line for line in shown.text.splitlines() if line.startswith("Q: ")]
    calls = [json.loads(line) for line in shown.text.splitlines() if line.startswith("{")]
    assert said[0] == "Q: How did Carolina Hurricanes do in January 2025?"
    assert calls[0]["parameters"]["startDate"] == "2025-01-01"
    assert len(said) == len(calls) == 2


async def test_without_tools_nothing_is_shown(cast: object) -> None:
    assert await shots("how did the Bruins do", tools=[]) is None


async def test_arguments_that_a_person_changed_are_not_worded_as_the_question_had_them(tools: list[Tool]) -> None:
    asked = Message.user("How did Carolina do in February 2025?")
    made = request(await step([asked], tools=tools))
    told = Message.tool_answer("fenced", request=made, answer={"n": 1}, edited_arguments='{"teamCode": "BOS"}')

    events = await step([asked, Message.assistant(calls=(made,)), told], tools=tools)

    assert 'With {"teamCode": "BOS"}: The tool list_game_results answered: {"n": 1}' in text(events)
    assert "Carolina" not in text(events)


async def test_the_outcome_is_told_beside_the_text(tools: list[Tool]) -> None:
    asked_back = end(await step([Message.user("How did New York do in February?")], tools=tools))
    uncovered = end(await step([Message.user("Who is the prime minister of Canada?")], tools=tools))
    refused = await hold_conversation("How did Carolina do in July 2024?", tools=tools)

    assert asked_back["outcome"] == "asked_back"
    assert [choice["question"] for choice in asked_back["choices"]] == [
        "How did New York Islanders do in February 2025?", "How did New York Rangers do in February 2025?",
    ]  # fmt: skip
    assert (uncovered["outcome"], uncovered["question"]) == ("not_covered", "Who is the prime minister of Canada?")
    assert end(await step(refused[:-1], tools=tools))["outcome"] == "refused"


async def test_a_question_for_two_domains_is_asked_back_and_a_reply_names_the_domain(cast: object) -> None:
    tools = list(registry.tools())
    asked = end(await step([Message.user("Which team won the most?")], tools=tools))

    assert asked["outcome"] == "asked_back"
    assert [choice["question"].partition(":")[0] for choice in asked["choices"]] == ["linescore", "graphql_proxy"]
    reply = asked["choices"][0]["question"]
    made = request(await step([Message.user("Which team won the most?"), Message.user(reply)], tools=tools))
    assert made.name == "query_linescore_data"


async def test_a_command_is_not_taken_for_a_question(cast: object) -> None:
    told = await hold_conversation("Close all open bugs", tools=list(registry.tools()))

    assert not told[1].calls
    assert NOT_COVERED in told[-1].text


@pytest.mark.parametrize("question", ["How did Carolina do yesterday?", "How did Carolina do last week?"])
async def test_a_time_that_nothing_knows_is_not_passed_over(tools: list[Tool], question: str) -> None:
    told = end(await step([Message.user(question)], tools=tools))

    assert told["outcome"] == "not_covered"


async def test_games_lost_are_not_taken_for_periods_lost(cast: object) -> None:
    made = request(await step([Message.user("Which team lost the most games?")], tools=list(registry.tools())))

    assert made.name == "get_league_standings"
    assert json.loads(made.arguments)["sort"] == "L"
