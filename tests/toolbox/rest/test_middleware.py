"""The tool call middleware and django-ninja answer every request with the same status, headers and bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.toolbox.transports import ONE_OF_EACH_ENVELOPE, TOOLS, address, tool_id
from toolbox.access.limits import call_limits
from toolbox.contract.caller import Caller
from toolbox.contract.errors import RATE_LIMITED, Refusal
from toolbox.contract.tool import Tool
from toolbox.database import event_loop

REQUEST_ID = "parity-0123456789"


@dataclass(frozen=True, kw_only=True)
class SentRequest:
    """One request; `key` names one of the callers."""

    content: bytes = b"{}"
    method: str = "POST"
    path: str | None = None
    key: str | None = "alice"
    headers: dict[str, str] = field(default_factory=dict)


REQUESTS = {
    "no arguments": SentRequest(),
    "an empty body": SentRequest(content=b""),
    "whitespace": SentRequest(content=b" \n"),
    "an unknown parameter": SentRequest(content=b'{"surely_no_parameter": 1}'),
    "a parameter named by nobody": SentRequest(content=b'{"": 1}'),
    "no JSON": SentRequest(content=b"{"),
    "words": SentRequest(content=b"hello"),
    "a list": SentRequest(content=b"[]"),
    "null": SentRequest(content=b"null"),
    "a string": SentRequest(content=b'"{}"'),
    "a number": SentRequest(content=b"1"),
    "two objects": SentRequest(content=b"{}{}"),
    "a byte order mark": SentRequest(content=b"\xef\xbb\xbf{}"),
    "UTF-16": SentRequest(content="{}".encode("utf-16")),
    "invalid UTF-8": SentRequest(content=b'{"\xff": "\xc3\x28"}'),
    "a lone surrogate": SentRequest(content=b'{"a": "\\ud800"}'),
    "a NUL": SentRequest(content=b'{"a": "\\u0000"}'),
    "a bare NUL": SentRequest(content=b"{\x00}"),
    "deep nesting": SentRequest(content=b'{"a":' + b"[" * 100_000),
    "NaN": SentRequest(content=b'{"a": NaN}'),
    "a huge number": SentRequest(content=b'{"a": ' + b"9" * 5000 + b"}"),
    "the same name twice": SentRequest(content=b'{"a": 1, "a": 2}'),
    "just below the largest body": SentRequest(content=b'{"a": "' + b"x" * 1_048_567 + b'"}'),
    "just above the largest body": SentRequest(content=b'{"a": "' + b"x" * 1_048_568 + b'"}'),
    "a body of 10 MB": SentRequest(content=b" " * 10_000_000),
    "no key": SentRequest(key=None),
    "an unknown key": SentRequest(key=None, headers={"Authorization": "Bearer tr_nobody"}),
    "another scheme": SentRequest(key=None, headers={"Authorization": "Basic YWxpY2U6YWxpY2U="}),
    "a scheme without a key": SentRequest(key=None, headers={"Authorization": "Bearer "}),
    "a key that is not ASCII": SentRequest(key=None, headers={"X-API-Key": "tr_\xe9\xff"}),
    "a key without the scope": SentRequest(key="charlie"),
    "an unknown tool": SentRequest(path="/api/tools/linescore/no_such_tool"),
    "a tool of another domain": SentRequest(path="/api/tools/toolbox/query_linescore_data"),
    "an unknown domain": SentRequest(path="/api/tools/absent/nothing"),
    "no tool": SentRequest(path="/api/tools/linescore"),
    "an empty tool": SentRequest(path="/api/tools/linescore/"),
    "nothing at all": SentRequest(path="/api/tools/"),
    "a deeper path": SentRequest(path="/api/tools/linescore/query_linescore_data/more"),
    "a slash too many": SentRequest(path="/api/tools/linescore/query_linescore_data/"),
    "a NUL in the path": SentRequest(path="/api/tools/linescore/query%00"),
    "letters of another script": SentRequest(path="/api/tools/linescore/%E7%90%83"),
    "an unknown tool without a key": SentRequest(path="/api/tools/linescore/no_such_tool", key=None),
    "another content type": SentRequest(headers={"Content-Type": "text/plain"}),
    "a form": SentRequest(content=b"limit=1", headers={"Content-Type": "application/x-www-form-urlencoded"}),
    "an id of ours to make": SentRequest(headers={"X-Request-Id": REQUEST_ID}),
    "a compressed answer wanted": SentRequest(headers={"Accept-Encoding": "gzip, br", "Accept": "text/html"}),
    "another site's origin": SentRequest(headers={"Origin": "https://evil.example"}),
    "another host": SentRequest(headers={"Host": "evil.example"}),
}
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=tool_id)


async def _send(client: httpx.AsyncClient, sent: SentRequest, *, tool: Tool, cast: SimpleNamespace) -> dict[str, Any]:
    headers = {"X-Request-Id": REQUEST_ID, **sent.headers}
    if sent.key:
        headers["Authorization"] = f"Bearer {getattr(cast, sent.key)}"
    else:
        client.headers.pop("Authorization", None)
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = await client.request(sent.method, sent.path or address(tool), content=sent.content, headers=encoded)
    return {"status": answer.status_code, "headers": sorted(answer.headers.multi_items()), "body": answer.content}


@every_tool
async def test_its_example_looks_the_same_in_both_lanes(
    fast_client: httpx.AsyncClient,
    ninja_client: httpx.AsyncClient,
    cast: SimpleNamespace,
    stopped_clock: None,
    tool: Tool,
) -> None:
    sent = SentRequest(content=tool.example_arguments)

    fast = await _send(fast_client, sent, tool=tool, cast=cast)
    ninja = await _send(ninja_client, sent, tool=tool, cast=cast)

    assert fast["status"] == 200
    assert ("x-request-id", REQUEST_ID) in fast["headers"]
    assert fast == ninja


def _cases() -> Iterator[Any]:
    """Pair each request with one tool per envelope; with a single tool if none is reached, or the body is large."""
    for name, sent in REQUESTS.items():
        reached = sent.path is None and sent.key == "alice" and len(sent.content) < 1_000_000
        for tool in ONE_OF_EACH_ENVELOPE if reached else ONE_OF_EACH_ENVELOPE[:1]:
            yield pytest.param(tool, name, id=f"{tool_id(tool)}-{name}")


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize(("tool", "name"), list(_cases()))
async def test_whatever_is_sent_looks_the_same_in_both_lanes(
    fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient, cast: SimpleNamespace, tool: Tool, name: str
) -> None:
    fast = await _send(fast_client, REQUESTS[name], tool=tool, cast=cast)
    ninja = await _send(ninja_client, REQUESTS[name], tool=tool, cast=cast)

    assert fast == ninja
    assert fast["status"] < 500


@every_tool
async def test_a_used_up_limit_looks_the_same_in_both_lanes(
    fast_client: httpx.AsyncClient,
    ninja_client: httpx.AsyncClient,
    cast: SimpleNamespace,
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def used_up(caller: Caller) -> None:
        raise Refusal(RATE_LIMITED, "Too many.", suggestion="Wait.", retry_after_seconds=17)

    monkeypatch.setattr(call_limits, "count", used_up)

    fast = await _send(fast_client, SentRequest(), tool=tool, cast=cast)
    ninja = await _send(ninja_client, SentRequest(), tool=tool, cast=cast)

    assert fast["status"] == 429
    assert ("retry-after", "17") in fast["headers"]
    assert fast == ninja


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("tool", ONE_OF_EACH_ENVELOPE, ids=tool_id)
async def test_another_method_is_refused_with_the_one_that_works(
    ninja_client: httpx.AsyncClient, cast: SimpleNamespace, tool: Tool, method: str
) -> None:
    """The middleware hands other methods on, so only django-ninja is asked."""
    seen = await _send(ninja_client, SentRequest(method=method), tool=tool, cast=cast)

    assert seen["status"] == 405
    assert b"POST" in seen["body"] or method == "HEAD"
    assert ("allow", "POST") in seen["headers"]


def test_the_limits_live_on_the_process_s_event_loop() -> None:
    """What `count` awaits must be of one loop; asked from outside it still answers."""
    event_loop.run(call_limits.count(Caller(name="nobody", scopes=frozenset())))
