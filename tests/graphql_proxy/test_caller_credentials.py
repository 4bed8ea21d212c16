"""A caller's own credential for an upstream: where it goes, where it never goes, and that ours is not passed on."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from django.core.asgi import get_asgi_application

from graphql_proxy.execution.execute import response_cache
from graphql_proxy.models import UpstreamRefusal
from tests.bad_upstream import BadUpstream
from tests.conftest import ALICE_KEY
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from toolbox.audit.log import audit
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import current_upstream_credentials
from toolbox.http.headers import decode_headers, measure_head, read_upstream_credentials
from toolbox.mcp.endpoint import McpMiddleware
from toolbox.models import ToolCall

TOOL = "/api/tools/graphql_proxy/execute_graphql"
SECRET = "Bearer ghp_the-callers-own-secret"
OTHER = "Bearer ghp_another-callers-secret"


async def call_rest(client: httpx.AsyncClient, slug: str, **headers: str) -> Any:
    sent = {"Authorization": f"Bearer {ALICE_KEY}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.post(TOOL, json={"query": "{ answer }", "upstream": slug}, headers=sent)


def credential_header(slug: str, value: str = SECRET) -> dict[str, str]:
    return {f"X-Upstream-Credential-{slug}": value}


@asynccontextmanager
async def open_mcp_client() -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's MCP client in this process."""
    application: Any = get_asgi_application()
    mcp = McpMiddleware(application, registry=registry)
    async with mcp.run_session_managers():
        transport = httpx.ASGITransport(mcp)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client


async def test_it_is_sent_in_the_upstreams_header_in_place_of_the_stored_one(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    slug = make_upstream(bad.url("good"), caller_header="Authorization", headers={"authorization": "Bearer stored"})
    await call_rest(fast_client, slug)
    assert bad.asked[-1].headers["authorization"] == "Bearer stored"
    await call_rest(fast_client, slug, **credential_header(slug))
    assert bad.asked[-1].headers["authorization"] == SECRET
    assert not [name for name in bad.asked[-1].headers if "upstream-credential" in name]


@pytest.mark.parametrize("call_id", [7, 2**70], ids=["ours", "sdk"])
async def test_it_goes_the_same_way_over_mcp(make_upstream: MakeUpstream, bad: BadUpstream, call_id: int) -> None:
    slug = make_upstream(bad.url("good"), caller_header="Authorization", needs_caller_credential=True)
    arguments = {"query": "{ answer }", "upstream": slug}
    message = {"jsonrpc": "2.0", "id": call_id, "method": "tools/call",
               "params": {"name": "execute_graphql", "arguments": arguments}}  # fmt: skip
    headers = {"Authorization": f"Bearer {ALICE_KEY}", "Accept": "application/json, text/event-stream"}
    async with open_mcp_client() as client:
        refused = await client.post("/mcp", json=message, headers=headers)
        answered = await client.post("/mcp", json=message, headers=headers | credential_header(slug))

    assert "CREDENTIAL_REFUSED" in refused.text
    assert '"answer":42' in answered.text.replace("\\", "").replace(" ", "")
    assert bad.asked[-1].headers["authorization"] == SECRET


async def test_one_upstreams_credential_is_not_sent_to_another(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    one, other = (make_upstream(bad.url("good"), caller_header="Authorization") for _ in range(2))
    await call_rest(fast_client, other, **credential_header(one))

    assert "authorization" not in bad.asked[-1].headers


@pytest.mark.parametrize("value", [f"Bearer {ALICE_KEY}", ALICE_KEY, "Bearer tr_another-key-of-this-server", ""])
async def test_a_credential_of_this_server_is_never_passed_on(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, value: str
) -> None:
    slug = make_upstream(bad.url("good"), caller_header="Authorization")
    before = len(bad.asked)
    answer = await call_rest(fast_client, slug, **credential_header(slug, value))

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "CREDENTIAL_REFUSED")
    assert len(bad.asked) == before


@pytest.mark.parametrize(
    ("options", "headers"), [({}, True), ({"caller_header": "X-Key", "needs_caller_credential": True}, False)]
)
async def test_it_is_refused_where_the_upstream_is_not_configured_for_it(
    fast_client: httpx.AsyncClient,
    make_upstream: MakeUpstream,
    bad: BadUpstream,
    options: dict[str, Any],
    headers: bool,  # noqa: FBT001 - a parameter
) -> None:
    slug = make_upstream(bad.url("good"), **options)
    answer = await call_rest(fast_client, slug, **(credential_header(slug) if headers else {}))

    assert answer.json()["error"]["code"] == "CREDENTIAL_REFUSED"


async def test_answers_to_it_are_shared_with_nobody(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream
) -> None:
    slug = make_upstream(bad.url("good"), caller_header="Authorization", cache_seconds=60)
    for value in (SECRET, SECRET, OTHER):
        answer = await call_rest(fast_client, slug, **credential_header(slug, value))
        assert "ageSeconds" not in answer.json()
        assert bad.asked[-1].headers["authorization"] == value
    response_cache.forget()


async def test_it_is_in_no_answer_no_log_and_no_row(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    slug = make_upstream(bad.url("echo"), caller_header="Authorization")
    answer = await call_rest(fast_client, slug, **credential_header(slug))
    await audit.flush()

    secret = SECRET.partition(" ")[2]
    assert bad.asked[-1].headers["authorization"] == SECRET
    assert secret not in answer.text
    assert "I was sent" in answer.text
    assert secret not in caplog.text
    rows = in_a_thread(lambda: [*ToolCall.objects.order_by("-id").values()[:20], *UpstreamRefusal.objects.values()])
    assert secret not in str(rows)
    assert current_upstream_credentials.get({}) == {}


def test_headers_with_it_are_not_remembered() -> None:
    head = ((b"Host", b"x"), (b"X-Upstream-Credential-github", SECRET.encode()))
    sent = decode_headers(head)

    assert read_upstream_credentials(sent) == {"github": SECRET}
    assert decode_headers(head) is not sent
    assert measure_head(head) > measure_head(head[:1]) * 1_000
