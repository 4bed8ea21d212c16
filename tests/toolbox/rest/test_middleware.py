"""The tool call middleware and django-ninja answer every request with the same status, headers and bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.toolbox.transports import ONE_OF_EACH_DIALECT, TOOLS, address, named
from toolbox.access.limits import call_limits
from toolbox.contract.caller import Caller
from toolbox.contract.errors import RATE_LIMITED, Refusal
from toolbox.contract.tool import Tool
from toolbox.database import event_loop

REQUEST_ID = "parity-0123456789"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One request, as a client may send it; `key` names somebody of the cast."""

    content: bytes = b"{}"
    method: str = "POST"
    path: str | None = None
    key: str | None = "alice"
    headers: dict[str, str] = field(default_factory=dict)


REQUESTS = {
    "no arguments": Sent(),
    "an empty body": Sent(content=b""),
    "whitespace": Sent(content=b" \n"),
    "an unknown parameter": Sent(content=b'{"surely_no_parameter": 1}'),
    "a parameter named by nobody": Sent(content=b'{"": 1}'),
    "no JSON": Sent(content=b"{"),
    "words": Sent(content=b"hello"),
    "a list": Sent(content=b"[]"),
    "null": Sent(content=b"null"),
    "a string": Sent(content=b'"{}"'),
    "a number": Sent(content=b"1"),
    "two objects": Sent(content=b"{}{}"),
    "a byte order mark": Sent(content=b"\xef\xbb\xbf{}"),
    "UTF-16": Sent(content="{}".encode("utf-16")),
    "invalid UTF-8": Sent(content=b'{"\xff": "\xc3\x28"}'),
    "a lone surrogate": Sent(content=b'{"a": "\\ud800"}'),
    "a NUL": Sent(content=b'{"a": "\\u0000"}'),
    "a bare NUL": Sent(content=b"{\x00}"),
    "deep nesting": Sent(content=b'{"a":' + b"[" * 100_000),
    "NaN": Sent(content=b'{"a": NaN}'),
    "a huge number": Sent(content=b'{"a": ' + b"9" * 5000 + b"}"),
    "the same name twice": Sent(content=b'{"a": 1, "a": 2}'),
    "just below the largest body": Sent(content=b'{"a": "' + b"x" * 1_048_567 + b'"}'),
    "just above the largest body": Sent(content=b'{"a": "' + b"x" * 1_048_568 + b'"}'),
    "a body of 10 MB": Sent(content=b" " * 10_000_000),
    "no key": Sent(key=None),
    "an unknown key": Sent(key=None, headers={"Authorization": "Bearer tr_nobody"}),
    "another scheme": Sent(key=None, headers={"Authorization": "Basic YWxpY2U6YWxpY2U="}),
    "a scheme without a key": Sent(key=None, headers={"Authorization": "Bearer "}),
    "a key that is not ASCII": Sent(key=None, headers={"X-API-Key": "tr_\xe9\xff"}),
    "a key without the scope": Sent(key="charlie"),
    "an unknown tool": Sent(path="/api/tools/linescore/no_such_tool"),
    "a tool of another domain": Sent(path="/api/tools/toolbox/query_linescore_data"),
    "an unknown domain": Sent(path="/api/tools/no_such_domain/no_such_tool"),
    "no tool": Sent(path="/api/tools/linescore"),
    "an empty tool": Sent(path="/api/tools/linescore/"),
    "nothing at all": Sent(path="/api/tools/"),
    "a deeper path": Sent(path="/api/tools/linescore/query_linescore_data/more"),
    "a slash too many": Sent(path="/api/tools/linescore/query_linescore_data/"),
    "a NUL in the path": Sent(path="/api/tools/linescore/query%00"),
    "letters of another script": Sent(path="/api/tools/linescore/%E7%90%83"),
    "an unknown tool without a key": Sent(path="/api/tools/linescore/no_such_tool", key=None),
    "another content type": Sent(headers={"Content-Type": "text/plain"}),
    "a form": Sent(content=b"limit=1", headers={"Content-Type": "application/x-www-form-urlencoded"}),
    "an id of ours to make": Sent(headers={"X-Request-Id": REQUEST_ID}),
    "a compressed answer wanted": Sent(headers={"Accept-Encoding": "gzip, br", "Accept": "text/html"}),
    "another site's origin": Sent(headers={"Origin": "https://evil.example"}),
    "another host": Sent(headers={"Host": "evil.example"}),
}
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=named)


async def _seen(client: httpx.AsyncClient, sent: Sent, *, tool: Tool, cast: SimpleNamespace) -> dict[str, Any]:
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
    fast_lane: httpx.AsyncClient, ninja_lane: httpx.AsyncClient, cast: SimpleNamespace, stopped_clock: None, tool: Tool
) -> None:
    sent = Sent(content=tool.example_arguments)

    fast = await _seen(fast_lane, sent, tool=tool, cast=cast)
    ninja = await _seen(ninja_lane, sent, tool=tool, cast=cast)

    assert fast["status"] == 200
    assert ("x-request-id", REQUEST_ID) in fast["headers"]
    assert fast == ninja


def _cases() -> Iterator[Any]:
    """Pair each request with one tool of each dialect; with a single tool where none is reached, or a body is large."""
    for name, sent in REQUESTS.items():
        reached = sent.path is None and sent.key == "alice" and len(sent.content) < 1_000_000
        for tool in ONE_OF_EACH_DIALECT if reached else ONE_OF_EACH_DIALECT[:1]:
            yield pytest.param(tool, name, id=f"{named(tool)}-{name}")


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize(("tool", "name"), list(_cases()))
async def test_whatever_is_sent_looks_the_same_in_both_lanes(
    fast_lane: httpx.AsyncClient, ninja_lane: httpx.AsyncClient, cast: SimpleNamespace, tool: Tool, name: str
) -> None:
    fast = await _seen(fast_lane, REQUESTS[name], tool=tool, cast=cast)
    ninja = await _seen(ninja_lane, REQUESTS[name], tool=tool, cast=cast)

    assert fast == ninja
    assert fast["status"] < 500


@every_tool
async def test_a_used_up_limit_looks_the_same_in_both_lanes(
    fast_lane: httpx.AsyncClient,
    ninja_lane: httpx.AsyncClient,
    cast: SimpleNamespace,
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def used_up(caller: Caller) -> None:
        raise Refusal(RATE_LIMITED, "Too many.", suggestion="Wait.", retry_after_seconds=17)

    monkeypatch.setattr(call_limits, "count", used_up)

    fast = await _seen(fast_lane, Sent(), tool=tool, cast=cast)
    ninja = await _seen(ninja_lane, Sent(), tool=tool, cast=cast)

    assert fast["status"] == 429
    assert ("retry-after", "17") in fast["headers"]
    assert fast == ninja


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("tool", ONE_OF_EACH_DIALECT, ids=named)
async def test_another_method_is_refused_with_the_one_that_works(
    ninja_lane: httpx.AsyncClient, cast: SimpleNamespace, tool: Tool, method: str
) -> None:
    """The middleware passes other methods on, so only django-ninja is tested."""
    seen = await _seen(ninja_lane, Sent(method=method), tool=tool, cast=cast)

    assert seen["status"] == 405
    assert b"POST" in seen["body"] or method == "HEAD"
    assert ("allow", "POST") in seen["headers"]


def test_the_limits_live_on_the_home_loop() -> None:
    """What `count` awaits must be of one loop; asked from outside it still answers."""
    event_loop.run(call_limits.count(Caller(name="nobody", scopes=frozenset())))
