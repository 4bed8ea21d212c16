"""Clients of MCP are told when rows become tools, by the way of the 2026 protocol; older clients ask again."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from mcp.shared.subscriptions import ToolsListChanged

from tests.conftest import running_server
from tests.graphql_proxy.conftest import MakeUpstream, in_a_thread
from tests.graphql_proxy.upstream_data import SMALL_SDL
from tests.toolbox.transports import mcp_in_memory, mcp_over_http
from toolbox.catalogue.registry import registry

ROW: dict[str, Any] = {
    "name": "find_city",
    "description": "Tell where a team plays.",
    "document": "query Show($id: ID!) { team(id: $id) { name } }",
    "variables_schema": {"properties": {"id": {"type": "string", "description": "An id."}}, "required": ["id"]},
    "example": {"id": "CAR"},
}


@pytest.fixture
def row(make_upstream: MakeUpstream) -> Any:
    """Yield a function that adds a row, deleted after the test."""
    from graphql_proxy.models import SavedOperation

    def add() -> None:
        in_a_thread(lambda: SavedOperation.objects.create(**ROW))

    yield add
    in_a_thread(SavedOperation.objects.filter(name="find_city").delete)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/graphql_proxy"])
async def test_a_listening_client_is_told_of_a_new_row_and_finds_the_tool(
    server: str, cast: SimpleNamespace, row: Any, path: str
) -> None:
    async with mcp_over_http(server, key=cast.alice, path=path) as client:
        async with asyncio.timeout(60), client.listen(tools_list_changed=True) as changes:
            before = [tool.name for tool in (await client.list_tools()).tools]
            row()
            event = await anext(aiter(changes))
        after = [tool.name for tool in (await client.list_tools()).tools]

    assert event == ToolsListChanged()
    assert "find_city" not in before
    assert "find_city" in after


async def test_a_new_upstream_is_told_because_a_description_names_it(make_upstream: MakeUpstream) -> None:
    async with mcp_in_memory(mode="auto") as client:
        await client.list_tools()
        async with asyncio.timeout(60), client.listen(tools_list_changed=True) as changes:
            in_a_thread(lambda: make_upstream("http://127.0.0.1:9/", slug="aaa-first", sdl=SMALL_SDL))
            await anext(aiter(changes))
            [tool] = [tool for tool in (await client.list_tools()).tools if tool.name == "execute_graphql"]

    assert "aaa-first" in str(tool.description)


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
