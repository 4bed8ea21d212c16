"""Clients of MCP are told when rows become tools, by the way of the 2026 protocol; older clients ask again."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from mcp.client import Client
from mcp.shared.subscriptions import ToolsListChanged

from tests.conftest import running_server
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.graphql_proxy.upstream_data import SMALL_SDL
from tests.toolbox.transports import mcp_in_memory, mcp_over_http
from toolbox.catalogue.registry import registry

ROW: dict[str, Any] = {
    "description": "Tell where a team plays.",
    "document": "query Show($id: ID!) { team(id: $id) { name } }",
    "variables_schema": {"properties": {"id": {"type": "string", "description": "An id."}}, "required": ["id"]},
    "example": {"id": "CAR"},
}


@pytest.fixture
def row(make_upstream: MakeUpstream) -> Any:
    """Yield a function that adds a row of a name, deleted after the test."""
    from graphql_proxy.models import SavedOperation

    added: list[str] = []

    def add(name: str) -> None:
        added.append(name)
        in_a_thread(lambda: SavedOperation.objects.create(name=name, **ROW))

    yield add
    in_a_thread(SavedOperation.objects.filter(name__in=added).delete)


async def describe_tools(client: Client) -> dict[str, str]:
    """Return what the client sees now: each tool's name with its description."""
    return {tool.name: str(tool.description) for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize(("path", "name"), [("/mcp", "find_city"), ("/mcp/graphql_proxy", "find_town")])
async def test_a_listening_client_is_told_of_a_new_row_and_finds_the_tool(
    server: str, cast: SimpleNamespace, row: Any, path: str, name: str
) -> None:
    async with (
        mcp_over_http(server, key=cast.alice, path=path) as client,
        asyncio.timeout(60),
        client.listen(tools_list_changed=True) as changes,
    ):
        before = await describe_tools(client)
        row(name)
        async for event in changes:  # the first may tell of a row that the test before has deleted
            after = await describe_tools(client)
            if event != ToolsListChanged() or name in after:
                break

    assert event == ToolsListChanged()
    assert name not in before
    assert name in after


async def test_a_new_upstream_is_told_because_a_description_names_it(make_upstream: MakeUpstream) -> None:
    async with mcp_in_memory(mode="auto") as client:
        before = await describe_tools(client)
        async with asyncio.timeout(60), client.listen(tools_list_changed=True) as changes:
            in_a_thread(lambda: make_upstream("http://127.0.0.1:9/", slug="aaa-first", sdl=SMALL_SDL))
            async for _ in changes:
                after = await describe_tools(client)
                if "aaa-first" in after["execute_graphql"]:
                    break

    assert "aaa-first" not in before["execute_graphql"]
    assert "aaa-first" in after["execute_graphql"]


async def test_the_protocol_says_who_is_told(server: str, cast: SimpleNamespace) -> None:
    """A client of the older protocol hears on the stream of its session, which it gets with the promise."""
    async with (
        mcp_over_http(server, key=cast.alice) as new,
        mcp_over_http(server, key=cast.alice, mode="legacy") as old,
    ):
        promised = [client.server_capabilities.tools for client in (new, old)]

    assert [part.list_changed if part else None for part in promised] == [True, True]


async def test_nobody_listens_without_a_key(server: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"notifications": {}}}

    async with httpx.AsyncClient(base_url=server) as client:
        answer = await client.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})

    assert answer.status_code == 401


async def test_a_client_that_leaves_is_forgotten() -> None:
    listeners = registry._listeners
    before = len(listeners)
    async with mcp_in_memory(mode="auto") as client:
        async with client.listen(tools_list_changed=True):
            during = len(listeners)
        async with asyncio.timeout(60):
            while len(listeners) > before:  # noqa: ASYNC110 - the handler ends on its own
                await asyncio.sleep(0)

    assert during == before + 1


async def test_a_server_that_stops_ends_the_streams_first(cast: SimpleNamespace) -> None:
    """A stream that were cut instead would raise SubscriptionLost, after ten seconds."""
    running = running_server()
    server = running.__enter__()
    async with mcp_over_http(server, key=cast.alice) as client, client.listen(tools_list_changed=True) as changes:
        stopping = asyncio.create_task(asyncio.to_thread(running.__exit__, None, None, None))
        heard = [event async for event in changes]
        await stopping

    assert heard == []
