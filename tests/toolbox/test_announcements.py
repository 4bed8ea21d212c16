"""Clients of both eras hear what curators change: of lists, and of documents that they watch and may read."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson
import psycopg
import pytest
from mcp.client import Client

from tests.conftest import ALICE_KEY, BOB_KEY, running_server
from tests.toolbox.faces import PLAIN_HTTP, mcp_in_memory, mcp_over_http
from toolbox.callers import LOCAL_OPERATOR, Caller
from toolbox.ledger import ledger
from toolbox.mcp_changes import may_watch
from toolbox.mcp_face import mcp_server
from toolbox.registry import registry

GAME = "linescore://games/2024020001"
SEASON = "linescore://seasons/2024-2025"
CORRECTION = "UPDATE linescore_periods SET home_goals = home_goals + 1 WHERE game_id = 2024020001 AND period_number = 1"
PROMPT = "UPDATE toolbox_prompts SET is_enabled = NOT is_enabled WHERE name = 'standup'"
JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

pytestmark = pytest.mark.usefixtures("scratch_database")


def _curates(*statements: str) -> list[tuple[str, str]]:
    """Change something as another process would; gives what was announced of documents."""
    with psycopg.connect(ledger.conninfo(), autocommit=True) as other:
        other.execute("LISTEN toolroom_documents")
        for statement in statements:
            other.execute(statement.encode())
        return sorted((notice.channel, notice.payload) for notice in other.notifies(timeout=0.2))


def test_a_correction_announces_each_document_once() -> None:
    told = _curates(CORRECTION, CORRECTION.replace("home_goals = home_goals + 1", "home_goals = home_goals"))

    teams = [uri for _, uri in told if "/teams/" in uri]
    assert [uri for _, uri in told if "/teams/" not in uri] == [GAME, SEASON]
    assert len(teams) == 2


@pytest.mark.parametrize(
    ("statement", "uri"),
    [
        ("UPDATE sprints_issues SET title = title || '!' WHERE issue_key LIKE 'ACCEL-%1'", "sprints://teams/ACCEL"),
        (
            "UPDATE sprints_sprints SET goal = 'Other' WHERE sprint_name LIKE 'ACCEL % 1'",
            "sprints://sprints/ACCEL%20",
        ),
        (
            "DELETE FROM devassist_root_causes WHERE id = (SELECT min(id) FROM devassist_root_causes)",
            "devassist://root-causes/",
        ),
    ],
)
def test_what_curators_change_is_announced_by_its_address(statement: str, uri: str) -> None:
    told = [address for _, address in _curates(statement)]

    assert [address for address in told if address.startswith(uri)]
    assert [one for one in registry.readables() if one.values(told[0]) is not None]


def test_a_load_of_many_announces_a_bounded_number() -> None:
    assert 0 < len(_curates("UPDATE linescore_periods SET away_goals = away_goals + 1")) <= 500


async def test_a_client_of_the_2026_era_hears_of_what_it_may_read() -> None:
    bob = Caller(name="bob", scopes=frozenset({"linescore:read"}))
    heard: list[str] = []
    watched = [GAME, "sprints://teams/ACCEL"]
    async with (
        mcp_in_memory(bob, mode="auto") as client,
        client.listen(resource_subscriptions=watched, prompts_list_changed=True) as changes,
    ):
        told = aiter(changes)
        for statement in ("UPDATE sprints_issues SET title = title || '!'", CORRECTION, PROMPT):
            await asyncio.to_thread(_curates, statement)
        async with asyncio.timeout(10):
            while len(heard) < 2:
                heard.append(repr(await anext(told)))

    assert GAME in heard[0]
    assert "PromptsListChanged" in heard[1]


async def test_both_eras_declare_what_they_tell_and_nothing_else() -> None:
    for mode in ("auto", "legacy"):
        async with mcp_in_memory(mode=mode) as client:
            declared = client.server_capabilities

        assert declared is not None
        assert (declared.tools.list_changed, declared.prompts.list_changed) == (True, True)  # type: ignore[union-attr]
        assert (declared.resources.list_changed, declared.resources.subscribe) == (False, True)  # type: ignore[union-attr]


async def test_a_connection_that_lasts_hears_of_lists_too() -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        heard.put_nowait(type(message).__name__)

    server = mcp_server(registry, face="memory", credential_of=lambda _: LOCAL_OPERATOR)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        await client.list_prompts()
        await asyncio.to_thread(_curates, PROMPT)
        async with asyncio.timeout(10):
            while "PromptListChanged" not in (await heard.get()):
                pass


@asynccontextmanager
async def _stream(server: str, *, key: str, watched: list[str]) -> AsyncIterator[Callable[[], Any]]:
    """Open a 2025 session and its stream; gives what reads its next message."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    headers = JSON | {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=server, headers=headers, timeout=20, verify=PLAIN_HTTP) as http:
        begun = await http.post("/mcp", json=begin)
        session = {"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        for uri in watched:
            asked = {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": uri}}
            assert (await http.post("/mcp", json=asked, headers=session)).json()["result"] == {}
        async with http.stream("GET", "/mcp", headers=session) as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == ": here"

            async def following() -> Any:
                async for line in lines:
                    if line.startswith("data: "):
                        return orjson.loads(line.removeprefix("data: "))
                return None

            yield following


@pytest.mark.slow
async def test_a_2025_session_hears_on_its_stream_until_its_key_ends() -> None:
    with running_server() as server:
        watched = [GAME, "sprints://teams/ACCEL"]
        async with _stream(server, key=BOB_KEY, watched=watched) as following, asyncio.timeout(30):
            for statement in ("UPDATE sprints_issues SET title = title || '!'", CORRECTION, PROMPT):
                await asyncio.to_thread(_curates, statement)
            first, second = await following(), await following()
            await asyncio.to_thread(_curates, "UPDATE toolbox_api_keys SET revoked_at = now() WHERE name = 'bob'")
            last = first
            while last is not None:  # for as long as a key may be remembered
                await asyncio.to_thread(_curates, PROMPT)
                last = await following()
        async with mcp_over_http(server, key=ALICE_KEY, mode="legacy") as client:
            declared = client.server_capabilities

    assert first == {
        "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": GAME},
    }  # fmt: skip
    assert second["method"] == "notifications/prompts/list_changed"
    assert last is None
    assert declared is not None
    assert declared.prompts.list_changed  # type: ignore[union-attr]


def test_nobody_watches_what_cannot_be_or_is_not_theirs() -> None:
    bob = Caller(name="bob", scopes=frozenset({"linescore:read"}))

    assert may_watch(GAME, caller=bob, registry=registry)
    assert not may_watch("sprints://teams/ACCEL", caller=bob, registry=registry)
    assert not may_watch("nowhere://at/all", caller=bob, registry=registry)
