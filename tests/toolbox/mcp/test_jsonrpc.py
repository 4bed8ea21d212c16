"""Messages that are wrong before anybody asks what they say, calls that are cancelled, and clients that leave."""

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.toolbox.mcp.test_mcp import _stdio
from tests.toolbox.transports import A_TOOL, address
from toolbox.dispatch.arguments import find_duplicate_key
from toolbox.dispatch.dispatch import Call, Reply
from toolbox.mcp.protocol_2025 import RunningCalls

LEGACY = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}'
NO_REQUESTS = {
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "a batch of none": b"[]",
    "a text": b'"tools/list"',
    "a method that comes twice": b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    "a method that comes twice, once escaped": b'{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/list"}',
    "an id that comes twice": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_schema"}}',
    "a tool that comes twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_schema","name":"execute_query"}}'
    ),
    "arguments that come twice": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_schema","arguments":{},"arguments":{}}}'
    ),
    "no id": b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
    "half an id": b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
    "an id of truth": b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
}


@pytest.fixture(scope="module")
def alice(server: str, cast: SimpleNamespace) -> Iterator[httpx.Client]:
    """Yield alice's client of the real server."""
    headers = {"Authorization": f"Bearer {cast.alice}"}
    with httpx.Client(base_url=server, headers=headers, timeout=60) as client:
        yield client


def _post(client: httpx.Client, body: bytes, **headers: str) -> Any:
    return client.post("/mcp", content=body, headers=LEGACY | headers)


@pytest.mark.parametrize(
    "era", [{}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "ping"}], ids=["2025", "2026"]
)
@pytest.mark.parametrize("name", NO_REQUESTS)
def test_what_is_no_request_is_refused_in_the_protocol_s_words(
    alice: httpx.Client, name: str, era: dict[str, str]
) -> None:
    told = _post(alice, NO_REQUESTS[name], **era)

    assert (told.status_code, told.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"limit": 1, "limit": 2}',
        b'{"limit": 1, "limi\\u0074": 2}',
        b'{"limit": "x", "limit": 2}',
        b'{"teamCode": "\\ud83c"}',
        b'{"teamCode": "\\uDFD2"}',
        b'{"0": 1' + b"".join(b',"%d":1' % number for number in range(1, 50_000)) + b"}",
    ],
    ids=["a name twice", "escaped once", "beside a bad value", "half an emoji", "the other half", "50,000 names"],
)
def test_what_the_contract_has_words_for_is_refused_alike_on_mcp_and_rest(
    alice: httpx.Client, arguments: bytes
) -> None:
    over_rest = alice.post(address(A_TOOL), content=arguments)
    over_mcp = _post(alice, CALL % (A_TOOL.name.encode(), arguments)).json()["result"]

    assert over_rest.status_code == 400
    assert over_mcp["isError"] is True
    assert over_mcp["structuredContent"] == over_rest.json()
    assert over_rest.json()["error"]["suggestion"]


def test_of_many_unknown_parameters_none_is_explained(alice: httpx.Client) -> None:
    many = json.dumps({f"teamCod{number}": 1 for number in range(50_000)})

    error = alice.post(address(A_TOOL), content=many).json()["error"]

    assert error["message"] == "There are 50,000 parameters."
    assert "teamCode" in error["suggestion"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b'{"a": 1, "b": {"c": [{"d": 1, "d": 2}]}}', "d"),
        (b'{"a": {"b": 1}, "b": {"a": 1}}', None),
        (b'{"a": ' + b"9" * 10_000 + b"}", None),
        (b"[" * 100_000, None),
        (b"\xff", None),
    ],
)
def test_a_name_that_comes_twice_is_found_at_any_depth(text: bytes, name: str | None) -> None:
    assert find_duplicate_key(text) == name


async def test_a_call_is_cancelled_by_its_own_session_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    began, passed_on = asyncio.Event(), []

    async def answer(call: Call) -> Reply:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def fetch(statement: str, values: list[str]) -> None:
        passed_on.append(values[1])

    monkeypatch.setattr("toolbox.mcp.protocol_2025.dispatch", answer)
    monkeypatch.setattr("toolbox.mcp.protocol_2025.owner_pool.fetch", fetch)
    here, elsewhere = RunningCalls(), RunningCalls()
    call = Call(tool="any", arguments=b"{}", credential=None, transport="test", request_id="any")
    calling = asyncio.create_task(here.dispatch(call, session_id="alice's", call_id=1))
    await began.wait()

    await here.cancel("bob's", call_id=1)
    await here.cancel("alice's", call_id="1")
    await asyncio.sleep(0)
    others = (calling.done(), len(passed_on))
    await elsewhere.cancel("alice's", call_id=1)
    here._receive(passed_on[-1])

    assert others == (False, 2)
    assert await calling is None


@pytest.fixture(scope="module")
def session(alice: httpx.Client) -> dict[str, str]:
    """Create a session of 2025, and return its headers."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begun = _post(alice, json.dumps(_message(1, "initialize", **hello)).encode())
    return {"Mcp-Session-Id": begun.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}


def test_a_client_of_2025_cancels_and_hears_no_more(alice: httpx.Client, session: dict[str, str]) -> None:
    asked = {"name": "evaluate_sql_questions", "arguments": {"most": 100}, "_meta": {"progressToken": "p"}}
    wish = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'

    call, headers = _message(7, "tools/call", **asked), LEGACY | session
    with alice.stream("POST", "/mcp", json=call, headers=headers) as stream:
        heard = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        first = next(heard)
        told = _post(alice, wish, **session)
        rest = list(heard)

    assert first["method"] == "notifications/progress"
    assert told.status_code == 202
    assert [message for message in rest if "id" in message] == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1%s}}' % (b"0" * 40), None),
        (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}', None),
        (b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', None),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a\\u0000b"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"%s"}}' % (b"x" * 3_000), -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":[]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"\\u0000"}}', 0),
        (b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":["info"]}}', -32602),
    ],
    ids=["huge id", "no id", "nothing", "NUL", "long", "list", "NUL again", "levels"],
)
def test_what_a_session_says_wrong_is_refused_or_means_nothing(
    alice: httpx.Client, session: dict[str, str], message: bytes, expected: int | None
) -> None:
    told = _post(alice, message, **session)

    if expected is None:
        assert (told.status_code, told.content) == (202, b"")
    else:
        assert told.json().get("error", {}).get("code", 0) == expected


def _message(call_id: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}


@pytest.mark.slow
async def test_over_stdio_a_line_that_is_no_message_is_answered_and_who_leaves_leaves_quietly(
    cast: SimpleNamespace,
) -> None:
    lines = {
        b"this is no message": (-32700, None),
        CALL % (A_TOOL.name.encode(), b'{"teamCode": "\\ud800"}'): (-32700, 1),
        b'[{"jsonrpc":"2.0","id":2,"method":"ping"}]': (-32600, None),
        b"[" * 100_000: (-32700, None),
    }
    parameters = _stdio()
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, cwd=parameters.cwd, env=parameters.env,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=2**24,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    assert process.stderr
    told = []
    for line in lines:
        process.stdin.write(b"\n" + line + b"\n")
        answer = json.loads(await asyncio.wait_for(process.stdout.readline(), 60))
        told.append((answer["error"]["code"], answer["id"]))
    process.stdin.write(json.dumps(_message(9, "tools/list")).encode() + b"\n")
    process.stdout._transport.close()  # type: ignore[attr-defined]
    process.stdin.close()

    assert told == list(lines.values())
    assert await asyncio.wait_for(process.wait(), 60) == 0
    assert b"Traceback" not in await process.stderr.read()


@pytest.mark.parametrize(
    "sent",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\xff"}}',
        b'{"jsonrpc":"2.0","id":"x","result":{"a":1},"z":"\xff"}',
    ],
)
@pytest.mark.parametrize("place", ["/mcp", "/mcp/compact"])
def test_bytes_that_are_no_text_are_an_error_of_the_protocol(alice: httpx.Client, sent: bytes, place: str) -> None:
    told = alice.post(place, content=sent, headers=LEGACY)

    assert (told.status_code, told.json()["error"]["code"]) == (400, -32700)


def test_behind_three_tools_a_name_that_comes_twice_is_refused_as_well(alice: httpx.Client) -> None:
    wrapped = b'{"name":"get_schema","name":"execute_query","arguments":{}}'

    told = alice.post("/mcp/compact", content=CALL % (b"call_tool", wrapped), headers=LEGACY)

    assert "twice" in told.text
    assert "execute_query" not in told.text
