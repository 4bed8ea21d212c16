"""A model that asks back over MCP: the person is asked in the way of each era, and the call goes on."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.test import override_settings
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

from tests.sprints.asking.chat_server import ChatServer, chat_server
from tests.toolbox.dispatching import connect_answering
from toolbox.audit.log import audit
from toolbox.catalogue.registry import registry
from toolbox.mcp import client as mcp_client
from toolbox.mcp.endpoint import McpMiddleware
from toolbox.models import ToolCall

QUESTION = {"naturalLanguageQuery": "When is the release?"}
WHICH = "Which release do you mean?"
ASKS: dict[str, Any] = {"sql": None, "clarification": WHICH, "assumptions": []}
WRITES: dict[str, Any] = {"sql": "SELECT count(*) AS issues FROM issues", "clarification": None, "assumptions": []}
MODERN = "2026-07-28"


@pytest.fixture
def model(cast: Any) -> Iterator[ChatServer]:
    """Configure a model that asks back once, then writes SQL; a third request fails."""
    with (
        chat_server(ASKS, WRITES) as server,
        override_settings(AGENT_MODEL="scripted", OPENAI_BASE_URL=server.address, OPENAI_API_KEY="sk-none"),
    ):
        yield server


def _find_answers(server: ChatServer) -> list[bool]:
    """Return for every request to the model whether it had the person's answer."""
    return ["the spring one" in json.dumps(request["messages"]) for request in server.asked]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_person_is_asked_and_the_model_goes_on_with_the_answer(model: ChatServer, mode: str) -> None:
    async with connect_answering(lambda _: {"answer_1": "the spring one"}, mode=mode) as client:
        told = (await client.call_tool("generate_sql", QUESTION)).structured_content

    assert client.asked == [WHICH]  # type: ignore[attr-defined]
    assert (told["isAmbiguous"], told["clarification"]) == (False, None)
    assert "count(*)" in told["sql"]
    assert _find_answers(model) == [False, True]


@asynccontextmanager
async def _serve_mcp(key: str) -> AsyncIterator[Callable[..., Any]]:
    """Serve MCP over HTTP in this process; yields a function that posts a call of `generate_sql`, in the 2026 era."""

    async def nothing(*_: Any) -> None:
        raise AssertionError

    middleware = McpMiddleware(nothing, registry=registry)
    client = httpx.AsyncClient(transport=httpx.ASGITransport(middleware), base_url="http://localhost")
    async with middleware.run_session_managers(), client:

        async def post(**more: Any) -> dict[str, Any]:
            meta = {
                PROTOCOL_VERSION_META_KEY: MODERN,
                CLIENT_INFO_META_KEY: {"name": "t", "version": "1"},
                CLIENT_CAPABILITIES_META_KEY: {"elicitation": {}},
            }
            mark, sent = more.pop("mark", "no-mark-here"), more.pop("key", key)
            params = {"name": "generate_sql", "arguments": QUESTION, "_meta": meta} | more
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            headers = {
                "Authorization": f"Bearer {sent}", "Accept": "application/json", "X-Request-Id": mark,
                "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "generate_sql",
            }  # fmt: skip
            told: dict[str, Any] = (await client.post("/mcp", json=message, headers=headers)).json()
            return told

        yield post


def _answers(asked: dict[str, Any]) -> dict[str, Any]:
    (name,) = asked["result"]["inputRequests"]
    given = {"action": "accept", "content": {"answer_1": "the spring one"}}
    return {"inputResponses": {name: given}, "requestState": asked["result"]["requestState"]}


async def test_a_question_of_2026_asks_the_model_once_and_leaves_a_row_for_each_request(
    database_access: None, model: ChatServer, mark: str, cast: Any
) -> None:
    async with _serve_mcp(cast.alice) as post:
        asked = await post(mark=mark)
        told = await post(mark=mark, **_answers(asked))

    await audit.flush()
    rows = await sync_to_async(lambda: list(ToolCall.objects.filter(request_id=mark).order_by("id")))()
    assert asked["result"]["resultType"] == "input_required"
    assert asked["result"]["inputRequests"]["clarification_1"]["params"]["message"] == WHICH
    assert "count(*)" in told["result"]["structuredContent"]["sql"]
    assert _find_answers(model) == [False, True]
    assert [row.outcome for row in rows] == ["continued", "answered"]


async def test_a_state_is_good_for_its_caller_its_question_and_an_hour(
    database_access: None, model: ChatServer, make_key: Any, cast: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, other = await sync_to_async(make_key)(name="another of alice's", scopes=["sprints:read"])

    async with _serve_mcp(cast.alice) as post:
        given = _answers(await post())
        state = given["requestState"]
        refused = [
            await post(**given, key=other),
            await post(**given, arguments={"naturalLanguageQuery": "Who is the release?"}),
            await post(**given | {"requestState": state[:-1] + ("A" if state[-1] != "A" else "B")}),
            await post(**given, arguments=QUESTION | {"schemaContext": 10**40}),
        ]
        monkeypatch.setattr(mcp_client, "MAX_STATE_AGE_SECONDS", -1)
        refused.append(await post(**given))

    assert [told["error"]["code"] for told in refused] == [-32602] * 5
    assert _find_answers(model) == [False]
