"""The tools that a step of the model is offered: the few that fit, those used before, and a search for others."""

import json

import orjson
import pytest
from django.conf import settings

from agents.runs.run_caller import narrow_scopes
from agents.runs.tool_choice import SEARCH_TOOL, fit_tools, order_tools
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.embedding.embedder import embedder
from toolbox.examples.cache import load_known_examples, load_sample_texts
from toolbox.examples.templates import fill_question
from toolbox.model.requests import estimate_tokens
from toolbox.tool_search.catalogue import CatalogueSearch, catalogue_search

pytestmark = pytest.mark.usefixtures("cast")
SEARCH = SEARCH_TOOL.name
MAX_TOKENS = 3_000


def all_tools() -> list[Tool]:
    """Return the tools that a run of the local operator may use."""
    return registry.visible_to(narrow_scopes(LOCAL_OPERATOR, toolkits=()))


def find_missed(search: CatalogueSearch) -> list[str]:
    """Return the shipped examples, in all phrasings, whose first tool would not be offered."""

    async def ask() -> list[str]:
        tools, missed = all_tools(), []
        for example in await load_known_examples():
            samples = await load_sample_texts(example)
            for written in example.templates:
                asked = fill_question(written, samples=samples)
                chosen = fit_tools(await order_tools(asked, tools=tools, search=search), tools=tools)
                if example.tool not in [tool.name for tool in chosen]:
                    missed.append(f"{example.tool}: {asked}")
        return missed

    return event_loop.run(ask())


def test_the_tool_of_each_shipped_question_is_offered() -> None:
    assert find_missed(catalogue_search) == []


@pytest.mark.slow
def test_the_tool_of_each_shipped_question_is_offered_by_meaning_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "TOOLROOM_TOOL_VECTORS", True)

    assert find_missed(CatalogueSearch(registry, model=embedder)) == []


def test_a_step_costs_less_than_the_catalogue(quiet_talk: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(says("21."))

    work_on(quiet_talk.say("Which periods did Carolina win in February?", is_told=False))

    tools = [tool for tool in [*all_tools(), SEARCH_TOOL] if tool.name in script.tools[0]]
    assert script.tools[0][0] == SEARCH
    assert LINESCORE in script.tools[0]
    assert estimate_tokens({"tools": [tool.function_schema for tool in tools]}) < MAX_TOKENS
    assert estimate_tokens({"tools": [tool.function_schema for tool in all_tools()]}) > 3 * MAX_TOKENS


def test_what_was_used_stays_and_what_was_searched_comes(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    wanted = json.dumps({"query": "who calls a function"})
    script = scripted_as(calls(FEBRUARY), calls(wanted, tool=SEARCH), says("Done."))
    run_id = quiet_talk.say("Draw me something", is_told=False)

    work_on(run_id)

    assert LINESCORE in script.tools[1]
    assert {LINESCORE, "find_callers_of_function"} <= set(script.tools[2])
    step = onlooker.steps(run_id)[3]
    assert (step["tool"], step["state"]) == (SEARCH, "answered")
    onlooker.until(lambda: len(onlooker.calls(run_id)) == 2)
    assert [call["tool"] for call in onlooker.calls(run_id)] == [LINESCORE, SEARCH]


def test_a_follow_up_is_offered_what_the_conversation_used(quiet_talk: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(calls(FEBRUARY), says("21."), says("None."))
    conversation = quiet_talk.begin()
    work_on(quiet_talk.say("How did Carolina do?", to=conversation, is_told=False))

    work_on(quiet_talk.say("and read that file again?", to=conversation, is_told=False))

    assert LINESCORE in script.tools[2]


def test_a_run_of_few_tools_is_offered_all_without_a_search(quiet_talk: Owner, scripted_as: Scripted) -> None:
    script = scripted_as(says("21."))

    work_on(quiet_talk.say("How did Carolina do?", is_told=False, toolkits=["linescore"]))

    assert LINESCORE in script.tools[0]
    assert SEARCH not in script.tools[0]


@pytest.mark.parametrize("arguments", ["{}", '{"query": 7}', '{"query": "x"', '{"query": "x", "more": 1}'])
def test_a_wrong_search_is_refused_with_words(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, arguments: str
) -> None:
    scripted_as(calls(arguments, tool=SEARCH), says("Sorry."))
    run_id = quiet_talk.say("How did Carolina do?", is_told=False)

    work_on(run_id)

    step = onlooker.steps(run_id)[1]
    assert (step["state"], step["code"]) == ("refused", "INVALID_PARAMETERS")
    assert orjson.loads(step["answer"])["error"]["suggestion"]
    assert onlooker.run(run_id)["state"] == "succeeded"
