"""The scripted model server keeps to its script, and to the API."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.agents.model_server import KEY, ModelServer
from tests.agents.turns import Gate, Turn, calls, dies, refuses, report_overrun, says

TOOL = {"type": "function", "function": {"name": "query_linescore_data", "parameters": {}}}
ASKED = {"model": "scripted-1", "tools": [TOOL], "messages": [{"role": "user", "content": "How did Carolina do?"}]}


@pytest.fixture
async def client(model: ModelServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=model.address, headers={"Authorization": f"Bearer {KEY}"}) as client:
        yield client


async def test_it_answers_whole(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.when("Carolina", says("They won twice."))

    answer = (await client.post("/chat/completions", json=ASKED)).json()

    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "They won twice."}
    assert answer["usage"] == {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


async def test_it_streams_words_and_their_count(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.when("Carolina", says("They won twice."))

    chunks = await _chunks(client)

    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks[:3]] == ["They ", "won ", "twice."]
    assert chunks[3]["choices"][0]["finish_reason"] == "stop"
    assert chunks[4]["usage"]["total_tokens"] == 120


async def test_a_call_comes_in_pieces(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.when("Carolina", calls("query_linescore_data", {"teamCode": "CAR"}))

    made = [call for chunk in await _chunks(client) for call in _tool_calls(chunk)]

    assert made[0]["function"]["name"] == "query_linescore_data"
    assert json.loads("".join(call["function"]["arguments"] for call in made)) == {"teamCode": "CAR"}


async def test_words_are_json_where_json_is_asked_for(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.when("Carolina", says("They won twice."))

    wanted = {"type": "json_schema", "json_schema": {"schema": {"properties": {"answer": {"type": "string"}}}}}
    answer = (await client.post("/chat/completions", json=ASKED | {"response_format": wanted})).json()

    assert json.loads(answer["choices"][0]["message"]["content"]) == {"answer": "They won twice."}


async def test_without_native_tools_a_call_is_text(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.native = "ignored"
    model.when("Carolina", calls("query_linescore_data", {"teamCode": "CAR"}))

    answer = (await client.post("/chat/completions", json=ASKED)).json()

    said = json.loads(answer["choices"][0]["message"]["content"])
    assert said == {"tool": "query_linescore_data", "parameters": {"teamCode": "CAR"}}


@pytest.mark.parametrize(
    ("turn", "status", "named"),
    [(refuses(429, retry_after="2"), 429, ""), (report_overrun(), 400, "maximum context length")],
)
async def test_it_refuses(model: ModelServer, client: httpx.AsyncClient, turn: Turn, status: int, named: str) -> None:
    model.when("Carolina", turn)

    answer = await client.post("/chat/completions", json=ASKED)

    assert answer.status_code == status
    assert named in answer.json()["error"]["message"]
    assert answer.headers.get("Retry-After", "") == turn.headers.get("Retry-After", "")


async def test_it_can_die_on_the_way(model: ModelServer, client: httpx.AsyncClient) -> None:
    model.when("Carolina", dies("They won twice.", after=2))

    with pytest.raises(httpx.RemoteProtocolError):
        await _chunks(client)


async def test_a_gate_holds_the_answer_and_sees_the_client_leave(model: ModelServer) -> None:
    gate = Gate()
    model.when("Carolina", says("They won twice.").at(gate, after=1))

    async with httpx.AsyncClient(base_url=model.address, headers={"Authorization": f"Bearer {KEY}"}) as leaving:
        request = leaving.build_request("POST", "/chat/completions", json=ASKED | {"stream": True})
        answer = await leaving.send(request, stream=True)
        first = await anext(answer.aiter_lines())
        assert await asyncio.to_thread(gate.reached.wait, 60)  # the first chunk may arrive before the gate is reached

    assert "They" in first
    assert gate.left.wait(60)


async def test_another_key_is_refused(model: ModelServer, client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=ASKED, headers={"Authorization": "Bearer sk-other"})

    assert answer.status_code == 401


async def test_what_nobody_scripted_is_a_surprise(model: ModelServer, client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=ASKED)

    assert answer.status_code == 418
    assert "Carolina" in model.surprises.pop()


async def _chunks(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    asked = ASKED | {"stream": True, "stream_options": {"include_usage": True}}
    async with client.stream("POST", "/chat/completions", json=asked) as answer:
        lines = [line.removeprefix("data: ") async for line in answer.aiter_lines() if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def _tool_calls(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", ())]
