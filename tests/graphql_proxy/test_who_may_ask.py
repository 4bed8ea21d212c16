"""Whose upstream it is: open to every key or to chosen ones, the key's own default, and what others are told."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest

from graphql_proxy.models import SavedOperation, Upstream
from graphql_proxy.operations import counting, figures
from graphql_proxy.tools import toolkit
from graphql_proxy.upstreams import upstream_for
from tests.bad_upstream import BadUpstream
from tests.graphql_proxy.conftest import MakeKey, MakeUpstream, in_a_thread
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.errors import ToolError
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches
from toolbox.models import ApiKey

TOOL = "/api/tools/graphql_proxy/execute_graphql"


def _close(slug: str, *keys: ApiKey) -> None:
    def close() -> None:
        upstream = Upstream.objects.get(slug=slug)
        upstream.is_open = False
        upstream.save()
        upstream.keys.set(keys)

    in_a_thread(close)
    clear_all_caches()


OPERATION = {"name": "find_answer", "description": "Tell the answer.", "document": "{ answer }"}


def _lists(name: str, caller: Caller) -> bool:
    return name in [tool.name for tool in registry.visible_to(caller)]


async def _comes_true(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds, with the event loop free to load dynamic tools."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - the database announces it
            await asyncio.sleep(0.01)


async def _ask(client: httpx.AsyncClient, key: str, **more: str) -> httpx.Response:
    return await client.post(TOOL, json={"query": "{ answer }", **more}, headers={"Authorization": f"Bearer {key}"})


async def test_a_chosen_key_may_ask_what_is_not_open_to_all(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, make_key: MakeKey
) -> None:
    slug, (row, key), (_, other) = make_upstream(bad.url("good")), make_key(), make_key()
    _close(slug, row)

    chosen = await _ask(fast_client, key, upstream=slug)
    refused = await _ask(fast_client, other, upstream=slug)

    assert chosen.json()["data"] == {"answer": 42}
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "UNKNOWN_UPSTREAM")


async def test_what_is_closed_is_not_named_to_others(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, make_key: MakeKey
) -> None:
    slug, (_, key) = make_upstream(bad.url("good")), make_key()
    _close(slug)

    refused = (await _ask(fast_client, key, upstream="no-such")).json()["error"]

    assert slug not in str(refused)
    assert "mock" in refused["details"]["upstreams"]


async def test_a_tool_made_for_it_is_listed_only_to_whom_it_is_open(
    fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient, make_upstream: MakeUpstream, make_key: MakeKey
) -> None:
    slug, (row, _) = make_upstream("http://127.0.0.1:9/"), make_key()
    reading = frozenset({"graphql_proxy:read"})
    chosen = Caller(name="chosen", scopes=reading, key_id=row.pk, owner_id=row.owner_id)
    other = Caller(name="other", scopes=reading, key_id=row.pk + 1_000_000, owner_id=row.owner_id)
    await dynamic_tools.wait_until_loaded()
    in_a_thread(lambda: SavedOperation.objects.create(**OPERATION, upstream=Upstream.objects.get(slug=slug)))
    await _comes_true(lambda: _lists("find_answer", other))

    _close(slug, row)

    await _comes_true(lambda: _lists("find_answer", chosen) and not _lists("find_answer", other))
    assert _lists("find_answer", LOCAL_OPERATOR)
    assert "find_answer" not in (await ninja_client.get("/api/openapi.json")).text


async def test_every_tool_keeps_to_it(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, make_key: MakeKey
) -> None:
    slug, (_, key) = make_upstream(bad.url("good")), make_key(scopes=["graphql_proxy:read", "graphql_proxy:write"])
    _close(slug)
    bad.asked.clear()

    for tool in toolkit.tools:
        asked = tool.example.model_dump(by_alias=True, exclude_unset=True) | {"upstream": slug}
        answer = await fast_client.post(
            f"/api/tools/graphql_proxy/{tool.name}", json=asked, headers={"Authorization": f"Bearer {key}"}
        )
        assert answer.json()["error"]["code"] == "UNKNOWN_UPSTREAM", tool.name

    assert bad.asked == []


async def test_a_key_asks_its_own_default_unless_another_is_named(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, bad: BadUpstream, make_key: MakeKey
) -> None:
    own, named = make_upstream(bad.url("good")), make_upstream(bad.url("gzip"))
    _, key = make_key(default_upstream=own)
    bad.asked.clear()

    await _ask(fast_client, key)
    await _ask(fast_client, key, upstream=named)

    assert [asked.path for asked in bad.asked] == ["/good", "/gzip"]


async def test_a_default_that_went_away_is_told_and_nobody_else_is_asked(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, make_key: MakeKey
) -> None:
    _, key = make_key(default_upstream="gone")

    refused = await _ask(fast_client, key)

    assert refused.status_code == 404
    assert "asks 'gone' by default" in refused.json()["error"]["message"]
    assert "mock" in refused.json()["error"]["suggestion"]


async def test_a_misspelt_name_is_mended(
    fast_client: httpx.AsyncClient, make_upstream: MakeUpstream, make_key: MakeKey
) -> None:
    _, key = make_key()

    refused = await _ask(fast_client, key, upstream="mokc")

    assert refused.json()["error"]["details"]["retryWith"] == {"upstream": "mock"}


def test_the_operator_may_ask_all_and_a_conversation_what_its_owner_may(
    make_upstream: MakeUpstream, make_key: MakeKey
) -> None:
    """A conversation has an owner and no key: it may ask what one of the owner's keys was chosen for."""
    slug, (row, _) = make_upstream("http://127.0.0.1:9/"), make_key()
    _close(slug, row)
    mine = Caller(name="chat", scopes=frozenset(), owner_id=row.owner_id)
    another = Caller(name="chat", scopes=frozenset(), owner_id=row.owner_id + 1_000_000)

    for caller in (LOCAL_OPERATOR, mine):
        assert event_loop.run(upstream_for(caller, named=slug)).slug == slug
    with pytest.raises(ToolError):
        event_loop.run(upstream_for(another, named=slug))


def test_a_revoked_key_opens_nothing_to_its_owners_conversations(
    make_upstream: MakeUpstream, make_key: MakeKey
) -> None:
    slug, (row, _) = make_upstream("http://127.0.0.1:9/"), make_key()
    in_a_thread(lambda: ApiKey.objects.filter(pk=row.pk).update(revoked_at=datetime(2025, 1, 1, tzinfo=UTC)))
    _close(slug, row)

    with pytest.raises(ToolError, match="There is no upstream"):
        event_loop.run(upstream_for(Caller(name="chat", scopes=frozenset(), owner_id=row.owner_id), named=slug))


def test_descriptions_do_not_name_what_is_closed(make_upstream: MakeUpstream) -> None:
    slug = make_upstream("http://127.0.0.1:9/", slug="aaa-described")
    event_loop.run(counting.refresh())
    said_while_open = figures.describe_counts()

    _close(slug)
    event_loop.run(counting.refresh())

    assert slug in said_while_open
    assert slug not in figures.describe_counts()


def test_a_default_that_is_closed_leaves_a_choice_to_the_caller(make_upstream: MakeUpstream, make_key: MakeKey) -> None:
    row, _ = make_key()
    caller = Caller(name="k", scopes=frozenset(), key_id=row.pk, owner_id=row.owner_id)
    make_upstream("http://127.0.0.1:9/")
    _close("mock")
    try:
        with pytest.raises(ToolError, match="none that this key may ask is the default"):
            event_loop.run(upstream_for(caller, named=None))
    finally:
        in_a_thread(lambda: Upstream.objects.filter(slug="mock").update(is_open=True))
        clear_all_caches()
