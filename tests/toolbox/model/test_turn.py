"""One step of a conversation, natively: text as it comes, calls whole, and what a server may do wrong."""

import asyncio
import json
from contextlib import aclosing
from traceback import format_exception

import pytest

from tests.agents.model_server import KEY, ModelServer
from tests.agents.turns import Call, Gate, Turn, dies, never, refuses, report_overrun, says
from tests.agents.turns import calls as calling
from tests.toolbox.model.conftest import QUESTION, ModelMaker, calls, step, text
from toolbox.contract.tool import Tool
from toolbox.model import (
    CallRequested,
    ContextOverrun,
    Message,
    ModelMisbehaved,
    ModelUnavailable,
    RetryNotice,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
)
from toolbox.model.openai_client import ChatModel

CAROLINA = {"teamCode": "CAR"}


async def test_text_comes_piece_by_piece(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.when("Carolina", says("They won twice."))

    events = await step(maker(), tools=tools)

    assert [event.text for event in events if isinstance(event, TextDelta)] == ["They ", "won ", "twice."]
    assert events[-2:] == [Used(prompt_tokens=100, completion_tokens=20), StepEnd(reason="stop")]


async def test_a_call_comes_whole(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.when("Carolina", calling("query_linescore_data", CAROLINA, text="Let me look."))

    events = await step(maker(), tools=tools)

    assert text(events) == "Let me look."
    assert calls(events) == [("query_linescore_data", json.dumps(CAROLINA))]
    assert events[-1] == StepEnd(reason="calls")
    assert server.asked[0].tools == ["query_linescore_data"]


async def test_several_calls_keep_their_order(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    both = (Call(tool="query_linescore_data", arguments='{"teamCode": "CAR"}'), Call(tool="other", arguments=""))
    server.when("Carolina", Turn(calls=both))

    events = await step(maker(), tools=tools)

    assert calls(events) == [("query_linescore_data", '{"teamCode": "CAR"}'), ("other", "{}")]
    ids = [event.request.id for event in events if isinstance(event, CallRequested)]
    assert len(set(ids)) == 2


async def test_the_conversation_goes_out_as_the_api_wants_it(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    request = ToolRequest(id="c1", name="query_linescore_data", arguments='{"teamCode": "CAR"}')
    broken = ToolRequest(id="c2", name="query_linescore_data", arguments='{"teamCode"')
    messages = [
        Message.system("Be brief."),
        *QUESTION,
        Message.assistant(calls=(request, broken)),
        Message.tool_answer("two wins", request=request, answer={"never": "sent"}),
        Message.tool_answer("not JSON", request=broken, is_refusal=True),
        Message.system("Be kind."),
    ]
    server.when("Carolina", says("Two wins."))

    await step(maker(), messages, tools=tools)

    sent = server.asked[0].messages
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool"]
    assert sent[0]["content"] == "Be brief.\n\nBe kind."
    assert [call["function"]["arguments"] for call in sent[2]["tool_calls"]] == ['{"teamCode": "CAR"}', "{}"]
    assert sent[3] == {"role": "tool", "tool_call_id": "c1", "content": "two wins"}
    assert "never" not in server.asked[0].text


@pytest.mark.parametrize(
    "failing",
    [
        refuses(429, retry_after="0"),
        refuses(500),
        refuses(503),
        dies("They lost.", after=1),
        Turn(text="They lost.", garbled=True),
        Turn(text="They lost.", fault="CUDA is sad"),
    ],
    ids=["429", "500", "503", "dies", "garbled", "fault"],
)
async def test_what_passes_is_asked_again(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], failing: Turn
) -> None:
    server.when("Carolina", failing, says("They won."))

    events = await step(maker(), tools=tools)

    again = next(number for number, event in enumerate(events) if isinstance(event, RetryNotice))
    assert text(events[again:]) == "They won."
    assert len(server.asked) == 2


async def test_a_server_that_keeps_failing_is_given_up(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", refuses(500), again=True)

    with pytest.raises(ModelUnavailable, match=r"failed \(500\). It was asked 3 times"):
        await step(maker(), tools=tools)

    assert len(server.asked) == 3


async def test_a_server_that_keeps_sending_rubbish_misbehaves(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", Turn(text="x", garbled=True), again=True)

    with pytest.raises(ModelMisbehaved, match="not JSON"):
        await step(maker(), tools=tools)


async def test_a_silent_server_is_given_up(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.when("Carolina", never(), again=True)

    with pytest.raises(ModelUnavailable, match=r"said nothing for 0.2 s"):
        await step(maker(silence_seconds=0.2, retries=1), tools=tools)


async def test_nobody_there(maker: ModelMaker, server: ModelServer, tools: list[Tool]) -> None:
    server.address = "http://127.0.0.1:9/v1"

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await step(maker(), tools=tools)


async def test_too_long_a_pause_is_not_waited_for(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.when("Carolina", refuses(429, retry_after="3600"))

    with pytest.raises(ModelUnavailable, match="3600 s of rest"):
        await step(maker(), tools=tools)


async def test_an_overrun_has_a_name_of_its_own(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    server.when("Carolina", report_overrun())

    with pytest.raises(ContextOverrun, match="longer than the model can read"):
        await step(maker(), tools=tools)


@pytest.mark.parametrize(
    "turn", [refuses(404, message="no such model, no quota"), refuses(429, code="insufficient_quota")]
)
async def test_what_does_not_pass_is_not_asked_again(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], turn: Turn
) -> None:
    server.when("Carolina", turn)

    with pytest.raises(ModelUnavailable, match="quota"):
        await step(maker(), tools=tools)


async def test_no_key_is_ever_shown(server: ModelServer, maker: ModelMaker, tools: list[Tool]) -> None:
    another = KEY.replace("canary", "finch")

    with pytest.raises(ModelUnavailable) as refused:
        await step(maker(key=another), tools=tools)
    server.when("Carolina", refuses(400, message=f"Header 'Bearer {KEY}' is odd, and so is {KEY}"))
    with pytest.raises(ModelUnavailable) as declined:
        await step(maker(), tools=tools)

    said = "".join(format_exception(refused.value) + format_exception(declined.value))
    assert "OPENAI_API_KEY" in said
    assert not any(secret in said for secret in (KEY, another, "canary", "finch"))


async def test_a_step_that_is_cancelled_lets_go_of_the_wire(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    gate = Gate()
    server.when("Carolina", says("They won twice.").at(gate, after=1))
    task = asyncio.create_task(step(maker(), tools=tools))
    assert await asyncio.to_thread(gate.reached.wait, 5)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await asyncio.to_thread(gate.left.wait, 5)


async def test_without_tools_json_is_text(server: ModelServer, maker: ModelMaker) -> None:
    written = '{"tool": "query_linescore_data", "answer": "x"}'
    server.when("Carolina", says(written))

    events = await step(maker(), tools=[])

    assert (text(events), calls(events)) == (written, [])


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
async def test_a_model_that_never_ends_is_cut_at_its_limit(
    server: ModelServer, maker: ModelMaker, tools: list[Tool], field: str
) -> None:
    server.when("Carolina", Turn(text="They won", endless=field, ignores_limit=True))

    events = await step(maker(), tools=tools, max_tokens=50)

    used = [event for event in events if isinstance(event, Used)][-1]
    assert (used.is_estimated, 50 <= used.completion_tokens <= 80) == (True, True)
    assert events[-1] == StepEnd(reason="length")


async def test_the_server_is_asked_to_stop_at_the_limit(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", says("one two three four five"))

    events = await step(maker(), tools=tools, max_tokens=3)

    assert (text(events), events[-1]) == ("one two three ", StepEnd(reason="length"))
    assert events[-2] == Used(prompt_tokens=100, completion_tokens=3)


async def test_the_limit_goes_by_the_name_that_the_server_takes(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    newer = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    server.when("Carolina", refuses(400, message=newer), says("Yes."), says("Yes."))
    model = maker()

    await step(model, tools=tools, max_tokens=30)
    await step(model, tools=tools, max_tokens=40)

    assert ["max_tokens" in asked.body for asked in server.asked] == [True, False, False]
    assert [asked.body.get("max_completion_tokens") for asked in server.asked] == [None, 30, 40]


async def test_a_stream_that_dies_is_counted_by_its_length(
    server: ModelServer, maker: ModelMaker, tools: list[Tool]
) -> None:
    server.when("Carolina", dies("word " * 30, after=20), says("They won."))
    model = maker()

    events = await step(model, tools=tools)

    used = [event for event in events if isinstance(event, Used)]
    prompt = model.estimate_tokens(QUESTION, tools=tools)
    assert used[-1] == Used(prompt_tokens=prompt + 100, completion_tokens=25 + 20, is_estimated=True)
    place = next(place for place, event in enumerate(events) if isinstance(event, RetryNotice))
    assert events[place - 1] == Used(prompt_tokens=prompt, completion_tokens=25, is_estimated=True)


@pytest.mark.parametrize(("turn", "is_counted"), [(refuses(503), False), (never(), True)])
async def test_a_request_is_counted_only_where_the_server_may_have_read_it(
    server: ModelServer,
    maker: ModelMaker,
    tools: list[Tool],
    turn: Turn,
    is_counted: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    server.when("Carolina", turn)
    used: list[Used] = []

    with pytest.raises(ModelUnavailable):
        await _collect(maker(retries=0, silence_seconds=0.2), tools=tools, used=used)

    assert (used[-1].prompt_tokens > 0) == is_counted


async def _collect(model: ChatModel, *, tools: list[Tool], used: list[Used]) -> None:
    async with aclosing(model.turn(QUESTION, tools=tools)) as events:
        async for event in events:
            used += [event] if isinstance(event, Used) else []
