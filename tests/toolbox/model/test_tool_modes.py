"""Servers and models without native tool calls are served too, and what works is remembered."""

import asyncio
import json
from typing import Any

import pytest

from tests.agents.model_server import ModelServer
from tests.agents.turns import calls as calling
from tests.agents.turns import refuses, says
from tests.toolbox.model.conftest import QUESTION, ModelMaker, calls, step, text
from toolbox.contract.tool import Tool
from toolbox.model import Message, ModelUnavailable, RetryNotice, StepEnd, TextDelta, ToolRequest

CALL = ("query_linescore_data", '{"teamCode": "CAR"}')
WRITTEN = '{"tool": "query_linescore_data", "parameters": {"teamCode": "CAR"}}'


async def test_auto_goes_on_by_json_schema_where_tools_are_refused(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.native = "refused"
    server.when("Carolina", says(WRITTEN), again=True)
    model = maker()

    first, second = await step(model, tools=tools), await step(model, tools=tools)

    assert calls(first) == calls(second) == [CALL]
    assert not any(isinstance(event, RetryNotice) for event in first)
    assert [sorted({"tools", "response_format"} & asked.body.keys()) for asked in server.asked] == [
        ["tools"],
        ["response_format"],
        ["response_format"],
    ]


@pytest.mark.parametrize(
    "said",
    [
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "No endpoints found that support tool use",
    ],
)
async def test_each_server_refuses_tools_in_its_own_words(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], said: str
) -> None:
    server.when("Carolina", refuses(500 if "jinja" in said else 400, message=said), says(WRITTEN))

    assert calls(await step(maker(), tools=tools)) == [CALL]


async def test_auto_ends_at_the_prompt(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    refusals = refuses(400, message="no tools here"), refuses(400, message="response_format json_schema: unsupported")
    server.when("Carolina", *refusals, says(WRITTEN))
    model = maker()

    assert calls(await step(model, tools=tools)) == [CALL]
    assert model.capabilities.tools == "prompt"


async def test_a_call_written_as_text_is_a_call_and_is_remembered(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.native = "ignored"
    server.when("Carolina", calling("query_linescore_data", {"teamCode": "CAR"}), again=True)
    model = maker()

    first, second = await step(model, tools=tools), await step(model, tools=tools)

    assert calls(first) == calls(second) == [CALL]
    assert text(first) == text(second) == ""
    assert [bool(asked.tools) for asked in server.asked] == [True, False]


async def test_native_stays_native(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.native = "refused"

    with pytest.raises(ModelUnavailable, match="does not support tools"):
        await step(maker("native"), tools=tools)


async def test_usage_is_estimated_where_the_server_will_not_count(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", refuses(400, message="Unrecognized request argument: stream_options"), says("Yes, twice."))

    events = await step(maker(), tools=tools)

    assert events[-2].is_estimated  # type: ignore[union-attr]
    assert "stream_options" not in server.asked[1].body


async def test_the_prompt_shows_tools_as_the_contract_does(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", says("They won twice."))

    await step(maker("prompt"), [Message.system("Be brief."), *QUESTION], tools=tools)

    system = server.asked[0].messages[0]["content"]
    listed, _, usage = system.partition("\n\nUSAGE FORMAT:\n")
    shown = json.loads(listed.removeprefix("AVAILABLE TOOLS:\n"))["query_linescore_data"]
    assert shown["parameters"]["startDate"].startswith("string (optional) - First day of the games")
    assert shown["parameters"]["periodOutcome"].endswith("One of: WIN, LOSS, TIE.")
    assert usage.startswith('{\n  "tool": "tool_name",\n  "parameters": { ... }\n}')
    assert usage.endswith("Be brief.")
    assert {"tools", "response_format"}.isdisjoint(server.asked[0].body)


async def test_what_was_called_and_answered_is_told_as_text(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    request = ToolRequest(id="c1", name=CALL[0], arguments=CALL[1])
    said = [*QUESTION, Message.assistant(calls=(request,)), Message.tool_answer("two wins", request=request)]
    server.when("Carolina", says("Two wins."))

    await step(maker("prompt"), [*said, Message.user("Sure?")], tools=tools)

    assert [message["role"] for message in server.asked[0].messages] == ["system", "user", "assistant", "user"]
    assert server.asked[0].messages[2]["content"] == WRITTEN
    assert server.asked[0].messages[3]["content"] == "ANSWER OF query_linescore_data:\ntwo wins\n\nSure?"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (WRITTEN, ""),
        (f"```json\n{WRITTEN}\n```", ""),
        (f"I will look that up.\n\n```\n{WRITTEN}\n```\nOne moment.", "I will look that up.\n\n"),
        (f"<think>{{which tool?}} hm</think>\n{WRITTEN}", ""),
        ('<tool_call>\n{"name": "query_linescore_data", "arguments": {"teamCode": "CAR"}}\n</tool_call>', ""),
        ('{"tool": "query_linescore_data", "parameters": {"teamCode": "CAR",}}', ""),
        ('{"tool": "query_linescore_data", "parameters": {"teamCode": "CAR"}', ""),
    ],
    ids=["bare", "fenced", "prose", "thinking", "hermes", "comma", "unclosed"],
)
async def test_a_written_call_is_read_leniently(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], written: str, shown: str
) -> None:
    server.when("Carolina", says(written))

    events = await step(maker("prompt"), tools=tools)

    assert calls(events) == [CALL]
    assert text(events) == shown
    assert events[-1] == StepEnd(reason="calls")


@pytest.mark.parametrize(
    "words",
    [
        "Sets look so: {a, b}, and `code` so.",
        'An object: {"name": "Aho", "goals": 2} is data.',
        "```python\nprint({})\n```",
        "{",
        "a < b and <tool",
    ],
)
async def test_what_only_looks_like_a_call_is_text(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], words: str
) -> None:
    server.when("Carolina", says(words))

    events = await step(maker("prompt"), tools=tools)

    assert (text(events), calls(events)) == (words, [])


async def test_an_answer_in_json_is_streamed_as_words(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    words = 'They won "twice",\nin Köln.'
    server.when("Carolina", says(json.dumps({"answer": words})))

    events = await step(maker("json_schema"), tools=tools)

    assert text(events) == words
    assert len([event for event in events if isinstance(event, TextDelta)]) > 2
    assert events[-1] == StepEnd(reason="stop")


async def test_a_server_that_ignores_the_schema_is_understood(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", says("They won twice."))

    assert text(await step(maker("json_schema"), tools=tools)) == "They won twice."


async def test_the_schema_of_a_step_holds_nothing_that_grammars_trip_over(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", says(WRITTEN))

    await step(maker("json_schema"), tools=tools)

    schema = server.asked[0].body["response_format"]["json_schema"]["schema"]
    assert [branch["required"] for branch in schema["anyOf"]] == [["tool", "parameters"], ["answer"]]
    assert schema["anyOf"][0]["properties"]["tool"]["enum"] == ["query_linescore_data"]
    assert _keywords(schema) <= {"type", "properties", "required", "enum", "anyOf", "items", "additionalProperties"}


def _keywords(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items")]
    return set(schema).union(*(_keywords(part) for part in below))


async def test_a_model_that_calls_natively_may_slip_once(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", calling("query_linescore_data", {"teamCode": "CAR"}), says(WRITTEN), says("They won."))
    model = maker()

    steps = [await step(model, tools=tools) for _ in range(3)]

    assert [calls(events) for events in steps] == [[CALL], [CALL], []]
    assert all(asked.tools for asked in server.asked)


async def test_refusals_at_once_teach_one_thing(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.native = "refused"
    server.when("Carolina", says(WRITTEN), again=True)
    model = maker()

    steps = await asyncio.gather(*(step(model, tools=tools) for _ in range(8)))

    assert [calls(events) for events in steps] == [[CALL]] * 8
    assert model.capabilities.tools == "json_schema"


@pytest.mark.parametrize(("mode", "made_calls"), [("native", []), ("prompt", [("no_such_tool", "{}")])])
async def test_a_tool_that_there_is_not_is_a_call_only_of_a_model_that_was_told_to_write_calls(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], mode: str, made_calls: list[tuple[str, str]]
) -> None:
    server.when("Carolina", says('{"tool": "no_such_tool", "parameters": {}}'))

    assert calls(await step(maker(mode), tools=tools)) == made_calls
